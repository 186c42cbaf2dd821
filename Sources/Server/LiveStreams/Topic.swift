import AccessRules
package import FairScheduling
import HTTPMessages
import HTTPServer
package import LiveQueries
package import ObjectCoding
package import ObjectModel
import StoreContract
import Synchronization

/// One observation shared by all streams with the same request; each event is encoded once.
///
/// A member joins with an observation of its own, which reports the state or the changes that the member missed. From
/// the resulting version on it is a member: observations are reported one after the other on one thread, and all have
/// the same version. The first of these observations, the main one, then serves all members, and the member's own ends.
///
/// A large beginning is encoded on another thread, so that others do not wait for it. Its receivers then join once
/// more, from its version.
package final class Topic: Sendable {
    /// An observation with which members join. Those that join from the same version share it.
    struct Join {
        let since: Version?
        /// The members that wait for the observation's first event.
        var members: [any TopicMember]
        /// The version at which it began.
        var start: Version?
        /// Whether the difference since `since` may still be reported.
        var isResuming = false
        var observation: TopicObservation?
    }

    /// A large beginning that is being encoded, and the members that wait for it.
    struct InitialSnapshot {
        let version: Version
        /// The members in order of arrival.
        var members: [ObjectIdentifier: (number: Int, member: any TopicMember)] = [:]
        private var count = 0

        init(_ version: Version) { self.version = version }

        mutating func add(_ member: any TopicMember) {
            count += 1
            members[ObjectIdentifier(member)] = (count, member)
        }
    }

    struct State {
        var joins: [Int: Join] = [:]
        var lastJoin = 0
        /// The join whose observation serves all members.
        var main: Int?
        /// The members that receive all changes, by `memberID`.
        var members: [ObjectIdentifier: any TopicMember] = [:]
        /// The members whose streams are not in the group.
        var others: [ObjectIdentifier: any TopicMember] = [:]
        /// The large beginning that is being encoded.
        var initialSnapshot: InitialSnapshot?
        /// The members that are receiving a large event.
        var receiving: Set<ObjectIdentifier> = []
        /// The version that the members have reached.
        var position: Version?
        /// The id of the update that reported the deletion of what was observed; see `endMark`.
        var lost: Mark?
        /// The store's schema for which the key is known to be valid, once it differs from the first one.
        var schema: Schema?
    }

    /// The nanoseconds for which the live queries pause for each stream that received an event. Queueing, framing and
    /// writing an event takes the loops some 10 µs of one core per stream; a pause of twice that leaves at least half
    /// of a core to requests, however fast commits arrive. The first event after a pause is sent at once.
    private static let pausePerStream = 20_000

    /// The number of rows above which a beginning is encoded on another thread: each takes some microseconds.
    private static let quickRowLimit = 256
    /// The number of lookups or bytes above which it is, too.
    private static let quickReadLimit = 10_000
    private static let quickByteLimit = 256 << 10

    package let key: TopicKey
    let context: TopicContext
    private let encoder: TopicEncoder
    /// The members' own streams, which receive the same bytes.
    let group = EventStreamGroup()
    let state = Mutex(State())
    /// The nanoseconds that encoding the events, and queueing them for the streams, has taken so far.
    private let encoding = Atomic<Int64>(0)

    init(_ key: TopicKey, _ context: TopicContext) {
        self.key = key
        self.context = context
        encoder = TopicEncoder(key, largest: context.largest(), context.limits)
        encoder.demand.ask { [weak self] in self?.awaitsParts ?? false }
    }

    /// Whether members wait for a large event, or are receiving one.
    private var awaitsParts: Bool {
        state.withLock { !$0.receiving.isEmpty || $0.initialSnapshot?.members.isEmpty == false }
    }

    /// What the topic has cost so far. From any thread.
    package var cost: StreamCost {
        let (observation, members) = state.withLock { state in
            (state.main.flatMap { state.joins[$0]?.observation }, state.members.count)
        }
        return StreamCost(
            nanoseconds: encoding.load(ordering: .relaxed) + (observation?.nanoseconds ?? 0),
            sharedBy: max(members, 1))
    }

    /// Counts the time that some work for the topic's events takes.
    func counted<R>(_ work: () throws -> R) rethrows -> R {
        let start = monotonicNanoseconds()
        defer { encoding.wrappingAdd(monotonicNanoseconds() - start, ordering: .relaxed) }
        return try work()
    }

    /// Sends a member the state, or the changes since a version that it knows, and all later changes. From any thread.
    package func join(_ member: any TopicMember, since version: Version?) {
        if let made = state.withLock({ $0.wait(member, since: version) }) { observe(made, since: version) }
    }

    func observe(_ made: Int, since version: Version?) {
        let observation = TopicObservation(key, context.live, since: version) { [weak self] event in
            guard let self else { return }
            counted { self.deliver(event, to: made) }
        }
        // The join may have ended already; then the observation ends.
        state.withLock { $0.joins[made]?.observation = observation }
    }

    /// Removes a member. From any thread; an event that is being sent may still reach it.
    package func leave(_ member: any TopicMember) {
        let wasMember = state.withLock { state in
            // A join that resumed keeps its members, which keep the topic, until its first event.
            for id in state.joins.keys { state.joins[id]?.members.removeAll { $0 === member } }
            state.initialSnapshot?.members[ObjectIdentifier(member)] = nil
            state.receiving.remove(ObjectIdentifier(member))
            return state.remove(member)
        }
        if wasMember, let stream = member.plainStream { group.leave(stream) }
    }
}

