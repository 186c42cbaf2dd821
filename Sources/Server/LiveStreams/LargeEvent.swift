import Dispatch
import HTTPMessages
import HTTPProblems
import HTTPServer
import JSONCoding
import LiveQueries
import ObjectCoding
import ObjectModel
import StoreContract
import Synchronization
import ViewMaintenance
import WireProtocol

/// A large event, split into several that a client applies one after the other. Each is encoded when the first client
/// has room for it, and shared by all that receive it at about the same time.
///
/// The beginning is an `initial` with the first objects, and updates that insert the others. An update becomes one or
/// more that modify, then one that deletes and inserts, and further ones that insert. The last has the mark of the
/// resulting state as its id. The ones before it have an empty id: a client that loses the connection between them has
/// no state to resume from, and begins again.
final class LargeEvent: Sendable {
    enum Content: Sendable {
        case keys(KeySequence)
        case change(LiveChange)
        /// An event that is encoded as a whole: of sections, of one object, and of one object's property.
        case whole(TopicContent)
        case difference(TopicDifference)
    }

    /// The position where a part begins.
    private struct Position {
        enum Phase { case beginning, modifications, insertions }

        var phase: Phase
        var index = 0
        var isFirst = true
    }

    private struct Part {
        let position: Position
        weak var bytes: SharedBytes?
    }

    private struct State {
        var parts: [Part]
        /// Whether the last of the parts is known to be the final one.
        var isComplete = false
        /// The part that was encoded last, for members that need it a little later.
        var latest: SharedBytes?
    }

    let version: Version
    private let mark: Mark
    private let snapshot: any Snapshot
    private let plan: TopicPlan
    private let content: Content
    private let limits: EventLimits
    private let demand: EventDemand
    private let state: Mutex<State>

    /// - Parameters:
    ///   - id: the event's id, if it is not the mark of the snapshot.
    ///   - demand: whether clients still wait for it.
    init(
        _ content: Content, _ snapshot: any Snapshot, id: Mark? = nil, _ plan: TopicPlan, _ limits: EventLimits,
        _ demand: EventDemand
    ) {
        self.content = content
        self.demand = demand
        // Workers read it, and do not pause where the thread of the live queries does.
        self.snapshot = (try? snapshot.limited(by: Self.budget(demand))) ?? snapshot
        self.plan = plan
        self.limits = limits
        version = snapshot.version
        mark = id ?? snapshot.mark
        var phase = Position.Phase.beginning
        if case .change = content { phase = .modifications }
        state = Mutex(State(parts: [Part(position: Position(phase: phase))]))
    }

    private static func budget(_ demand: EventDemand, bytes: Int? = nil) -> QueryBudget {
        QueryBudget(rows: nil, bytes: bytes, milliseconds: nil, pace: demand)
    }

    /// Returns a part, and whether it is the last; nil if there is no memory for it now. The preceding part must have
    /// been requested. Throws `StoreError.abandoned` if no client waits for it any more, and 400 if one object, with
    /// others in place of its links, exceeds the maximum size of a response.
    func part(_ index: Int) throws -> (event: EncodedEvent, isLast: Bool)? {
        try state.withLock { state in
            guard index < state.parts.count else { throw Problem.internalError }
            func isLast() -> Bool { state.isComplete && index == state.parts.count - 1 }
            let position = state.parts[index].position
            let isKnown = state.isComplete || index < state.parts.count - 1
            if isKnown, let bytes = state.parts[index].bytes {
                return (EncodedEvent(name(position), isLast() ? mark : nil, bytes), isLast())
            }
            guard limits.memory.hasRoom else { return nil }
            let (data, next): (JSONWriter, Position?)
            do {
                (data, next) = try write(position)
            } catch is TextMemory.Exhausted {
                return nil
            }
            if !isKnown {
                if let next { state.parts.append(Part(position: next)) } else { state.isComplete = true }
            }
            let isLast = next == nil
            let name = name(position)
            let bytes = data.withBytes { data in
                limits.memory.counted(.event(id: isLast ? mark.description : "", name: name.rawValue, data: data))
            }
            state.parts[index].bytes = bytes
            state.latest = bytes
            return (EncodedEvent(name, isLast ? mark : nil, bytes), isLast)
        }
    }

    private func name(_ position: Position) -> EventKind {
        switch content {
        case .keys, .whole: position.isFirst ? .initial : .update
        case .difference(.object): .change
        case .change, .difference: .update
        }
    }

