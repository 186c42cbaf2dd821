import Synchronization

/// Running numbers of one server, for metrics. Reading one costs an atomic load.
package final class ServerCounters: Sendable {
    /// One number that any thread moves.
    struct Counter: ~Copyable, Sendable {
        private let number = Atomic<Int>(0)

        var value: Int { number.load(ordering: .relaxed) }

        /// - Returns: the number afterwards.
        @discardableResult
        func move(by step: Int) -> Int { number.add(step, ordering: .relaxed).newValue }
    }

    let requestCounter = Counter()
    let refusalCounter = Counter()
    let connectionCounter = Counter()
    let streamCounter = Counter()
    let stuckStreamCounter = Counter()
    let crowdedConnectionCounter = Counter()
    let displacedConnectionCounter = Counter()
    let fullCounter = Counter()
    let streamByteCounter = Counter()
    let answerByteCounter = Counter()
    let answerLimitCounter = Counter()
    let refusedAnswerCounter = Counter()
    let stuckAnswerCounter = Counter()

    package init() {}

    /// Requests that reached the router.
    package var requests: Int { requestCounter.value }
    /// Requests refused before the router: malformed or too large.
    package var refusals: Int { refusalCounter.value }
    package var openConnections: Int { connectionCounter.value }
    package var openStreams: Int { streamCounter.value }
    /// Connections closed because their address had too many.
    package var crowdedConnections: Int { crowdedConnectionCounter.value }
    /// Idle connections closed because others needed their places.
    package var displacedConnections: Int { displacedConnectionCounter.value }
    /// Connections refused because all places were taken and none was idle.
    package var refusedConnections: Int { fullCounter.value }
    /// Bytes that wait for the clients of event streams, as of the last tick of each loop.
    package var streamBytes: Int { streamByteCounter.value }
    /// Bytes of large answers that wait for their clients.
    package var answerBytes: Int { answerByteCounter.value }
    /// Most bytes of them.
    package var answerLimit: Int { answerLimitCounter.value }
    /// Large answers that found no room.
    package var refusedAnswers: Int { refusedAnswerCounter.value }
    /// Connections cut because their client took nothing of a large answer.
    package var stuckAnswers: Int { stuckAnswerCounter.value }
    /// Streams cut because their client took nothing for too long.
    package var stuckStreams: Int { stuckStreamCounter.value }
}
