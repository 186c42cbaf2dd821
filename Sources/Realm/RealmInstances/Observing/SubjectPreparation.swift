import Dispatch
import LiveQueries
import StoreContract
import Synchronization

/// A view that is made in the background, from a snapshot, for the thread that requested it.
final class SubjectPreparation: Sendable {
    /// A view is not Sendable. It may change threads here because `run` makes it and keeps no reference, and the mutex
    /// passes it to `take`, which returns it once.
    private struct Made: @unchecked Sendable {
        let view: LiveView
    }

    private enum State: Sendable {
        case waiting
        case running
        case made(Result<Made, any Error>)
        case taken
    }

    private let id: LiveViewID
    private let snapshot: any Snapshot
    private let state = Mutex(State.waiting)
    private let done = DispatchGroup()

    init(of id: LiveViewID, at snapshot: any Snapshot) {
        self.id = id
        self.snapshot = snapshot
        done.enter()
    }

    /// Makes the view unless another thread has begun to, or the observer has left.
    func run() {
        let isMine = state.withLock { state in
            guard case .waiting = state else { return false }
            state = .running
            return true
        }
        guard isMine else { return }
        let result = Result<Made, any Error> { Made(view: try LiveView(of: id, at: snapshot)) }
        state.withLock { $0 = .made(result) }
        done.leave()
    }

    /// Waits until it is made, or makes it here.
    func finish() {
        run()
        done.wait()
    }

    var isReady: Bool {
        state.withLock {
            if case .made = $0 { return true }
            return false
        }
    }

    /// The view; nil before it is made, and after the first call that gave it. Throws what making it did.
    func take() throws -> LiveView? {
        let result = state.withLock { state -> Result<Made, any Error>? in
            guard case .made(let result) = state else { return nil }
            state = .taken
            return result
        }
        return try result?.get().view
    }
}