    /// Writes the part at a position. Returns where the next one begins.
    private func write(_ position: Position) throws -> (JSONWriter, Position?) {
        switch content {
        case .keys(let keys): return try write(keys, position)
        case .change(let change): return try write(change, position)
        case .whole(let content):
            return (try bounded(isOneObject: content.isObject) { try plan.initial($0, content, limit: .max) }, nil)
        case .difference(let difference):
            return (try bounded(isOneObject: difference.isObject) { try plan.update(difference, $0) }, nil)
        }
    }

    /// Writes an event that cannot be split. Throws 400 if it exceeds the maximum size of a response.
    private func bounded(isOneObject: Bool, _ write: (any Snapshot) throws -> JSONWriter) throws -> JSONWriter {
        // One object's own values are written whatever their size; the plan limits objects in place of its links.
        if isOneObject { return try limited { try write(snapshot) } }
        return try limited {
            try write(try snapshot.limited(by: Self.budget(demand, bytes: limits.answerBytes())))
        }
    }

    /// Throws 400 in place of the errors of an event that is too large.
    private func limited<R>(_ write: () throws -> R) throws -> R {
        do {
            return try write()
        } catch let error as StoreError where error.code == .tooExpensive && error != .abandoned {
            throw tooLarge
        } catch let problem as Problem where problem.isOfOneObject {
            throw tooLarge
        }
    }

    private var tooLarge: Problem {
        Problem(
            .observeTooLarge,
            "An event would have more than \(limits.answerBytes()) bytes. Name the 'fields' that you need, give a filter, expand less, or leave the objects out with include=indices."
        )
    }

    private func write(_ keys: KeySequence, _ position: Position) throws -> (JSONWriter, Position?) {
        let (items, count) = try rows(position.index..<keys.count) { keys.keys(in: $0) }
        let end = position.index + count
        let json = begin(items?.count ?? 0)
        if position.isFirst {
            json.name(EventField.count)
            json.int(keys.count)
            json.name(EventField.items)
            json.rows(items)
        } else {
            json.positions(deletions: [], insertions: Array(position.index..<end), modifications: [])
            objects(insertions: items, modifications: nil, json)
        }
        json.endObject()
        return (json, end < keys.count ? Position(phase: .insertions, index: end, isFirst: false) : nil)
    }

    private func write(_ change: LiveChange, _ position: Position) throws -> (JSONWriter, Position?) {
        var position = position
        var (modified, inserted) = (0..<0, 0..<0)
        var (modifications, insertions): (JSONWriter?, JSONWriter?) = (nil, nil)
        var deletions: [Int] = []
        var hasRoom = true
        // The positions of modifications are those before the event, so nothing is deleted before the last of them.
        if position.phase == .modifications {
            let all = change.modificationsNew
            let (items, count) = try rows(position.index..<all.count) { $0.map { change.newKeys[all[$0]] } }
            modified = position.index..<position.index + count
            modifications = items
            hasRoom = modified.upperBound == all.count && items?.count ?? 0 < limits.eventBytes()
            position = Position(phase: .modifications, index: modified.upperBound, isFirst: false)
            if position.index == all.count { position = Position(phase: .insertions, isFirst: false) }
        }
        if hasRoom {
            let all = change.insertions
            if position.index == 0 { deletions = change.deletions }
            let (items, count) = try rows(position.index..<all.count) { $0.map { change.newKeys[all[$0]] } }
            inserted = position.index..<position.index + count
            insertions = items
            position.index = inserted.upperBound
        }
        let json = begin((modifications?.count ?? 0) + (insertions?.count ?? 0))
        json.positions(
            deletions: deletions, insertions: Array(change.insertions[inserted]),
            modifications: Array(change.modifications[modified]))
        objects(insertions: insertions, modifications: modifications, json)
        json.endObject()
        return (json, hasRoom && position.index == change.insertions.count ? nil : position)
    }

    private func begin(_ bytes: Int) -> JSONWriter {
        let json = JSONWriter(capacity: bytes + 4096)
        json.beginObject()
        json.member(version)
        return json
    }

    private func objects(insertions: JSONWriter?, modifications: JSONWriter?, _ json: JSONWriter) {
        json.changedObjects(insertions: { json.rows(insertions) }, modifications: { json.rows(modifications) })
    }

