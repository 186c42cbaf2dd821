import Logging
import Synchronization

/// A body in pieces on its way to one client: at most one piece that is being sent and one that has been made ahead.
///
/// The loop reads, makers make. Whoever finds nothing to read is woken once there is.
final class PieceFeed: Sendable {
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
    }

    private let state: Mutex<State>
    private let makers: PieceMakers
    private let wake: @Sendable () -> Void
    private let report: @Sendable (any Error) -> Void

    /// - Parameters:
    ///   - wake: called on a maker's thread after a read that had to wait, when it is worth trying again.
    ///   - report: told of an error of the source, on a maker's thread.
    init(
        _ source: any BodySource, makers: PieceMakers, wake: @escaping @Sendable () -> Void,
        report: @escaping @Sendable (any Error) -> Void
    ) {
        state = Mutex(State(source: source))
        self.makers = makers
        self.wake = wake
        self.report = report
    }

    /// Copies what is there, as much as fits, and has the next piece made when that is due.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Step {
        let (step, mustMake) = state.withLock { state -> (Step, Bool) in
            if state.failed { return (.failed, false) }
            if state.taken == state.current.count {
                state.current = state.following ?? []
                state.taken = 0
                state.following = nil
            }
            let mustMake = state.source != nil && !state.isMaking && state.following == nil
            if mustMake { state.isMaking = true }
            guard !state.current.isEmpty else {
                guard state.isMaking else { return (.end, false) }
                state.isAwaited = true
                return (.wait, mustMake)
            }
            let count = min(buffer.count, state.current.count - state.taken)
            state.current.withUnsafeBytes {
                buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[state.taken..<(state.taken + count)]))
            }
            state.taken += count
            return (.bytes(count), mustMake)
        }
        if mustMake { makers.add { [self] in make() } }
        return step
    }

    /// Makes one piece, on a maker's thread. Empty pieces are skipped.
    private func make() {
        guard let source = state.withLock({ $0.source }) else { return }
        var piece: [UInt8]?
        var failure: (any Error)?
        do {
            repeat { piece = try source.next() } while piece?.isEmpty == true
        } catch {
            failure = error
        }
        let mustWake = state.withLock { state in
            state.isMaking = false
            // Abandoned meanwhile.
            guard state.source != nil else { return false }
            state.following = piece
            if piece == nil { state.source = nil }
            if failure != nil { state.failed = true }
            defer { state.isAwaited = false }
            return state.isAwaited
        }
        if let failure { report(failure) }
        if mustWake { wake() }
    }

    /// The client has left, or the server has no time left: nothing more is made, and reads fail. The source
    /// goes on a maker's thread, for its end may take a while.
    func abandon() {
        let source = state.withLock { state in
            defer { state = State(isMaking: state.isMaking, failed: true) }
            return state.source
        }
        if let source { makers.add { withExtendedLifetime(source) {} } }
    }
}
