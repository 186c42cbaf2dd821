import Synchronization

/// The counters of one server, for metrics. Reading one costs an atomic load.
package final class ServerCounters: Sendable {
    /// A number that any thread can change.
    struct Counter: ~Copyable, Sendable {
        private let number = Atomic<Int>(0)

        var value: Int { number.load(ordering: .relaxed) }

        /// - Returns: the number after the change.
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
    let responseByteCounter = Counter()
    let responseLimitCounter = Counter()
    let refusedResponseCounter = Counter()
    let stalledResponseCounter = Counter()

    package init() {}

    /// Requests that reached the router.
    package var requests: Int { requestCounter.value }
    /// Requests rejected before the router: malformed or too large.
    package var refusals: Int { refusalCounter.value }
    package var openConnections: Int { connectionCounter.value }
    package var openStreams: Int { streamCounter.value }
    /// Connections closed because their address had too many.
    package var crowdedConnections: Int { crowdedConnectionCounter.value }
    /// Idle connections closed because new ones needed their slots.
    package var displacedConnections: Int { displacedConnectionCounter.value }
    /// Connections rejected because all slots were taken and none was idle.
    package var refusedConnections: Int { fullCounter.value }
    /// Bytes waiting for the clients of event streams, as of the last tick of each loop.
    package var streamBytes: Int { streamByteCounter.value }
    /// Bytes of large responses waiting for their clients.
    package var answerBytes: Int { responseByteCounter.value }
    /// The limit of `answerBytes`.
    package var responseLimit: Int { responseLimitCounter.value }
    /// Large responses rejected for lack of memory.
    package var refusedResponses: Int { refusedResponseCounter.value }
    /// Connections closed because their client read nothing of a large response.
    package var stalledResponses: Int { stalledResponseCounter.value }
    /// Streams closed because their client read nothing for too long.
    package var stuckStreams: Int { stuckStreamCounter.value }
}