/// The parts of the gateway that topics use.
package struct TopicContext: Sendable {
    var live: LiveQueries
    /// Encodes large events.
    let workers: WorkerPool
    let limits: EventLimits
    /// The maximum number of rows in the first event.
    let largest: @Sendable () -> Int
    /// Converts an error to a problem.
    let problem: @Sendable (any Error) -> Problem
    /// Returns the latest state of the store.
    let newest: @Sendable () throws -> Mark
    /// Returns the mark of a version; nil if the store is closed.
    let mark: @Sendable (Version) -> Mark?
    /// Returns the store's schema.
    let schema: @Sendable () throws -> Schema
    /// Whether the store has an object, also one that a caller may not see; false if the store is closed.
    let exists: @Sendable (ObjectReference) -> Bool

    package init(
        live: LiveQueries, workers: WorkerPool, limits: EventLimits, largest: @escaping @Sendable () -> Int,
        problem: @escaping @Sendable (any Error) -> Problem, newest: @escaping @Sendable () throws -> Mark,
        mark: @escaping @Sendable (Version) -> Mark?, schema: @escaping @Sendable () throws -> Schema,
        exists: @escaping @Sendable (ObjectReference) -> Bool
    ) {
        self.live = live
        self.workers = workers
        self.limits = limits
        self.largest = largest
        self.problem = problem
        self.newest = newest
        self.mark = mark
        self.schema = schema
        self.exists = exists
    }
}

// On the live queries' thread.
extension Topic {
    /// Whether the request means something else at a version, or is invalid there.
    private func isOutdated(at snapshot: any Snapshot) -> Bool {
        let schema = BoundAccess.wholeSchema(of: snapshot)
        guard state.withLock({ $0.schema ?? key.reading?.schema }) != schema else { return false }
        guard key.holds(at: snapshot) else { return true }
        state.withLock { $0.schema = schema }
        return false
    }

    /// Whether an error is due to a schema that was replaced meanwhile, perhaps more than once. The request is then
    /// parsed again: once for each schema that the store is found to have.
    private func isOvertaken(_ error: StoreError) -> Bool {
        guard [.unknownClass, .unknownProperty, .notACollection].contains(error.code),
            let schema = try? context.schema()
        else { return false }
        return state.withLock { state in
            defer { state.schema = schema }
            return (state.schema ?? key.reading?.schema) != schema
        }
    }

    private func deliver(_ event: TopicEvent, to id: Int) {
        switch event {
        case .initial(let snapshot, _) where isOutdated(at: snapshot): restart(id)
        case .resumed(let snapshot, _) where isOutdated(at: snapshot): restart(id)
        case .initial(let snapshot, let content): begin(id, snapshot, content)
        case .resumed(let snapshot, _): resume(id, at: snapshot.version)
        case .update(let difference): update(id, difference)
        case .deleted(let version):
            let (lost, since) = state.withLock { ($0.lost, $0.main == id ? $0.position : $0.joins[id]?.since) }
            end(id, with: .deleted(version, lost ?? endMark(since, at: nil) ?? mark(of: version)))
        case .failed(let overload as LiveOverload): move(id, at: overload.version)
        case .failed(let error as StoreError) where error.code == .schemaReplaced: restart(id)
        case .failed(let error as StoreError) where isOvertaken(error): restart(id)
        case .failed(let error as StoreError) where error.code == .notFound:
            // The object was deleted, or the store closed, between the check and the observation. Without an id,
            // clients keep that of their last event.
            do {
                end(id, with: .deleted(try context.newest().version, nil))
            } catch {
                end(id, with: .error(context.problem(error)))
            }
        case .failed(let error): end(id, with: .error(context.problem(error)))
        }
    }

