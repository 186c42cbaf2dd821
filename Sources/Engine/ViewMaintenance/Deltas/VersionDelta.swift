package import ObjectModel
package import QueryLanguage
package import StoreContract
import Synchronization

/// The difference between two versions: the reads before and after, and the changes in between.
///
/// A delta can also be reversed, from the present to the version that an observer saw last.
package final class VersionDelta: Sendable {
    package let changes: ChangeSet
    package let before: any ObjectReads
    package let after: any ObjectReads
    /// The sides that are snapshots; cast once, because the cast is slow.
    let snapshots: (before: (any Snapshot)?, after: (any Snapshot)?)
    let rootCache = DeltaRootCache()
    let valueCache = DeltaValueCache()
    /// The number of objects, where counting them is expensive.
    private let counts: VisibleCounts?

    package convenience init(_ changes: ChangeSet, from before: any ObjectReads, to after: any ObjectReads) {
        self.init(changes, from: before, to: after, counts: nil)
    }

    /// Creates a delta between two versions of a store. If the schema was replaced between them, the delta includes
    /// the changes of the migration.
    package convenience init(completing changes: ChangeSet, from before: any Snapshot, to after: any Snapshot) {
        self.init(changes.completed(from: before, to: after), from: before, to: after, counts: nil)
    }

    init(_ changes: ChangeSet, from before: any ObjectReads, to after: any ObjectReads, counts: VisibleCounts?) {
        self.changes = changes
        self.counts = counts
        self.before = before
        self.after = after
        snapshots = (before.storedRows, after.storedRows)
    }

    /// The result of `read`, which reads the earlier version; nil where the store has released that version. The caller
    /// must work without it then.
    package static func ifRetained<R>(_ read: () throws -> R) throws -> R? {
        do {
            return try read()
        } catch let error as StoreError where error.code == .versionGone {
            return nil
        }
    }

    /// The inverse delta.
    package var reversed: VersionDelta {
        VersionDelta(changes.inverted(to: before.version), from: after, to: before, counts: counts)
    }

    /// The approximate number of objects of a class: the larger number of the two sides, as far as they are snapshots.
    package func objectCount(of classID: ClassID) -> Int {
        if let counts { return counts.count(of: classID) }
        return max(snapshots.before?.count(of: classID) ?? 0, snapshots.after?.count(of: classID) ?? 0)
    }
}

extension ChangeSet {
    /// Adds the changes of the objects by a change of the schema, which no log has. Cost: nothing where the schema
    /// stayed, otherwise everything that both versions hold.
    package func completed(from before: any Snapshot, to after: any Snapshot) -> ChangeSet {
        // Where an earlier version has been released, only the log's changes are known.
        guard schemaChanged, var whole = try? ChangeSet(comparing: before, with: after) else { return self }
        for (id, changes) in classes {
            // An assigned property counts as modified even if its value is the same as before.
            for (key, properties) in changes.modifications {
                guard whole.classes[id]?.insertions.contains(key) != true,
                    (try? after.exists(id, key)) == true
                else { continue }
                whole.classes[id, default: ClassChanges()].modifications[key, default: PropertySet()]
                    .formUnion(properties)
            }
        }
        whole.version = version
        whole.schemaChanged = true
        // For a removed class nothing but its removal can be reported.
        whole.classes = whole.classes.filter { after.schema[$0.key] != nil }
        return whole
    }
}

/// The deltas from earlier versions to the present one, each computed once for all observers that resume there.
package final class VersionHistory {
    private struct StepKey: Hashable {
        let version: Version
        /// The classes whose changes are included; nil for all.
        let classes: Set<ClassID>?
    }

    private let store: any Store
    private let snapshot: any Snapshot
    private let filtered: FilteredState?
    private var steps: [StepKey: VersionDelta?] = [:]

    /// - Parameter filtered: the observers' visibility filter, at the snapshot.
    package init(_ store: any Store, before snapshot: any Snapshot, through filtered: FilteredState? = nil) {
        self.store = store
        self.snapshot = snapshot
        self.filtered = filtered
    }

    /// The delta from a version to the snapshot; nil if that version is no longer available, or is later. For the
    /// snapshot's own version it is a delta without changes.
    ///
    /// - Parameter watches: the watches whose changes must be included.
    package func step(from version: Version, for watches: Set<LiveWatch>) throws -> VersionDelta? {
        if version == snapshot.version {
            let shown = try filtered?.shown() ?? snapshot
            return VersionDelta(ChangeSet(version: version), from: shown, to: shown)
        }
        guard version < snapshot.version else { return nil }
        let key = StepKey(version: version, classes: filtered == nil ? nil : watches.classes)
        if let known = steps[key] { return known }
        let past = try store.asOf(version, before: snapshot)
        let step = try past.map { past in
            let whole = VersionDelta(past.changes, from: past.reads, to: snapshot)
            return try filtered?.step(whole, of: key.classes ?? []) ?? whole
        }
        steps[key] = step
        return step
    }
}

