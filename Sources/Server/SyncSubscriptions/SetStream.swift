import HTTPMessages
package import HTTPServer
import JSONCoding
package import LiveStreams
package import ObjectCoding
import ObjectModel
import Synchronization
import WireProtocol

/// One client's stream of all subscriptions of a set.
///
/// Each event's id contains the client's version for every subscription. A client that reads too slowly is handled as
/// on other streams: each subscription joins its topic again from its last version, once there is room.
package final class SetStream: CostedStream {
    /// A subscription's state in the stream.
    fileprivate struct StreamSlot {
        enum Phase {
            /// It waits for the first event, or for the changes that it missed.
            case joining
            case live
            /// Events were skipped.
            case behind
            /// It has a large event, and waits until that of another subscription has been sent.
            case waiting
            /// There is nothing more to report of it.
            case over
        }

        let label: String
        /// Nil for a subscription that cannot be observed.
        var member: SetMember?
        /// The version that the client has received; nil for none.
        var version: Version?
        var phase: Phase
        /// The rest of a large event.
        var rest: Delivery?
        /// Whether its large event found another one being sent.
        var wantsTurn = false
        /// Its place among those that wait.
        var order = 0
    }

    fileprivate struct State {
        /// Where all subscriptions are observed: at the same topics, so that their events are in the order of versions.
        var topics: Topics
        var slots: [SubscriptionID: StreamSlot] = [:]
        /// The version of the last event that was sent.
        var version = Version(0)
        var revision: UInt64 = 0
        /// Whether the list of subscriptions must be sent again, because an event about it was skipped.
        var owesList = false
        /// Errors for which there was no room.
        var owedErrors: [SubscriptionID: EncodedEvent] = [:]
        /// The barriers that have been requested and not sent, in the order of the requests.
        var barriers: [Barrier] = []
        /// Whether a check of the barriers is scheduled.
        var isCheckingBarriers = false
        /// The member whose large event is being encoded or sent: see `holder`.
        var turn: SetMember?
        /// The number of members that have waited for their turn.
        var waits = 0
        var isOver = false

        init(at topics: Topics) { self.topics = topics }
    }

    /// A member and its successor at other topics.
    private struct Moved {
        let old: SetMember
        let new: SetMember
        /// False for one that is behind, which joins once there is room.
        let joins: Bool
        let since: Version?
    }

    fileprivate struct Barrier {
        let token: BarrierToken
        /// The state at the time of the request.
        let mark: Mark
    }

    /// The maximum number of waiting barriers.
    private static let barrierLimit = 16

    private let stream: EventStream
    private let shared: Topics
    /// Parses a subscription's query again, under the present schema; nil for a deleted one.
    package typealias Binding = @Sendable (SubscriptionID) -> (Subscription, Result<TopicKey, Problem>)?

    fileprivate let caller: LimitKey
    /// The fingerprint of what the caller may see, which the ids of events carry.
    private let view: UInt32?
    private let bind: Binding
    /// Parses the query of a subscription that was made at another gateway.
    let bindQuery: @Sendable (SubscriptionQuery) -> Result<TopicKey, Problem>
    /// Called with a subscription that can no longer be observed, and its revision then, before the client is
    /// notified.
    private let didFail: @Sendable (SubscriptionID, UInt64, Ending) -> Void
    private let state: Mutex<State>

    package init(
        _ stream: EventStream, _ shared: Topics, for caller: LimitKey, _ view: UInt32?, bind: @escaping Binding,
        bindQuery: @escaping @Sendable (SubscriptionQuery) -> Result<TopicKey, Problem>,
        didFail: @escaping @Sendable (SubscriptionID, UInt64, Ending) -> Void
    ) {
        self.stream = stream
        self.shared = shared
        state = Mutex(State(at: shared))
        self.caller = caller
        self.view = view
        self.bind = bind
        self.bindQuery = bindQuery
        self.didFail = didFail
        stream.send(.retry, isEvent: false)
        stream.onDrain { [weak self] in self?.catchUp() }
    }

    /// Sends the list of subscriptions first.
    func begin(_ subscriptions: [Subscription], at position: StreamPosition?, revision: UInt64) {
        state.withLock { state in
            state.revision = revision
            for subscription in subscriptions {
                state.slots[subscription.id] = StreamSlot(
                    label: subscription.label, member: nil, version: position?.version(of: subscription),
                    phase: .joining)
            }
            sendList(&state)
        }
    }

    /// Observes a subscription from now on, in place of its earlier query.
    func add(_ subscription: Subscription, _ key: TopicKey, since version: Version?, revision: UInt64) {
        while !add(subscription, key, since: version, revision: revision, at: topics) {}
    }

    /// Returns false if the set has moved meanwhile.
    private func add(
        _ subscription: Subscription, _ key: TopicKey, since version: Version?, revision: UInt64, at topics: Topics
    ) -> Bool {
        let topic = topics.topic(for: key)
        let member = SetMember(subscription.id, subscription.revision, topic, topics, self)
        let (old, isOver, hasMoved) = state.withLock { state -> (SetMember?, Bool, Bool) in
            guard !state.isOver else { return (nil, true, false) }
            guard state.topics === topics else { return (nil, true, true) }
            state.revision = revision
            let old = state.slots.updateValue(
                StreamSlot(label: subscription.label, member: member, version: version, phase: .joining),
                forKey: subscription.id)
            state.owedErrors[subscription.id] = nil
            return (old?.member, false, false)
        }
        old?.leave()
        if isOver { topics.release(topic) } else { topic.join(member, since: version) }
        if old != nil { passTurn() }
        return !hasMoved
    }

    /// Observes all subscriptions at the caller's branch from now on, because one of them costs too much here.
    ///
    /// - Parameter version: the member's version.
    fileprivate func move(_ member: SetMember, since version: Version?) {
        let branch: Topics
        do {
            branch = try shared.branch(of: caller, for: member.topic.key)
        } catch {
            return end(member, with: .error(shared.problem(of: error)))
        }
        let moved = state.withLock { state -> [Moved] in
            guard !state.isOver, state.slots[member.id]?.member === member else { return [] }
            state.slots[member.id]?.version = version
            state.topics = branch
            var moved: [Moved] = []
            for (id, slot) in state.slots {
                guard let old = slot.member, slot.phase != .over else { continue }
                let new = SetMember(id, old.revision, branch.topic(for: old.topic.key), branch, self)
                let version = state.slots[id]?.version
                let joins = slot.phase != .behind && slot.phase != .waiting
                moved.append(Moved(old: old, new: new, joins: joins, since: version))
                state.slots[id]?.member = new
                // The rest of a large event is not sent: its version is one that the client does not have yet.
                state.slots[id]?.rest = nil
                if slot.phase == .live { state.slots[id]?.phase = .joining }
            }
            return moved
        }
        for moved in moved {
            moved.old.leave()
            if moved.joins { moved.new.topic.join(moved.new, since: moved.since) }
        }
        passTurn()
    }

    /// Reports that a subscription cannot be observed.
    ///
    /// - Parameter isKnown: whether the client knows an earlier state of what it observed.
    func refuse(_ subscription: Subscription, _ problem: Problem, isKnown: Bool = false) {
        let ending = Ending.missing(problem, isKnown: isKnown, shared.newest)
        state.withLock { state in
            state.slots[subscription.id] = StreamSlot(
                label: subscription.label, member: nil, version: nil, phase: .over)
            sendError(ending.event, of: subscription.id, &state)
        }
        passTurn()
    }

    func remove(_ subscription: Subscription, revision: UInt64) {
        let member = state.withLock { state -> SetMember? in
            state.revision = revision
            state.owedErrors[subscription.id] = nil
            guard let slot = state.slots.removeValue(forKey: subscription.id) else { return nil }
            let event = EncodedEvent(.removed, nil, JSONWriter.empty)
            if !send(event, slot.label, state) { state.owesList = true }
            return slot.member
        }
        member?.leave()
        passTurn()
        checkBarriers()
    }

    /// The cost of all subscriptions.
    package var cost: StreamCost {
        let topics = state.withLock { $0.slots.values.compactMap { $0.member?.topic } }
        return topics.reduce(StreamCost()) { $0 + $1.cost }
    }

    /// Where the subscriptions are observed at present.
    var topics: Topics { state.withLock { $0.topics } }

    /// Ends all observations, because the stream has ended.
    package func end() {
        let members = state.withLock { state in
            state.isOver = true
            state.barriers = []
            defer { state.slots = [:] }
            return state.slots.values.compactMap(\.member)
        }
        for member in members { member.leave() }
    }

    /// Ends the stream, because the set is gone.
    func close() {
        _ = stream.send(Self.moved)
        stream.close()
    }

    /// Calls `action` once with the outcome of the first result.
    func awaitFirst(_ key: TopicKey, _ action: @escaping @Sendable (FirstResult.Outcome) -> Void) {
        FirstResult.await(key, shared, at: topics, for: caller, action)
    }

    private static let moved: SharedBytes = {
        let json = JSONWriter(capacity: 64)
        json.closing(code: "gateway.draining")
        return SharedBytes.event(name: EventKind.closing.rawValue, retry: 2000, data: json.bytes)
    }()

    // MARK: Events of members

    /// - Parameter isLive: whether the member is at the version of the live queries.
    fileprivate func receive(
        _ event: EncodedEvent, of member: SetMember, isLive: Bool = true, isPart: Bool = false
    ) -> EventStream.SendResult {
        let (result, mayReachBarriers) = state.withLock { state -> (EventStream.SendResult, Bool) in
            guard !state.isOver, var slot = state.slots[member.id], slot.member === member else {
                return (.closed, false)
            }
            let holder = state.holder
            guard holder === member || state.slots.values.allSatisfy({ $0.phase != .behind }) else {
                return (.full, false)
            }
            var next = state
            if !isPart, holder === member { next.turn = nil }
            next.arrive(at: event.mark?.version ?? state.version)
            // A client that has received only a part must begin again.
            // The mark of what ends is that of the state before.
            slot.version = isPart ? nil : event.mark?.version ?? (isLive ? next.version : nil)
            slot.phase = isLive ? .live : .joining
            next.slots[member.id] = slot
            let result = event.send(
                on: stream, as: text(next.slots.mapValues(\.version), next.revision, event),
                with: Self.members(slot.label, isPart: isPart))
            if result == .queued { state = next }
            return (result, isLive && !state.barriers.isEmpty)
        }
        if mayReachBarriers { checkBarriers() }
        if result == .queued, !isPart { passTurn() }
        return result
    }

    fileprivate func isAt(_ version: Version, _ member: SetMember) {
        state.withLock { state in
            guard state.slots[member.id]?.member === member else { return }
            state.arrive(at: version)
            state.slots[member.id]?.version = version
            state.slots[member.id]?.phase = .live
            if state.turn === member { state.turn = nil }
        }
        passTurn()
        checkBarriers()
    }

    fileprivate func willTakeParts(_ member: SetMember, since version: Version?) {
        state.withLock { state in
            guard state.slots[member.id]?.member === member else { return }
            state.slots[member.id]?.version = version
            state.slots[member.id]?.phase = .joining
        }
    }

    /// Whether there is room for a large event of the member, or a part of one, whose turn it is then. There is one
    /// such event at a time: others would be encoded in vain, because the first one fills the queue.
    fileprivate func findsRoom(_ member: SetMember) -> Bool {
        let isFirst = state.withLock { state in
            // A deleted member is not kept waiting for room: the next event ends it.
            guard state.slots[member.id]?.member === member else { return true }
            if let holder = state.holder {
                if holder !== member { state.slots[member.id]?.wantsTurn = true }
                return holder === member
            }
            guard state.slots.values.allSatisfy({ $0.phase != .behind }) else { return false }
            state.turn = member
            return true
        }
        return isFirst && stream.findsRoom()
    }

    /// Lets the next member that waits send its large event, once nobody else does and there is room.
    private func passTurn() {
        let next = state.withLock { state -> (SetMember, Version?, Delivery?)? in
            guard !state.isOver, state.waits > 0, state.holder == nil else { return nil }
            state.turn = nil
            let first = state.slots.filter { $0.value.phase == .waiting }.min { $0.value.order < $1.value.order }
            guard let (id, slot) = first, let member = slot.member else { return nil }
            // Also without room, so that a member with a large event at any time does not take each turn.
            state.turn = member
            guard stream.findsRoom() else {
                // `catchUp` follows.
                state.slots[id]?.phase = .behind
                return nil
            }
            state.slots[id]?.phase = .joining
            state.slots[id]?.rest = nil
            return (member, slot.version, slot.rest)
        }
        if let (member, version, rest) = next { proceed(member, since: version, rest) }
    }

    private func proceed(_ member: SetMember, since version: Version?, _ rest: Delivery?) {
        if let rest { member.topic.proceed(rest, with: member) } else { member.topic.join(member, since: version) }
    }

    fileprivate func fallBehind(_ member: SetMember, since version: Version?, _ rest: Delivery? = nil) {
        let waits = state.withLock { state in
            guard var slot = state.slots[member.id], slot.member === member else { return false }
            slot.version = version
            slot.rest = rest
            let waits = slot.wantsTurn && state.holder.map { $0 !== member } ?? false
            slot.wantsTurn = false
            slot.phase = waits ? .waiting : .behind
            if waits { state.waits += 1 }
            slot.order = state.waits
            state.slots[member.id] = slot
            return waits
        }
        // The queue may have drained before this was recorded. If it has not, the stream tells when it does.
        if !waits, stream.findsRoom() { catchUp() }
    }

    /// Parses the subscription's query again after the schema was replaced, and sends its result from the beginning.
    fileprivate func restart(_ member: SetMember) {
        guard let (subscription, outcome) = bind(member.id) else { return }
        let revision: UInt64? = state.withLock { state in
            // It may have another query by now, or may be deleted.
            state.slots[member.id]?.member === member ? state.revision : nil
        }
        guard let revision else { return }
        switch outcome {
        case .success(let key): add(subscription, key, since: nil, revision: revision)
        case .failure(let problem): end(member, with: .missing(problem, isKnown: true, shared.newest))
        }
    }

    fileprivate func end(_ member: SetMember, with ending: Ending) {
        guard state.withLock({ $0.slots[member.id]?.member === member }) else { return }
        // Recorded before the client learns of it and asks.
        didFail(member.id, member.revision, ending)
        state.withLock { state in
            guard state.slots[member.id]?.member === member else { return }
            state.slots[member.id]?.phase = .over
            // What has its slot later is another one.
            if ending.problem == nil { state.slots[member.id]?.version = nil }
            sendError(ending.event, of: member.id, &state)
        }
        passTurn()
        checkBarriers()
    }

    /// Sends what was skipped.
    private func catchUp() {
        let late = state.withLock { state -> [(SetMember, Version?, Delivery?)] in
            if state.owesList { sendList(&state) }
            for (id, event) in state.owedErrors { sendError(event, of: id, &state) }
            var late: [(SetMember, Version?, Delivery?)] = []
            for (id, slot) in state.slots where slot.phase == .behind {
                state.slots[id]?.phase = .joining
                state.slots[id]?.rest = nil
                if let member = slot.member { late.append((member, slot.version, slot.rest)) }
            }
            return late
        }
        for (member, version, rest) in late { proceed(member, since: version, rest) }
        passTurn()
        checkBarriers()
    }

    // MARK: Barriers

    /// Sends a barrier once everything that was committed up to a state has been sent. Returns false if too many
    /// barriers are waiting.
    func requestBarrier(_ token: BarrierToken, at mark: Mark) -> Bool {
        let isAccepted = state.withLock { state in
            guard !state.isOver else { return true }
            // A repeated request moves the barrier to the later state.
            state.barriers.removeAll { $0.token == token }
            guard state.barriers.count < Self.barrierLimit else { return false }
            state.barriers.append(Barrier(token: token, mark: mark))
            return true
        }
        if isAccepted { checkBarriers() }
        return isAccepted
    }

    /// Schedules a check of the barriers for when the live queries have delivered the first barrier's version.
    private func checkBarriers() {
        let check: (version: Version, topics: Topics)? = state.withLock { state in
            guard let first = state.barriers.first, !state.isCheckingBarriers else { return nil }
            state.isCheckingBarriers = true
            return (first.mark.version, state.topics)
        }
        guard let (version, topics) = check else { return }
        topics.whenDelivered(version) { [weak self, weak topics] in
            self?.sendReachedBarriers(at: version, of: topics)
        }
    }

    /// Sends the barriers that have been reached. Called on the live queries' thread while no event is being
    /// delivered: live subscriptions have been sent everything up to the version. The barriers wait for all others.
    private func sendReachedBarriers(at version: Version, of topics: Topics?) {
        let hasLaterBarrier = state.withLock { state -> Bool in
            state.isCheckingBarriers = false
            guard state.topics === topics else { return !state.isOver && !state.barriers.isEmpty }
            let isSettled = state.slots.values.allSatisfy { $0.phase == .live || $0.phase == .over }
            while !state.isOver, isSettled, let barrier = state.barriers.first, barrier.mark.version <= version {
                var next = state
                next.barriers.removeFirst()
                next.reach(barrier.mark.version)
                let json = JSONWriter(capacity: 128)
                json.barrier(barrier.token, at: barrier.mark.version)
                let event = EncodedEvent(.barrier, barrier.mark, json)
                guard
                    event.send(on: stream, as: text(next.slots.mapValues(\.version), next.revision, event), with: [])
                        == .queued
                else { break }
                state = next
            }
            return state.barriers.first.map { $0.mark.version > version } ?? false
        }
        if hasLaterBarrier { checkBarriers() }
    }

    // MARK: Sending

    private func send(_ event: EncodedEvent, _ label: String, _ state: State) -> Bool {
        event.send(
            on: stream, as: text(state.slots.mapValues(\.version), state.revision, event), with: Self.members(label))
            != .full
    }

    /// Returns the id of an event.
    private func text(_ versions: [SubscriptionID: Version?], _ revision: UInt64, _ event: EncodedEvent) -> String {
        StreamPosition(versions, revision: revision) { [shared, view] version in
            // Nearly always it is the event's mark, which needs no lookup.
            (event.mark?.version == version ? event.mark : shared.mark(of: version))?.seen(by: view)
        }.description
    }

    private func sendError(_ event: EncodedEvent, of id: SubscriptionID, _ state: inout State) {
        guard let label = state.slots[id]?.label else { return }
        state.owedErrors[id] = send(event, label, state) ? nil : event
    }

    private func sendList(_ state: inout State) {
        let json = JSONWriter(capacity: 256)
        json.subscriptionList(state.slots.sorted { $0.key < $1.key }.map(\.value.label))
        state.owesList = stream.send(EncodedEvent(.subscriptions, nil, json).bytes) == .full
    }

    /// Returns `"subscription": …` as a member of an object, and `"part": true` for an event that others complete.
    private static func members(_ label: String, isPart: Bool = false) -> [UInt8] {
        let json = JSONWriter(capacity: 64)
        json.member(subscription: label)
        if isPart { json.memberOfPart() }
        return json.bytes
    }
}

