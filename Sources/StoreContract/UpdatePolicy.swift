package import ObjectModel

/// What to do with an object whose primary key exists, after Realm's policies (data-model.md §4).
package enum UpdatePolicy: String, CaseIterable, Sendable {
    /// Refuse it.
    case error
    /// Assign the given properties that differ.
    case modified
    /// Assign all given properties, which observers hear of.
    case all
}

extension WriteTransaction {
    /// Assigns properties, or, with `onlyDifferent`, those whose value is another one than what is stored.
    /// False when that left nothing to assign, so that observers hear of nothing. Throws what `set` throws.
    @discardableResult
    package func set(
        _ classID: ClassID, _ key: ObjectKey, _ values: [PropertyID: Value], onlyDifferent: Bool
    ) throws -> Bool {
        let assigned = onlyDifferent ? try values.filter { try value(classID, key, $0) != $1 } : values
        guard !assigned.isEmpty else { return false }
        try set(classID, key, assigned)
        return true
    }
}