    /// Returns the id of the last events of a stream whose object was deleted, or whose path leads elsewhere: the mark
    /// of the state that its members knew before. Nil for other events, whose id is the mark of their state.
    ///
    /// The commit that deletes an object may make another one with the same primary key. A client that came back with
    /// the mark of that commit would count as one that knows the new object.
    private func endMark(_ since: Version?, at shown: (any Snapshot)?) -> Mark? {
        guard let since, key.isLost(at: shown, context.exists) else { return nil }
        let mark = mark(of: since)
        state.withLock { $0.lost = mark }
        return mark
    }

    /// Returns the mark of a version as the members see it.
    private func mark(of version: Version) -> Mark? { context.mark(version)?.seen(by: key.view?.fingerprint) }

    private func begin(_ id: Int, _ snapshot: any Snapshot, _ content: TopicContent) {
        let event: EncodedEvent
        do {
            guard try content.rowCount(key, snapshot) <= Self.quickRowLimit else {
                return beginElsewhere(id, snapshot, content)
            }
            // A few rows may be large, or contain many objects in place of links.
            let quick = QueryBudget(
                rows: Self.quickReadLimit, bytes: min(Self.quickByteLimit, context.limits.eventBytes()),
                milliseconds: nil)
            event = try encoder.initial(try snapshot.limited(by: quick), content)
        } catch let error as StoreError where error.code == .tooExpensive {
            return beginElsewhere(id, snapshot, content)
        } catch let problem as Problem where problem.isOfOneObject {
            return beginElsewhere(id, snapshot, content)
        } catch {
            return end(id, with: .error(context.problem(error)))
        }
        let (members, since) = admit(id, at: snapshot.version, isResuming: false)
        for member in members where send(event, to: member, since: since) {
            if let stream = member.plainStream { group.join(stream) }
        }
    }

    /// Makes the members of a join wait for a beginning that another thread encodes. If the join's observation is the
    /// main one it continues, so that its result is kept until they join again.
    private func beginElsewhere(_ id: Int, _ snapshot: any Snapshot, _ content: TopicContent) {
        let version = snapshot.version
        let members = admit(id, at: version, isResuming: false, asMembers: false).members
        let isFirst = state.withLock { state in
            guard !members.isEmpty else { return false }
            let isFirst = state.initialSnapshot == nil
            // An earlier version is sufficient: the changes after it follow in any case.
            var initialSnapshot = state.initialSnapshot ?? InitialSnapshot(version)
            for member in members { initialSnapshot.add(member) }
            state.initialSnapshot = initialSnapshot
            return isFirst
        }
        guard isFirst else { return }
        context.workers.run(for: members.first?.caller) { [self] in
            guard hasReceivers() else { return }
            func encode() -> Result<(LargeEvent, SharedBytes?), any Error> {
                Result {
                    try counted {
                        let event = try encoder.large(snapshot, content)
                        // Retained until all have received it.
                        return (event, try event.part(0)?.event.bytes)
                    }
                }
            }
            var outcome = encode()
            // All had left, and others have come since.
            while outcome.isAbandoned, awaitsParts { outcome = encode() }
            while let waiting = state.withLock({ $0.takePendingInitials() }) {
                for member in waiting { begin(member, with: outcome.map(\.0)) }
            }
            withExtendedLifetime(outcome) {}
        }
    }

    /// Whether there is room at one of the members that wait for the large beginning. The others join again once there
    /// is, so that nothing is encoded in vain.
    private func hasReceivers() -> Bool {
        let waiting = state.withLock { $0.initialSnapshot?.members ?? [:] }
        for (id, (_, member)) in waiting where !member.findsRoom() {
            let isThere = state.withLock { $0.initialSnapshot?.members.removeValue(forKey: id) != nil }
            if isThere { member.fallBehind(since: nil) }
        }
        return state.withLock { state in
            guard state.initialSnapshot?.members.isEmpty != false else { return true }
            state.initialSnapshot = nil
            return false
        }
    }

