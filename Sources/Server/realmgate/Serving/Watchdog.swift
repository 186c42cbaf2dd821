import Dispatch
import EmbeddedStore
import Hosting
import Synchronization

/// Reports to the service manager that the server is alive, as long as every event loop answers and the store's writer makes
/// progress. When either is stuck the messages stop, and the service manager restarts the program.
final class Watchdog: Sendable {
    private struct State {
        /// The loops that were called last, and how many have answered; no number before the call is complete.
        var loops: Int? = 0
        var answers = 0
        var isWriterAlive = false
        var hasEnded = false

        /// A new call is made only after all have answered, so that no answer belongs to an earlier call.
        var isComplete: Bool { answers == loops }
    }

    private let manager: ServiceManager
    private let host: GatewayHost
    private let store: EmbeddedStore
    private let interval: Duration
    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "realmgate.watchdog")

    /// Nil if the manager expects no messages.
    init?(_ manager: ServiceManager, _ host: GatewayHost, _ store: EmbeddedStore) {
        guard let limit = manager.watchdogInterval else { return nil }
        self.manager = manager
        self.host = host
        self.store = store
        // Two more calls are answered before the limit when one message is late.
        interval = limit / 3
    }

    /// Begins to send messages, after the manager was told that the server is ready.
    func begin() { queue.async { [weak self] in self?.check() } }

    /// Sends no more messages.
    func end() { state.withLock { $0.hasEnded = true } }

    /// Calls the roll, unless a call has not been answered yet, and comes back after the interval.
    private func check() {
        let hasMoved = store.hasWriterMoved()
        let (isDue, hasEnded) = state.withLock { state in
            state.isWriterAlive = hasMoved
            let isDue = state.isComplete && !state.hasEnded
            if isDue { (state.loops, state.answers) = (nil, 0) }
            return (isDue, state.hasEnded)
        }
        guard !hasEnded else { return }
        if isDue {
            let loops = host.probeLoops { [weak self] in self?.record { $0.answers += 1 } }
            record { $0.loops = loops }
        }
        queue.asyncAfter(deadline: .now() + interval / .seconds(1)) { [weak self] in self?.check() }
    }

    /// Sends the message if the change completes the roll call.
    private func record(_ change: (inout State) -> Void) {
        let isAlive = state.withLock { state in
            change(&state)
            return state.isComplete && state.isWriterAlive && !state.hasEnded
        }
        if isAlive { manager.send("WATCHDOG=1") }
    }
}
