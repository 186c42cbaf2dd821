import ObjectCoding
package import ObjectModel
package import StoreContract

/// Applies edits within a write transaction. Lists, sets and maps of the schema are edited in place, so that observers
/// are notified only of the elements concerned; a mixed value is a single value for observers.
package struct PropertyEditor {
    private let writer: ObjectWriter
    var transaction: any WriteTransaction { writer.transaction }

    package init(_ transaction: any WriteTransaction, _ policy: UpdatePolicy = .modified) {
        writer = ObjectWriter(transaction, policy)
    }

    /// Throws 404 for a position or key of the path that does not exist, 422 for an edit that its end does not
    /// support, and the errors of the transaction.
    package func perform(_ edit: PropertyEdit, at resolved: ResolvedPropertyPath) throws -> EditOutcome {
        guard !resolved.property.type.isComputed else {
            throw resolved.refusal("is computed from links. Edit the property that links.")
        }
        if !resolved.inner.isEmpty || resolved.isMixedValue, let outcome = try editInMixed(edit, resolved) {
            return outcome
        }
        switch (resolved.element, resolved.property.type.collection) {
        case (nil, .list): return try editList(edit, resolved)
        case (nil, .set): return try editSet(edit, resolved)
        case (nil, .map): return try editMap(edit, resolved)
        case (nil, .single): return try editSingle(edit, resolved)
        case (let element?, _): return try editElement(edit, element, resolved)
        }
    }

    // MARK: Whole properties

    private func editList(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        switch edit {
        case .insert(let contents, at: let index):
            let count = try transaction.elementCount(resolved.holder, resolved.property.id)
            let start = index ?? count
            guard start <= count else {
                throw ValueStep.outOfBounds(start, count, resolved.name, StoreError.Code.indexOutOfBounds)
            }
            for (offset, content) in contents.enumerated() {
                let element = try writer.resolve(content)
                // Appending reveals nothing about the existing elements, which may be hidden from the caller.
                try self.edit(resolved, index == nil ? .append(element) : .insert(element, at: start + offset))
            }
            return try outcome(contents.count, resolved)
        case .move(let from, let to):
            let count = try transaction.elementCount(resolved.holder, resolved.property.id)
            for index in [from, to] where index >= count {
                throw ValueStep.outOfBounds(index, count, resolved.name, StoreError.Code.indexOutOfBounds)
            }
            return try outcome(try self.edit(resolved, .move(from: from, to: to)) ? 1 : 0, resolved)
        default: return try editWhole(edit, resolved)
        }
    }

    private func editSet(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        switch edit {
        case .add(let contents):
            var added = 0
            for content in contents where try self.edit(resolved, .add(try writer.resolve(content))) { added += 1 }
            return try outcome(added, resolved)
        case .discard(let content):
            var missing: [ObjectInput.Link] = []
            let value = try writer.resolve(content, &missing)
            // An object that does not exist is in no set.
            guard missing.isEmpty else { return try outcome(0, resolved) }
            return try outcome(try self.edit(resolved, .removeElement(value)) ? 1 : 0, resolved)
        default: return try editWhole(edit, resolved)
        }
    }

    private func editMap(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        try editWhole(edit, resolved)
    }

    private func editWhole(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        switch edit {
        case .assign(let content):
            let modified = try writer.reassign(
                resolved.property, of: resolved.holder, to: try writer.resolve(content))
            return try outcome(modified, resolved)
        case .remove:
            let count = try transaction.elementCount(resolved.holder, resolved.property.id)
            return try outcome(try self.edit(resolved, .removeAll) ? count : 0, resolved)
        default: throw resolved.typeMismatch(edit, resolved.property.type.collection)
        }
    }

    private func editSingle(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        let value: Value
        switch edit {
        case .assign(let content): value = try writer.resolve(content)
        case .remove: value = .null
        default: throw resolved.typeMismatch(edit, .single)
        }
        try transaction.set(resolved.holder.classID, resolved.holder.key, [resolved.property.id: value])
        return EditOutcome(modified: 1)
    }

    // MARK: Elements

    private func editElement(
        _ edit: PropertyEdit, _ element: ResolvedPropertyPath.Element, _ resolved: ResolvedPropertyPath
    ) throws -> EditOutcome {
        let whole = resolved.collection ?? resolved
        switch (element, resolved.property.type.collection, edit) {
        case (.position, .set, _):
            throw whole.refusal(
                "is a set, whose elements have no positions of their own. Remove one with ?value=, add others with POST."
            )
        case (.position(let index), _, .assign(let content)):
            try check(index, resolved)
            try self.edit(whole, .replace(try writer.resolve(content), at: index))
        case (.position(let index), _, .remove):
            try check(index, resolved)
            try self.edit(whole, .remove(at: index))
        case (.mapKey(let key), _, .assign(let content)):
            try self.edit(whole, .put(try writer.resolve(content), key: key))
        case (.mapKey(let key), _, .remove):
            guard try self.edit(whole, .removeKey(key)) else { throw try resolved.missing(in: transaction) }
        default: throw resolved.typeMismatch(edit, .single)
        }
        return try outcome(1, whole)
    }

    private func check(_ index: Int, _ resolved: ResolvedPropertyPath) throws {
        guard index < (try transaction.elementCount(resolved.holder, resolved.property.id)) else {
            throw try resolved.missing(in: transaction)
        }
    }

    // MARK: Mixed values

    /// Edits a copy of the mixed value that contains the end of the path, and assigns it. Nil for an edit of the whole
    /// property or element.
    private func editInMixed(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath) throws -> EditOutcome? {
        if resolved.inner.isEmpty {
            switch edit {
            case .assign, .remove: return nil
            default: break
            }
        }
        guard let outer = try resolved.outerValue(in: transaction) else { throw try resolved.missing(in: transaction) }
        var change = ValueChange(edit, resolved, writer)
        let changed = try change.apply(to: outer, resolved.inner[...])
        if change.modified > 0 {
            let whole = ResolvedPropertyPath(
                holder: resolved.holder, holderClass: resolved.holderClass, property: resolved.property, element: nil,
                inner: [], owner: resolved.owner)
            switch resolved.element {
            case nil: try transaction.set(resolved.holder.classID, resolved.holder.key, [resolved.property.id: changed])
            case .position(let index):
                guard resolved.property.type.collection == .list else {
                    throw whole.refusal("is a set, whose elements cannot be changed. Remove one and add another.")
                }
                try self.edit(whole, .replace(changed, at: index))
            case .mapKey(let key): try self.edit(whole, .put(changed, key: key))
            }
        }
        return EditOutcome(modified: change.modified, count: change.count)
    }

    // MARK: Parts

    @discardableResult
    private func edit(_ resolved: ResolvedPropertyPath, _ operation: CollectionOperation) throws -> Bool {
        try transaction.edit(resolved.holder.classID, resolved.holder.key, resolved.property.id, operation)
    }

    private func outcome(_ modified: Int, _ resolved: ResolvedPropertyPath) throws -> EditOutcome {
        EditOutcome(modified: modified, count: try transaction.elementCount(resolved.holder, resolved.property.id))
    }
}

