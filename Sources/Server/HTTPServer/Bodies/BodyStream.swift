import HTTPMessages
import Logging
import Synchronization

/// A streamed body on its way to one client, with at most one piece being sent and one produced ahead.
///
/// The loop reads and producer threads produce. A reader that finds nothing is woken once a piece exists. A piece is
/// produced ahead only while memory is ample; a piece that the client waits for must reserve memory.
final class BodyStream: Sendable {
    enum Step: Equatable {
        case bytes(Int)
        /// No piece is ready yet; `wake` is called once there is one.
        case wait
        case end
        /// The source failed, or the stream was abandoned.
        case failed
    }

    private struct State {
        /// `nil` after the end or a failure, and once abandoned.
        var source: (any BodySource)?
        var current: [UInt8] = []
        var taken = 0
        var following: [UInt8]?
        var isMaking = false
        var isAwaited = false
        var failed = false
        /// The bytes that the source holds.
        var inSource: Int
        /// The size of the last piece, as an estimate of the next one.
        var lastSize = 64 << 10

        /// The counted bytes, without those of a piece that is being produced.
        var buffered: Int { current.count + (following?.count ?? 0) + inSource }
    }

    private let state: Mutex<State>
    private let producers: BodyProducers
    private let memory: ResponseMemory
    private let wake: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - source: the source; the memory for the bytes that it holds is already reserved.
    ///   - wake: called on a producer's thread when a read that had to wait should be retried.
    ///   - report: called on a producer's thread with an error of the source.
    init(
        _ source: any BodySource, producers: BodyProducers, memory: ResponseMemory,
        wake: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        state = Mutex(State(source: source, inSource: source.bytesAtHand))
        self.producers = producers
        self.memory = memory
        self.wake = wake
        self.report = report
    }

    /// The memory of the stream, in bytes.
    var bufferedBytes: Int { state.withLock { $0.buffered } }

    /// Copies as much as is ready and fits, and starts the production of the next piece if it is due.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        var released = 0
        let (step, wanted) = state.withLock { state -> (Step, Int?) in
            if state.failed { return (.failed, nil) }
            if state.taken == state.current.count {
                released = state.current.count
                state.current = state.following ?? []
                state.taken = 0
                state.following = nil
            }
            var wanted: Int?
            if state.source != nil, !state.isMaking, state.following == nil {
                // The bytes that the source holds are the next piece, or become it.
                let size = state.inSource > 0 ? 0 : state.lastSize
                if state.current.isEmpty || memory.hasAmpleRoom(for: size) {
                    state.isMaking = true
                    wanted = size
                }
            }
            guard !state.current.isEmpty else {
                guard state.isMaking else { return (.end, nil) }
                state.isAwaited = true
                return (.wait, wanted)
            }
            let count = min(buffer.count, state.current.count - state.taken)
            state.current.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[state.taken..<(state.taken + count)]))
            }
            state.taken += count
            return (.bytes(count), wanted)
        }
        memory.move(by: -released)
        if let wanted {
            let begin: @Sendable () -> Void = { [self] in producers.add { [self] in make(counted: wanted) } }
            if wanted == 0 { begin() } else { memory.await(wanted, begin: begin) }
        }
        return step
    }

    /// Produces one piece, on a producer's thread. Skips empty pieces.
    ///
    /// - Parameter counted: the bytes reserved for it.
    private func make(counted: Int) {
        guard let source = state.withLock({ $0.source }) else { return memory.move(by: -counted) }
        var piece: [UInt8]?
        var failure: (any Error)?
        do {
            repeat { piece = try source.next() } while piece?.isEmpty == true
        } catch {
            failure = error
        }
        let left = piece == nil ? 0 : source.bytesAtHand
        let (mustWake, change) = state.withLock { state -> (Bool, Int) in
            state.isMaking = false
            // The stream was abandoned meanwhile.
            guard state.source != nil else { return (false, -counted) }
            let change = (piece?.count ?? 0) + left - state.inSource - counted
            state.following = piece
            state.inSource = left
            if let piece { state.lastSize = piece.count }
            if piece == nil { state.source = nil }
            if failure != nil { state.failed = true }
            defer { state.isAwaited = false }
            return (state.isAwaited, change)
        }
        memory.move(by: change)
        if let failure { report(failure) }
        if mustWake { wake() }
    }

    /// Stops production and makes reads fail, because the client has left or the server is out of time. The source is
    /// released on a producer's thread, because its deinitialisation may take a while.
    func abandon() {
        let (source, buffered) = state.withLock { state in
            let buffered = state.buffered
            defer { state = State(isMaking: state.isMaking, failed: true, inSource: 0) }
            return (state.source, buffered)
        }
        memory.move(by: -buffered)
        if let source { producers.add { withExtendedLifetime(source) {} } }
    }
}