extension SetStream.State {
    /// The member whose turn it is; nil if its large event has been sent, or if it is no longer there.
    fileprivate var holder: SetMember? {
        guard let turn, let slot = slots[turn.id], slot.member === turn else { return nil }
        return slot.phase == .joining || slot.phase == .behind ? turn : nil
    }

    /// Called before an event of that version is sent. Live subscriptions are up to date with the preceding event's
    /// version, unless that is the same version.
    fileprivate mutating func arrive(at version: Version) {
        guard version > self.version else { return }
        for (id, slot) in slots where slot.phase == .live && (slot.version ?? Version(0)) < self.version {
            slots[id]?.version = self.version
        }
        self.version = version
    }

    /// Records that the live subscriptions have been sent everything up to a version.
    fileprivate mutating func reach(_ version: Version) {
        for (id, slot) in slots where slot.phase == .live && (slot.version ?? Version(0)) < version {
            slots[id]?.version = version
        }
        self.version = max(self.version, version)
    }
}

/// A subscription's membership in a topic, for one stream.
final class SetMember: TopicMember {
    let id: SubscriptionID
    /// The revision of the subscription.
    let revision: UInt64
    let topic: Topic
    private let topics: Topics
    let caller: LimitKey
    private weak let stream: SetStream?

    init(_ id: SubscriptionID, _ revision: UInt64, _ topic: Topic, _ topics: Topics, _ stream: SetStream) {
        self.id = id
        self.revision = revision
        self.topic = topic
        self.topics = topics
        self.stream = stream
        caller = stream.caller
    }