/// An edit within a mixed value.
private struct ValueChange {
    private let edit: PropertyEdit
    private let resolved: ResolvedPropertyPath
    private let writer: ObjectWriter
    private(set) var modified = 0
    /// The number of elements of the edited collection, or of the one that contains the element.
    private(set) var count: Int?

    init(_ edit: PropertyEdit, _ resolved: ResolvedPropertyPath, _ writer: ObjectWriter) {
        self.edit = edit
        self.resolved = resolved
        self.writer = writer
    }

    mutating func apply(to value: Value, _ steps: ArraySlice<ValueStep>) throws -> Value {
        guard let step = steps.first else { return try edited(value) }
        if steps.count == 1 {
            switch edit {
            case .assign(let content): return try assigned(value, step, try writer.resolve(content))
            case .remove: return try removed(value, step)
            default: break
            }
        }
        guard let inner = value[step] else { throw step.missing(in: value, called: resolved.name) }
        let changed = try apply(to: inner, steps.dropFirst())
        switch (value, step) {
        case (.list(var elements), .index(let index)):
            elements[index] = changed
            return .list(elements)
        case (.dictionary(var map), .key(let key)):
            map[key] = changed
            return .dictionary(map)
        default: return value
        }
    }

    /// Returns the list at the end of the path after the edit.
    private mutating func edited(_ value: Value) throws -> Value {
        guard case .list(var elements) = value else {
            throw resolved.typeMismatch(edit, value.isDictionary ? .map : .single)
        }
        switch edit {
        case .insert(let contents, at: let index):
            let start = index ?? elements.count
            guard start <= elements.count else {
                throw ValueStep.outOfBounds(start, elements.count, resolved.name, StoreError.Code.indexOutOfBounds)
            }
            elements.insert(contentsOf: try contents.map { try writer.resolve($0) }, at: start)
            modified = contents.count
        case .move(let from, let to):
            for index in [from, to] where index >= elements.count {
                throw ValueStep.outOfBounds(index, elements.count, resolved.name, StoreError.Code.indexOutOfBounds)
            }
            elements.insert(elements.remove(at: from), at: to)
            modified = from == to ? 0 : 1
        default: throw resolved.typeMismatch(edit, .list)
        }
        count = elements.count
        return .list(elements)
    }

