package import Logging

/// What a server listens on and what it puts up with. Durations are in milliseconds, sizes in bytes.
package struct ServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address, or a name that resolves to one.
    package var host = "127.0.0.1"
    /// 0 lets the system choose; `HTTPServer.start` returns the choice.
    package var port: UInt16 = 0
    /// HTTPS instead of HTTP, with this certificate. Every connection then costs about 50 KiB more, event streams
    /// included, which without TLS cost next to nothing.
    package var tls: TLSFiles?
    /// Loop threads; handlers run on them. 0 means one per processor.
    package var loops = 0
    /// Open connections, all loops together, event streams not counted. When all places are taken, idle connections give
    /// theirs up to new ones; where none is idle, new ones get a 503 and are closed. At most a fifth of the files that the
    /// process may have open.
    package var connectionLimit = 16_384
    /// Open connections from one address, or from one IPv6 network of 64 bits, event streams not counted; more are closed
    /// at once. 0 for as many as there are.
    package var connectionsPerAddress = 0
    /// What counts them, for all loops together.
    var connectionQuota: Quota?
    /// Memory of one connection for its header, response head and upload buffer; at least twice `headerLimit`. The
    /// library clears it after each request, so more costs time too; large uploads are quicker with more.
    package var connectionMemory = 32 * 1024

    /// Longest request target; 414 beyond.
    package var targetLimit = 8 * 1024
    /// Largest request header, request line included; 431 beyond.
    package var headerLimit = 16 * 1024
    /// Most header fields; 431 beyond.
    package var headerCountLimit = 100
    /// Largest request body; 413 beyond.
    package var bodyLimit = 8 * 1024 * 1024
    /// Where bodies of routes that take them as files are kept while they arrive. The system's place for
    /// temporary files unless another is given.
    package var temporaryDirectory = systemTemporaryDirectory()
    /// Threads that make bodies in pieces.
    package var bodyThreads = 16

    /// From accepting a connection to its first complete request line.
    package var firstRequestTimeout = 15_000
    /// Between an answer and the next complete request line, and without any progress while an answer is sent.
    package var idleTimeout = 60_000
    /// From a request line to the last byte of its body; for a body that goes to a file, from each 256 KiB to
    /// the next.
    package var receiveTimeout = 60_000

    /// Bytes of large answers that may wait for their clients, all loops together; 503 beyond, unless it is the only one.
    package var answerMemory = 128 << 20
    /// Time without progress after which a client that takes nothing of a large answer is cut; while others wait for room
    /// in `answerMemory`, the shorter one.
    package var answerStuckTimeout = 15_000
    package var answerStuckTimeoutWhenShort = 2_000

    /// Open event streams, all loops together; 503 beyond. At most as many as the process may have files open besides
    /// its connections and 256 other ones.
    package var streamLimit = 100_000
    /// Queued bytes of one event stream at which its producer is told to coalesce.
    package var streamQueueLimit = 256 * 1024
    /// Longest silence before a stream gets a heartbeat comment; it comes after half of it at the earliest.
    package var streamHeartbeat = 15_000
    /// Time without progress after which a stream whose client takes nothing is cut.
    package var streamStuckTimeout = 30_000

    package var logger = Logger(label: "http")

    package init() {}
}

extension ServerConfiguration {
    /// Silence after which a stream gets a heartbeat, in milliseconds, by its place among the streams of its loop.
    ///
    /// Streams that get the same event at the same time get their heartbeats at different ones, spread evenly
    /// over the second half of the longest silence allowed.
    package func heartbeatDelay(ofStream place: Int) -> Int64 {
        let half = Int64(max(streamHeartbeat / 2, 1))
        // Multiples of the golden ratio lie evenly in the unit interval, however many they are.
        let scattered = Int64(UInt32(truncatingIfNeeded: place) &* 2_654_435_769)
        return half + (scattered * half) >> 32
    }
}