/// The version that an observer knows, and the history that leads from there.
package struct Resumption {
    package let version: Version
    package let history: VersionHistory

    package init(version: Version, history: VersionHistory) {
        self.version = version
        self.history = history
    }

    /// See `VersionHistory.step`.
    package func step(for watches: Set<LiveWatch>) throws -> VersionDelta? {
        try history.step(from: version, for: watches)
    }
}

extension QueryScope {
    /// Whether the object exists whose property the query is about. An observer that knows a version without it knows
    /// another object, or none, and begins with the state.
    package func exists(in reads: any ObjectReads) throws -> Bool {
        guard case .property(let owner, _) = self else { return true }
        return try reads.exists(owner.classID, owner.key)
    }
}

/// Results computed for one delta, shared by all that need them.
final class DeltaRootCache: Sendable {
    private struct State {
        /// The value nil means that there are too many.
        var few: [DependencyTree: Set<ObjectKey>?] = [:]
        var all: [DependencyTree: Set<ObjectKey>] = [:]
        /// One for each class: the schema is the same for all.
        var reached: [ClassID: Set<ObjectKey>] = [:]
    }

    private let state = Mutex(State())

    fileprivate func few(_ tree: DependencyTree, _ find: () throws -> Set<ObjectKey>?) rethrows -> Set<ObjectKey>? {
        if let known = state.withLock({ $0.few[tree] }) { return known }
        let found = try find()
        state.withLock { $0.few[tree] = .some(found) }
        return found
    }

    fileprivate func all(_ tree: DependencyTree, _ find: () throws -> Set<ObjectKey>?) rethrows -> Set<ObjectKey> {
        if let known = state.withLock({ $0.all[tree] }) { return known }
        let found = try find() ?? []
        state.withLock { $0.all[tree] = found }
        return found
    }

    fileprivate func reached(from classID: ClassID, _ find: () throws -> Set<ObjectKey>) rethrows -> Set<ObjectKey> {
        if let known = state.withLock({ $0.reached[classID] }) { return known }
        let found = try find()
        state.withLock { $0.reached[classID] = found }
        return found
    }
}

extension VersionDelta {
    /// The number of objects at which the search for few gives up and a walk from the root is used instead.
    private static let fewLimit = 4096

    /// The objects at a tree's root for which something changed.
    func roots(of tree: DependencyTree) throws -> Set<ObjectKey> {
        guard tree.isTouched(by: changes) else { return [] }
        if let few = try fewRoots(of: tree) { return few }
        return try rootCache.all(tree) { try tree.reached(by: self) }
    }

    /// Those objects; nil when finding them takes long.
    func fewRoots(of tree: DependencyTree) throws -> Set<ObjectKey>? {
        guard tree.isTouched(by: changes) else { return [] }
        return try rootCache.few(tree) { try tree.reached(by: self, limit: Self.fewLimit) }
    }

    /// Whether something changed for one object at a tree's root. Cost: at most that of `fewRoots` and of reading
    /// everything that the object's paths lead to.
    func isReached(_ key: ObjectKey, by tree: DependencyTree) throws -> Bool {
        if let roots = try fewRoots(of: tree) { return roots.contains(key) }
        return try tree.isReached(from: key, by: self)
    }

    /// The objects that were modified or reach a modified one.
    func roots(of reach: DeepChangeChecker) throws -> Set<ObjectKey> {
        try rootCache.reached(from: reach.root) { try reach.found(by: self) }
    }
}
