import LiveQueries
import Promises
import StoreContract
import Synchronization

/// Creates a view from a snapshot in the background, for the thread that requested it.
final class ViewPreparation: Sendable {
    /// A view is not Sendable. It may move to another thread here because `run` creates it and keeps no reference, and
    /// `take` returns it only once.
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

    /// Creates the view, unless another thread has begun to.
    func run() {
        guard !isBegun.exchange(true, ordering: .relaxed) else { return }
        let result = Result<Made, any Error> { Made(view: try LiveView(of: id, at: snapshot)) }
        made.withLock { $0 = result }
        isDone.set(())
    }

    /// Creates the view on this thread, or waits until another thread has created it.
    func finish() {
        run()
        isDone.wait()
    }

    var isReady: Bool { isDone.value != nil }

    /// Returns the view, once; nil before it exists. Throws the error of its creation.
    func take() throws -> LiveView? {
        let result = made.withLock { made in
            defer { made = nil }
            return made
        }
        return try result?.get().view
    }
}
