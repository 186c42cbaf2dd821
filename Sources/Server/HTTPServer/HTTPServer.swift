package import HTTPMessages
import Dispatch
import Glibc
import Logging
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd: one loop thread per processor, each with its own listening socket.
///
/// Handlers run on the loop threads and must not block; work that waits answers with `Reply.later`.
///
/// Error responses are `application/problem+json` documents. Only those for requests that the library cannot parse are
/// its own pages: their status is right, and the connection closes.
package final class HTTPServer: Sendable {
    package let configuration: ServerConfiguration
    package let counters: ServerCounters
    private let router: Router

    private enum State {
        case fresh
        case running([(inbox: LoopInbox, thread: pthread_t)], BodyProducers, CertificateSlot?)
        case stopped
    }

    private let state = Mutex(State.fresh)

    /// - Parameter counters: the counters that the server updates.
    package init(
        configuration: ServerConfiguration = ServerConfiguration(), router: Router,
        counters: ServerCounters = ServerCounters()
    ) {
        self.configuration = configuration
        self.counters = counters
        self.router = router
    }

    deinit { stop(within: .zero) }

    /// Starts to listen and to answer requests. Raises the process's limit of open files as far as the system allows.
    ///
    /// - Returns: the port, also if the system chose it.
    /// - Throws: ``ServerError``. Nothing is left open.
    package func start() throws(ServerError) -> UInt16 {
        let source = try LibraryTrial.outcome.get()
        if LibraryTrial.version != LibraryTrial.builtVersion {
            configuration.logger.warning(
                "This program was built for another version of libmicrohttpd. The trial of the loaded one has passed.",
                metadata: ["loaded": "\(LibraryTrial.version)", "built": "\(LibraryTrial.builtVersion)"])
        }
        return try start(reading: source)
    }

    /// Starts with a way of reading headers that need not fit the library: for its trial.
    func start(reading source: HeadSource) throws(ServerError) -> UInt16 {
        try state.withLock { state throws(ServerError) in
            guard case .fresh = state else { throw .alreadyStarted }
            var configuration = configuration
            configuration.headSource = source
            if configuration.loops <= 0 { configuration.loops = max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
            if configuration.connectionsPerAddress > 0 {
                configuration.connectionQuota = Quota(limit: configuration.connectionsPerAddress)
            }
            let pem = try configuration.tls.map { files throws(ServerError) in try Certificate.PEM(files) }
            var certificates: CertificateSlot?
            if let files = configuration.tls, let pem {
                certificates = try CertificateSlot(files, pem: pem, logger: configuration.logger)
            }
            configuration.fit(intoDescriptors: raiseDescriptorLimit())
            let listener = try Listener.listen(
                at: configuration.host, port: configuration.port, count: configuration.loops)
            let producers = BodyProducers(limit: configuration.bodyThreads)
            let memory = ResponseMemory(limit: configuration.responseMemory, counters: counters)
            let bodies = BodyMemory(limit: configuration.responseMemory / 2)
            var threads: [(inbox: LoopInbox, thread: pthread_t)] = []
            do throws(ServerError) {
                for (index, socket) in listener.sockets.enumerated() {
                    let loop = try EventLoop(
                        index: index, listening: socket,
                        also: index < listener.others.count ? listener.others[index] : nil, isIPv6: listener.isIPv6,
                        configuration: configuration,
                        router: router, counters: counters, producers: producers, memory: memory,
                        bodies: bodies, certificates: certificates, pem: pem)
                    threads.append((loop.inbox, try Self.run(loop)))
                }
            } catch {
                Self.join(threads, within: .zero)
                // The socket of the loop that failed was closed with its daemon.
                for sockets in [listener.sockets, listener.others] {
                    for socket in sockets.dropFirst(threads.count + 1) { close(socket) }
                }
                throw error
            }
            state = .running(threads, producers, certificates)
            return listener.port
        }
    }

    /// Reads the certificate and its key again from the configured files. Open connections keep the old certificate;
    /// later handshakes use the new one. May be called from any thread; the change is logged.
    ///
    /// - Throws: ``ServerError`` that describes the error in the files; the old certificate stays.
    package func reloadCertificates() throws(ServerError) {
        let slot = state.withLock { state -> CertificateSlot? in
            guard case .running(_, _, let slot) = state else { return nil }
            return slot
        }
        guard let slot else { throw .noTLS }
        try slot.reload()
    }

    /// Calls `answer` on the thread of each loop, as soon as the loop gets to it; a loop that is stuck never does.
    /// `answer` must not block.
    ///
    /// - Returns: the number of loops; 0 for a server that does not run.
    package func probeLoops(_ answer: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            guard case .running(let threads, _, _) = state else { return 0 }
            for (inbox, _) in threads { inbox.post(.roll(answer)) }
            return threads.count
        }
    }

    /// Stops accepting, lets running requests finish, and ends event streams. Returns when all connections are closed
    /// or the time has elapsed, whichever comes first; then closes the remaining ones. Calling it again does nothing.
    /// Must not be called from a handler.
    ///
    /// Streams end when no loop takes connections any more: a client that comes back at once is refused, so that a proxy
    /// sends it to another server, and is not taken to be sent away once more. A loop that is stuck delays this by half
    /// the time at most.
    ///
    /// - Parameter closingEvent: the last event of every stream, after all earlier ones. Clients then see an orderly
    ///   end, and reconnect as event sources do.
    package func stop(within time: Duration = .seconds(10), closingEvent: SharedBytes? = nil) {
        let running = state.withLock { state in
            defer { state = .stopped }
            return state
        }
        guard case .running(let threads, let producers, _) = running else { return }
        let deadline = Self.join(threads, within: time, closingEvent)
        producers.stop(by: deadline)
    }

    /// - Returns: the deadline, in monotonic milliseconds.
    @discardableResult
    private static func join(
        _ threads: [(inbox: LoopInbox, thread: pthread_t)], within time: Duration, _ closingEvent: SharedBytes? = nil
    ) -> Int64 {
        let milliseconds = Int64(min(time, .seconds(86_400)) / .milliseconds(1))
        let deadline = monotonicMilliseconds() + milliseconds
        let refusing = DispatchSemaphore(value: 0)
        for (inbox, _) in threads { inbox.post(.stop(deadline: deadline) { refusing.signal() }) }
        let patience = DispatchTime.now() + .milliseconds(Int(milliseconds / 2))
        for _ in threads { _ = refusing.wait(timeout: patience) }
        for (inbox, _) in threads { inbox.post(.endStreams(closingEvent: closingEvent)) }
        for (_, thread) in threads { pthread_join(thread, nil) }
        return deadline
    }

    private static func run(_ loop: EventLoop) throws(ServerError) -> pthread_t {
        let context = Unmanaged.passRetained(loop)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                // A client that disconnects during its response must not end the process.
                var hangUps = sigset_t()
                sigemptyset(&hangUps)
                sigaddset(&hangUps, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &hangUps, nil)
                Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        guard status == 0 else {
            context.release()
            throw .system(call: "pthread_create", errno: status)
        }
        return thread
    }
}
