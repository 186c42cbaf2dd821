package import HTTPMessages
import CMicrohttpd
import Cryptography
import Glibc

/// A TCP connection and its current request. Used only on its loop's thread.
///
/// One object serves all requests of a connection, so an ordinary request allocates only what its handler sees.
final class Connection {
    enum Phase {
        /// No complete request line yet.
        case awaiting
        /// The header or body is arriving.
        case receiving
        /// The request was rejected while its body was arriving: the response is sent, and the rest is read and
        /// dropped.
        case discarding
        /// Suspended until a ``Responder`` answers.
        case handling
        /// A response is being sent.
        case responding
        /// The socket belongs to an event stream. The library is about to release the connection or, with TLS, keeps it
        /// suspended until the stream ends.
        case detached
    }

    let id: UInt64
    let handle: OpaquePointer
    let fd: Int32
    let remoteAddress: RemoteAddress
    unowned let loop: EventLoop
    /// Whether it was closed, and the library is about to release it.
    private(set) var isLeaving = false
    /// Its count in the quota of its address.
    var lease: Quota.Lease?
    /// Whether each tick looks whether the client sends nothing more: epoll has reported it, or cannot.
    var looksForEnd = false
    /// Whether the last look found that the client had ended, and the library had read everything.
    var wasAtEnd = false
    /// `nil` without TLS.
    private let session: TLSSession?
    /// The certificate of the handshake, which the session uses.
    private let certificate: Certificate?
    /// Whether it is an event stream that the library keeps suspended.
    private(set) var isSecureStream = false

    var phase = Phase.awaiting
    /// The time at which to close the connection if it is still in this phase, in monotonic milliseconds.
    var deadline: Int64
    /// Identifies the current request, so that a late response to an earlier one is recognised.
    private(set) var requestID: UInt64 = 0

    private var target = ""
    private var targetStart: UnsafePointer<CChar>?
    private var targetLength = 0
    var head: RequestHead?
    var parsedTarget: (segments: [String], query: [QueryItem])?
    private(set) var method = HTTPMethod.get
    var body = IncomingBody()
    /// The body whose next piece the suspended connection waits for.
    var awaitedBodyStream: BodyStream?
    /// The streamed body that is being sent.
    var bodyStream: BodyStream?
    /// The size of a large response that is sent as a whole, in bytes.
    private(set) var wholeBytes = 0
    /// The time when the client last read something of a large response, in monotonic milliseconds, and how much it had
    /// read by then.
    var lastProgress: Int64 = 0
    var lastAcknowledged: UInt64 = 0
    private var outcome: Responder.Outcome?
    /// The handle with which a later response checks whether the client is still connected.
    private(set) var client: ClientPresence?

    /// - Parameter certificate: the certificate for the handshake, which has not begun; `nil` without TLS.
    init(id: UInt64, handle: OpaquePointer, loop: EventLoop, certificate: Certificate?) {
        self.id = id
        self.handle = handle
        self.loop = loop
        fd = rg_mhd_connection_fd(handle)
        remoteAddress = RemoteAddress(rg_mhd_client_address(handle))
        deadline = loop.now + Int64(loop.configuration.firstRequestTimeout)
        self.certificate = certificate
        if let certificate, let raw = rg_mhd_tls_session(handle) {
            certificate.use(in: OpaquePointer(raw))
            session = TLSSession(OpaquePointer(raw))
        } else {
            session = nil
        }
    }

    /// Records that the request line has arrived. Called before the library decodes the target in place.
    func begin(target start: UnsafePointer<CChar>?) {
        phase = .receiving
        wasAtEnd = false
        if !isLeaving { deadline = loop.now + Int64(loop.configuration.receiveTimeout) }
        requestID = loop.nextRequestID()
        targetStart = start
        targetLength = start.map { strlen($0) } ?? 0
        let bytes = UnsafeRawBufferPointer(start: start, count: targetLength)
        // Bytes that are not UTF-8 leave the target empty, which no request line may have; the request is rejected with
        // the header.
        target = validText(bytes.bindMemory(to: UInt8.self)) ?? ""
        if loop.headSource == .memory { hideParameters(start) }
    }

    /// Keeps a library before 0.9.77 from parsing the query, which the router does. The library would put each
    /// parameter into the connection's memory pool, and ignores it when the pool is too small; later ones refuse the
    /// request.
    private func hideParameters(_ start: UnsafePointer<CChar>?) {
        // It is in the connection's buffer, which the library itself modifies when it parses.
        guard let start = UnsafeMutablePointer(mutating: start) else { return }
        for index in 0..<targetLength where start[index] == CChar(UInt8(ascii: "&")) {
            start[index] = CChar(UInt8(ascii: "!"))
        }
    }

