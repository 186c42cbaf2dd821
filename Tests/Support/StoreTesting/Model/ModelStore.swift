import Dispatch
package import ObjectModel
package import StoreContract
import Synchronization

/// A store in memory that is obviously right: every version is a value, queries use the reference evaluator. For tests
/// of everything above a store, and as the reference for real ones.
///
/// Like a real store it has one writer, and puts all queued work into one commit: `onCommit` may get several change
/// sets at once. `close` must not be called from a completion or a listener.
package final class ModelStore: Store {
    private typealias Completion = @Sendable (Result<Version, any Error>) -> Void

    private enum Job: Sendable {
        case work(@Sendable (any WriteTransaction) throws -> Void)
        case schema(Schema, Migration?)
    }

    private struct Shared {
        var state: ModelState
        var log: [ChangeSet] = []
        /// The states of the versions in the log.
        var states: [Version: ModelState] = [:]
        var pending: [(job: Job, isAlone: Bool, completion: Completion)] = []
        var listeners: [@Sendable ([ChangeSet]) -> Void] = []
        /// The snapshots in use, by their version.
        var snapshots: [Version: LiveSnapshot] = [:]
        var isClosed = false

        /// The oldest version that the log supports.
        var floor: Version { Version(state.version.rawValue - UInt64(log.count)) }

        /// The newest version's snapshot; the same one as long as it is in use.
        mutating func newest(_ evaluations: EvaluationCount) -> ModelSnapshot {
            if let known = snapshots[state.version]?.snapshot { return known }
            snapshots = snapshots.filter { $0.value.snapshot != nil }
            let made = ModelSnapshot(state, counting: evaluations)
            snapshots[state.version] = LiveSnapshot(snapshot: made)
            return made
        }
    }

    private struct LiveSnapshot {
        weak var snapshot: ModelSnapshot?
    }

    private let shared: Mutex<Shared>
    private let evaluationCount = EvaluationCount()

    /// How often queries were evaluated in its snapshots, for all objects or for one, and values read.
    package var evaluations: Int { evaluationCount.value }

    private let writer = DispatchQueue(label: "realmgate.model-store.writer")
    private let changeLogLimit: Int
    private let pastLimit: UInt64

    /// An empty store at version 1. It keeps the change sets of its last `changeLogLimit` versions, and the states of
    /// the last `pastLimit` of them, which takes a copy of the tables that each of them changed. Throws
    /// `schemaInvalid`.
    package init(_ schema: Schema, changeLogLimit: Int = .max, pastLimit: UInt64 = 500) throws {
        try StoreError.check(schema)
        shared = Mutex(Shared(state: ModelState(version: Version(1), schema: schema)))
        self.changeLogLimit = changeLogLimit
        self.pastLimit = pastLimit
    }

    package func snapshot() throws -> any Snapshot { try modelSnapshot() }

    /// The snapshot with its own type, for comparisons.
    func modelSnapshot() throws -> ModelSnapshot {
        try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            return shared.newest(evaluationCount)
        }
    }

    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        enqueue(.work(work), isAlone: isAlone, completion)
    }

    package func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        enqueue(.schema(schema, migration), isAlone: false, completion)
    }

    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) {
        shared.withLock { $0.listeners.append(listener) }
    }

    package func changes(after version: Version) throws -> [ChangeSet]? {
        try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            guard version >= shared.floor else { return nil }
            return shared.log.filter { $0.version > version }
        }
    }

    package func tag(of version: Version) throws -> HistoryTag? {
        let newest = try snapshot()
        return version <= newest.version ? newest.tag : nil
    }

    package func snapshot(at version: Version) throws -> any Snapshot {
        try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            if version == shared.state.version { return shared.newest(evaluationCount) }
            guard let known = shared.snapshots[version]?.snapshot else {
                throw StoreError(.versionGone, "Nobody holds version \(version) any more. Read the newest one.")
            }
            return known
        }
    }

    /// The state at a version that is still kept, for comparisons. Throws `versionGone`.
    func state(at version: Version) throws -> ModelSnapshot {
        guard let state = shared.withLock({ $0.states[version] }) else {
            throw StoreError(.versionGone, "Version \(version) is not kept any more.")
        }
        return ModelSnapshot(state)
    }

    package func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        let newest = snapshot.version
        let (state, log) = try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            return (shared.states[version], shared.log)
        }
        if version == newest { return AsOfState(reads: snapshot, changes: ChangeSet(version: version)) }
        guard let state, version < newest else { return nil }
        var changes = ChangeSet(version: version)
        for entry in log where entry.version > version && entry.version <= newest { changes.merge(entry) }
        return changes.schemaChanged ? nil : AsOfState(reads: ModelSnapshot(state), changes: changes)
    }

    package func walk(from snapshot: any Snapshot) throws -> any VersionWalk {
        let (log, states) = try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            return (shared.log, shared.states)
        }
        return ModelWalk(from: snapshot, log, states)
    }

    package func changeLogFloor() throws -> Version {
        try shared.withLock { shared in
            guard !shared.isClosed else { throw Self.closed }
            return shared.floor
        }
    }

    package func close() {
        shared.withLock { $0.isClosed = true }
        writer.sync { WriterLock.run(for: self) { commitPending() } }
    }

    private static var closed: StoreError { StoreError(.closed, "The store was closed.") }

    private func enqueue(_ job: Job, isAlone: Bool, _ completion: @escaping Completion) {
        let accepted = shared.withLock { shared in
            guard !shared.isClosed else { return false }
            shared.pending.append((job, isAlone, completion))
            return true
        }
        guard accepted else { return completion(.failure(Self.closed)) }
        writer.async { [self] in WriterLock.run(for: self) { commitPending() } }
    }

    /// Runs all queued jobs, up to a job with a commit of its own as one commit. On the writer's queue.
    private func commitPending() {
        while commitNext() {}
    }

    /// Runs one commit; returns false when nothing is queued.
    private func commitNext() -> Bool {
        let (jobs, base) = shared.withLock { shared in
            let end = shared.pending.firstIndex(where: \.isAlone).map { max($0, 1) } ?? shared.pending.endIndex
            defer { shared.pending.removeFirst(end) }
            return (shared.pending[..<end], shared.state)
        }
        guard !jobs.isEmpty else { return false }
        var state = base
        var states = [base.version: base]
        var changeSets: [ChangeSet] = []
        let outcomes = jobs.map { entry in
            (
                entry.completion,
                Result {
                    let (next, changes) = try Self.run(entry.job, on: state)
                    state = next
                    states[next.version] = next
                    changeSets.append(changes)
                    return next.version
                }
            )
        }
        let listeners = shared.withLock { shared in
            shared.state = state
            shared.log.append(contentsOf: changeSets)
            shared.log.removeFirst(max(0, shared.log.count - changeLogLimit))
            shared.states.merge(states) { $1 }
            let oldest = max(shared.floor.rawValue, state.version.rawValue - min(state.version.rawValue, pastLimit))
            for old in shared.states.keys where old.rawValue < oldest { shared.states[old] = nil }
            return shared.listeners
        }
        if !changeSets.isEmpty {
            for listener in listeners { listener(changeSets) }
        }
        for (completion, outcome) in outcomes { completion(outcome) }
        return true
    }

    private static func run(_ job: Job, on state: ModelState) throws -> (ModelState, ChangeSet) {
        switch job {
        case .work(let work):
            let transaction = ModelTransaction(state)
            try work(transaction)
            return (transaction.state, transaction.changeSet)
        case .schema(let schema, let migration):
            let next = try ModelSchemaChange.apply(schema, migration, to: state)
            return (next, ChangeSet(version: next.version, schemaChanged: true))
        }
    }
}