    /// Returns an array of as many objects as fit into an event, and at least one if there is any; nil if there is
    /// none.
    private func rows(_ range: Range<Int>, _ keys: (Range<Int>) -> [ObjectKey]) throws -> (JSONWriter?, Int) {
        guard !range.isEmpty else { return (nil, 0) }
        let json = JSONWriter(capacity: 4096)
        json.beginArray()
        let look = LinkResolver(snapshot, remembers: true, responseLimit: limits.answerBytes())
        let most = limits.eventBytes()
        var count = 0
        while count < range.count, count == 0 || json.count < most {
            let start = range.lowerBound + count
            let block = keys(start..<min(start + 256, range.upperBound))
            count += try plan.rows.write(block, of: snapshot, by: look, until: max(most, json.count + 1), into: json)
            guard let fault = look.fault else { continue }
            // The objects before it are an event, and the next one begins with it.
            if count > 0 { break }
            try limited { throw fault }
        }
        json.endArray()
        return (json, count)
    }
}

extension JSONWriter {
    /// Writes the array of another writer; an empty one for nil.
    fileprivate func rows(_ other: JSONWriter?) {
        if let other { return json(other) }
        beginArray()
        endArray()
    }
}

extension TopicContent {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}

extension TopicDifference {
    fileprivate var isObject: Bool { if case .object = self { true } else { false } }
}

/// The limits for encoding events.
package struct EventLimits: Sendable {
    let memory: EventMemory
    /// The maximum size of an event that can be split, except for a single larger object.
    let eventBytes: @Sendable () -> Int
    /// The maximum size of an event that cannot be split.
    let answerBytes: @Sendable () -> Int

    package init(
        memory: EventMemory, eventBytes: @escaping @Sendable () -> Int, answerBytes: @escaping @Sendable () -> Int
    ) {
        self.memory = memory
        self.eventBytes = eventBytes
        self.answerBytes = answerBytes
    }

    /// The maximum number of bytes encoded on the live queries' thread.
    private static let maximumOnThread = 1 << 20

    /// The budget for encoding an update on the live queries' thread; nil if it is always encoded elsewhere.
    var onThread: QueryBudget? {
        guard memory.hasRoom else { return nil }
        return QueryBudget(rows: nil, bytes: min(Self.maximumOnThread, eventBytes()), milliseconds: nil)
    }
}

/// The memory for large events that clients have not yet read, each event counted once.
package final class EventMemory: Sendable {
    private let limit: Int
    private let reserved = Atomic(0)
    private let encoded = Atomic(0)

    package init(limit: Int) { self.limit = limit }

    /// Whether another event can be encoded.
    var hasRoom: Bool { bytes < limit }

    /// The bytes in memory now.
    package var bytes: Int { reserved.load(ordering: .relaxed) }

    /// The number of large events, or parts of them, that were encoded so far.
    package var encodedEvents: Int { encoded.load(ordering: .relaxed) }

    /// Counts the event until the last client has read it.
    func counted(_ event: SharedBytes) -> SharedBytes {
        let count = event.count
        reserved.add(count, ordering: .relaxed)
        encoded.add(1, ordering: .relaxed)
        return SharedBytes(event) { [self] in reserved.subtract(count, ordering: .relaxed) }
    }
}

/// The part of a large event that one member still has to receive.
package struct Delivery: Sendable {
    let event: LargeEvent
    /// The version from which the member joins if nothing has been sent to it.
    let since: Version?
    var next = 0
}

/// Whether any client still waits for the large event that a topic encodes. The encoding ends soon after the last one
/// has left: at the latest after some hundred further objects.
final class EventDemand: WorkPace {
    /// Not a function alone: each access to one in a lock wraps it once more, so that calls would take longer and longer.
    private struct Question: Sendable {
        let isWanted: @Sendable () -> Bool
    }

    private let question = Mutex<Question?>(nil)

    init() {}

    /// - Parameter isWanted: called by the threads that encode; may take the topic's lock.
    func ask(_ isWanted: @escaping @Sendable () -> Bool) { question.withLock { $0 = Question(isWanted: isWanted) } }

    var isAbandoned: Bool { question.withLock { $0 }.map { !$0.isWanted() } ?? false }

    // The workers that encode do not pause for others within a part.
    var mustPause: Bool { false }
    func pause() {}
    var isAlone: Bool { false }
    var paused: Duration { .zero }
}
