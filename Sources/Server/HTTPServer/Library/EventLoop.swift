import HTTPMessages
import CMicrohttpd
import Cryptography
import Glibc
import Promises

/// One thread with one libmicrohttpd daemon and all its connections.
///
/// The epoll thread of 0.9.75 sleeps forever when exactly 128 events arrive at once, and nothing wakes it for a
/// connection resumed by another thread. So this class runs the thread: it waits for the daemon's epoll set, for its
/// inbox and for the sockets of event streams, resumes connections itself, and then runs the daemon. Each iteration
/// sends a bounded amount of the pending stream data, then lets the daemon handle requests.
///
/// Not sendable: created by one thread, passed to the thread that runs it, used by no other. Other threads post to
/// `inbox`.
final class EventLoop {
    let configuration: ServerConfiguration
    let router: Router
    /// The router's responder, created once.
    let respond: @Sendable (Request) -> Reply
    let counters: ServerCounters
    let inbox: LoopInbox
    let producers: BodyProducers
    let memory: ResponseMemory
    let bodies: BodyMemory
    /// `nil` without TLS.
    private let certificates: CertificateSlot?
    let headLimits: RequestHead.Limits
    let headSource: HeadSource

    /// The time when the loop last woke, in monotonic milliseconds.
    private(set) var now = monotonicMilliseconds()
    private(set) var isStopping = false

    private var daemon: OpaquePointer?
    private let epoll: Int32
    /// The listening socket that the library does not know.
    private let otherListener: OtherListener?
    private let streams: StreamSockets
    private var connections: [UInt64: Connection] = [:]
    /// Connections that were closed but not yet released by the library.
    var leavingCount = 0
    /// Connections that are streams over TLS.
    private var secureStreams = 0
    private var lastConnectionID: UInt64 = 0
    private var lastRequestID: UInt64
    private var mustRunDaemon = true
    /// The time at which the library must run even without an event, in monotonic milliseconds.
    private var libraryDeadline = Int64.max
    private var nextTick: Int64 = 0
    private let tickInterval: Int64
    private var stopDeadline = Int64.max

    private static let daemonTag: UInt64 = 0
    private static let inboxTag = UInt64.max
    private static let listenerTag = UInt64.max - 1
    /// Set in the tags of connections. The low half of a stream's tag is an index, which is smaller.
    private static let connectionBit: UInt64 = 1 << 31

    init(
        index: Int, listening socket: Int32, also other: Int32?, isIPv6: Bool, configuration: ServerConfiguration,
        router: Router, counters: ServerCounters, producers: BodyProducers, memory: ResponseMemory, bodies: BodyMemory,
        certificates: CertificateSlot?, pem: Certificate.PEM?
    ) throws(ServerError) {
        self.configuration = configuration
        self.router = router
        respond = router.responder
        self.counters = counters
        self.producers = producers
        self.memory = memory
        self.bodies = bodies
        self.certificates = certificates
        inbox = try LoopInbox()
        headSource = configuration.headSource
        headLimits = RequestHead.Limits(
            headerBytes: configuration.headerLimit, headerCount: configuration.headerCountLimit)
        lastRequestID = UInt64(index) << 48
        let shortest =
            [
                configuration.firstRequestTimeout, configuration.idleTimeout, configuration.receiveTimeout,
                configuration.streamHeartbeat, configuration.streamStuckTimeout, configuration.responseStallTimeout,
                configuration.responseStallTimeoutUnderPressure,
            ].min() ?? 1_000
        tickInterval = Int64(min(max(shortest / 4, 10), 1_000))
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { throw .system(call: "epoll_create1", errno: errno) }
        otherListener = other.map { [epoll] in OtherListener($0, epoll: epoll, tag: Self.listenerTag) }
        streams = StreamSockets(configuration: configuration, counters: counters, inbox: inbox, epoll: epoll)
        try startDaemon(socket, isIPv6: isIPv6, pem)
        guard let daemon, watch(rg_mhd_epoll_fd(daemon), tag: Self.daemonTag, EPOLLIN.rawValue),
            watch(inbox.wakeFD, tag: Self.inboxTag, EPOLLIN.rawValue)
        else { throw .system(call: "epoll_ctl", errno: errno) }
    }

