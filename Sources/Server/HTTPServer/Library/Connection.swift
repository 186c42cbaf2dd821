import CMicrohttpd
import CRefusals
import Glibc

/// One TCP connection and the request it is busy with. Lives on its loop's thread alone.
///
/// One object serves all requests of a connection, so a request that needs nothing special allocates only what its
/// handler sees.
final class Connection {
    enum Phase {
        /// No complete request line yet.
        case awaiting
        /// Header or body is coming in.
        case receiving
        /// Refused while its body was still coming: the answer is out, the rest is read and dropped.
        case discarding
        /// Suspended until a ``Responder`` answers.
        case handling
        /// A response is being sent.
        case responding
        /// Its socket has become that of an event stream; the library is about to forget it, or, with TLS, keeps it
        /// asleep until the stream is over.
        case detached
    }

    let id: UInt64
    let handle: OpaquePointer
    let fd: Int32
    let remoteAddress: RemoteAddress
    unowned let loop: EventLoop
    /// It has been ended, and the library is about to let it go.
    private(set) var isLeaving = false
    /// Its place among those of its address.
    var lease: Quota.Lease?
    /// See `hasHungUpUnseen`.
    var mayHaveHungUp = false
    /// `nil` without TLS.
    private let session: TLSSession?
    /// The one of the handshake, which the session reads.
    private let certificate: Certificate?
    /// It has become an event stream that the library still holds, asleep.
    private(set) var isSecureStream = false

    var phase = Phase.awaiting
    /// When to cut the connection if it is still in this phase, in monotonic milliseconds.
    var deadline: Int64
    /// Identifies the request under way; a late answer to an earlier one is told apart by it.
    private(set) var requestID: UInt64 = 0

    private var target = ""
    private var targetStart: UnsafePointer<CChar>?
    private var targetLength = 0
    var head: RequestHead?
    var parsedTarget: (segments: [String], query: [QueryItem])?
    private(set) var method = HTTPMethod.get
    var body = IncomingBody()
    /// The body that the suspended connection waits for a piece of.
    var awaitedBodyStream: BodyStream?
    /// The answer that is being sent in pieces.
    var bodyStream: BodyStream?
    /// What a large answer takes that is sent as a whole, in bytes.
    private(set) var wholeBytes = 0
    /// When the client last took something of a large answer, in monotonic milliseconds, and how much it had taken by
    /// then.
    var lastProgress: Int64 = 0
    var lastAcknowledged: UInt64 = 0
    private var answer: Responder.Answer?
    /// Whoever waits for a later answer.
    private(set) var client: ClientPresence?

    /// - Parameter certificate: what the handshake, which has not begun, presents; `nil` without TLS.
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

    /// The request line is there. Called before the library decodes the target in place.
    func begin(target start: UnsafePointer<CChar>?) {
        phase = .receiving
        if !isLeaving { deadline = loop.now + Int64(loop.configuration.receiveTimeout) }
        requestID = loop.nextRequestID()
        targetStart = start
        targetLength = start.map { strlen($0) } ?? 0
        let bytes = UnsafeRawBufferPointer(start: start, count: targetLength)
        // Bytes that are not UTF-8 leave the target empty, which no request line may have; it is refused with
        // the header.
        target = String(validating: bytes, as: UTF8.self) ?? ""
        hideParameters(start)
    }

    /// Keeps the library from taking the query apart, which the router does: it would put each parameter into the
    /// connection's memory pool, and 0.9.75 goes on as if nothing had happened when the pool is too small for them.
    private func hideParameters(_ start: UnsafePointer<CChar>?) {
        // It lies in the buffer of the connection, which the library itself writes to when it parses.
        guard let start = UnsafeMutablePointer(mutating: start) else { return }
        for index in 0..<targetLength where start[index] == CChar(UInt8(ascii: "&")) {
            start[index] = CChar(UInt8(ascii: "!"))
        }
    }

    /// The library's access handler: first with the header alone, then with pieces of the body, then for the answer.
    func handle(
        method: UnsafePointer<CChar>?, data: UnsafePointer<CChar>?, size: UnsafeMutablePointer<Int>
    ) -> MHD_Result {
        if head == nil {
            // What comes after the goodbye gets no other answer.
            return isLeaving ? .NO : receiveHead(method: method)
        }
        if size.pointee > 0 {
            let bytes = UnsafeRawBufferPointer(start: data, count: size.pointee)
            size.pointee = 0
            guard body.chunks != nil, phase != .discarding else { return receiveBody(bytes) }
            return receiveChunks(bytes, left: &size.pointee)
        }
        switch phase {
        case .discarding, .detached: return .NO
        case .handling: return answer.map(send) ?? send(.response(HTTPError.stopping.httpResponse))
        default: return dispatch()
        }
    }

