import Dispatch
import HTTPMessages
import HTTPServer
import ObjectModel
import RequestHandling
import Synchronization

/// The reads whose responses wait for a change.
final class HeldReads: Sendable {
    private struct Entry {
        let read: HeldRead
        /// When its time is up; nil for one that does not wait.
        let end: Int64?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        /// By the time at which their time is up.
        var ends: [Int64: Set<ObjectIdentifier>] = [:]
        /// When the timer fires next.
        var look: Int64?
        /// Reads whose response is about to be computed. Equal reads share one response.
        var readers: [WaitingRead.Identity: [HeldRead]] = [:]
        /// The latest version, since the start, that replaced the schema.
        var newestSchema = Version(0)
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "realmgate.long-polls")
    private let uptime: @Sendable () -> Duration

    /// - Parameter uptime: a clock that is never set.
    init(_ uptime: @escaping @Sendable () -> Duration) { self.uptime = uptime }

    /// The time in tenths of a second: coarse, so that many reads end at the same time.
    private func now() -> Int64 {
        let (seconds, attoseconds) = uptime().components
        return seconds * 10 + attoseconds / 100_000_000_000_000_000
    }

    /// Records a version that replaced the schema, and responds to all waiting reads: live queries do not report a new
    /// schema that changes none of their objects. The store calls this once the version can be read.
    func noteSchema(at version: Version) {
        let waits = state.withLock { state in
            state.newestSchema = version
            return !state.entries.isEmpty
        }
        guard waits else { return }
        // The writer does not wait for them.
        queue.async { [self] in
            for read in all { read.endWait() }
        }
    }

    /// Whether the schema was replaced after a version. Then the response may differ even if no object has changed,
    /// and a result that is already maintained for others does not show it.
    func hasOtherSchema(since version: Version) -> Bool { state.withLock { version < $0.newestSchema } }

    /// The number of reads that wait.
    var count: Int { state.withLock { $0.entries.count } }

    func add(_ read: HeldRead, for seconds: Int) {
        let id = ObjectIdentifier(read)
        let end = seconds > 0 ? now() + Int64(seconds) * 10 : nil
        state.withLock { state in
            state.entries[id] = Entry(read: read, end: end)
            if let end { state.ends[end, default: []].insert(id) }
        }
        if let end { look(at: end) }
    }

    func remove(_ read: HeldRead) {
        let id = ObjectIdentifier(read)
        let entry = state.withLock { state in
            let entry = state.entries.removeValue(forKey: id)
            if let end = entry?.end {
                state.ends[end]?.remove(id)
                if state.ends[end]?.isEmpty == true { state.ends[end] = nil }
            }
            return entry
        }
        withExtendedLifetime(entry) {}
    }

    /// Ends the reads whose time is up, which otherwise happens by itself.
    func expire() {
        let now = now()
        let (over, next) = state.withLock { state in
            let ends = state.ends.keys.filter { $0 <= now }
            let ids = ends.flatMap { state.ends.removeValue(forKey: $0) ?? [] }
            return (ids.compactMap { state.entries[$0]?.read }, state.ends.keys.min())
        }
        for read in over { read.expire() }
        if let next { look(at: next) }
    }

    /// Sets the timer for a time, unless it fires earlier.
    private func look(at end: Int64) {
        let isFirst = state.withLock { state in
            if let look = state.look, look <= end { return false }
            state.look = end
            return true
        }
        guard isFirst else { return }
        let tenths = max(end - now(), 0)
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(tenths) * 100)) { [weak self] in
            self?.state.withLock { if $0.look == end { $0.look = nil } }
            self?.expire()
        }
    }

    /// Ends all reads, because the server stops.
    func endAll() {
        for read in all { read.endEarly() }
    }

    /// Ends the reads of callers whose permissions were lost or have changed.
    func endInvalid() {
        for read in all { read.endUnlessValid() }
    }

    private var all: [HeldRead] { state.withLock { $0.entries.values.map(\.read) } }

    /// Computes the response to a read, once for all equal reads that arrive before the computation begins.
    func readResponse(for read: HeldRead) {
        let identity = read.read.identity
        let isFirst = state.withLock { state in
            state.readers[identity, default: []].append(read)
            return state.readers[identity]?.count == 1
        }
        if isFirst { read.onWorker { [self] in readResponse(identity) } }
    }

    private func readResponse(_ identity: WaitingRead.Identity) {
        let readers = state.withLock { $0.readers.removeValue(forKey: identity) } ?? []
        guard let first = readers.first else { return }
        let reply = first.answer()
        guard case .now(var response) = reply, response.share() else {
            first.finish(with: reply)
            for other in readers.dropFirst() { other.onWorker { other.finish(with: other.answer()) } }
            return
        }
        for read in readers { read.take(response) }
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
