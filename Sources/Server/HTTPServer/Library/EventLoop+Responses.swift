import CMicrohttpd
import Logging

extension EventLoop {
    /// How much of a body is handed to the library at a time.
    private static let blockSize = 64 * 1024

    /// The library's form of a response, owned by the caller. `nil` when memory ran out.
    ///
    /// A large body must have found room in `memory`.
    func makeResponse(_ response: Response, for connection: Connection, closing: Bool) -> OpaquePointer? {
        guard let made = makeBody(response, for: connection) else { return nil }
        if case .pieces = response.body, connection.method == .head || response.status == 304 {
            // The library would send the last chunk of a body that it leaves out.
            rg_mhd_forbid_chunks(made)
        }
        addHeaders(response.headers, to: made)
        if closing || isStopping { MHD_add_response_header(made, "Connection", "close") }
        return made
    }

    func addHeaders(_ headers: HeaderFields, to response: OpaquePointer) {
        for field in headers where MHD_add_response_header(response, field.name, field.value) != .YES {
            // The library refuses line breaks, which is right: they would let a value write headers of its own.
            configuration.logger.error("A response header was left out.", metadata: ["name": "\(field.name)"])
        }
        for field in headers.missingFields { MHD_add_response_header(response, field.name, field.value) }
    }

    private func makeBody(_ response: Response, for connection: Connection) -> OpaquePointer? {
        switch response.body {
        case .pieces(let source):
            let bodyStream = bodyStream(source, connection)
            connection.bodyStream = bodyStream
            let body = Unmanaged.passRetained(PiecedBody(bodyStream, connection)).toOpaque()
            // The library chunks it, or ends the connection after it for clients that know no chunks.
            let made = MHD_create_response_from_callback(
                UInt64.max, Self.blockSize,
                { body, _, buffer, size in
                    guard let body, let buffer else { return -2 }
                    return Unmanaged<PiecedBody>.fromOpaque(body).takeUnretainedValue().copy(
                        to: UnsafeMutableRawBufferPointer(start: buffer, count: size))
                }, body,
                { body in body.map { Unmanaged<PiecedBody>.fromOpaque($0).takeRetainedValue().bodyStream.abandon() } })
            if made == nil {
                Unmanaged<PiecedBody>.fromOpaque(body).release()
                bodyStream.abandon()
            }
            return made
        case .empty:
            return MHD_create_response_from_buffer(0, nil, .RESPMEM_PERSISTENT)
        case .bytes(let bytes) where bytes.count <= AnswerMemory.small:
            return bytes.withUnsafeBytes {
                // The library copies what it is told to copy and does not write to it.
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .bytes(let bytes): return makeBody(of: SharedBytes(bytes), counted: bytes.count)
        case .shared(let shared): return makeBody(of: shared, counted: shared.isOfOneAnswer ? shared.count : 0)
        }
    }

    /// Sent from where it lies, so that a large answer is in memory once.
    private func makeBody(of content: SharedBytes, counted: Int) -> OpaquePointer? {
        let owner = Unmanaged.passRetained(HeldBody(content, memory, counted: counted)).toOpaque()
        let made = MHD_create_response_from_buffer_with_free_callback_cls(
            content.count, content.pointer.baseAddress,
            { owner in owner.map { Unmanaged<HeldBody>.fromOpaque($0).release() } }, owner)
        if made == nil { Unmanaged<HeldBody>.fromOpaque(owner).release() }
        return made
    }
}

extension EventLoop {
    private func bodyStream(_ source: any BodySource, _ connection: Connection) -> BodyStream {
        BodyStream(
            source, producers: producers, memory: memory,
            wake: { [inbox, request = connection.requestID, id = connection.id] in
                inbox.post(.piece(request: request, connection: id))
            },
            report: { [logger = configuration.logger, request = connection.requestID] error in
                logger.error(
                    "A body ended early, and its connection was cut.",
                    metadata: ["request": "\(request)", "error": "\(error)"])
            })
    }
}

private final class PiecedBody {
    let bodyStream: BodyStream
    private let connection: Connection

    init(_ bodyStream: BodyStream, _ connection: Connection) {
        self.bodyStream = bodyStream
        self.connection = connection
    }

    /// What the library's reader returns: a number of bytes, 0 for a connection that has been suspended, or -1
    /// at the end of a chunked body.
    ///
    /// The library forgets a connection that ends in its reader in any other way, until older ones have gone.
    /// So those end in the write that follows: the socket is closed for writing, and takes the one byte that it
    /// is given no more.
    func copy(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch bodyStream.read(into: buffer) {
        case .bytes(let count): return count
        case .wait:
            connection.awaitPiece(of: bodyStream)
            return 0
        case .end:
            if connection.takesChunks { return -1 }
            connection.endSending()
        case .failed:
            connection.cut()
        }
        buffer.storeBytes(of: 0, as: UInt8.self)
        return 1
    }
}
