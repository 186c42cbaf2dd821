import HTTPMessages
import CMicrohttpd
import Logging

extension EventLoop {
    /// The number of bytes of a body that are passed to the library at a time.
    private static let blockSize = 64 * 1024

    /// Returns the library's form of a response, owned by the caller; `nil` if memory ran out.
    ///
    /// Memory for a large body must have been reserved in `memory`.
    func makeResponse(_ response: Response, for connection: Connection, closing: Bool) -> OpaquePointer? {
        guard let made = makeBody(response, for: connection) else { return nil }
        if case .pieces = response.body, connection.method == .head || response.status == 304 {
            // The library would send the last chunk even when it omits the body.
            rg_mhd_forbid_chunks(made)
        }
        addHeaders(response.headers, to: made)
        if closing || isStopping { MHD_add_response_header(made, "Connection", "close") }
        return made
    }

    func addHeaders(_ headers: HeaderFields, to response: OpaquePointer) {
        headers.forEachCString { name, value in
            guard MHD_add_response_header(response, name, value) != .YES else { return }
            // The library rejects line breaks, which is right: a value with them could inject header fields.
            configuration.logger.error(
                "A response header was omitted.", metadata: ["name": "\(String(cString: name))"])
        }
        headers.missingFields.forEachCString { _ = MHD_add_response_header(response, $0, $1) }
    }

    private func makeBody(_ response: Response, for connection: Connection) -> OpaquePointer? {
        switch response.body {
        case .pieces(let source):
            let bodyStream = bodyStream(source, connection)
            connection.bodyStream = bodyStream
            let body = Unmanaged.passRetained(PiecedBody(bodyStream, connection)).toOpaque()
            // The library sends chunks, or closes the connection after the body for clients that do not support chunks.
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
        case .bytes(let bytes) where bytes.count <= ResponseMemory.small:
            return bytes.withUnsafeBytes {
                // The library copies these bytes and does not write to them.
                MHD_create_response_from_buffer(
                    $0.count, UnsafeMutableRawPointer(mutating: $0.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .bytes(let bytes): return makeBody(of: SharedBytes(bytes), counted: bytes.count)
        case .shared(let shared): return makeBody(of: shared, counted: shared.isForOneResponse ? shared.count : 0)
        }
    }

    /// Sends the shared bytes without copying, so that a large response is in memory once.
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
                    "A response body failed before its end, and its connection was closed.",
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

    /// Implements the library's content reader: returns a number of bytes, 0 after suspending the connection, or -1 at
    /// the end of a chunked body.
    ///
    /// If the reader ended a connection in any other way, the library would not release it until older ones are
    /// released. So the reader closes the socket for writing and returns one byte, and the library's next write fails.
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
