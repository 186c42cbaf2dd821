import StoreContract
import Synchronization

/// Whether any client still waits for the large event that a topic encodes. The encoding ends soon after the last one
/// has left: at the latest after some hundred further objects.
final class EventDemand: WorkPace {
    private let question = Mutex<(@Sendable () -> Bool)?>(nil)

    init() {}

    /// - Parameter isWanted: called by the threads that encode; may take the topic's lock.
    func ask(_ isWanted: @escaping @Sendable () -> Bool) { question.withLock { $0 = isWanted } }

    var isAbandoned: Bool { question.withLock { $0 }.map { !$0() } ?? false }

    // The workers that encode do not pause for others within a part.
    var mustPause: Bool { false }
    func pause() {}
    var isAlone: Bool { false }
    var paused: Duration { .zero }
}
