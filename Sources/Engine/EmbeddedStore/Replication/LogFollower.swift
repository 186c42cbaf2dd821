import Dispatch
import ObjectModel
import StoreContract
import Synchronization

/// Brings the entries that others append into a store: on a hint, and otherwise by looking now and then.
///
/// It looks after 20 ms as long as entries came in the last two seconds, and then less and less often, down to once a
/// second.
final class LogFollower: Sendable {
    private struct State {
        var isQueued = false
        var isClosed = false
        var delay = shortest
        var lastEntries = ContinuousClock.now
        var lastComparison = ContinuousClock.now
        /// Numbers the timers; only the newest one counts.
        var timer = 0
    }

    private static let shortest = 0.02
    private static let longest = 1.0
    private static let liveliness = Duration.seconds(2)
    private static let comparisonInterval = Duration.seconds(5)

    /// The outcome of a look at the log.
    enum Look: Hashable, Sendable {
        case nothing, entries
        /// The writer reads the log itself at this moment.
        case leftToWriter
    }

    private let log: any CommitLog
    private let queue = DispatchQueue(label: "realmgate.follower")
    private let state = Mutex(State())
    /// Looks once, and applies what is new. With `true` it also compares positions when nothing is. Nil once the store
    /// was released.
    private let look: @Sendable (_ compares: Bool) -> Look?

    init(_ log: any CommitLog, look: @escaping @Sendable (_ compares: Bool) -> Look?) {
        self.log = log
        self.look = look
    }

    func start() {
        log.onHint { [weak self] in self?.wake() }
        schedule()
    }

    /// Ends the following; a look that has begun may still end.
    func close() { state.withLock { $0.isClosed = true } }

    /// Looks as soon as possible. Any thread may call it; calls before the look begins count as one.
    func wake() {
        let mustQueue = state.withLock { state in
            guard !state.isQueued, !state.isClosed else { return false }
            state.isQueued = true
            return true
        }
        if mustQueue { queue.async { [weak self] in self?.run() } }
    }

    private func run() {
        let (isClosed, compares) = state.withLock { state in
            state.isQueued = false
            let isDue = ContinuousClock.now - state.lastComparison > Self.comparisonInterval
            if isDue { state.lastComparison = .now }
            return (state.isClosed, isDue)
        }
        guard !isClosed, let found = look(compares) else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            if found != .nothing { state.lastEntries = now }
            let isLively = now - state.lastEntries < Self.liveliness
            state.delay = isLively ? Self.shortest : min(state.delay * 2, Self.longest)
        }
        if found == .entries { wake() } else { schedule() }
    }

    private func schedule() {
        let (timer, delay) = state.withLock { state in
            state.timer += 1
            return (state.timer, state.delay)
        }
        queue.asyncAfter(deadline: .now() + delay) { [weak self] in
            guard let self, state.withLock({ $0.timer == timer && !$0.isClosed }) else { return }
            wake()
        }
    }
}
