package import ObjectModel
import StoreContract

extension ObjectWriter {
    /// Assigns a whole property. A list, set or map of values or links is changed with as few edits as possible, so
    /// that observers are notified only of the differences. Returns the number of elements inserted, assigned or
    /// removed; 1 for any other property. Cost: proportional to the collection.
    package func reassign(_ property: PropertySchema, of object: ObjectReference, to value: Value) throws -> Int {
        // New embedded objects never equal the old ones, and the store rejects values that do not fit.
        if property.type.isCollection, !property.ownsTarget, property.type.accepts(value) {
            try check(value, property, object)
            switch (try transaction.value(object.classID, object.key, property.id), value) {
            case (.list(let old), .list(let new)): return try change(old, to: new, property, object)
            case (.set(let old), .set(let new)): return try change(set: old, to: new, property, object)
            case (.dictionary(let old), .dictionary(let new)): return try change(old, to: new, property, object)
            default: break
            }
        }
        let before =
            try property.type.isCollection ? transaction.elementCount(object.classID, object.key, property.id) : 0
        try transaction.set(object.classID, object.key, [property.id: value])
        guard property.type.isCollection else { return 1 }
        return max(before, try transaction.elementCount(object.classID, object.key, property.id))
    }

    private func check(_ value: Value, _ property: PropertySchema, _ object: ObjectReference) throws {
        guard let objectClass = transaction.schema[object.classID] else { return }
        try ValueRules(transaction.schema) { try transaction.exists($0.classID, $0.key) }
            .check(value, for: property, of: objectClass)
    }

    private func change(
        _ old: [Value], to new: [Value], _ property: PropertySchema, _ object: ObjectReference
    ) throws -> Int {
        guard let steps = ListDifference.steps(from: old, to: new) else {
            try transaction.set(object.classID, object.key, [property.id: .list(new)])
            return max(old.count, new.count)
        }
        let edits = steps.map { step -> CollectionOperation in
            switch step {
            case .replace(let index, let value): .replace(value, at: index)
            case .remove(let index): .remove(at: index)
            case .insert(let index, let value): .insert(value, at: index)
            }
        }
        for edit in edits { try transaction.edit(object.classID, object.key, property.id, edit) }
        return edits.count
    }

    private func change(
        set old: [Value], to new: [Value], _ property: PropertySchema, _ object: ObjectReference
    ) throws -> Int {
        // Of values that are equal in a set the first one is used.
        guard case .set(let new) = ValueRules.normalised(.set(new)) else { return 0 }
        // Kept elements are compared and not reported; if none is kept, everything is written at once.
        if !new.contains(where: { old.containsInOrder($0) }) {
            guard !old.isEmpty || !new.isEmpty else { return 0 }
            try transaction.set(object.classID, object.key, [property.id: .set(new)])
            return old.count + new.count
        }
        var modified = 0
        for value in old where !new.containsInOrder(value) {
            modified += try transaction.edit(object.classID, object.key, property.id, .removeElement(value)) ? 1 : 0
        }
        for value in new where !old.containsInOrder(value) {
            modified += try transaction.edit(object.classID, object.key, property.id, .add(value)) ? 1 : 0
        }
        return modified
    }

    private func change(
        _ old: ValueMap, to new: ValueMap, _ property: PropertySchema, _ object: ObjectReference
    ) throws -> Int {
        var edits: [CollectionOperation] = []
        for entry in old.entries where new[entry.key] == nil { edits.append(.removeKey(entry.key)) }
        let removed = edits.count
        for entry in new.entries where old[entry.key] != entry.value { edits.append(.put(entry.value, key: entry.key)) }
        // If no entry is kept, observers see the same, and a map with very many keys is written at once.
        if edits.count == removed + new.count {
            try transaction.set(object.classID, object.key, [property.id: .dictionary(new)])
            return edits.count
        }
        for edit in edits { try transaction.edit(object.classID, object.key, property.id, edit) }
        return edits.count
    }
}

extension [Value] {
    /// Whether an array sorted in the order of sets contains exactly this value.
    fileprivate func containsInOrder(_ value: Value) -> Bool {
        let index = partitioningIndex { Value.order($0, value) >= 0 }
        return index < count && self[index] == value
    }
}