    deinit {
        if let daemon { MHD_stop_daemon(daemon) }
        close(epoll)
    }

    func nextRequestID() -> UInt64 {
        lastRequestID += 1
        return lastRequestID
    }

    // MARK: - Running

    /// Runs until stopped. Returns with every connection closed.
    func run() {
        let capacity = 256
        let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: capacity)
        defer { events.deallocate() }
        while !(isStopping && (isIdle || now >= stopDeadline)) {
            let count = epoll_wait(epoll, events, Int32(capacity), timeout())
            now = monotonicMilliseconds()
            if now >= libraryDeadline { mustRunDaemon = true }
            for index in 0..<Int(max(count, 0)) { handle(events[index]) }
            let (messages, streamsWithEvents) = inbox.takeAll()
            for message in messages { handle(message) }
            for id in streamsWithEvents { streams.list(id) }
            if now >= nextTick { tick() }
            streams.work(now: now)
            if mustRunDaemon { runDaemon() }
        }
        finish()
    }

    /// The connections that the library holds, including event streams over TLS.
    var openConnections: some Sequence<Connection> { connections.values }

    /// The number of connections, without event streams and those about to be released.
    var connectionsInUse: Int { connections.count - secureStreams - leavingCount }

    private var isIdle: Bool { connections.isEmpty && streams.isEmpty }

    private func timeout() -> Int32 {
        if mustRunDaemon || streams.hasBacklog { return 0 }
        var library: UInt64 = 0
        var wait = isIdle ? Int64.max : max(nextTick - now, 0)
        libraryDeadline = .max
        if MHD_get_timeout(daemon, &library) == .YES {
            // The library also has work and deadlines that no descriptor announces.
            let library = Int64(clamping: library)
            libraryDeadline = now + min(library, 1 << 40)
            wait = min(wait, library)
        }
        if isStopping { wait = min(wait, max(stopDeadline - now, 0)) }
        return wait == .max ? -1 : Int32(clamping: wait)
    }

    private func runDaemon() {
        mustRunDaemon = false
        // A thread that several requests of this run wake is woken once.
        WakeUps.gather { _ = MHD_run(daemon) }
    }

    private func handle(_ event: epoll_event) {
        switch event.data.u64 {
        case Self.daemonTag: mustRunDaemon = true
        case Self.inboxTag: inbox.acknowledge()
        case Self.listenerTag: acceptOthers()
        case let tag where tag & Self.connectionBit != 0:
            connections[Self.connectionID(ofTag: tag)]?.looksForEnd = true
        case let id: streams.handle(event.events, of: id)
        }
    }

    private func handle(_ message: LoopInbox.Message) {
        switch message {
        case .outcome(let request, let id, let outcome):
            guard let connection = connections[id], connection.requestID == request else { return }
            connection.resume(with: outcome)
        case .piece(let request, let id):
            guard let connection = connections[id], connection.requestID == request else { return }
            connection.resumeBody()
        case .roll(let answer): answer()
        case .stop(let deadline, let refusing):
            stopDeadline = min(stopDeadline, deadline)
            if !isStopping { beginStopping() }
            refusing()
        case .endStreams(let closingEvent): streams.finishAll(closingEvent)
        }
    }

    private func tick() {
        nextTick = now + tickInterval
        otherListener?.resume()
        for connection in connections.values {
            if connection.deadline <= now || connection.hasHungUpUnseen() { connection.cut() }
            // The library does not poll a suspended connection.
            if connection.looksForEnd { connection.client?.checkSocket(connection.fd) }
        }
        closeStalledResponses()
        cutStuckBodies()
        streams.tick(now)
    }

    /// While request bodies lack memory, closes connections whose bodies have stalled.
    private func cutStuckBodies() {
        guard bodies.isShort(now) else { return }
        let limit = now - Int64(configuration.responseStallTimeoutUnderPressure)
        for connection in connections.values
        where connection.phase == .receiving && connection.body.count > BodyMemory.small
            && connection.body.file == nil && connection.lastProgress <= limit
        {
            connection.cut()
        }
    }

    /// Closes connections whose clients read nothing of large responses. While other responses lack memory, it does so
    /// sooner, slowest first, and only as many as necessary.
    private func closeStalledResponses() {
        var stuck: [Connection] = []
        for connection in connections.values {
            guard let idle = connection.responseIdleTime() else { continue }
            if idle >= Int64(configuration.responseStallTimeout) {
                connection.closeStalledResponse()
            } else if idle >= Int64(configuration.responseStallTimeoutUnderPressure) {
                stuck.append(connection)
            }
        }
        var shortage = stuck.isEmpty ? 0 : memory.shortage(now)
        guard shortage > 0 else { return }
        for connection in stuck.sorted(by: { $0.lastProgress < $1.lastProgress }) where shortage > 0 {
            shortage -= connection.bufferedBytes
            connection.closeStalledResponse()
        }
    }

    // MARK: - Stopping

    private func beginStopping() {
        // Requests that have arrived are still answered: one run accepts them, the next one reads them.
        acceptOthers()
        for _ in 0..<2 { runDaemon() }
        isStopping = true
        otherListener?.close()
        let socket = MHD_quiesce_daemon(daemon)
        if socket >= 0 { close(socket) }
        for connection in connections.values {
            if connection.phase == .awaiting { connection.cut() }
        }
        mustRunDaemon = true
    }

    /// Closes the remaining connections, and the daemon.
    private func finish() {
        for connection in connections.values {
            connection.resume(with: nil)
            connection.abandonBody()
        }
        streams.cutAll()
        // Resumed connections queue their last response in the first run and send it in the second.
        for _ in 0..<3 { MHD_run(daemon) }
        for connection in connections.values { connection.cut() }
        MHD_run(daemon)
        MHD_stop_daemon(daemon)
        daemon = nil
        connections.removeAll()
        // Messages retain responses. Later posts are ignored.
        _ = inbox.takeAll()
    }

    // MARK: - Connections

    /// Resumes a suspended connection; the library handles it in its next run, which follows at once.
    func resume(_ connection: Connection) {
        MHD_resume_connection(connection.handle)
        mustRunDaemon = true
    }

    /// Creates an event stream for a connection's socket, with a duplicate of the descriptor. `nil` if there are too
    /// many.
    func openStream(on socket: Int32, _ head: StreamHead) -> EventStream? {
        if counters.streamCounter.move(by: 1) <= configuration.streamLimit {
            let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
            if own >= 0, let stream = streams.adopt(own, head, now: now) { return stream }
        }
        counters.streamCounter.move(by: -1)
        return nil
    }

    /// Creates an event stream for a connection that stays with the library. `nil` if there are too many.
    func openSecureStream(_ connection: Connection, _ session: TLSSession, _ head: StreamHead) -> EventStream? {
        if counters.streamCounter.move(by: 1) <= configuration.streamLimit {
            let secure = StreamSockets.SecureSide(session: session, connection: connection)
            if let stream = streams.adopt(connection.fd, head, now: now, secure: secure) {
                counters.connectionCounter.move(by: -1)
                secureStreams += 1
                return stream
            }
        }
        counters.streamCounter.move(by: -1)
        return nil
    }

    /// Accepts connections from the socket that the library does not know, as many as it has room for.
    private func acceptOthers() {
        guard let otherListener, let daemon else { return }
        let limit = libraryLimit(secureStreams)
        otherListener.accept {
            connections.count < limit
        } passing: { fd, address, length in
            mustRunDaemon = true
            // The library closes the socket if it cannot take it.
            _ = MHD_add_connection(daemon, fd, address, length)
        }
    }

    /// The number of connections that the library holds at most.
    private func libraryLimit(_ streams: Int) -> Int {
        configuration.connectionShare + configuration.connectionSlack + streams
    }

    private func watch(_ fd: Int32, tag: UInt64, _ interest: UInt32) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.u64 = tag
        return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0
    }

    /// Has epoll report when the client ends the connection: at the end alone, and once, so that an idle connection
    /// costs nothing.
    func watch(_ connection: Connection) {
        // If there is no memory for it, each tick looks: a request that is answered later has no deadline.
        if !watch(connection.fd, tag: Self.tag(of: connection.id), EPOLLRDHUP.rawValue | EPOLLET.rawValue) {
            connection.looksForEnd = true
        }
    }

    func stopWatching(_ connection: Connection) {
        epoll_ctl(epoll, EPOLL_CTL_DEL, connection.fd, nil)
    }

    private static func tag(of connection: UInt64) -> UInt64 {
        (connection >> 31) << 32 | connectionBit | connection & (connectionBit - 1)
    }

    private static func connectionID(ofTag tag: UInt64) -> UInt64 {
        (tag >> 32) << 31 | tag & (connectionBit - 1)
    }

    // MARK: - The library's callbacks

    private func startDaemon(_ socket: Int32, isIPv6: Bool, _ pem: Certificate.PEM?) throws(ServerError) {
        var options = rg_mhd_options()
        options.listen_fd = socket
        // The older library would hang up on some requests in place of an answer, and accept as many malformed ones.
        options.strictness = headSource == .lines ? 1 : 0
        options.is_ipv6 = isIPv6 ? 1 : 0
        let loops = max(configuration.loops, 1)
        // The library leaves connections beyond its limit waiting, so its limit is a little higher than ours. With TLS
        // its connections include the streams.
        let streams = pem == nil ? 0 : (configuration.streamLimit + loops - 1) / loops
        options.connection_limit = UInt32(clamping: libraryLimit(streams))
        options.pool_size = max(configuration.connectionMemory, 2 * configuration.headerLimit)
        options.inactivity_seconds = UInt32(clamping: max((configuration.idleTimeout + 999) / 1000, 1))
        options.context = Unmanaged.passUnretained(self).toOpaque()
        options.handler = { _, _, _, method, version, data, size, context in
            guard let connection = connectionObject(context?.pointee), let size else { return .NO }
            return connection.handle(method: method, version: version, data: data, size: size)
        }
        options.target = { _, target, handle in
            guard let context = rg_mhd_socket_context(handle) else { return nil }
            connectionObject(context)?.begin(target: target)
            return context
        }
        options.completed = { _, _, context, _ in connectionObject(context?.pointee)?.end() }
        options.connection = { loop, handle, context, what in
            guard let loop, let handle, let context else { return }
            let object = Unmanaged<EventLoop>.fromOpaque(loop).takeUnretainedValue()
            object.connectionChanged(handle, context, opened: what == .CONNECTION_NOTIFY_STARTED)
        }
        // The router decodes the target; this switches the library's own decoding off.
        options.unescape = { _, _, text in text.map { strlen($0) } ?? 0 }
        daemon = start(&options, pem)
        guard daemon != nil else { throw .system(call: "MHD_start_daemon", errno: errno) }
    }

    private func start(_ options: inout rg_mhd_options, _ pem: Certificate.PEM?) -> OpaquePointer? {
        guard let pem else { return rg_mhd_start(&options) }
        // The library reads NUL-terminated strings and does not keep them.
        return (pem.chain + [0]).withUnsafeBytes { chain in
            (pem.key + [0]).withUnsafeBytes { key in
                TLSCredentials.priorities.withCString { priorities in
                    options.tls_chain = chain.baseAddress?.assumingMemoryBound(to: CChar.self)
                    options.tls_key = key.baseAddress?.assumingMemoryBound(to: CChar.self)
                    options.tls_priorities = priorities
                    return rg_mhd_start(&options)
                }
            }
        }
    }

    private func connectionChanged(
        _ handle: OpaquePointer, _ context: UnsafeMutablePointer<UnsafeMutableRawPointer?>, opened: Bool
    ) {
        if opened {
            lastConnectionID += 1
            let connection = Connection(
                id: lastConnectionID, handle: handle, loop: self, certificate: certificates?.current)
            connections[connection.id] = connection
            context.pointee = Unmanaged.passUnretained(connection).toOpaque()
            counters.connectionCounter.move(by: 1)
            watch(connection)
            admit(connection)
        } else if let connection = connectionObject(context.pointee) {
            context.pointee = nil
            if connection.isSecureStream {
                secureStreams -= 1
            } else {
                counters.connectionCounter.move(by: -1)
            }
            connections[connection.id] = nil
            if connection.isLeaving { leavingCount -= 1 }
            // At the limit of connections or descriptors the library stops listening; it checks for free ones only at
            // the start of a run.
            mustRunDaemon = true
        }
    }
}

private func connectionObject(_ context: UnsafeMutableRawPointer?) -> Connection? {
    context.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}
