import ObjectModel
import QueryLanguage
import StoreContract

/// One query's result, kept current for all who observe the query. Used by one thread at a time.
final class MaintainedResult: LiveSubject {
    let query: BoundQuery
    private(set) var state: ResultState
    private var route: QueryRoute
    private var reach: LinkReach
    private var audiences: [LiveAudience] = []

    /// Runs the query. Throws what the store throws, and `unknownClass` or `unknownProperty` when the query does not
    /// fit the snapshot's schema.
    ///
    /// - Parameter keys: what the query gives at the snapshot, where that is known already.
    init(_ query: BoundQuery, _ snapshot: any Snapshot, keys: KeySequence? = nil) throws {
        self.query = query
        route = try QueryRoute(query, schema: snapshot.schema)
        reach = LinkReach(from: query.classID, schema: snapshot.schema)
        state = try ResultState(
            query.resolved(snapshot), isOrdered: route.upkeep == .incremental, snapshot, keys: keys)
    }

    var keys: KeySequence { state.keys }

    var isObserved: Bool { !audiences.isEmpty }

    var watches: Set<LiveWatch> {
        Set(
            (route.classes.union(reach.classes).union(audiences.flatMap { $0.filter?.classes ?? [] }))
                .map { .objects(of: $0) })
    }

    /// Adds an observer and tells it the present result, which must be that of `snapshot`, or what became different
    /// since the version that it knows.
    func add(
        _ subscriber: Subscriber<LiveEvent>, _ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {
        let index = try audience(keyPaths, snapshot)
        audiences[index].subscribers.append(subscriber)
        guard let version, let missed = try missed(since: version, of: index, snapshot, past) else {
            subscriber.send(.initial(snapshot: snapshot, keys: keys))
            return
        }
        subscriber.send(.resumed(snapshot: snapshot, keys: keys))
        if let change = missed.change { subscriber.send(.update(change)) }
    }

    /// Forgets the observers that have left.
    func prune() {
        for index in audiences.indices { audiences[index].subscribers.removeAll { !$0.isActive } }
        audiences.removeAll { $0.subscribers.isEmpty }
    }

    /// Tells all observers that this is the end.
    func fail(_ error: any Error) {
        for audience in audiences { audience.fail(error) }
        audiences = []
    }

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {
        if step.changes.schemaChanged { try adopt(snapshot.schema) }
        let indices: IndexChanges
        (state, indices) = try advanced(state, by: step, snapshot)
        for position in audiences.indices {
            let change = try adding(modifiedBy: step, for: audiences[position].filter, to: indices)
            guard !change.isEmpty else { continue }
            audiences[position].recent.add(change, from: step.before.version, to: step.after.version)
            audiences[position].send(.update(LiveChange(snapshot: snapshot, indices: change, newKeys: keys)))
        }
    }

    /// The audience with the key paths, a new one if there is none.
    private func audience(_ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot) throws -> Int {
        if let index = audiences.firstIndex(where: { $0.keyPaths == keyPaths }) { return index }
        let filter = try filter(keyPaths, snapshot)
        audiences.append(LiveAudience(keyPaths, filter: filter, at: snapshot.version))
        return audiences.count - 1
    }

    private func filter(_ keyPaths: [LiveKeyPath], _ snapshot: any Snapshot) throws -> KeyPathFilter? {
        guard !keyPaths.isEmpty else { return nil }
        for path in keyPaths {
            guard path.classID == query.classID else {
                throw StoreError(.unknownProperty, "The key paths belong to another class than the query.")
            }
            if let fault = path.fault(under: snapshot.schema) { throw fault }
        }
        return KeyPathFilter(keyPaths)
    }

    /// Looks everything up again that depends on the schema. Observers whose key paths are gone fail on their own.
    private func adopt(_ schema: Schema) throws {
        route = try QueryRoute(query, schema: schema)
        reach = LinkReach(from: query.classID, schema: schema)
        for audience in audiences {
            for fault in audience.keyPaths.compactMap({ $0.fault(under: schema) }).prefix(1) { audience.fail(fault) }
        }
        prune()
    }
}

// MARK: Steps

extension MaintainedResult {
    /// The result after a step, in whichever direction, and how it differs. Modifications are only those that the
    /// recorded edit of a list names.
    ///
    /// - Parameter costOfAnew: what running the query again costs, in relation to a usual snapshot.
    private func advanced(
        _ state: ResultState, by step: LiveStep, _ snapshot: any Snapshot, costOfAnew: Int = 1
    ) throws -> (ResultState, IndexChanges) {
        let classCount = snapshot.count(of: query.classID) * costOfAnew
        return try state.advanced(by: step, of: query, along: route, classCount: classCount) { [self] in
            try touched(by: step)
        }
    }

    /// The objects that count as modified where no key paths are given.
    private func touched(by step: LiveStep) throws -> Set<ObjectKey> {
        try step.findings.modifiedRoots(of: query.classID) { try reach.modifiedRoots(by: step) }
    }

    /// The difference together with what a filter finds modified. `indices` lead to the present result.
    private func adding(
        modifiedBy step: LiveStep, for filter: KeyPathFilter?, to indices: IndexChanges
    ) throws -> IndexChanges {
        let modified: Set<ObjectKey>
        if let filter {
            modified = try filter.modifiedRoots(by: step)
        } else {
            modified = try touched(by: step)
        }
        return try state.adding(modified, to: indices, step.after)
    }
}

// MARK: Resuming

extension MaintainedResult {
    /// What an observer missed since a version: nil where that cannot be found out any more.
    private func missed(
        since version: Version, of index: Int, _ snapshot: any Snapshot, _ past: PastVersions
    ) throws -> (change: LiveChange?, Void)? {
        guard let step = try past.step(from: version) else { return nil }
        let (recent, keyPaths) = (audiences[index].recent, audiences[index].keyPaths)
        let change = try audiences[index].change(since: version, at: snapshot) {
            let indices = try recent.changes(since: version) ?? lookBack(step, snapshot, keyPaths)
            return indices.isEmpty ? nil : LiveChange(snapshot: snapshot, indices: indices, newKeys: keys)
        }
        return (change, ())
    }

    /// The difference between what the result was and what it is, by taking the step backwards.
    private func lookBack(
        _ step: LiveStep, _ snapshot: any Snapshot, _ keyPaths: [LiveKeyPath]
    ) throws -> IndexChanges {
        // Reading the past costs more, and running the query there much more.
        let (_, back) = try advanced(state, by: step.reversed, snapshot, costOfAnew: 8)
        let filter = keyPaths.isEmpty ? nil : KeyPathFilter(keyPaths)
        return try adding(modifiedBy: step, for: filter, to: back.inverted)
    }
}
