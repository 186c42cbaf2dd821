package import ObjectModel
package import StoreContract
import Synchronization

/// The store through a visibility filter, at the version of the observers with that filter. Used by one thread at a
/// time.
package final class FilteredState {
    private let visibility: any VisibilityFilter
    private var snapshot: any Snapshot
    private var conditions: VisibilityConditions
    /// The snapshot through the visibility filter, made at the first use.
    private var seen: (any Snapshot)?
    private var counts = VisibleCounts([:])

    package init(_ visibility: any VisibilityFilter, at snapshot: any Snapshot) {
        self.visibility = visibility
        self.snapshot = snapshot
        conditions = VisibilityConditions(visibility, snapshot.schema)
    }

    /// The snapshot through the visibility filter.
    package func shown() throws -> any Snapshot {
        if let seen { return seen }
        let shown = try visibility.shown(snapshot)
        seen = shown
        return shown
    }

    /// The snapshot through the visibility filter, with queries that count against a budget.
    package func shown(limitedBy budget: QueryBudget) throws -> any Snapshot {
        try visibility.shown(snapshot.limited(by: budget))
    }

    /// Moves to a later version. Returns the visible changes to objects of the classes; nil for none.
    package func advance(
        _ changes: ChangeSet, to later: any Snapshot, in store: any Store, of classes: Set<ClassID>
    ) throws -> VersionDelta? {
        let (earlier, earlierSeen, earlierConditions) = (snapshot, seen, conditions)
        snapshot = later
        seen = nil
        if changes.schemaChanged { conditions = VisibilityConditions(visibility, later.schema) }
        let numbers = changes.schemaChanged ? [:] : counts.known.filter { classes.contains($0.key) }
        counts = VisibleCounts(numbers)
        guard changes.schemaChanged || !conditions.sources(of: classes).isDisjoint(with: changes.classes.keys) else {
            return nil
        }
        do {
            return try step(
                VersionDelta(changes, from: earlier, to: later), from: earlierSeen ?? visibility.shown(earlier),
                earlierConditions, of: classes, numbers)
        } catch let error as StoreError where error.code == .versionGone {
            // The log may still have what the store has released.
            guard let past = try store.asOf(earlier.version, before: later) else { throw error }
            let whole = VersionDelta(past.changes, from: past.reads, to: later)
            return try step(whole, from: visibility.shown(past: past.reads), conditions, of: classes, numbers)
        }
    }

    private func step(
        _ whole: VersionDelta, from before: any ObjectReads, _ earlier: VisibilityConditions, of classes: Set<ClassID>,
        _ numbers: [ClassID: Int]
    ) throws -> VersionDelta? {
        let after = try shown()
        var finder = VisibleChanges(whole, from: before, to: after, earlier, conditions, byValue: false)
        let changes = try finder.changes(of: classes)
        var numbers = numbers
        for (classID, own) in changes.classes { numbers[classID]? += own.insertions.count - own.deletions.count }
        counts = VisibleCounts(numbers, in: after)
        guard changes.schemaChanged || !changes.classes.isEmpty else { return nil }
        return VersionDelta(changes, from: before, to: after, counts: counts)
    }

    /// The visible part of a delta from an earlier version of the same schema to the present one.
    package func step(_ whole: VersionDelta, of classes: Set<ClassID>) throws -> VersionDelta {
        let (before, after) = (try visibility.shown(past: whole.before), try shown())
        var finder = VisibleChanges(whole, from: before, to: after, conditions, conditions, byValue: true)
        if !counts.canCount { counts = VisibleCounts(counts.known, in: after) }
        return VersionDelta(try finder.changes(of: classes), from: before, to: after, counts: counts)
    }
}

/// The number of visible objects of each class. Counting them reads all objects, so the numbers are kept and updated
/// with the visible changes.
final class VisibleCounts: Sendable {
    private let snapshot: (any Snapshot)?
    private let numbers: Mutex<[ClassID: Int]>

    init(_ known: [ClassID: Int], in snapshot: (any Snapshot)? = nil) {
        numbers = Mutex(known)
        self.snapshot = snapshot
    }

    var known: [ClassID: Int] { numbers.withLock { $0 } }
    var canCount: Bool { snapshot != nil }

    func count(of classID: ClassID) -> Int {
        if let known = numbers.withLock({ $0[classID] }) { return known }
        let count = snapshot?.count(of: classID) ?? 0
        numbers.withLock { $0[classID] = count }
        return count
    }
}
