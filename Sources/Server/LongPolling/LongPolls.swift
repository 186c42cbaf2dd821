import Dispatch
import HTTPMessages
import HTTPServer
import ObjectModel
import RequestHandling
import Synchronization

/// The long polls of all callers: ends those whose time is up, and shares one response among equal ones.
final class LongPolls: Sendable {
    private struct Entry {
        let poll: LongPoll
        /// When its time is up; nil for one that does not wait.
        let deadline: Int64?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// The polls by their deadlines.
        var deadlines: [Int64: Set<ObjectIdentifier>] = [:]
        /// When the timer fires next; nil while it is not set.
        var timer: Int64?
        /// The polls whose response is about to be computed. Equal ones share it.
        var readers: [PolledRequest.Identity: [LongPoll]] = [:]
        /// The latest version, since the start, that replaced the schema.
        var newestSchema = Version(0)
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "realmgate.long-polls")
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: a clock that is never set.
    init(_ uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    /// The time in tenths of a second: coarse, so that many polls end at the same time.
    private func now() -> Int64 {
        let (seconds, attoseconds) = uptime().components
        return seconds * 10 + attoseconds / 100_000_000_000_000_000
    }

    /// Records a version that replaced the schema, and responds to all polls: live queries do not report a new
    /// schema that changes none of their objects. The store calls this once the version can be read.
    func noteSchema(at version: Version) {
        let waits = state.withLock { state in
            state.newestSchema = version
            return !state.entries.isEmpty
        }
        guard waits else { return }
        // The writer does not wait for them.
        queue.async { [self] in
            for poll in all { poll.endWait() }
        }
    }

    /// Whether the schema was replaced after a version. Then the response may differ even if no object has changed,
    /// and a result that is already maintained for others does not show it.
    func hasOtherSchema(since version: Version) -> Bool { state.withLock { version < $0.newestSchema } }

    /// The number of polls that wait.
    var count: Int { state.withLock { $0.entries.count } }

    func add(_ poll: LongPoll, for seconds: Int) {
        let id = ObjectIdentifier(poll)
        let deadline = seconds > 0 ? now() + Int64(seconds) * 10 : nil
        state.withLock { state in
            state.entries[id] = Entry(poll: poll, deadline: deadline)
            if let deadline { state.deadlines[deadline, default: []].insert(id) }
        }
        if let deadline { setTimer(for: deadline) }
    }

    func remove(_ poll: LongPoll) {
        let id = ObjectIdentifier(poll)
        let entry = state.withLock { state in
            let entry = state.entries.removeValue(forKey: id)
            if let deadline = entry?.deadline {
                state.deadlines[deadline]?.remove(id)
                if state.deadlines[deadline]?.isEmpty == true { state.deadlines[deadline] = nil }
            }
            return entry
        }
        withExtendedLifetime(entry) {}
    }

    /// Ends the polls whose time is up, which otherwise happens by itself.
    func expire() {
        let now = now()
        let (over, next) = state.withLock { state in
            let due = state.deadlines.keys.filter { $0 <= now }
            let ids = due.flatMap { state.deadlines.removeValue(forKey: $0) ?? [] }
            return (ids.compactMap { state.entries[$0]?.poll }, state.deadlines.keys.min())
        }
        for poll in over { poll.expire() }
        if let next { setTimer(for: next) }
    }

    /// Sets the timer for a time, unless it fires earlier.
    private func setTimer(for deadline: Int64) {
        let isFirst = state.withLock { state in
            if let timer = state.timer, timer <= deadline { return false }
            state.timer = deadline
            return true
        }
        guard isFirst else { return }
        let tenths = max(deadline - now(), 0)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(tenths) * 100)) { [weak self] in
            self?.state.withLock { if $0.timer == deadline { $0.timer = nil } }
            self?.expire()
        }
    }

    /// Ends all polls, because the server stops.
    func endAll() {
        for poll in all { poll.endEarly() }
    }

    /// Ends the polls of callers whose permissions were lost or have changed.
    func endInvalid() {
        for poll in all { poll.endUnlessValid() }
    }

    private var all: [LongPoll] { state.withLock { $0.entries.values.map(\.poll) } }

    /// Computes the response to a poll, once for all equal polls that arrive before the computation begins.
    func readResponse(for poll: LongPoll) {
        let identity = poll.polled.identity
        let isFirst = state.withLock { state in
            state.readers[identity, default: []].append(poll)
            return state.readers[identity]?.count == 1
        }
        if isFirst { poll.onWorker { [self] in readResponse(identity) } }
    }

    private func readResponse(_ identity: PolledRequest.Identity) {
        let readers = state.withLock { $0.readers.removeValue(forKey: identity) } ?? []
        guard let first = readers.first else { return }
        let reply = first.reply()
        guard case .now(var response) = reply, response.share() else {
            first.finish(with: reply)
            for other in readers.dropFirst() { other.onWorker { other.finish(with: other.reply()) } }
            return
        }
        for poll in readers { poll.compare(response) }
    }
}

extension Response {
    /// Makes the body one that several responses can have; false if it cannot be.
    fileprivate mutating func share() -> Bool {
        switch body {
        case .pieces: return false
        case .shared(let bytes): body = .shared(SharedBytes(bytes))
        case .bytes, .empty: break
        }
        return true
    }
}