    /// On any thread.
    private func begin(_ member: any TopicMember, with outcome: Result<LargeEvent, any Error>) {
        switch outcome {
        case .success(let event): send(Delivery(event: event, since: nil), to: member)
        case .failure(let error):
            state.withLock { _ = $0.receiving.remove(ObjectIdentifier(member)) }
            member.end(with: .error(context.problem(error)))
        }
    }

    private func resume(_ id: Int, at version: Version) {
        for member in admit(id, at: version, isResuming: true).members {
            member.isAt(version)
            if let stream = member.plainStream { group.join(stream) }
        }
    }

    private func update(_ id: Int, _ difference: TopicDifference) {
        let version = difference.snapshot.version
        if let resumed = finishResuming(id, at: version) {
            guard !resumed.members.isEmpty else { return }
            do {
                let event: EncodedEvent
                switch try encoder.update(
                    difference, since: resumed.since, id: endMark(resumed.since, at: difference.snapshot))
                {
                case .short(let short): event = short
                case .large(let large): return send(large, toMembers: resumed.members, since: resumed.since)
                }
                for member in resumed.members where !send(event, to: member, since: resumed.since) {
                    if let stream = member.plainStream { group.leave(stream) }
                }
            } catch {
                dismiss(resumed.members, with: .error(context.problem(error)))
            }
        } else if let (others, since) = advance(id, to: version) {
            do {
                let event: EncodedEvent
                switch try encoder.update(difference, id: endMark(since, at: difference.snapshot)) {
                case .short(let short): event = short
                case .large(let large):
                    return send(large, toMembers: state.withLock { Array($0.members.values) }, since: since)
                }
                for stream in group.send(event.bytes) {
                    let late = state.withLock { $0.members.removeValue(forKey: ObjectIdentifier(stream)) }
                    late?.fallBehind(since: since)
                }
                for member in others { send(event, to: member, since: since) }
                context.live.pause(nanoseconds: (group.count + others.count) * Self.pausePerStream)
            } catch {
                dismiss(state.withLock { Array($0.members.values) }, with: .error(context.problem(error)))
            }
        }
    }

    /// Returns the members that resume with a difference; nil if the join is not about to resume.
    private func finishResuming(_ id: Int, at version: Version) -> (members: [any TopicMember], since: Version?)? {
        state.withLock { state in
            guard let join = state.joins[id], join.isResuming, join.start == version else { return nil }
            state.endResuming(id)
            return (join.members.filter { state.members[$0.memberID] != nil }, join.since)
        }
    }

    /// Moves the topic to a version if the join is the main one and there are members to notify. Returns the members
    /// that are notified individually, and the version that all have.
    private func advance(_ id: Int, to version: Version) -> (others: [any TopicMember], since: Version?)? {
        state.withLock { state in
            guard state.main == id else {
                // It resumed without a difference, and the main observation serves it from now on.
                state.joins[id] = nil
                return nil
            }
            state.endResuming(id)
            defer { state.position = version }
            return state.members.isEmpty ? nil : (Array(state.others.values), state.position)
        }
    }

    /// Ends the members that a join's observation serves: those that wait for its first event, or all.
    private func end(_ id: Int, with ending: Ending) { dismiss(concerned(id), with: ending) }

    /// Makes those members parse their requests again and begin again, after the schema was replaced.
    private func restart(_ id: Int) {
        let members = concerned(id)
        state.withLock { state in
            for member in members { _ = state.remove(member) }
        }
        guard !members.isEmpty else { return }
        for member in members {
            if let stream = member.plainStream { group.leave(stream) }
        }
        context.workers.run(for: members.first?.caller) {
            for member in members { member.restart() }
        }
    }

    /// Makes the members of a join go on at a branch, because the result costs too much here.
    ///
    /// - Parameter version: the version that the members of the main observation have reached.
    private func move(_ id: Int, at version: Version?) {
        let (members, since) = state.withLock { state -> ([any TopicMember], Version?) in
            let since = state.main == id ? version ?? state.position : state.joins[id]?.since
            let members = state.concerned(id)
            for member in members { _ = state.remove(member) }
            return (members, since)
        }
        for member in members {
            if let stream = member.plainStream { group.leave(stream) }
        }
        for member in members where !member.waitsForOthers { member.move(since: since) }
        for member in members where member.waitsForOthers { member.move(since: since) }
    }