    /// The request is over, one way or another; the connection may carry another.
    func end() {
        guard phase != .detached else { return }
        phase = .awaiting
        mayHaveHungUp = true
        deadline = loop.now + Int64(loop.configuration.idleTimeout)
        head = nil
        parsedTarget = nil
        target = ""
        targetStart = nil
        answer = nil
        client?.leave()
        client = nil
        body.drop()
        awaitedBodyStream = nil
        bodyStream = nil
        wholeBytes = 0
        // An answer that was on its way when the server began to stop had promised to keep the connection.
        if loop.isStopping { cut() }
    }

    /// Cuts the connection; the library notices, ends the request and forgets the connection.
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

    /// Ends a connection that has just come and for which there is no place.
    ///
    /// - Parameter politely: with an answer, after which it has a second to read it. Over TLS nothing can be said before
    ///   the handshake.
    func refuseForWantOfRoom(politely: Bool) {
        guard politely, session == nil else { return cut() }
        leave()
        deadline = loop.now + 1_000
        sendPastLibrary(HTTPError.tooManyConnections.httpResponse)
    }

    // MARK: - Receiving

    private func receiveHead(method name: UnsafePointer<CChar>?) -> MHD_Result {
        guard let name else { return .NO }
        do throws(Refusal) {
            let head = try checkHead(name)
            self.head = head
            if head.announcesBody { try prepareBody(head) }
            // Another version of the library reads chunks itself.
            if head.isChunked, rg_mhd_take_chunks(handle) {
                body.chunks = ChunkDecoder(limit: body.limit, trailers: loop.headLimits)
            }
            return .YES
        } catch {
            return refuse(error.response)
        }
    }

    /// Refuses a request whose header alone is here.
    private func refuse(_ response: Response) -> MHD_Result {
        loop.counters.refusalCounter.move(by: 1)
        if let head, head.announcesBody, !head.expectsContinue { return refuseWhileReceiving(response) }
        head = RequestHead.refused
        return queue(response, closing: true)
    }

    /// The answer to a request that is not let in.
    struct Refusal: Error {
        var response: Response
        init(response: Response) { self.response = response }
        init(_ error: HTTPError) { response = error.httpResponse }
    }

    private func checkHead(_ name: UnsafePointer<CChar>) throws(Refusal) -> RequestHead {
        do throws(HTTPError) { return try parseHead(name) } catch { throw Refusal(error) }
    }

