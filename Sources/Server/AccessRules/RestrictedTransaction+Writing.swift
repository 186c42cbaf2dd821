import QuerySyntax
import ObjectModel
import QueryLanguage
import StoreContract

extension RestrictedTransaction {
    func create(_ classID: ClassID, _ values: [PropertyID: Value]) throws -> ObjectKey {
        let objectClass = try objectClass(classID)
        guard objectClass.isEmbedded || access.access(classID).create != nil else {
            throw denied("create objects of class '\(objectClass.name)'")
        }
        var given = values
        for (id, value) in values {
            guard let property = objectClass[id] else { throw unknownProperty(objectClass) }
            if !isWritable(property, of: objectClass), property.name != objectClass.primaryKey {
                guard value == property.initialValue else { throw notWritable(property, objectClass) }
                given[id] = nil
            }
            try check(value, of: property, objectClass)
        }
        let key = try base.create(classID, given)
        record(created: key, of: classID)
        return key
    }

    func set(_ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value]) throws {
        let objectClass = try objectClass(classID)
        guard try exists(classID, key) else { throw notFound(objectClass) }
        var assigned: [PropertyID: Value] = [:]
        for (id, value) in values {
            guard let property = objectClass[id] else { throw unknownProperty(objectClass) }
            // Assigning the visible value does not change the hidden one.
            let isWritable = isWritable(property, of: objectClass)
            if !isWritable || access.hides(property) {
                let shown = try shown(property, of: classID, key)
                let present = try base.value(classID, key, id)
                let isHiding = shown != present
                if value == shown, isHiding || !isWritable { continue }
                guard isWritable else { throw notWritable(property, objectClass) }
                // A hidden link is shown as null and can be overwritten; the other contents of the value must not be
                // lost.
                if isHiding, property.type.isCollection || present.isNested { throw hidden(property, objectClass) }
            }
            try check(value, of: property, objectClass)
            assigned[id] = value
        }
        try touch(objectClass, key)
        if !assigned.isEmpty { try base.set(classID, key, assigned) }
    }

    func edit(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ operation: CollectionOperation
    ) throws -> Bool {
        let objectClass = try objectClass(classID)
        let found = try self.property(property, of: classID, key)
        guard isWritable(found, of: objectClass) else { throw notWritable(found, objectClass) }
        switch operation {
        case .insert(let value, _), .append(let value), .replace(let value, _), .add(let value), .put(let value, _):
            try checkElement(value, of: found, objectClass)
        case .removeElement(let value):
            // Hidden objects are not in the visible set.
            if try value.isHidden(found, { try isVisible($0) }) { return false }
        case .remove, .move, .removeKey, .removeAll: break
        }
        if needsAll(operation, found), try shown(found, of: classID, key) != base.value(classID, key, property) {
            throw hidden(found, objectClass)
        }
        if let element = try replaced(by: operation, found, of: classID, key), element.isNested,
            try element.isHidden(found, { try isVisible($0) })
        {
            throw hidden(found, objectClass)
        }
        try touch(objectClass, key)
        return try base.edit(classID, key, property, operation)
    }

    func delete(_ classID: ClassID, _ key: ObjectKey) throws {
        let objectClass = try objectClass(classID)
        guard try exists(classID, key) else { throw notFound(objectClass) }
        if objectClass.isEmbedded {
            try touch(objectClass, key)
        } else if created[classID]?.contains(key) != true {
            guard let rule = access.access(classID).delete else {
                throw denied("delete objects of class '\(objectClass.name)'")
            }
            guard try base.matches(BoundQuery(classID: classID, predicate: rule), key) else {
                throw denied("delete this object of class '\(objectClass.name)'")
            }
        }
        try base.delete(classID, key)
        record(deleted: key, of: classID)
    }

    func delete(_ classID: ClassID, _ keys: [ObjectKey]) throws {
        let objectClass = try objectClass(classID)
        guard !objectClass.isEmbedded else { return try keys.forEach { try delete(classID, $0) } }
        for key in keys {
            guard try exists(classID, key) else { throw notFound(objectClass) }
        }
        let others = Set(keys).subtracting(created[classID] ?? [])
        guard try satisfying(others, of: classID, access.access(classID).delete).count == others.count else {
            throw denied("delete all of these objects of class '\(objectClass.name)'")
        }
        try base.delete(classID, keys)
        for key in keys { record(deleted: key, of: classID) }
    }

    /// Checks the conditions for the end of the write: for created objects, and for changed ones.
    func finish() throws {
        for (classID, keys) in created.sorted(by: { $0.key < $1.key }) {
            try checkEnd(keys, classID, access.access(classID).create, "create an object of class", "like this")
        }
        for (classID, keys) in touched.sorted(by: { $0.key < $1.key }) {
            try checkEnd(keys, classID, access.access(classID).update, "change an object of class", "like this")
        }
    }

    private func checkEnd(
        _ keys: Set<ObjectKey>, _ classID: ClassID, _ rule: BoundPredicate?, _ what: String, _ how: String
    ) throws {
        // Objects that were deleted as part of another object need no permission.
        let left = try keys.filter { try base.exists(classID, $0) }
        guard try satisfying(left, of: classID, rule).count == left.count else {
            throw denied("\(what) '\(schema[classID]?.name ?? "?")' \(how)")
        }
    }

    // MARK: Rules

    /// Checks that an object can be changed: one that this write did not create must satisfy the rule before and after.
    /// For an embedded object its owner must.
    private func touch(_ objectClass: ClassSchema, _ key: ObjectKey) throws {
        let classID = objectClass.id
        if created[classID]?.contains(key) == true || touched[classID]?.contains(key) == true { return }
        if objectClass.isEmbedded {
            guard let owner = try owner(of: key, classID), let ownerClass = schema[owner.classID] else {
                throw notFound(objectClass)
            }
            return try touch(ownerClass, owner.key)
        }
        guard let rule = access.access(classID).update else {
            throw denied("change objects of class '\(objectClass.name)'")
        }
        if rule != .constant(true), changeable[classID]?.contains(key) != true {
            // Checks all objects that the write has met in one query: many of them may be about to be changed.
            let allowed = try satisfying(unasked(classID).union([key]), of: classID, rule)
            record(changeable: allowed, of: classID)
            guard allowed.contains(key) else { throw denied("change this object of class '\(objectClass.name)'") }
        }
        record(touched: key, of: classID)
    }

    private func owner(of key: ObjectKey, _ classID: ClassID) throws -> ObjectReference? {
        for owner in access.access(classID).owners {
            if let found = try base.backlinks(to: key, from: owner.origin, owner.property).first {
                return ObjectReference(owner.origin, found)
            }
        }
        return nil
    }

    /// Returns the objects that satisfy a rule; none without one.
    private func satisfying(
        _ keys: Set<ObjectKey>, of classID: ClassID, _ rule: BoundPredicate?
    ) throws -> Set<ObjectKey> {
        guard let rule else { return [] }
        if rule == .constant(true) { return keys }
        if keys.count <= 16 {
            let query = BoundQuery(classID: classID, predicate: rule)
            return try keys.filter { try base.matches(query, $0) }
        }
        let references = keys.sorted().map { Value.reference(ObjectReference(classID, $0)) }
        let among = BoundPredicate.comparison(
            BoundComparison(.path(BoundPath(end: .object(classID))), .equal, .list(references)))
        return Set(try base.select(BoundQuery(classID: classID, predicate: .and([among, rule])), .all))
    }

    private func isWritable(_ property: PropertySchema, of objectClass: ClassSchema) -> Bool {
        access.access(objectClass.id).writable?.contains(property.id) ?? true
    }

    // MARK: Values

    /// Throws for links to hidden objects, and for properties of new embedded objects that cannot be assigned.
    private func check(_ value: Value, of property: PropertySchema, _ objectClass: ClassSchema) throws {
        switch value {
        case .list(let elements) where property.type.isCollection, .set(let elements):
            for element in elements { try checkElement(element, of: property, objectClass) }
        case .dictionary(let map) where property.type.isCollection:
            for entry in map.entries { try checkElement(entry.value, of: property, objectClass) }
        default: try checkElement(value, of: property, objectClass)
        }
    }

    private func checkElement(_ value: Value, of property: PropertySchema, _ objectClass: ClassSchema) throws {
        if case .embedded(let values) = value {
            guard let part = property.targetClass.flatMap({ schema[$0] }) else { return }
            for (id, value) in values {
                guard let inner = part[id] else { throw unknownProperty(part) }
                if !isWritable(inner, of: part), value != inner.initialValue { throw notWritable(inner, part) }
                try check(value, of: inner, part)
            }
            return
        }
        guard try !value.isHidden(property, { try isVisible($0) }) else {
            throw StoreError(
                .invalidValue,
                "Property '\(objectClass.name).\(property.name)' cannot link to an object that does not exist.",
                property: property.name)
        }
    }

    /// Whether the operation depends on elements that the caller does not see.
    private func needsAll(_ operation: CollectionOperation, _ property: PropertySchema) -> Bool {
        guard access.hides(property) else { return false }
        switch operation {
        case .removeAll: return true
        case .insert, .replace, .remove, .move: return access.leavesElementsOut(property)
        case .append, .add, .removeElement, .put, .removeKey: return false
        }
    }

    /// Returns the element of a collection of mixed values that the operation replaces.
    private func replaced(
        by operation: CollectionOperation, _ property: PropertySchema, of classID: ClassID, _ key: ObjectKey
    ) throws -> Value? {
        guard property.type.isMixed, access.hides(property) else { return nil }
        switch operation {
        case .replace(_, let index) where index >= 0 && index < .max:
            return try base.elements(classID, key, property.id, index..<index + 1).first
        case .put(_, let name):
            guard case .dictionary(let map) = try base.value(classID, key, property.id) else { return nil }
            return map[name]
        default: return nil
        }
    }

    // MARK: Refusals

    private func denied(_ what: String) -> StoreError {
        StoreError(.accessDenied, "Your role may not \(what).")
    }

    private func notWritable(_ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .accessDenied,
            "Your role may not write property '\(objectClass.name).\(property.name)'. Leave it out.",
            property: property.name)
    }

    private func hidden(_ property: PropertySchema, _ objectClass: ClassSchema) -> StoreError {
        StoreError(
            .hiddenElements,
            "'\(objectClass.name).\(property.name)' has elements that you cannot see, so it cannot be replaced, emptied or edited by position. Append or add to it.",
            property: property.name)
    }
}

extension Value {
    /// Whether the value contains other values.
    fileprivate var isNested: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }

    /// Whether the value refers to a hidden object.
    fileprivate func isHidden(
        _ property: PropertySchema, _ isVisible: (ObjectReference) throws -> Bool
    ) rethrows -> Bool {
        var isHidden = false
        try forEachTarget(property) { if !isHidden { isHidden = try !isVisible($0) } }
        return isHidden
    }
}
