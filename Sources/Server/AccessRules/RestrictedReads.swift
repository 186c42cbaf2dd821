import ObjectModel
import QueryLanguage
import StoreContract

/// Reads a store at one version as one caller sees it.
///
/// Every returned value is masked: no link and no reference leads to an object that is hidden from the caller.
protocol RestrictingReads: ObjectReads, PartialReads {
    /// The unrestricted reads.
    var origin: any ObjectReads { get }
    var access: BoundAccess { get }
    var targets: VisibleTargets { get }
}

/// An earlier version as one caller sees it.
final class RestrictedReads: RestrictingReads {
    let origin: any ObjectReads
    let access: BoundAccess
    let targets: VisibleTargets

    init(_ origin: any ObjectReads, _ access: BoundAccess) {
        self.origin = origin
        self.access = access
        targets = VisibleTargets(origin, access)
    }
}

extension RestrictingReads {
    package var version: Version { origin.version }
    package var tag: HistoryTag { origin.tag }
    package var schema: Schema { access.visibleSchema }

    var redaction: ValueRedaction { ValueRedaction { [targets] in try targets.contains($0) } }

    // MARK: Objects

    package func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard schema[classID] != nil else { return false }
        return try targets.contains(ObjectReference(classID, key))
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard schema[classID] != nil, let key = try origin.key(of: classID, primaryKey: primaryKey) else { return nil }
        return try targets.contains(ObjectReference(classID, key)) ? key : nil
    }

    package func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        let found = try self.property(property, of: classID, key)
        let value = try origin.value(classID, key, property)
        return access.hides(found) ? try redaction.shown(value, of: found) : value
    }

    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let found = try self.property(property, of: classID, key)
        guard access.leavesElementsOut(found) else { return try origin.elementCount(classID, key, property) }
        return try visibleElements(classID, key, found).count
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let found = try self.property(property, of: classID, key)
        if access.leavesElementsOut(found) {
            let all = try visibleElements(classID, key, found)
            return Array(all[range.clamped(to: all.indices)])
        }
        let elements = try origin.elements(classID, key, property, range)
        return access.hides(found) ? try elements.map { try redaction.shownElement($0, found) } : elements
    }

    package func backlinks(to target: ObjectReference, from origin: ClassID, _ property: PropertyID) throws
        -> [ObjectKey]
    {
        guard schema[origin]?[property] != nil else { throw Self.unknownProperty }
        guard try exists(target.classID, target.key) else { return [] }
        return try targets.filter(try self.origin.backlinks(to: target, from: origin, property), of: origin)
    }

    private func visibleElements(_ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema) throws -> [Value] {
        try targets.elements(of: ObjectReference(classID, key), property.id) {
            try allVisibleElements(classID, key, property)
        }
    }

    private func allVisibleElements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertySchema
    ) throws -> [Value] {
        let count = try origin.elementCount(classID, key, property.id)
        let elements = try origin.elements(classID, key, property.id, 0..<count)
        if let target = property.targetClass {
            _ = try targets.filter(elements.flatMap(\.linkedKeys), of: target)
        }
        return try elements.filter { try $0.isNull || !redaction.shownElement($0, property).isNull }
    }

    /// Returns the property of an object. Throws unless both are visible.
    func property(_ id: PropertyID, of classID: ClassID, _ key: ObjectKey) throws -> PropertySchema {
        guard let objectClass = schema[classID] else {
            throw StoreError(.unknownClass, "There is no class number \(classID.rawValue).")
        }
        guard let property = objectClass[id] else { throw Self.unknownProperty }
        guard try exists(classID, key) else {
            throw StoreError(.notFound, "There is no object of class '\(objectClass.name)' with that key.")
        }
        return property
    }

    static var unknownProperty: StoreError { StoreError(.unknownProperty, "There is no such property.") }

    // MARK: Queries

    /// Returns nil if the object whose property is the scope is hidden.
    func restricted(_ query: BoundQuery) throws -> BoundQuery? {
        if case .property(let holder, let property) = query.scope {
            guard schema[holder.classID]?[property] != nil, try targets.contains(holder) else { return nil }
        }
        return access.restrict(query)
    }

    package func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] {
        guard let query = try restricted(query) else { return [] }
        let keys = try origin.select(query, window)
        // The result is usually read next. An embedded object that is visible through an owner may be hidden elsewhere.
        if query.scope == .all || schema[query.classID]?.isEmbedded == false {
            targets.note(visible: keys, of: query.classID)
        }
        return keys
    }

    package func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool {
        // The scope is ignored, so its holder does not matter.
        guard try exists(query.classID, key) else { return false }
        return try origin.matches(access.restrict(query), key)
    }

    package func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] {
        let values = try origin.sortValues(keys.map { access.restrict($0) }, of: key, in: classID)
        return try zip(keys, values).map { key, value in
            try value.map { try shown($0, at: key.path, from: classID) }
        }
    }

    /// Masks the value at the end of a path. Paths themselves hide the objects on the way.
    private func shown(_ value: Value, at path: BoundPath, from classID: ClassID) throws -> Value {
        switch value {
        case .link(let key):
            guard case .property(let property, _) = path.end,
                let target = schema[path.links.last?.target ?? classID]?[property]?.targetClass
            else { return .null }
            return try targets.contains(ObjectReference(target, key)) ? value : .null
        case .reference(let target): return try targets.contains(target) ? value : .null
        default: return value
        }
    }
}

extension LinkStep {
    /// The class of the objects at the end of the step.
    fileprivate var target: ClassID {
        switch self {
        case .forward(_, let target), .elements(_, let target, _), .rowSecurity(_, let target): target
        case .backward(let origin, _): origin
        }
    }
}
