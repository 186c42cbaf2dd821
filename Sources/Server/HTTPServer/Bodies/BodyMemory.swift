import Synchronization

/// The memory for request bodies, from their arrival until their requests are answered, shared by all loops of a server,
/// with a limit. Bodies in files take none.
///
/// A body beyond the limit is refused with 503. Meanwhile loops disconnect clients that send nothing of theirs.
final class BodyMemory: Sendable {
    /// The memory of one body. It is counted until the last copy of its request is released.
    final class Lease: Sendable {
        private let memory: BodyMemory
        private let counted = Atomic(0)

        fileprivate init(_ memory: BodyMemory) { self.memory = memory }

        deinit { memory.release(counted.load(ordering: .relaxed)) }

        /// Counts the body at its present size. Returns false if there is no memory for it; it keeps what it has.
        func grow(to bytes: Int) -> Bool {
            let more = bytes - counted.load(ordering: .relaxed)
            guard more > 0 else { return true }
            guard memory.reserve(more, own: bytes - more) else { return false }
            counted.add(more, ordering: .relaxed)
            return true
        }
    }

    private struct State {
        var reserved = 0
        /// The time of the last refusal in monotonic milliseconds.
        var lastRefusal: Int64?
    }

    private let limit: Int
    private let state = Mutex(State())

    /// The size up to which bodies are not counted.
    static let small = 16 << 10
    /// The time in milliseconds for which memory is short after a refusal.
    private static let shortTime: Int64 = 5_000

    /// - Parameter limit: in bytes; a single body may be larger.
    init(limit: Int) { self.limit = limit }

    func lease() -> Lease { Lease(self) }

    /// The counted bytes.
    var bytes: Int { state.withLock { $0.reserved } }

    /// Whether a body was refused a short while ago.
    func isShort(_ now: Int64) -> Bool { state.withLock { $0.lastRefusal.map { now - $0 < Self.shortTime } ?? false } }

    private func reserve(_ bytes: Int, own: Int) -> Bool {
        state.withLock { state in
            guard state.reserved <= own || state.reserved + bytes <= limit else {
                state.lastRefusal = monotonicMilliseconds()
                return false
            }
            state.reserved += bytes
            return true
        }
    }

    private func release(_ bytes: Int) { state.withLock { $0.reserved -= bytes } }
}