    /// Handles the library's access callback: first with the header only, then with pieces of the body, then for the
    /// response.
    func handle(
        method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?,
        size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        if head == nil {
            // Bytes after the last response get no further one.
            return isLeaving ? .NO : receiveHead(method: method, version: version)
        }
        if size.pointee > 0 {
            let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
            size.pointee = 0
            return receiveBody(bytes)
        }
        switch phase {
        case .discarding, .detached: return .NO
        case .handling: return outcome.map(send) ?? send(.response(readable(HTTPError.stopping.httpResponse)))
        default: return dispatch()
        }
    }

    /// Called when a request has ended for any reason; the connection may carry another.
    func end() {
        guard phase != .detached else { return }
        phase = .awaiting
        wasAtEnd = false
        deadline = loop.now + Int64(loop.configuration.idleTimeout)
        head = nil
        parsedTarget = nil
        target = ""
        targetStart = nil
        outcome = nil
        client?.leave()
        client = nil
        body.drop()
        awaitedBodyStream = nil
        bodyStream = nil
        wholeBytes = 0
        // A response that was being sent when the server began to stop had promised to keep the connection.
        if loop.isStopping { cut() }
    }

    /// Closes the connection; the library notices it, ends the request and releases the connection.
    func cut() {
        guard phase != .detached else { return }
        leave()
        shutdown(fd, Int32(SHUT_RDWR))
    }

    private func leave() {
        guard !isLeaving else { return }
        isLeaving = true
        loop.leavingCount += 1
    }

    /// Closes a new connection for which there is no capacity.
    ///
    /// - Parameter politely: sends a 503 first, and gives the client a second to read it. Over TLS nothing can be sent
    ///   before the handshake.
    func refuseForWantOfRoom(politely: Bool) {
        guard politely, session == nil else { return cut() }
        leave()
        deadline = loop.now + 1_000
        sendPastLibrary(HTTPError.tooManyConnections.httpResponse)
    }

    // MARK: - Receiving

    private func receiveHead(method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?) -> MHD_Result {
        guard let method, let version else { return .NO }
        do throws(Refusal) {
            let head = try checkHead(method, version)
            self.head = head
            if head.announcesBody { try prepareBody(head) }
            return .YES
        } catch {
            return refuse(error.response)
        }
    }

    /// Rejects a request of which only the header has arrived.
    private func refuse(_ response: Response) -> MHD_Result {
        loop.counters.refusalCounter.move(by: 1)
        if let head, head.announcesBody, !head.expectsContinue { return refuseWhileReceiving(response) }
        head = RequestHead.refused
        return queue(readable(response), closing: true)
    }

    /// The response to a rejected request.
    struct Refusal: Error {
        var response: Response
        init(response: Response) { self.response = response }
        init(_ error: HTTPError) { response = error.httpResponse }
    }

    private func checkHead(
        _ method: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) throws(Refusal) -> RequestHead {
        do throws(HTTPError) { return try parseHead(method, version) } catch { throw Refusal(error) }
    }

    private func parseHead(
        _ name: UnsafePointer<CChar>, _ version: UnsafePointer<CChar>
    ) throws(HTTPError) -> RequestHead {
        guard let targetStart else { throw .malformed("The request line must have a target.") }
        method = HTTPMethod(String(cString: name))
        // Before the size of the whole header, of which the target is a part.
        guard targetLength <= loop.configuration.targetLimit else { throw .targetTooLong }
        let head =
            switch loop.headSource {
            case .lines: try HeadLines(of: handle).head(method: name, version: version, limits: loop.headLimits)
            case .memory:
                try HeadMemory(of: handle, method: name, target: (targetStart, targetLength)).head(
                    limits: loop.headLimits)
            }
        parsedTarget = try parseTarget(target)
        return head
    }

    /// Sends the last response of this connection directly to the socket.
    func sendPastLibrary(_ response: Response) {
        let bytes = ResponseHead(response, contentLength: response.contentLength).bytes + response.bodyBytes
        // A few hundred bytes fit into the send buffer, which is empty since the last response.
        if let session {
            _ = bytes.withUnsafeBytes { session.send($0) }
        } else {
            _ = Glibc.send(fd, bytes, bytes.count, sendFlags)
        }
        endSending()
    }

    /// Shuts down the sending side.
    func endSending() {
        session?.sayEnd()
        shutdown(fd, Int32(SHUT_WR))
    }

    // MARK: - Answering

    private func dispatch() -> MHD_Result {
        guard var request = makeRequest() else { return .NO }
        guard head?.isChunked != true || HeadLines(of: handle).areTrailersSound else {
            loop.counters.refusalCounter.move(by: 1)
            return queue(readable(HTTPError.malformedTrailer.httpResponse), closing: true)
        }
        loop.counters.requestCounter.move(by: 1)
        request.bodyFile = body.file?.finish()
        request.bodyLease = body.lease
        body.drop()
        switch loop.respond(request) {
        case .now(let response): return queue(response)
        case .events(let headers, let start): return openStream(headers, start)
        case .later(let work):
            phase = .handling
            deadline = .max
            MHD_suspend_connection(handle)
            let client = ClientPresence()
            self.client = client
            work(
                Responder(client: client) { [inbox = loop.inbox, requestID, id] in
                    inbox.post(.outcome(request: requestID, connection: id, $0))
                })
            return .YES
        }
    }