    private mutating func assigned(_ value: Value, _ step: ValueStep, _ new: Value) throws -> Value {
        modified = 1
        switch (value, step) {
        case (.list(var elements), .index(let index)) where elements.indices.contains(index):
            elements[index] = new
            count = elements.count
            return .list(elements)
        case (.dictionary(var map), .key(let key)):
            map[key] = new
            count = map.count
            return .dictionary(map)
        default: throw step.missing(in: value, called: resolved.collection?.name ?? resolved.name)
        }
    }

    private mutating func removed(_ value: Value, _ step: ValueStep) throws -> Value {
        guard value[step] != nil else {
            throw step.missing(in: value, called: resolved.collection?.name ?? resolved.name)
        }
        modified = 1
        switch (value, step) {
        case (.list(var elements), .index(let index)):
            elements.remove(at: index)
            count = elements.count
            return .list(elements)
        case (.dictionary(var map), .key(let key)):
            map[key] = nil
            count = map.count
            return .dictionary(map)
        default: return value
        }
    }
}

extension Value {
    fileprivate var isDictionary: Bool {
        if case .dictionary = self { return true }
        return false
    }
}

extension ResolvedPropertyPath {
    /// Whether the end of the path is a mixed value, which may contain a list or a map.
    fileprivate var isMixedValue: Bool {
        property.type.isMixed && (element != nil || property.type.collection == .single)
    }

    fileprivate func refusal(_ what: String) -> Problem {
        Problem(StoreError.Code.notACollection, "'\(name)' \(what)", property: property.name)
    }

    /// Returns the error for an edit of another kind of collection.
    fileprivate func typeMismatch(_ edit: PropertyEdit, _ kind: CollectionKind) -> Problem {
        switch (edit, kind) {
        case (_, .map): refusal("is a map. Set a value with PUT …/{key}, remove one with DELETE …/{key}.")
        case (.discard, .list): refusal("is a list. Remove an element with DELETE …/{index}.")
        case (.move, .set): refusal("is a set, whose order is fixed.")
        case (.insert, .set): refusal("is a set, whose order is fixed. Omit the position.")
        case (_, .single): refusal("is a single value. Assign it with PUT.")
        default: refusal("is a \(kind == .set ? "set" : "list"), which cannot be edited like this.")
        }
    }
}

extension PropertyEditor {
    /// The maximum number of elements that are removed one by one; for more, the remaining collection is assigned.
    private static let singleRemovals = 1000

    /// Removes the links to some objects from a list, set or map.
    package func remove(_ keys: Set<ObjectKey>, from resolved: ResolvedPropertyPath) throws -> EditOutcome {
        let (object, property) = (resolved.holder, resolved.property)
        func goes(_ value: Value) -> Bool {
            if case .link(let key) = value { keys.contains(key) } else { false }
        }
        var edits: [CollectionOperation] = []
        let rest: Value
        switch try transaction.value(object.classID, object.key, property.id) {
        case .list(let elements):
            for index in elements.indices.reversed() where goes(elements[index]) { edits.append(.remove(at: index)) }
            rest = .list(elements.filter { !goes($0) })
        case .set(let elements):
            for element in elements where goes(element) { edits.append(.removeElement(element)) }
            rest = .set(elements.filter { !goes($0) })
        case .dictionary(let map):
            for entry in map.entries where goes(entry.value) { edits.append(.removeKey(entry.key)) }
            rest = .dictionary(ValueMap(map.entries.filter { !goes($0.value) }.map { ($0.key, $0.value) }))
        default: throw StoreError.notACollection(property, in: resolved.holderClass)
        }
        if edits.count > Self.singleRemovals {
            try transaction.set(object.classID, object.key, [property.id: rest])
        } else {
            for edit in edits { try transaction.edit(object.classID, object.key, property.id, edit) }
        }
        return EditOutcome(
            modified: edits.count, count: try transaction.elementCount(object.classID, object.key, property.id))
    }
}
