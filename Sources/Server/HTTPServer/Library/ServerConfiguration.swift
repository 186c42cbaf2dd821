import Glibc
package import Logging

/// The address and limits of a server. Durations are in milliseconds, sizes in bytes.
package struct ServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address, or a name that resolves to one; `localhost` is both loopback addresses.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 lets the system choose, and `HTTPServer.start` returns it.
    package var port: UInt16 = 0
    /// The certificate for HTTPS; nil for HTTP. With TLS every connection costs about 50 KiB more, also event streams,
    /// which otherwise cost next to nothing.
    package var tls: TLSFiles?
    /// The number of loop threads, on which handlers run. 0 means one per processor.
    package var loops = 0
    /// The maximum number of open connections of all loops, without event streams. When it is reached, idle connections
    /// are closed for new ones; if none is idle, new ones get a 503 and are closed. At most a fifth of the files that
    /// the process may have open.
    package var connectionLimit = 16_384
    /// The maximum number of open connections from one address, or one IPv6 network of 64 bits, without event streams;
    /// further ones are closed at once. 0 means no limit.
    package var connectionsPerAddress = 0
    /// Counts them for all loops together.
    var connectionQuota: Quota?
    /// The memory of one connection for its header, response head and upload buffer; at least twice `headerLimit`. The
    /// library clears it after each request, so more memory costs more time; large uploads are faster with more.
    package var connectionMemory = 32 * 1024

    /// The maximum length of the request target; 414 beyond.
    package var targetLimit = 8 * 1024
    /// The maximum size of the request header, including the request line; 431 beyond.
    package var headerLimit = 16 * 1024
    /// The maximum number of header fields; 431 beyond.
    package var headerCountLimit = 100
    /// The maximum size of a request body; 413 beyond.
    package var bodyLimit = 16 * 1024 * 1024
    /// The directory for bodies of routes that accept them as files. The default is the system's directory for
    /// temporary files.
    package var temporaryDirectory = systemTemporaryDirectory()
    /// The number of threads that produce streamed bodies.
    package var bodyThreads = 16

    /// From accepting a connection to its first complete request line.
    package var firstRequestTimeout = 15_000
    /// Between a response and the next complete request line, and without any progress while a response is sent.
    package var idleTimeout = 60_000
    /// From a request line to the last byte of its body; for a body that goes to a file, from each 256 KiB to
    /// the next.
    package var receiveTimeout = 60_000

    /// The memory for large responses that wait for their clients, of all loops; 503 beyond, except for a single one.
    package var responseMemory = 128 << 20
    /// The server closes a connection whose client has read nothing of a large response for this long. The shorter time
    /// applies while other responses wait for `responseMemory`.
    package var responseStallTimeout = 15_000
    package var responseStallTimeoutUnderPressure = 2_000

    /// The maximum number of open event streams of all loops; 503 beyond. At most as many as the process may have files
    /// open besides its connections and 256 others.
    package var streamLimit = 100_000
    /// The queued bytes of one event stream at which its producer is notified to coalesce events.
    package var streamQueueLimit = 256 * 1024
    /// The longest silence of a stream before a heartbeat comment, which comes after half of it at the earliest.
    package var streamHeartbeat = 15_000
    /// The time without progress after which a stream is closed whose client reads nothing.
    package var streamStuckTimeout = 30_000

    /// How a request's header is read; `HTTPServer.start` finds out what the library allows.
    var headSource = HeadSource.lines

    package var logger = Logger(label: "http")

    package init() {}
}

extension ServerConfiguration {
    /// Returns the silence in milliseconds after which a stream gets a heartbeat, by its index among the streams of its
    /// loop.
    ///
    /// Streams that receive the same event at the same time get their heartbeats at different times, spread evenly over
    /// the second half of the longest silence.
    package func heartbeatDelay(ofStream index: Int) -> Int64 {
        let half = Int64(max(streamHeartbeat / 2, 1))
        // Multiples of the golden ratio are evenly distributed in the unit interval, for any number of them.
        let scattered = Int64(UInt32(truncatingIfNeeded: index) &* 2_654_435_769)
        return half + (scattered * half) >> 32
    }
}

/// Raises this process's limit of open files to the maximum that the system allows, and returns it.
func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    if limit.rlim_cur < limit.rlim_max {
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
}

extension ServerConfiguration {
    /// Lowers the limits of connections and streams so that all of them and the files of the store can be open at once:
    /// streams then never exclude requests, and neither excludes the store's files.
    package mutating func fit(intoDescriptors limit: Int) {
        let others = min(256, limit / 4)
        connectionLimit = min(connectionLimit, max(limit / 5, 1))
        let slack = connectionSlack * max(loops, 1)
        streamLimit = min(streamLimit, max(limit - others - connectionLimit - slack, 0))
    }
}