    /// Returns the request, with its body if that is in memory.
    func makeRequest() -> Request? {
        guard let head, let parsedTarget else { return nil }
        return Request(
            method: method, target: target, parsedTarget: parsedTarget, headerBlock: head.headers, body: body.bytes,
            remoteAddress: remoteAddress, id: requestID)
    }

    /// Delivers the response of a responder: resumes the connection, which then requests the response again.
    func resume(with outcome: Responder.Outcome?) {
        guard phase == .handling else { return }
        self.outcome = outcome
        client = nil
        loop.resume(self)
    }

    private func send(_ outcome: Responder.Outcome) -> MHD_Result {
        self.outcome = nil
        switch outcome {
        case .response(let response): return queue(response)
        case .events(let headers, let start): return openStream(headers, start)
        }
    }

    /// Returns the response if memory can be reserved for it; otherwise a 503.
    private func admit(_ response: Response) -> Response {
        let bytes = response.bufferedBytes
        if method == .head {
            // A HEAD response states the length and drops the body.
            loop.memory.move(by: bytes)
            return response
        }
        guard loop.memory.reserve(bytes) else {
            return readable(HTTPError.noMemory.httpResponse)
        }
        if case .pieces = response.body {} else { wholeBytes = bytes }
        lastProgress = loop.now
        return response
    }

    private func queue(_ response: Response, closing: Bool = false) -> MHD_Result {
        phase = .responding
        deadline = .max
        let response = admit(response)
        // A library before 0.9.77 reads the framing of chunks too leniently to tell where the next request begins.
        let isFramed = loop.headSource == .lines || head?.isChunked != true
        guard let made = loop.makeResponse(response, for: self, closing: closing || !isFramed) else { return .NO }
        defer { MHD_destroy_response(made) }
        return MHD_queue_response(handle, UInt32(clamping: response.status), made)
    }

    /// Takes the socket over from the library for an event stream.
    ///
    /// The library would keep its memory pool while the stream lasts, more than a hundred times what the stream itself
    /// needs. So the stream gets a duplicate of the descriptor, and the library drops the connection. Its close does
    /// not affect the duplicate, because the library runs in the mode in which it does not shut sockets down. With TLS
    /// the library owns the session keys, so the connection stays suspended while the stream lasts, and the stream's
    /// bytes go through the library's session.
    private func openStream(_ headers: HeaderFields, _ start: @Sendable (EventStream) -> Void) -> MHD_Result {
        var head = Response(headers: EventStream.headers(adding: headers))
        guard method != .head else {
            head.body = .pieces(OmittedBody())
            return queue(head)
        }
        guard !loop.isStopping else { return queue(readable(HTTPError.stopping.httpResponse)) }
        let streamHead = StreamHead(head, isChunked: takesChunks)
        // The stream notices the end itself, and its duplicate would keep the connection's entry in the epoll set.
        loop.stopWatching(self)
        let opened =
            session.map { loop.openSecureStream(self, $0, streamHead) } ?? loop.openStream(on: fd, streamHead)
        guard let stream = opened else {
            loop.watch(self)
            return queue(readable(HTTPError.tooManyStreams.httpResponse))
        }
        phase = .detached
        deadline = .max
        isSecureStream = session != nil
        if isSecureStream { MHD_suspend_connection(handle) }
        start(stream)
        return isSecureStream ? .YES : .NO
    }

    /// Called when the stream of a suspended TLS connection has ended: the library closes the session and releases the
    /// connection.
    ///
    /// - Parameter abrupt: whether the client has closed the connection, so that nothing is sent to it.
    func secureStreamEnded(abrupt: Bool) {
        if abrupt { shutdown(fd, Int32(SHUT_RDWR)) }
        loop.resume(self)
    }
}

extension EventStream {
    /// The header fields of every stream, with those of one.
    package static func headers(adding headers: HeaderFields) -> HeaderFields {
        var all: HeaderFields = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no",
        ]
        for field in headers { all.add(field.name, field.value) }
        return all
    }
}

extension RequestHead {
    /// A placeholder for a request whose head could not be parsed.
    static let refused = RequestHead(isHTTP11: true)
}

/// Responses to requests that no middleware sees.
extension Connection {
    /// Returns the response as pages of other origins can read it.
    func readable(_ response: Response) -> Response {
        var request = RefusedRequest(origin: field("Origin"))
        if method == .options, let asked = field("Access-Control-Request-Method") {
            request.preflight = (asked, field("Access-Control-Request-Headers"))
        }
        return loop.router.changed(response, to: request)
    }

    private func field(_ name: String) -> String? {
        MHD_lookup_connection_value(handle, .HEADER_KIND, name).flatMap { String(validatingCString: $0) }
    }
}
