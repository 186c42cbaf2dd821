package import ObjectModel

/// How the elements of a new list are matched with those of the stored one.
package enum ListMatching: Sendable {
    /// By position, and then the list is shortened or extended. This is Realm's behaviour under the policy `modified`.
    case byPosition
    /// With as few insertions, assignments and removals as possible: see `ListDifference.steps`.
    case fewestEdits
}

/// Changes one list, set or map to a given content. Only differing elements are edited, so that observers are notified
/// only of these.
///
/// Every write of a whole collection that may share elements with the stored one goes through this. A collection
/// without common elements is assigned as a whole, and so is a list with more differences than `ListDifference.limit`,
/// and a set with more than some thousands.
/// Cost: the collection, and the bounds of `ListDifference.steps`. A long list takes no memory besides the new one.
struct CollectionAssignment {
    let transaction: any WriteTransaction
    let property: PropertySchema
    let object: ObjectReference
    let matching: ListMatching

    /// Returns the number of elements inserted, assigned or removed. Returns nil and changes nothing if only an
    /// assignment of the whole collection is possible: for values of other kinds, and for owned embedded objects at
    /// another position than before.
    func perform(from old: Value, to new: Value) throws -> Int? {
        switch (old, new, property.type.collection) {
        case (.list(let old), .list(let new), .list): keepsPositions(old, new) ? try change(old, to: new) : nil
        case (.set(let old), .set(let new), .set): try change(set: old, to: new)
        case (.dictionary(let old), .dictionary(let new), .map):
            keepsPositions(old, new) ? try change(old, to: new) : nil
        default: nil
        }
    }

    private func change(_ old: [Value], to new: [Value]) throws -> Int {
        guard !old.isEmpty || new.isEmpty else { return try write(.list(new), new.count) }
        // Embedded objects are never equal to others: those at the same positions are updated.
        let matching = property.ownsTarget ? .byPosition : matching
        let steps =
            switch matching {
            case .byPosition: ListDifference.stepsByPosition(from: old, to: new)
            case .fewestEdits: ListDifference.steps(from: old, to: new)
            }
        guard let steps else { return try write(.list(new), max(old.count, new.count)) }
        return try perform(steps, matching) { old[$0] }
    }

    /// Changes a long list, whose present elements are read in pieces. Returns nil and changes nothing for any other
    /// value, and where pieces of what the writer sees cost as much as all of it.
    func performInPieces(to new: Value) throws -> Int? {
        guard case .list(let new) = new, property.type.collection == .list, matching == .fewestEdits,
            !property.ownsTarget, !transaction.isPartial || !property.type.isLink && !property.type.isMixed
        else { return nil }
        let count = try transaction.elementCount(object.classID, object.key, property.id)
        guard count > 0, max(count, new.count) > Self.manyElements else { return nil }
        let steps = try ListDifference.steps(from: count, to: new) { range in
            try transaction.elements(object.classID, object.key, property.id, range)[...]
        }
        guard let steps else { return try write(.list(new), max(count, new.count)) }
        return try perform(steps, matching) { _ in nil }
    }

    /// The number of elements beyond which a list is read in pieces, and of changes beyond which a set or map is
    /// assigned as a whole.
    private static let manyElements = 4096

    /// - Parameter present: the element at a position before the edits; it matters only for embedded objects.
    private func perform(
        _ steps: [ListDifference.Step], _ matching: ListMatching, _ present: (Int) -> Value?
    ) throws -> Int {
        var count = 0
        for step in steps {
            switch (step, matching) {
            case (.replace(let index, let value), _):
                count += try assign(value, insteadOf: present(index), .replace(value, at: index))
            case (.remove(let index), _): count += try edit(.remove(at: index))
            // An append reveals nothing about the existing elements, which the writer may not be allowed to see.
            case (.insert(_, let value), .byPosition): count += try edit(.append(value))
            case (.insert(let index, let value), .fewestEdits): count += try edit(.insert(value, at: index))
            }
        }
        return count
    }

    private func change(set old: [Value], to new: [Value]) throws -> Int {
        // Of elements that are equal in a set, only the first is kept.
        guard case .set(let new) = ValueRules.normalised(.set(new)) else { return 0 }
        let difference = SetEdit(from: old, to: new)
        guard !difference.isEmpty else { return 0 }
        let changed = difference.deletions.count + difference.insertions.count
        // Step by step, many changes take more time and memory than the whole set; who may not see all of it must not
        // assign it.
        if difference.insertions.count == new.count || changed > Self.manyElements && !transaction.isPartial {
            return try write(.set(new), changed)
        }
        var count = 0
        for value in difference.deletions.ascending { count += try edit(.removeElement(value)) }
        for value in difference.insertions.ascending { count += try edit(.add(value)) }
        return count
    }

    private func change(_ old: ValueMap, to new: ValueMap) throws -> Int {
        let difference = MapEdit(from: old, to: new)
        guard !difference.isEmpty else { return 0 }
        let assigned = difference.insertions.count + difference.modifications.count
        let changed = difference.deletions.count + assigned
        // As for sets. Of a map that owns its values, those that stay must keep their objects.
        let isWhole = assigned == new.count || changed > Self.manyElements && !transaction.isPartial
        if isWhole, !property.ownsTarget || old.isEmpty { return try write(.dictionary(new), changed) }
        var count = 0
        for key in difference.deletions.ascending { count += try edit(.removeKey(key.text)) }
        for entry in new.entries where old[entry.key] != entry.value {
            count += try assign(entry.value, insteadOf: old[entry.key], .put(entry.value, key: entry.key))
        }
        return count
    }

    /// Assigns an element; of an embedded object, only the properties that differ.
    private func assign(_ value: Value, insteadOf present: Value?, _ operation: CollectionOperation) throws -> Int {
        guard case (.link(let owned)?, .embedded(let values), let target?) = (present, value, property.targetClass)
        else { return try edit(operation) }
        return try transaction.set(target, owned, values, onlyDifferent: true, matching) ? 1 : 0
    }

    private func edit(_ operation: CollectionOperation) throws -> Int {
        try transaction.edit(object.classID, object.key, property.id, operation) ? 1 : 0
    }

    private func write(_ value: Value, _ count: Int) throws -> Int {
        try transaction.set(object.classID, object.key, [property.id: value])
        return count
    }

    /// Whether all embedded objects that are kept stay in place, so that single edits suffice.
    private func keepsPositions(_ old: [Value], _ new: [Value]) -> Bool {
        guard property.ownsTarget else { return true }
        return new.enumerated().allSatisfy { index, value in
            guard case .link = value else { return true }
            return index < old.count && old[index] == value
        }
    }

    private func keepsPositions(_ old: ValueMap, _ new: ValueMap) -> Bool {
        guard property.ownsTarget else { return true }
        return new.entries.allSatisfy { entry in
            guard case .link = entry.value else { return true }
            return old[entry.key] == entry.value
        }
    }
}

extension WriteTransaction {
    /// Changes a list, set or map to a given content with few edits: see `CollectionAssignment`. Returns the number of
    /// elements inserted, assigned or removed. Returns nil and changes nothing if only an assignment is possible.
    package func change(
        _ property: PropertySchema, of object: ObjectReference, to value: Value, _ matching: ListMatching
    ) throws -> Int? {
        let change = CollectionAssignment(transaction: self, property: property, object: object, matching: matching)
        if let count = try change.performInPieces(to: value) { return count }
        return try change.perform(from: try self.value(object.classID, object.key, property.id), to: value)
    }
}
