package import ObjectModel
package import StoreContract

/// What lies between two versions: how the store was read before and is read after, and what was done in between.
///
/// A step can also be taken backwards, from now to a version that an observer last heard of.
package final class VersionDelta: Sendable {
    package let changes: ChangeSet
    package let before: any ObjectReads
    package let after: any ObjectReads
    /// The sides that are versions of their own; asked once, because asking takes long.
    let snapshots: (before: (any Snapshot)?, after: (any Snapshot)?)
    let rootCache = DeltaRootCache()
    let valueCache = DeltaValueCache()
    /// How many objects there are, where that is dear to ask.
    private let counts: LensCounts?

    package convenience init(_ changes: ChangeSet, from before: any ObjectReads, to after: any ObjectReads) {
        self.init(changes, from: before, to: after, counts: nil)
    }

    init(_ changes: ChangeSet, from before: any ObjectReads, to after: any ObjectReads, counts: LensCounts?) {
        self.changes = changes
        self.counts = counts
        self.before = before
        self.after = after
        snapshots = (before as? any Snapshot, after as? any Snapshot)
    }

    /// What `read` gives, which looks at the earlier version; nil where the store has taken that version back. Whoever
    /// asks knows what to do without it.
    static func ifKept<R>(_ read: () throws -> R) throws -> R? {
        do {
            return try read()
        } catch let error as StoreError where error.code == .versionGone {
            return nil
        }
    }

    /// The way back.
    package var reversed: VersionDelta {
        VersionDelta(changes.inverted(to: before.version), from: after, to: before, counts: counts)
    }

    /// About how many objects of a class there are: the more of the two sides, as far as they are versions of their own.
    func objectCount(of classID: ClassID) -> Int {
        if let counts { return counts.count(of: classID) }
        return max(snapshots.before?.count(of: classID) ?? 0, snapshots.after?.count(of: classID) ?? 0)
    }
}

extension ChangeSet {
    /// With what a change of the schema did to the objects, which is in no log. Cost: nothing where the schema stayed, and
    /// else everything that both versions hold.
    func completed(from before: any Snapshot, to after: any Snapshot) -> ChangeSet {
        // Where an earlier version has been given up, what the log tells is all there is.
        guard schemaChanged, var whole = try? ChangeSet(comparing: before, with: after) else { return self }
        for (id, changes) in classes {
            // What was assigned counts as modified also where it is the same value as before.
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
        // Of a class that is gone nothing can be told but that.
        whole.classes = whole.classes.filter { after.schema[$0.key] != nil }
        return whole
    }
}

/// The steps from earlier versions to the present one, each looked up once for all observers that resume there.
final class VersionHistory {
    private struct Way: Hashable {
        let version: Version
        /// Of which objects the changes are told; nil for all.
        let classes: Set<ClassID>?
    }

    private let store: any Store
    private let snapshot: any Snapshot
    private let sight: LensSight?
    private var steps: [Way: VersionDelta?] = [:]

    /// - Parameter sight: the lens that is looked through, which is at the snapshot.
    init(_ store: any Store, before snapshot: any Snapshot, through sight: LensSight? = nil) {
        self.store = store
        self.snapshot = snapshot
        self.sight = sight
    }

    /// The way from a version to the snapshot; nil when that version cannot be looked back at, or lies ahead. Of the
    /// snapshot's own version it is a step without changes.
    ///
    /// - Parameter watches: what the changes have to be known of.
    func step(from version: Version, for watches: Set<LiveWatch>) throws -> VersionDelta? {
        if version == snapshot.version {
            let shown = try sight?.shown() ?? snapshot
            return VersionDelta(ChangeSet(version: version), from: shown, to: shown)
        }
        guard version < snapshot.version else { return nil }
        let way = Way(version: version, classes: sight == nil ? nil : watches.classes)
        if let known = steps[way] { return known }
        let past = try store.asOf(version, before: snapshot)
        let step = try past.map { past in
            let whole = VersionDelta(past.changes, from: past.reads, to: snapshot)
            return try sight?.step(whole, of: way.classes ?? []) ?? whole
        }
        steps[way] = step
        return step
    }
}
