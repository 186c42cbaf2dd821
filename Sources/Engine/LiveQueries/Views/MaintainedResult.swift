import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

/// One query's result, kept current for all who observe the query. Used by one thread at a time.
final class MaintainedResult: LiveSubject {
    let query: BoundQuery
    private(set) var state: ResultState
    private var route: QueryRoute
    /// The route's, asked for very often.
    private var isLocal: Bool
    private var reach: LinkReach
    private let quick: ValuePredicate
    var audiences: [LiveAudience<LiveEvent, ResultMemory>] = []

    /// Runs the query. Throws what the store throws, and `unknownClass` or `unknownProperty` when the query does not
    /// fit the snapshot's schema.
    ///
    /// - Parameter keys: what the query gives at the snapshot, where that is known already.
    init(_ query: BoundQuery, _ snapshot: any Snapshot, keys: KeySequence? = nil) throws {
        self.query = query
        quick = ValuePredicate(query.predicate)
        let route = try QueryRoute(query, schema: snapshot.schema)
        self.route = route
        isLocal = route.isLocal
        reach = LinkReach(from: query.classID, schema: snapshot.schema)
        state = try ResultState(
            query.resolved(snapshot), isOrdered: route.upkeep == .incremental, snapshot, keys: keys)
    }

    var keys: KeySequence { state.keys }

    var watches: Set<LiveWatch> {
        Set(
            (route.classes.union(reach.classes).union(audiences.flatMap { $0.classes }))
                .map { .objects(of: $0) })
    }

    func add(
        _ subscriber: Subscriber<LiveEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since version: Version?, _ past: PastVersions
    ) throws {
        let index = try audience(interest, snapshot.schema, new: ResultMemory(at: snapshot.version))
        audiences[index].subscribers.append(subscriber)
        guard let version, let missed = try missed(since: version, of: index, snapshot, past) else {
            subscriber.send(.initial(snapshot: snapshot, keys: keys))
            return
        }
        subscriber.send(.resumed(snapshot: snapshot, keys: keys))
        if let change = missed.change { subscriber.send(.update(change)) }
    }

    func advance(_ step: LiveStep, _ snapshot: any Snapshot) throws {
        if step.changes.schemaChanged { try adopt(snapshot) } else if misses(step) { return }
        let outcome = try state.advance(
            by: step, of: query, along: route, classCount: step.objectCount(of: query.classID), quick: quick,
            learns: true,
            suspects: { try route.suspects(in: step) }
        ) { try Self.touched(by: step, reach) }
        for position in audiences.indices {
            let change = try adding(modifiedBy: step, for: audiences[position].criteria, to: outcome)
            guard !change.isEmpty else { continue }
            if !step.changes.schemaChanged {
                audiences[position].memory.recent.add(change, from: step.before.version, to: step.after.version)
            }
            audiences[position].send(.update(LiveChange(snapshot: snapshot, indices: change, newKeys: keys)))
        }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try KeyPathFilter(keyPaths, from: query.classID, schema, else: "the query")
    }

    /// Looks everything up again that depends on the schema. Observers whose key paths are gone fail on their own.
    /// Whoever comes back from before it begins anew, as it would after a restart.
    private func adopt(_ snapshot: any Snapshot) throws {
        let schema = snapshot.schema
        route = try QueryRoute(query, schema: schema)
        isLocal = route.isLocal
        reach = LinkReach(from: query.classID, schema: schema)
        adoptKeyPaths(schema)
        for index in audiences.indices { audiences[index].memory = ResultMemory(at: snapshot.version) }
    }
}

// MARK: Steps

extension MaintainedResult {
    /// The objects that count as modified where no key paths are given.
    private static func touched(by step: LiveStep, _ reach: LinkReach) throws -> Set<ObjectKey> {
        try reach.modifiedRoots(by: step)
    }

    /// Whether it is quickly seen that the step does not matter to anybody: each object that it changed, or that counts
    /// as modified, matches neither before nor after it. For the most of many queries.
    private func misses(_ step: LiveStep) -> Bool {
        guard isLocal, let own = step.changes.classes[query.classID],
            own.modifications.count + own.insertions.count + own.deletions.count <= Self.fewChanges
        else { return false }
        do {
            for key in own.modifications.keys {
                guard try isAbsent(key, after: step),
                    try quick.holds({ try step.valueBefore(query.classID, key, $0) }) == false
                else { return false }
            }
            for key in own.insertions where try !isAbsent(key, after: step) { return false }
            for key in own.deletions {
                guard try quick.holds({ try step.valueBefore(query.classID, key, $0) }) == false else { return false }
            }
            for audience in audiences {
                for key in try modified(by: step, audience.criteria) where own.modifications[key] == nil {
                    guard try isAbsent(key, after: step) else { return false }
                }
            }
        } catch {
            // Met again by a closer look, which knows what to do.
            return false
        }
        state.forget(own.modifications.keys)
        state.forget(own.insertions)
        state.forget(own.deletions)
        return true
    }

    private static let fewChanges = 64

    /// Whether an object that is there after a step certainly does not match then.
    private func isAbsent(_ key: ObjectKey, after step: LiveStep) throws -> Bool {
        try quick.holds { try step.valueAfter(query.classID, key, $0) } == false
    }

    private func modified(
        by step: LiveStep, _ criteria: LiveCriteria
    ) throws -> Set<ObjectKey> {
        // Who stopped linking to an element cannot be seen where the earlier version was given up: it may have been
        // anybody.
        try LiveStep.ifKept { try criteria.modifiedRoots(by: step) { try Self.touched(by: step, reach) } } ?? Set(keys)
    }

    /// The difference together with what counts as modified; it leads to the present result.
    private func adding(
        modifiedBy step: LiveStep, for criteria: LiveCriteria, to outcome: ResultOutcome
    ) throws -> IndexChanges {
        let modified = try modified(by: step, criteria)
        if modified.isEmpty, outcome.indices.modifications.isEmpty { return outcome.indices }
        // What is modified is there after the step.
        return try state.adding(modified, to: outcome, step.after) { try isAbsent($0, after: step) }
    }
}

// MARK: Resuming

extension MaintainedResult {
    /// What an observer missed since a version: nil where that cannot be found out any more.
    private func missed(
        since version: Version, of index: Int, _ snapshot: any Snapshot, _ past: PastVersions
    ) throws -> (change: LiveChange?, Void)? {
        let (recent, criteria, watches) = (audiences[index].memory.recent, audiences[index].criteria, watches)
        let indices: () throws -> IndexChanges
        if let known = recent.changes(since: version, at: snapshot.version) {
            indices = { known }
        } else {
            guard let step = try past.step(from: version, for: watches) else { return nil }
            indices = { [self] in try lookBack(step, criteria) }
        }
        return (try audiences[index].memory.change(since: version, at: snapshot, keys, find: indices), ())
    }

    /// The difference between what the result was and what it is, by taking the step backwards.
    private func lookBack(_ step: LiveStep, _ criteria: LiveCriteria) throws -> IndexChanges {
        // Reading the past costs more, and running the query there much more.
        let reversed = step.reversed
        let (_, back) = try state.advanced(
            by: reversed, of: query, along: route, classCount: step.objectCount(of: query.classID) * 8,
            suspects: { try route.suspects(in: reversed) }
        ) { try Self.touched(by: step, reach) }
        return try adding(modifiedBy: step, for: criteria, to: ResultOutcome(indices: back.inverted))
    }
}
