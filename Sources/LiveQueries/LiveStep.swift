package import ObjectModel
package import StoreContract

/// What lies between two versions: how the store was read before and is read after, and what was done in between.
///
/// A step can also be taken backwards, from now to a version that an observer last heard of.
package final class LiveStep: Sendable {
    package let changes: ChangeSet
    package let before: any ObjectReads
    package let after: any ObjectReads
    /// The sides that are versions of their own; asked once, because asking takes long.
    let snapshots: (before: (any Snapshot)?, after: (any Snapshot)?)
    let memory = StepMemory()
    let findings = StepFindings()

    package init(_ changes: ChangeSet, from before: any ObjectReads, to after: any ObjectReads) {
        self.changes = changes
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
    package var reversed: LiveStep { LiveStep(changes.inverted(to: before.version), from: after, to: before) }
}

/// The steps from earlier versions to the present one, each looked up once for all observers that resume there.
final class PastVersions {
    private let store: any Store
    private let snapshot: any Snapshot
    private var steps: [Version: LiveStep?] = [:]

    init(_ store: any Store, before snapshot: any Snapshot) {
        self.store = store
        self.snapshot = snapshot
    }

    /// The way from a version to the snapshot; nil when that version cannot be looked back at, or lies ahead. Of the
    /// snapshot's own version it is a step without changes.
    func step(from version: Version) throws -> LiveStep? {
        if version == snapshot.version {
            return LiveStep(ChangeSet(version: version), from: snapshot, to: snapshot)
        }
        guard version < snapshot.version else { return nil }
        if let known = steps[version] { return known }
        let past = try store.past(at: version, before: snapshot)
        let step = past.map { LiveStep($0.changes, from: $0.reads, to: snapshot) }
        steps[version] = step
        return step
    }
}
