import ViewMaintenance
import ObjectModel
import QueryOperators
import QueryLanguage
import StoreContract

/// One query's result, maintained for all observers of the query. Used by one thread at a time.
final class MaintainedResult: MaintainedView {
    let query: BoundQuery
    private(set) var state: ResultState
    private var dependencies: QueryDependencies
    /// The dependencies' value, cached because it is read very often.
    private var isLocal: Bool
    private var reach: DeepChangeChecker
    private let quick: ValuePredicate
    var subscriberGroups: [SubscriberGroup<LiveQueryEvent, ResultMemory>] = []

    /// Runs the query. Throws the store's errors, and `unknownClass` or `unknownProperty` when the query does not fit
    /// the snapshot's schema.
    ///
    /// - Parameter keys: the query's result at the snapshot, if it is already known.
    init(_ query: BoundQuery, _ snapshot: any Snapshot, keys: KeySequence? = nil) throws {
        self.query = query
        quick = ValuePredicate(query.predicate)
        let dependencies = try QueryDependencies(query, schema: snapshot.schema)
        self.dependencies = dependencies
        isLocal = dependencies.isLocal
        reach = DeepChangeChecker(from: query.classID, schema: snapshot.schema)
        state = try ResultState(
            query.resolved(snapshot), isOrdered: dependencies.maintenance == .incremental, snapshot, keys: keys)
    }

    var keys: KeySequence { state.keys }

    var watches: Set<LiveWatch> { watches(of: query, dependencies, reach) }

    func add(
        _ subscriber: Subscriber<LiveQueryEvent>, _ interest: LiveInterest, _ snapshot: any Snapshot,
        since known: Resumption?
    ) throws {
        let index = try subscriberGroup(interest, snapshot.schema, new: ResultMemory(at: snapshot.version))
        subscriberGroups[index].subscribers.append(subscriber)
        guard let known, let missed = try missed(since: known, of: index, snapshot) else {
            subscriber.send(.initial(snapshot: snapshot, keys))
            return
        }
        subscriber.send(.resumed(snapshot: snapshot, keys))
        if let change = missed.change { subscriber.send(.update(change)) }
    }

    func advance(_ step: VersionDelta, _ snapshot: any Snapshot) throws {
        if step.changes.schemaChanged { try adopt(snapshot) } else if misses(step) { return }
        let outcome = try state.advance(
            by: step, of: query, along: dependencies, classCount: step.objectCount(of: query.classID), quick: quick,
            learns: true,
            affectedKeys: { try dependencies.affectedKeys(in: step) }
        ) { try Self.touched(by: step, reach) }
        for position in subscriberGroups.indices {
            let change = try adding(modifiedBy: step, for: subscriberGroups[position].criteria, to: outcome)
            guard !change.isEmpty else { continue }
            if !step.changes.schemaChanged {
                subscriberGroups[position].memory.recent.add(
                    change, from: step.before.version, to: step.after.version, keyCount: keys.count)
            }
            subscriberGroups[position].send(.update(LiveChange(snapshot: snapshot, indices: change, newKeys: keys)))
        }
    }

    func filter(_ keyPaths: [LiveKeyPath], _ schema: Schema) throws -> KeyPathFilter? {
        try KeyPathFilter(keyPaths, from: query.classID, schema, else: "the query")
    }

    /// Looks up again everything that depends on the schema. Observers whose key paths no longer exist fail on their
    /// own. An observer that resumes from a version before it starts again, as it would after a restart.
    private func adopt(_ snapshot: any Snapshot) throws {
        let schema = snapshot.schema
        dependencies = try QueryDependencies(query, schema: schema)
        isLocal = dependencies.isLocal
        reach = DeepChangeChecker(from: query.classID, schema: schema)
        adoptKeyPaths(schema)
        for index in subscriberGroups.indices { subscriberGroups[index].memory = ResultMemory(at: snapshot.version) }
    }
}

// MARK: Steps

extension MaintainedResult {
    /// The objects that count as modified without key paths.
    private static func touched(by step: VersionDelta, _ reach: DeepChangeChecker) throws -> Set<ObjectKey> {
        try reach.modifiedRoots(by: step)
    }

    /// Whether a quick test shows that the step affects no observer: each object that it changed, or that counts as
    /// modified, matches neither before nor after it. For most of many queries.
    private func misses(_ step: VersionDelta) -> Bool {
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
            for subscriberGroup in subscriberGroups {
                for key in try modified(by: step, subscriberGroup.criteria) where own.modifications[key] == nil {
                    guard try isAbsent(key, after: step) else { return false }
                }
            }
        } catch {
            // The full processing meets the error again, and handles it.
            return false
        }
        state.forget(own.modifications.keys)
        state.forget(own.insertions)
        state.forget(own.deletions)
        return true
    }

    private static let fewChanges = 64

    /// Whether an object that exists after a step certainly does not match then.
    private func isAbsent(_ key: ObjectKey, after step: VersionDelta) throws -> Bool {
        try quick.holds { try step.valueAfter(query.classID, key, $0) } == false
    }

    private func modified(
        by step: VersionDelta, _ criteria: LiveCriteria
    ) throws -> Set<ObjectKey> {
        // An object that stopped linking to an element cannot be seen where the earlier version was released: any may
        // have.
        try VersionDelta.ifRetained { try criteria.modifiedRoots(by: step) { try Self.touched(by: step, reach) } }
            ?? Set(keys)
    }

    /// The difference together with the modified elements; it leads to the present result.
    private func adding(
        modifiedBy step: VersionDelta, for criteria: LiveCriteria, to outcome: ResultOutcome
    ) throws -> IndexChanges {
        let modified = try modified(by: step, criteria)
        if modified.isEmpty, outcome.indices.modifications.isEmpty { return outcome.indices }
        // Modified objects exist after the step.
        return try state.adding(modified, to: outcome, step.after) { try isAbsent($0, after: step) }
    }
}

// MARK: Resuming

extension MaintainedResult {
    /// The difference that an observer missed since a version; nil if it is no longer available.
    private func missed(
        since known: Resumption, of index: Int, _ snapshot: any Snapshot
    ) throws -> (change: LiveChange?, Void)? {
        let (recent, criteria, watches) = (
            subscriberGroups[index].memory.recent, subscriberGroups[index].criteria, watches
        )
        let indices: () throws -> IndexChanges
        if let changes = recent.changes(since: known.version, at: snapshot.version) {
            indices = { changes }
        } else {
            guard let step = try known.step(for: watches), try query.scope.exists(in: step.before) else { return nil }
            subscriberGroups[index].memory.recent.record(resumptionFrom: known.version)
            indices = { [self] in try lookBack(step, criteria) }
        }
        return (try subscriberGroups[index].memory.change(since: known.version, at: snapshot, keys, find: indices), ())
    }

    /// The difference between a former result and the present one, computed by reversing the step.
    private func lookBack(_ step: VersionDelta, _ criteria: LiveCriteria) throws -> IndexChanges {
        // Reading earlier versions costs more, and running the query there much more.
        let reversed = step.reversed
        let (_, back) = try state.advanced(
            by: reversed, of: query, along: dependencies, classCount: step.objectCount(of: query.classID) * 8,
            affectedKeys: { try dependencies.affectedKeys(in: reversed) }
        ) { try Self.touched(by: step, reach) }
        return try adding(modifiedBy: step, for: criteria, to: ResultOutcome(indices: back.inverted))
    }
}
