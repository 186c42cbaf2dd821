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
        _ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool,
        _ matching: ListMatching = .byPosition
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
            let change = CollectionAssignment(
                transaction: self, property: property, object: ObjectReference(classID, key), matching: matching)
            if let count = try change.performInPieces(to: value) {
                changed = count > 0 || changed
                continue
            }
            let present = try self.value(classID, key, id)
            if case (.link(let owned), .embedded(let given), let target?) = (present, value, property.targetClass) {
                changed = try set(target, owned, given, onlyDifferent: true, matching) || changed
            } else if property.type.isCollection,
                let count = try change.perform(from: present, to: value)
            {
                changed = count > 0 || changed
            } else if value != present {
                assigned[id] = value
            }
        }
        if !assigned.isEmpty { try set(classID, key, assigned) }
        return changed || !assigned.isEmpty
    }
}