    func leave() {
        topic.leave(self)
        topics.release(topic)
    }

    var plainStream: EventStream? { nil }

    func receive(_ event: EncodedEvent) -> EventStream.SendResult { stream?.receive(event, of: self) ?? .closed }
    func begin(with event: EncodedEvent) -> EventStream.SendResult {
        stream?.receive(event, of: self, isLive: false) ?? .closed
    }
    func receive(part: EncodedEvent) -> EventStream.SendResult {
        stream?.receive(part, of: self, isLive: false, isPart: true) ?? .closed
    }
    func willTakeParts(since version: Version?) { stream?.willTakeParts(self, since: version) }
    func findsRoom() -> Bool { stream?.findsRoom(self) ?? true }
    func isAt(_ version: Version) { stream?.isAt(version, self) }
    func fallBehind(since version: Version?) { stream?.fallBehind(self, since: version) }
    func fallBehind(in delivery: Delivery) { stream?.fallBehind(self, since: nil, delivery) }
    func restart() { stream?.restart(self) }
    func move(since version: Version?) { stream?.move(self, since: version) }
    func end(with ending: Ending) { stream?.end(self, with: ending) }
}

extension JSONWriter {
    /// An object without members.
    fileprivate static var empty: JSONWriter {
        let json = JSONWriter(capacity: 8)
        json.beginObject()
        json.endObject()
        return json
    }
}
