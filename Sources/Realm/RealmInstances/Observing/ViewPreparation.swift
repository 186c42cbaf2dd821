import LiveQueries
import Promises
import StoreContract
import Synchronization

/// A view that is made in the background, from a snapshot, for the thread that asked for it.
final class ViewPreparation: Sendable {
    /// A view is not Sendable. It may change threads here because `run` makes it and keeps no reference, and `take` gives it
    /// away once.
    private struct Made: @unchecked Sendable {
        let view: LiveView
    }

    private let id: LiveViewID
    private let snapshot: any Snapshot
    private let isBegun = Atomic(false)
    private let made = Mutex<Result<Made, any Error>?>(nil)
    private let isDone = Promise<Void>()

    init(of id: LiveViewID, at snapshot: any Snapshot) {
        self.id = id
        self.snapshot = snapshot
    }

    /// Makes the view unless somebody has begun to.
    func run() {
        guard !isBegun.exchange(true, ordering: .relaxed) else { return }
        let result = Result<Made, any Error> { Made(view: try LiveView(of: id, at: snapshot)) }
        made.withLock { $0 = result }
        isDone.set(())
    }

    /// Waits until it is made, or makes it here.
    func finish() {
        run()
        isDone.wait()
    }

    var isReady: Bool { isDone.value != nil }

    /// The view; nil before it is made, and after the first call that gave it. Throws what making it did.
    func take() throws -> LiveView? {
        let result = made.withLock { made in
            defer { made = nil }
            return made
        }
        return try result?.get().view
    }
}
