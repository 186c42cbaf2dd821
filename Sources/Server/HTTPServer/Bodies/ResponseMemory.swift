import HTTPMessages
import Synchronization

/// The memory for response bodies that wait for their clients, shared by all loops of a server, with a limit.
///
/// A large response must reserve memory before it is sent. A streamed response reserves memory for each piece. If none
/// is free, the piece waits, and the loops disconnect clients that read nothing, the slowest first.
final class ResponseMemory: Sendable {
    private struct State {
        var reserved = 0
        /// The waiting reservations in order of arrival, with their sizes in bytes.
        var waiting: [(bytes: Int, begin: @Sendable () -> Void)] = []
        /// The time of the last failed reservation in monotonic milliseconds, and its size in bytes.
        var lastRefusal: (time: Int64, bytes: Int)?
    }

    let limit: Int
    private let state = Mutex(State())
    private let counters: ServerCounters

    /// The size below which responses are not counted.
    static let small = 16 << 10
    /// The time in milliseconds during which loops keep memory free after a failed reservation.
    private static let memory: Int64 = 5_000

    init(limit: Int, counters: ServerCounters) {
        self.limit = limit
        self.counters = counters
        counters.responseLimitCounter.move(by: limit - counters.responseLimitCounter.value)
    }

    /// Reserves bytes. Returns false if they exceed the limit, except for a single response when nothing else is
    /// reserved.
    func reserve(_ bytes: Int) -> Bool {
        guard bytes > 0 else { return true }
        let isTaken = state.withLock { state in
            guard state.reserved <= 0 || state.reserved + bytes <= limit else {
                state.lastRefusal = (monotonicMilliseconds(), bytes)
                return false
            }
            state.reserved += bytes
            return true
        }
        if isTaken { counters.responseByteCounter.move(by: bytes) } else { counters.refusedResponseCounter.move(by: 1) }
        return isTaken
    }

    /// Reserves bytes as soon as they are free, and then calls `begin`, possibly at once.
    func await(_ bytes: Int, begin: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            guard state.waiting.isEmpty, state.reserved <= 0 || state.reserved + bytes <= limit else {
                state.waiting.append((bytes, begin))
                return false
            }
            state.reserved += bytes
            return true
        }
        guard isTaken else { return }
        counters.responseByteCounter.move(by: bytes)
        begin()
    }

    /// Adds bytes that are already in memory; a negative number releases bytes.
    func move(by bytes: Int) {
        guard bytes != 0 else { return }
        let begun = state.withLock { state -> [(bytes: Int, begin: @Sendable () -> Void)] in
            state.reserved += bytes
            var count = 0
            for next in state.waiting {
                guard state.reserved <= 0 || state.reserved + next.bytes <= limit else { break }
                state.reserved += next.bytes
                count += 1
            }
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        counters.responseByteCounter.move(by: bytes + begun.reduce(0) { $0 + $1.bytes })
        for next in begun { next.begin() }
    }

    /// Whether there is enough free memory to produce bytes ahead of demand.
    func hasAmpleRoom(for bytes: Int) -> Bool { state.withLock { $0.reserved + bytes <= limit / 2 } }

    /// Returns how many bytes should be released for waiting or repeated reservations; 0 if enough are free.
    func shortage(_ now: Int64) -> Int {
        state.withLock { state in
            var wanted = state.waiting.reduce(0) { $0 + $1.bytes }
            if let refusal = state.lastRefusal, now - refusal.time < Self.memory { wanted += refusal.bytes }
            return max(state.reserved + wanted - limit, 0)
        }
    }
}

/// A complete body that waits for its client.
final class HeldBody {
    let content: SharedBytes
    private let memory: ResponseMemory
    private let counted: Int

    /// - Parameter counted: the reserved bytes, which are released with this object.
    init(_ content: SharedBytes, _ memory: ResponseMemory, counted: Int) {
        self.content = content
        self.memory = memory
        self.counted = counted
    }

    deinit { memory.move(by: -counted) }
}

extension Response {
    /// The memory for the body while it is sent, in bytes, if it is not shared; 0 for a small body.
    var bufferedBytes: Int {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count > ResponseMemory.small ? bytes.count : 0
        case .shared(let shared): shared.isForOneResponse ? shared.count : 0
        case .pieces(let source): source.bytesAtHand
        }
    }
}