    private func parseHead(_ name: UnsafePointer<CChar>) throws(HTTPError) -> RequestHead {
        guard let targetStart else { throw .malformed("The request line must have a target.") }
        let raw = UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self)
        let start = UnsafeRawPointer(targetStart) - UnsafeRawPointer(name)
        let size = rg_mhd_header_size(handle)
        guard start > 0, start + targetLength < size else { throw .malformed("The request line is malformed.") }
        let head = try RequestHead(
            UnsafeBufferPointer(start: raw, count: size), target: start..<(start + targetLength),
            limits: loop.headLimits)
        guard targetLength <= loop.configuration.targetLimit else { throw .targetTooLong }
        method = HTTPMethod(String(cString: name))
        parsedTarget = try parseTarget(target)
        return head
    }

    /// Sends the last answer of this connection straight to the socket.
    func sendPastLibrary(_ response: Response) {
        let bytes = ResponseHead(response, contentLength: response.contentLength).bytes + response.bodyBytes
        // A few hundred bytes fit in the buffer of a socket that nothing has been sent on since the last answer.
        if let session {
            _ = bytes.withUnsafeBytes { session.send($0) }
        } else {
            _ = Glibc.send(fd, bytes, bytes.count, sendFlags)
        }
        endSending()
    }

    /// Nothing follows what has been sent.
    func endSending() {
        session?.sayEnd()
        shutdown(fd, Int32(SHUT_WR))
    }

    /// The library refuses what it cannot parse, after which it closes the connection. Puts what is to be sent into
    /// `own`, or sends it itself and gives `YES`.
    ///
    /// After it has refused a Content-Length that is no number, 0.9.75 goes on as if it had not, and sends the head
    /// twice. Then the answer goes past it. Anywhere else that would be wrong: where it goes on after a refusal that
    /// was not queued, it may look at the memory of a connection that it has let go of.
    func refuse(byLibrary status: Int, own: UnsafeMutablePointer<OpaquePointer?>?) -> MHD_Result {
        guard phase != .detached, phase != .discarding else { return .NO }
        loop.counters.refusalCounter.move(by: 1)
        let response = HTTPError.refusal(status).httpResponse
        guard hasFaultyLength else {
            deadline = loop.now + Int64(loop.configuration.receiveTimeout)
            own?.pointee = loop.makeResponse(response, for: self, closing: true)
            return .NO
        }
        sendPastLibrary(response)
        // What has arrived and nobody has read would turn the end into a reset, and the answer be lost.
        for _ in 0..<16 where recv(fd, nil, 1 << 20, Int32(MSG_TRUNC) | Int32(MSG_DONTWAIT)) < 1 << 20 { break }
        return .YES
    }

    private var hasFaultyLength: Bool {
        guard let value = MHD_lookup_connection_value(handle, .HEADER_KIND, "Content-Length") else { return false }
        let text = String(cString: value)
        return Int64(text) == nil || !text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    // MARK: - Answering

    private func dispatch() -> MHD_Result {
        guard var request = makeRequest() else { return .NO }
        loop.counters.requestCounter.move(by: 1)
        request.bodyFile = body.file?.finish()
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
                    inbox.post(.answer(request: requestID, connection: id, $0))
                })
            return .YES
        }
    }

    /// The request with as much of its body as is in memory.
    func makeRequest() -> Request? {
        guard let head, let parsedTarget else { return nil }
        return Request(
            method: method, target: target, parsedTarget: parsedTarget, headerBlock: head.headers, body: body.bytes,
            remoteAddress: remoteAddress, id: requestID)
    }

    /// A responder has answered: wakes the connection, which then asks for the answer again.
    func resume(with answer: Responder.Answer?) {
        guard phase == .handling else { return }
        self.answer = answer
        client = nil
        loop.resume(self)
    }

    private func send(_ answer: Responder.Answer) -> MHD_Result {
        self.answer = nil
        switch answer {
        case .response(let response): return queue(response)
        case .events(let headers, let start): return openStream(headers, start)
        }
    }

    /// The answer, if there is room for it; otherwise one that says so.
    private func admit(_ response: Response) -> Response {
        let bytes = response.heldBytes
        if method == .head {
            // Its length is told and the body dropped.
            loop.memory.move(by: bytes)
            return response
        }
        guard loop.memory.take(bytes) else {
            var refusal = HTTPError.noMemory.httpResponse
            // Pages of other origins may read it, too.
            for field in response.headers where field.name.lowercased().hasPrefix("access-control-") {
                refusal.headers.add(field.name, field.value)
            }
            return refusal
        }
        if case .pieces = response.body {} else { wholeBytes = bytes }
        lastProgress = loop.now
        return response
    }

    private func queue(_ response: Response, closing: Bool = false) -> MHD_Result {
        phase = .responding
        deadline = .max
        let response = admit(response)
        guard let made = loop.makeResponse(response, for: self, closing: closing) else { return .NO }
        defer { MHD_destroy_response(made) }
        return rg_queue_response(handle, UInt32(clamping: response.status), made)
    }

    /// Takes the socket away from the library and makes it an event stream's.
    ///
    /// The library would keep its memory pool for as long as the stream lasts, more than a hundred times what
    /// the stream itself needs. So the stream gets a descriptor of its own, the library is told to drop the
    /// connection, and its close ends nothing but its own descriptor: it runs in the mode in which it does not
    /// shut sockets down. With TLS the library holds the keys, and the stream stays with it: the connection
    /// sleeps for as long as the stream lasts, and the stream's bytes go through the library's session
    /// meanwhile.
    private func openStream(_ headers: HeaderFields, _ start: @Sendable (EventStream) -> Void) -> MHD_Result {
        var head = Response(headers: EventStream.headers(adding: headers))
        guard method != .head else {
            head.body = .pieces(UnmadeBody())
            return queue(head)
        }
        guard !loop.isStopping else { return queue(HTTPError.stopping.httpResponse) }
        let bytes = SharedBytes(ResponseHead(head, contentLength: nil).bytes)
        let opened =
            session.map { loop.openSecureStream(self, $0, head: bytes) } ?? loop.openStream(on: fd, head: bytes)
        guard let stream = opened else {
            return queue(HTTPError.tooManyStreams.httpResponse)
        }
        phase = .detached
        deadline = .max
        isSecureStream = session != nil
        if isSecureStream { MHD_suspend_connection(handle) }
        start(stream)
        return isSecureStream ? .YES : .NO
    }

    /// The stream that the sleeping connection was is over: the library says goodbye and forgets it.
    ///
    /// - Parameter abrupt: nobody is there to hear it.
    func secureStreamEnded(abrupt: Bool) {
        if abrupt { shutdown(fd, Int32(SHUT_RDWR)) }
        loop.resume(self)
    }
}

extension EventStream {
    fileprivate static func headers(adding headers: HeaderFields) -> HeaderFields {
        var all: HeaderFields = [
            "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no",
        ]
        for field in headers { all.add(field.name, field.value) }
        return all
    }
}

extension RequestHead {
    private init(refused: Void) {}

    /// Stands in for the head of a request whose own could not be read.
    static let refused = RequestHead(refused: ())
}
