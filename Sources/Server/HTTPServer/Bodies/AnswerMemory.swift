import Synchronization

/// The bytes of answers that wait for their clients, of all loops of a server, and a limit for them.
///
/// A large answer has to find room before it is sent. One that is made in pieces finds room for each; where there is none,
/// it waits for its turn, and loops let go of clients that read nothing, the slowest first.
final class AnswerMemory: Sendable {
    private struct State {
        var held = 0
        /// Pieces that wait for room, in the order in which they came, and of how many bytes they are.
        var waiting: [(bytes: Int, begin: @Sendable () -> Void)] = []
        /// When somebody last found no room, in monotonic milliseconds, and for how many bytes.
        var lastRefusal: (time: Int64, bytes: Int)?
    }

    let limit: Int
    private let state = Mutex(State())
    private let counters: ServerCounters

    /// Answers of so many bytes are not counted.
    static let small = 16 << 10
    /// How long loops see to it that there is room after somebody found none, in milliseconds.
    private static let memory: Int64 = 5_000

    init(limit: Int, counters: ServerCounters) {
        self.limit = limit
        self.counters = counters
        counters.answerLimitCounter.move(by: limit - counters.answerLimitCounter.value)
    }

    /// Counts bytes if there is room for them. One answer that alone is larger than the limit finds room when there is no
    /// other.
    func take(_ bytes: Int) -> Bool {
        guard bytes > 0 else { return true }
        let isTaken = state.withLock { state in
            guard state.held <= 0 || state.held + bytes <= limit else {
                state.lastRefusal = (monotonicMilliseconds(), bytes)
                return false
            }
            state.held += bytes
            return true
        }
        if isTaken { counters.answerByteCounter.move(by: bytes) } else { counters.refusedAnswerCounter.move(by: 1) }
        return isTaken
    }

    /// Counts bytes as soon as there is room for them, and calls `begin` then, perhaps at once.
    func await(_ bytes: Int, begin: @escaping @Sendable () -> Void) {
        let isTaken = state.withLock { state in
            guard state.waiting.isEmpty, state.held <= 0 || state.held + bytes <= limit else {
                state.waiting.append((bytes, begin))
                return false
            }
            state.held += bytes
            return true
        }
        guard isTaken else { return }
        counters.answerByteCounter.move(by: bytes)
        begin()
    }

    /// Counts bytes that are there already, or, with a number below 0, no more.
    func move(by bytes: Int) {
        guard bytes != 0 else { return }
        let begun = state.withLock { state -> [(bytes: Int, begin: @Sendable () -> Void)] in
            state.held += bytes
            var count = 0
            for next in state.waiting {
                guard state.held <= 0 || state.held + next.bytes <= limit else { break }
                state.held += next.bytes
                count += 1
            }
            defer { state.waiting.removeFirst(count) }
            return Array(state.waiting.prefix(count))
        }
        counters.answerByteCounter.move(by: bytes + begun.reduce(0) { $0 + $1.bytes })
        for next in begun { next.begin() }
    }

    /// Whether so many bytes may be made before anybody asks for them.
    func hasAmpleRoom(for bytes: Int) -> Bool { state.withLock { $0.held + bytes <= limit / 2 } }

    /// How many bytes should be let go of, so that those who wait, or come again, find room; 0 when there is enough.
    func shortage(_ now: Int64) -> Int {
        state.withLock { state in
            var wanted = state.waiting.reduce(0) { $0 + $1.bytes }
            if let refusal = state.lastRefusal, now - refusal.time < Self.memory { wanted += refusal.bytes }
            return max(state.held + wanted - limit, 0)
        }
    }
}

/// A whole body that waits for its client.
final class HeldBody {
    let content: SharedBytes
    private let memory: AnswerMemory
    private let counted: Int

    /// - Parameter counted: bytes that have found room, which they leave when this is dropped.
    init(_ content: SharedBytes, _ memory: AnswerMemory, counted: Int) {
        self.content = content
        self.memory = memory
        self.counted = counted
    }

    deinit { memory.move(by: -counted) }
}

extension Response {
    /// The bytes that it takes while it is sent, by itself; 0 for little.
    var heldBytes: Int {
        switch body {
        case .empty: 0
        case .bytes(let bytes): bytes.count > AnswerMemory.small ? bytes.count : 0
        case .shared(let shared): shared.isOfOneAnswer ? shared.count : 0
        case .pieces(let source): source.bytesAtHand
        }
    }
}
