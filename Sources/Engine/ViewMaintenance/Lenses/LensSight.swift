package import ObjectModel
package import StoreContract
import Synchronization

/// The store through a lens, at the version of the observers with that lens. Used by one thread at a time.
package final class LensSight {
    private let lens: any LiveLens
    private var snapshot: any Snapshot
    private var conditions: LensConditions
    /// The snapshot through the lens, made at the first use.
    private var seen: (any Snapshot)?
    private var counts = LensCounts([:])

    package init(_ lens: any LiveLens, at snapshot: any Snapshot) {
        self.lens = lens
        self.snapshot = snapshot
        conditions = LensConditions(lens, snapshot.schema)
    }

    /// The snapshot through the lens.
    package func shown() throws -> any Snapshot {
        if let seen { return seen }
        let shown = try lens.shown(snapshot)
        seen = shown
        return shown
    }

    /// The snapshot through the lens, with queries that count against a budget.
    package func shown(limitedBy budget: QueryBudget) throws -> any Snapshot {
        try lens.shown(snapshot.limited(by: budget))
    }

    /// Moves to a later version. Returns the visible changes to objects of the classes; nil for none.
    package func advance(
        _ changes: ChangeSet, to later: any Snapshot, in store: any Store, of classes: Set<ClassID>
    ) throws -> VersionDelta? {
        let (earlier, earlierSeen, earlierConditions) = (snapshot, seen, conditions)
        snapshot = later
        seen = nil
        if changes.schemaChanged { conditions = LensConditions(lens, later.schema) }
        let numbers = changes.schemaChanged ? [:] : counts.known.filter { classes.contains($0.key) }
        counts = LensCounts(numbers)
        guard changes.schemaChanged || !conditions.sources(of: classes).isDisjoint(with: changes.classes.keys) else {
            return nil
        }
        do {
            return try step(
                VersionDelta(changes, from: earlier, to: later), from: earlierSeen ?? lens.shown(earlier),
                earlierConditions, of: classes, numbers)
        } catch let error as StoreError where error.code == .versionGone {
            // The log may still have what the store has released.
            guard let past = try store.asOf(earlier.version, before: later) else { throw error }
            let whole = VersionDelta(past.changes, from: past.reads, to: later)
            return try step(whole, from: lens.shown(past: past.reads), conditions, of: classes, numbers)
        }
    }

    private func step(
        _ whole: VersionDelta, from before: any ObjectReads, _ earlier: LensConditions, of classes: Set<ClassID>,
        _ numbers: [ClassID: Int]
    ) throws -> VersionDelta? {
        let after = try shown()
        var finder = VisibleChanges(whole, from: before, to: after, earlier, conditions, byValue: false)
        let changes = try finder.changes(of: classes)
        var numbers = numbers
        for (classID, own) in changes.classes { numbers[classID]? += own.insertions.count - own.deletions.count }
        counts = LensCounts(numbers, in: after)
        guard changes.schemaChanged || !changes.classes.isEmpty else { return nil }
        return VersionDelta(changes, from: before, to: after, counts: counts)
    }

    /// The visible part of a delta from an earlier version of the same schema to the present one.
    package func step(_ whole: VersionDelta, of classes: Set<ClassID>) throws -> VersionDelta {
        let (before, after) = (try lens.shown(past: whole.before), try shown())
        var finder = VisibleChanges(whole, from: before, to: after, conditions, conditions, byValue: true)
        if !counts.canCount { counts = LensCounts(counts.known, in: after) }
        return VersionDelta(try finder.changes(of: classes), from: before, to: after, counts: counts)
    }
}

/// The number of visible objects of each class. Counting them reads all objects, so the numbers are kept and updated
/// with the visible changes.
final class LensCounts: Sendable {
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
