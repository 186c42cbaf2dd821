import Logging
import Synchronization

/// A body in pieces on its way to one client: at most one piece that is being sent and one that has been made ahead.
///
/// The loop reads, makers make. Whoever finds nothing to read is woken once there is. A piece is made ahead only while there
/// is ample memory for it; one that a client waits for has to find room.
final class BodyStream: Sendable {
    enum Step: Equatable {
        case bytes(Int)
        /// Nothing is here yet; `wake` is called once there is.
        case wait
        case end
        /// The source failed, or the feed was abandoned.
        case failed
    }

    private struct State {
        /// `nil` after its end or failure, and once abandoned.
        var source: (any BodySource)?
        var current: [UInt8] = []
        var taken = 0
        var following: [UInt8]?
        var isMaking = false
        var isAwaited = false
        var failed = false
        /// Bytes that the source holds.
        var inSource: Int
        /// Of the last piece: about as many as the next one will have.
        var lastSize = 64 << 10

        /// Bytes that are counted, but for those of a piece that is being made.
        var held: Int { current.count + (following?.count ?? 0) + inSource }
    }

    private let state: Mutex<State>
    private let producers: BodyProducers
    private let memory: AnswerMemory
    private let wake: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - source: what it holds has found room.
    ///   - wake: called on a maker's thread after a read that had to wait, when it is worth trying again.
    ///   - report: told of an error of the source, on a maker's thread.
    init(
        _ source: any BodySource, producers: BodyProducers, memory: AnswerMemory, wake: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        state = Mutex(State(source: source, inSource: source.bytesAtHand))
        self.producers = producers
        self.memory = memory
        self.wake = wake
        self.report = report
    }

    /// Bytes that it takes in memory.
    var heldBytes: Int { state.withLock { $0.held } }

    /// Copies what is there, as much as fits, and has the next piece made when that is due.
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
                // What the source holds is the next piece, or becomes it.
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

    /// Makes one piece, on a maker's thread. Empty pieces are skipped.
    ///
    /// - Parameter counted: bytes that have found room for it.
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
            // Abandoned meanwhile.
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

    /// The client has left, or the server has no time left: nothing more is made, and reads fail. The source
    /// goes on a maker's thread, for its end may take a while.
    func abandon() {
        let (source, held) = state.withLock { state in
            let held = state.held
            defer { state = State(isMaking: state.isMaking, failed: true, inSource: 0) }
            return (state.source, held)
        }
        memory.move(by: -held)
        if let source { producers.add { withExtendedLifetime(source) {} } }
    }
}
