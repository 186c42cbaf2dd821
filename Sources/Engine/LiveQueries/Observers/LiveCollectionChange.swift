package import ViewMaintenance
package import ObjectModel
package import StoreContract

/// The difference between a list, set or map and its state at the observer's previous event. Never empty. Shared
/// between observers as `LiveChange` is.
package final class LiveCollectionChange: LiveDifference {
    package enum Difference: Sendable {
        /// For a list, and for a set in ascending order.
        case positions(IndexChanges)
        /// For a map: keys of the old one, and keys of the new one, all ascending. A key that was removed and added
        /// again is in `deletions` and in `insertions`.
        case keys(deletions: [String], insertions: [String], modifications: [String])

        package var isEmpty: Bool {
            switch self {
            case .positions(let changes): changes.isEmpty
            case .keys(let deletions, let insertions, let modifications):
                deletions.isEmpty && insertions.isEmpty && modifications.isEmpty
            }
        }
    }

    /// The store at the version that the change leads to. It pins that version: do not keep the change.
    package let snapshot: any Snapshot
    package let version: Version
    package let difference: Difference
    /// Whether the object that held the collection was deleted.
    package let ownerIsDeleted: Bool

    init(snapshot: any Snapshot, difference: Difference, ownerIsDeleted: Bool) {
        self.snapshot = snapshot
        version = snapshot.version
        self.difference = difference
        self.ownerIsDeleted = ownerIsDeleted
    }

    /// Merges this change with the next one of the same observation, for an observer that has not consumed this one
    /// yet. Nil when they cancel out.
    package func followed(by next: LiveCollectionChange) -> LiveCollectionChange? {
        let both = difference.followed(by: next.difference)
        guard !both.isEmpty else { return nil }
        return LiveCollectionChange(snapshot: next.snapshot, difference: both, ownerIsDeleted: next.ownerIsDeleted)
    }

    package func moved(to snapshot: any Snapshot) -> LiveCollectionChange {
        LiveCollectionChange(snapshot: snapshot, difference: difference, ownerIsDeleted: ownerIsDeleted)
    }
}

extension LiveCollectionChange.Difference {
    init(_ edit: MapEdit) {
        self = .keys(
            deletions: edit.deletions.ascending.map(\.text), insertions: edit.insertions.ascending.map(\.text),
            modifications: edit.modifications.ascending.map(\.text))
    }

    /// Merges this difference with the next one of the same collection.
    package func followed(by next: Self) -> Self {
        switch (self, next) {
        case (.positions(var both), .positions(let later)):
            both.merge(later)
            return .positions(both)
        case (.keys, .keys):
            var both = edit
            both.merge(next.edit)
            return Self(both)
        // A collection's kind does not change while it is observed.
        case (.positions, .keys), (.keys, .positions): return next
        }
    }

    /// The edit of a map; empty for positions.
    fileprivate var edit: MapEdit {
        guard case .keys(let deletions, let insertions, let modifications) = self else { return MapEdit() }
        func keys(_ texts: [String]) -> EditedElements<MapKey> { EditedElements(texts.map { MapKey($0) }) }
        return MapEdit(deletions: keys(deletions), insertions: keys(insertions), modifications: keys(modifications))
    }
}

extension LiveCollectionChange.Difference: Equatable {
    /// Keys are compared by their bytes.
    package static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.positions(let a), .positions(let b)): a == b
        case (.keys, .keys): a.edit == b.edit
        case (.positions, .keys), (.keys, .positions): false
        }
    }
}