    /// Removes a join, and returns the members that its observation served.
    private func concerned(_ id: Int) -> [any TopicMember] { state.withLock { $0.concerned(id) } }

    /// Makes the waiting members of the join members of the topic, if requested, and its observation the main one if
    /// there is none.
    private func admit(
        _ id: Int, at version: Version, isResuming: Bool, asMembers: Bool = true
    ) -> (members: [any TopicMember], since: Version?) {
        state.withLock { state in
            guard let join = state.joins[id] else { return ([], nil) }
            // The difference with which a join resumes comes at once, if at all.
            for (other, earlier) in state.joins where earlier.isResuming { state.endResuming(other) }
            state.joins[id]?.start = version
            state.joins[id]?.isResuming = isResuming
            if !isResuming { state.joins[id]?.members = [] }
            if state.main == nil {
                state.main = id
            } else if !isResuming {
                state.joins[id] = nil
            }
            if asMembers {
                for member in join.members { state.insert(member) }
            }
            state.position = version
            state.lost = nil
            return (join.members, join.since)
        }
    }

    /// Sends an event to one member; false if it rejected the event and is no longer a member.
    ///
    /// - Parameter since: the version from which it joins again if it has no room.
    @discardableResult
    private func send(_ event: EncodedEvent, to member: any TopicMember, since: Version?) -> Bool {
        let outcome = member.receive(event)
        guard outcome != .queued else { return true }
        _ = state.withLock { $0.remove(member) }
        if outcome == .full { member.fallBehind(since: since) }
        return false
    }

    private func dismiss(_ members: [any TopicMember], with ending: Ending) {
        state.withLock { state in
            for member in members { _ = state.remove(member) }
        }
        for member in members { member.end(with: ending) }
    }
}

extension Result {
    /// Whether work ended because nobody waited for it.
    fileprivate var isAbandoned: Bool {
        if case .failure(let error as StoreError) = self { error == .abandoned } else { false }
    }
}

extension TopicMember {
    /// Identifies a member: by its stream, or by itself while it is behind.
    fileprivate var memberID: ObjectIdentifier { plainStream.map { ObjectIdentifier($0) } ?? ObjectIdentifier(self) }
}

extension Topic.State {
    fileprivate mutating func insert(_ member: any TopicMember) {
        members[member.memberID] = member
        if member.plainStream == nil { others[member.memberID] = member }
    }

    /// Removes a join, and returns the members that its observation served.
    fileprivate mutating func concerned(_ id: Int) -> [any TopicMember] {
        let join = joins.removeValue(forKey: id)
        guard main == id else { return join?.start == nil ? join?.members ?? [] : [] }
        main = nil
        return Array(members.values)
    }

    /// Returns false if it is not a member.
    mutating func remove(_ member: any TopicMember) -> Bool {
        others[member.memberID] = nil
        return members.removeValue(forKey: member.memberID) != nil
    }

    /// Adds a member that waits for the changes since a version. Returns the join that must begin; nil if it has begun.
    mutating func wait(_ member: any TopicMember, since version: Version?) -> Int? {
        // Members that wait for the same event share it.
        if let waiting = joins.first(where: { $0.value.start == nil && $0.value.since == version })?.key {
            joins[waiting]?.members.append(member)
            return nil
        }
        lastJoin += 1
        joins[lastJoin] = Topic.Join(since: version, members: [member])
        return lastJoin
    }

    /// Removes and returns the members that wait for the first event; nil if there are none.
    fileprivate mutating func takePendingInitials() -> [any TopicMember]? {
        guard let waiting = initialSnapshot?.members, !waiting.isEmpty else {
            initialSnapshot = nil
            return nil
        }
        initialSnapshot?.members = [:]
        receiving.formUnion(waiting.keys)
        return waiting.values.sorted { $0.number < $1.number }.map(\.member)
    }

    /// Ends the resumption of a join: its difference has been reported.
    fileprivate mutating func endResuming(_ id: Int) {
        guard id == main else {
            joins[id] = nil
            return
        }
        joins[id]?.isResuming = false
        joins[id]?.members = []
    }
}
