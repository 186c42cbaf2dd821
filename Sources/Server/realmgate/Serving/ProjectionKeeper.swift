import Dispatch
import EmbeddedStore
import Glibc
import Logging
import ObjectModel
import Projection
import StoreContract
import Synchronization

/// Has a projection follow its replica: a step after commits, at most one in a while, and again after a failure.
///
/// @unchecked Sendable: the projector, which one thread at a time may use, is used on `queue` alone.
final class ProjectionKeeper: @unchecked Sendable {
    private let projector: Projector
    private let store: EmbeddedStore
    private let schema: String
    private let queue = DispatchQueue(label: "realmgate.projection")
    private let logger = Logger(label: "projection")
    private let state = Mutex(State())

    private struct State {
        var isScheduled = false
        var hasEnded = false
        /// Whether the last step failed. The first failure of a row is logged.
        var isFailing = false
        var failure: (any Error)?
    }

    /// The commits of so many seconds are one step: their transactions in PostgreSQL are fewer and larger.
    private static let interval = 0.2
    private static let pause = 2.0

    init(_ projector: Projector, _ store: EmbeddedStore, schema: String) {
        self.projector = projector
        self.store = store
        self.schema = schema
    }

    func start() {
        store.onCommit { [weak self] _ in self?.schedule(after: Self.interval) }
        // A commit between the first step and the listener.
        schedule(after: 0)
        watch()
    }

    /// Waits for a running step. Returns why the program has ended by itself, if it has.
    func end() -> (any Error)? {
        state.withLock { $0.hasEnded = true }
        return queue.sync { state.withLock(\.failure) }
    }

    private func schedule(after seconds: Double) {
        let isNew = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled && !state.hasEnded
        }
        guard isNew else { return }
        queue.asyncAfter(deadline: .now() + seconds) { [self] in
            let goesOn = state.withLock { state in
                state.isScheduled = false
                return !state.hasEnded
            }
            if goesOn { step() }
        }
    }

    private func step() {
        do {
            let outcome = try projector.step()
            let wasFailing = state.withLock { state in
                defer { state.isFailing = false }
                return state.isFailing
            }
            guard case .rewritten(let version, _, _) = outcome else {
                if wasFailing { logger.notice("The tables follow the log again.") }
                return
            }
            logger.notice("\(outcome.text(in: schema, version))")
        } catch {
            let isFirst = state.withLock { state in
                defer { state.isFailing = true }
                return !state.isFailing
            }
            if isFirst {
                let text = (error as? StoreError)?.message ?? "\(error)"
                logger.error("The tables were not changed. This is tried again.", metadata: ["error": "\(text)"])
            }
            schedule(after: Self.pause)
        }
    }

    /// Ends the program when the replica follows its log no longer: the next start makes a new one.
    private func watch() {
        queue.asyncAfter(deadline: .now() + Self.pause) { [weak self] in
            guard let self, !state.withLock(\.hasEnded) else { return }
            guard let failure = store.replicaFailure else { return watch() }
            state.withLock { $0.failure = failure }
            kill(getpid(), SIGTERM)
        }
    }
}
