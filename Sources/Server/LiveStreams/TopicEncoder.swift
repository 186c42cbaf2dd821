import HTTPMessages
import HTTPServer
import ObjectCoding
import ObjectModel
import StoreContract
import Synchronization
import WireProtocol

/// Encodes the events of one topic, each once. Called on the live queries' thread, where events arrive one at a time,
/// so its lock is hardly ever contended.
final class TopicEncoder: Sendable {
    /// The maximum number of rows in the first event.
    private let largest: Int
    private let limits: EventLimits
    private let state: Mutex<State>
    /// Whether clients wait for the large events.
    let demand = EventDemand()

    init(_ key: TopicKey, largest: Int, _ limits: EventLimits) {
        self.largest = largest
        self.limits = limits
        state = Mutex(State(key: key, answerBytes: limits.answerBytes))
    }

    /// Encodes the first event. Throws 400 if it has too many rows. From any thread; other encodings do not wait for
    /// it.
    func initial(_ snapshot: any Snapshot, _ content: TopicContent) throws -> EncodedEvent {
        let mark = snapshot.mark
        if let known = state.withLock({ $0.knownInitial(mark) }) { return known }
        let plan = try state.withLock { try $0.plan(for: snapshot.schema) }
        var event = EncodedEvent(.initial, mark, try plan.initial(snapshot, content, limit: largest))
        event = event.counted(by: limits.memory)
        state.withLock { $0.record(initial: event.bytes, mark) }
        return event
    }

    /// Prepares a large first event. Throws as `initial` does.
    func large(_ snapshot: any Snapshot, _ content: TopicContent) throws -> LargeEvent {
        let mark = snapshot.mark
        return try state.withLock { state in
            if state.largeMark == mark, let known = state.lastLarge { return known }
            let plan = try state.plan(for: snapshot.schema)
            try plan.check(content, snapshot, limit: largest)
            var parts = LargeEvent.Content.whole(content)
            if case .objects(let keys) = content, plan.key.includesObjects { parts = .keys(keys) }
            let event = LargeEvent(parts, snapshot, plan, limits, demand)
            state.largeMark = mark
            state.lastLarge = event
            return event
        }
    }

    /// Encodes an update as one short event, or prepares a large one. Throws 400 for names that no longer exist.
    ///
    /// - Parameters:
    ///   - since: the version that the receivers resume from; nil for an update for all.
    ///   - id: the event's id, if it is not the mark of the state that the difference leads to.
    func update(_ difference: TopicDifference, since: Version? = nil, id: Mark? = nil) throws -> Update {
        try state.withLock { state in
            if let budget = limits.onThread {
                do {
                    return .short(try state.update(difference, since: since, id, budget, limits.memory))
                } catch let error as StoreError where error.code == .tooExpensive {
                } catch let problem as Problem where problem.isOfOneObject {
                    // It is longer than the largest response, and can perhaps be sent in parts.
                }
            }
            var parts = LargeEvent.Content.difference(difference)
            let plan = try state.plan(for: difference.snapshot.schema)
            if case .objects(let change) = difference, plan.key.includesObjects { parts = .change(change) }
            return .large(LargeEvent(parts, difference.snapshot, id: id, plan, limits, demand))
        }
    }

    enum Update {
        case short(EncodedEvent)
        case large(LargeEvent)
    }
}

private struct State {
    let key: TopicKey
    let answerBytes: @Sendable () -> Int
    var plan: (schema: Schema, plan: TopicPlan)?
    // Weak, so that a large event without receivers is freed.
    weak var lastInitial: SharedBytes?
    var initialMark: Mark?
    weak var lastLarge: LargeEvent?
    var largeMark: Mark?
    weak var lastResumption: SharedBytes?
    var resumption: (since: Version, mark: Mark)?

    init(key: TopicKey, answerBytes: @escaping @Sendable () -> Int) {
        self.key = key
        self.answerBytes = answerBytes
    }

    func knownInitial(_ mark: Mark) -> EncodedEvent? {
        guard initialMark == mark, let lastInitial else { return nil }
        return EncodedEvent(.initial, mark, lastInitial)
    }

    mutating func record(initial: SharedBytes, _ mark: Mark) {
        initialMark = mark
        lastInitial = initial
    }

    mutating func update(
        _ difference: TopicDifference, since: Version?, _ id: Mark?, _ budget: QueryBudget, _ memory: EventMemory
    ) throws -> EncodedEvent {
        var name = EventKind.update
        if case .object = difference { name = .change }
        let snapshot = difference.snapshot
        let mark = id ?? snapshot.mark
        if let since, let resumption, resumption == (since, mark), let lastResumption {
            return EncodedEvent(name, mark, lastResumption)
        }
        let json = try plan(for: snapshot.schema).update(difference, try snapshot.limited(by: budget))
        let event = EncodedEvent(name, mark, json).counted(by: memory)
        if let since {
            resumption = (since, mark)
            lastResumption = event.bytes
        }
        return event
    }

    /// Returns the plan for a schema. Throws if a requested name no longer exists.
    mutating func plan(for schema: Schema) throws -> TopicPlan {
        if let plan, plan.schema == schema { return plan.plan }
        let made = try TopicPlan(key, schema, answerBytes: answerBytes)
        plan = (schema, made)
        return made
    }
}
