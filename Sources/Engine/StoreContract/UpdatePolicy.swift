package import ObjectModel

/// The treatment of an object whose primary key exists, after Realm's policies.
package enum UpdatePolicy: String, CaseIterable, Sendable {
    /// Reject it.
    case error
    /// Assign the given properties that differ: collections element by element, embedded objects in place.
    case modified
    /// Assign all given properties, which observers see as changes: collections and embedded objects are replaced.
    case all
}

/// The outcome of an upsert.
package struct UpsertResult: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        case created
        case modified
        /// Nothing differed.
        case unchanged
    }

    package var key: ObjectKey
    package var outcome: Outcome

    package init(_ key: ObjectKey, _ outcome: Outcome) {
        self.key = key
        self.outcome = outcome
    }
}

extension WriteTransaction {
    /// Creates an object, or updates the one that has its primary key by the policy. Properties that are not given then
    /// keep their values. Throws `noPrimaryKey` for a class without one unless the policy is `.error`, and the errors
    /// of `create`, `set` and `edit`; a failed update may leave some properties assigned, so let the work fail with it.
    @discardableResult
    package func create(
        _ classID: ClassID, _ values: [PropertyID: Value], update policy: UpdatePolicy
    ) throws -> UpsertResult {
        guard policy != .error, let objectClass = schema[classID] else {
            return UpsertResult(try create(classID, values), .created)
        }
        guard let primaryKey = objectClass.primaryKeyProperty else {
            throw StoreError(
                .noPrimaryKey, "'\(objectClass.name)' does not have a primary key and can not be updated")
        }
        guard let value = values[primaryKey.id] ?? (primaryKey.type.isOptional ? .null : nil),
            let key = try key(of: classID, primaryKey: value)
        else { return UpsertResult(try create(classID, values), .created) }
        var given = values
        given[primaryKey.id] = nil
        let changed = try set(classID, key, given, onlyDifferent: policy == .modified)
        return UpsertResult(key, changed ? .modified : .unchanged)
    }

    /// Assigns properties. With `onlyDifferent`, changes only what differs from the stored values: elements of
    /// collections one by one, properties of embedded objects in place. Returns false when nothing differed, so that
    /// observers get no change. Throws the errors of `set` and `edit`.
    @discardableResult
    package func set(
        _ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool
    ) throws -> Bool {
        guard onlyDifferent else {
            if !values.isEmpty { try set(classID, key, values) }
            return !values.isEmpty
        }
        var assigned: [PropertyID: Value] = [:]
        var changed = false
        let objectClass = schema[classID]
        for (id, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let property = objectClass?[id], property.type.accepts(value) else {
                // The store rejects it.
                assigned[id] = value
                continue
            }
            let present = try self.value(classID, key, id)
            let place = CollectionPlace(classID: classID, key: key, property: property)
            switch (present, value) {
            case (.list(let old), .list(let new)) where property.type.collection == .list && place.holds(new, old):
                changed = try change(old, to: new, place) || changed
            case (.set(let old), .set(let new)) where property.type.collection == .set:
                changed = try changeSet(old, to: new, place) || changed
            case (.dictionary(let old), .dictionary(let new))
            where property.type.collection == .map && place.holds(new, old):
                changed = try change(old, to: new, place) || changed
            case (.link(let owned), .embedded(let given)):
                changed = try updateEmbedded(owned, given, place) || changed
            default:
                if value != present { assigned[id] = value }
            }
        }
        if !assigned.isEmpty { try set(classID, key, assigned) }
        return changed || !assigned.isEmpty
    }

    // MARK: Collections, element by element

    /// Compares elements at the same position, then shortens or extends the list.
    private func change(_ old: [Value], to new: [Value], _ place: CollectionPlace) throws -> Bool {
        if old.isEmpty, !new.isEmpty { return try assign(.list(new), place) }
        var changed = old.count != new.count
        for (index, (before, after)) in zip(old, new).enumerated() where before != after {
            if case (.link(let owned), .embedded(let given)) = (before, after) {
                changed = try updateEmbedded(owned, given, place) || changed
            } else {
                changed = try edit(place, .replace(after, at: index)) || changed
            }
        }
        for index in (min(new.count, old.count)..<old.count).reversed() { try edit(place, .remove(at: index)) }
        for value in new.dropFirst(old.count) { try edit(place, .append(value)) }
        return changed
    }

    private func changeSet(_ old: [Value], to new: [Value], _ place: CollectionPlace) throws -> Bool {
        if old.isEmpty, !new.isEmpty { return try assign(.set(new), place) }
        var changed = false
        let wanted = new.sorted { Value.order($0, $1) < 0 }
        for value in old where !wanted.containsOrdered(value) {
            changed = try edit(place, .removeElement(value)) || changed
        }
        for value in new where !old.containsOrdered(value) { changed = try edit(place, .add(value)) || changed }
        return changed
    }

    private func change(_ old: ValueMap, to new: ValueMap, _ place: CollectionPlace) throws -> Bool {
        if old.isEmpty, !new.isEmpty { return try assign(.dictionary(new), place) }
        var changed = false
        for entry in old.entries where new[entry.key] == nil {
            changed = try edit(place, .removeKey(entry.key)) || changed
        }
        for entry in new.entries {
            switch (old[entry.key], entry.value) {
            case (.link(let owned)?, .embedded(let given)):
                changed = try updateEmbedded(owned, given, place) || changed
            case (let before, let after) where before != after:
                changed = try edit(place, .put(after, key: entry.key)) || changed
            default: break
            }
        }
        return changed
    }

    /// An empty collection is written at once: it had no elements whose changes observers could tell apart.
    private func assign(_ value: Value, _ place: CollectionPlace) throws -> Bool {
        try set(place.classID, place.key, [place.property.id: value])
        return true
    }

    private func updateEmbedded(
        _ key: ObjectKey, _ values: [PropertyID: Value], _ place: CollectionPlace
    ) throws -> Bool {
        guard let target = place.property.targetClass else { return false }
        return try set(target, key, values, onlyDifferent: true)
    }

    @discardableResult
    private func edit(_ place: CollectionPlace, _ operation: CollectionOperation) throws -> Bool {
        try edit(place.classID, place.key, place.property.id, operation)
    }
}

/// A property of an object.
private struct CollectionPlace {
    let classID: ClassID
    let key: ObjectKey
    let property: PropertySchema

    /// Whether each embedded object that is given again is at its old position, so that single edits suffice.
    func holds(_ new: [Value], _ old: [Value]) -> Bool {
        guard property.ownsTarget else { return true }
        return new.enumerated().allSatisfy { index, value in
            guard case .link = value else { return true }
            return index < old.count && old[index] == value
        }
    }

    func holds(_ new: ValueMap, _ old: ValueMap) -> Bool {
        guard property.ownsTarget else { return true }
        return new.entries.allSatisfy { entry in
            guard case .link = entry.value else { return true }
            return old[entry.key] == entry.value
        }
    }
}

extension [Value] {
    /// Whether a sorted array has a value that is equal in the order of sets.
    fileprivate func containsOrdered(_ value: Value) -> Bool {
        let index = partitioningIndex { Value.order($0, value) >= 0 }
        return index < count && Value.order(self[index], value) == 0
    }
}
