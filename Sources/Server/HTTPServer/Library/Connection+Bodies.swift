import HTTPMessages
import CMicrohttpd
import Logging

/// Receives request bodies into memory or a file, and sends streamed response bodies.
extension Connection {
    /// The received part of a request's body.
    struct IncomingBody {
        var bytes: [UInt8] = []
        /// The file for the body; nil if it is kept in memory.
        var file: BodyFileWriter?
        var limit = 0
        /// The number of bytes received after the request was rejected.
        var discarded = 0
        /// The memory for `bytes`; nil for a body in a file.
        var lease: BodyMemory.Lease?

        var count: Int { file?.count ?? bytes.count }

        mutating func drop() {
            if !bytes.isEmpty { bytes = [] }
            file?.discard()
            file = nil
            lease = nil
        }
    }

    // MARK: Request bodies

    /// Determines where the body is kept, and whether it is accepted.
    func prepareBody(_ head: RequestHead) throws(Refusal) {
        let handling = parsedTarget.map { loop.router.bodyHandling(method, $0.segments) } ?? .memory
        switch handling {
        case .memory: body.limit = loop.configuration.bodyLimit
        case .file(let limit): body.limit = limit
        }
        guard head.contentLength <= body.limit else { throw Refusal(.bodyTooLarge(body.limit)) }
        guard handling != .memory else {
            body.bytes.reserveCapacity(min(head.contentLength, 1 << 18))
            body.lease = loop.bodies.lease()
            return
        }
        if let request = makeRequest(), let response = loop.router.refusal(of: request) {
            throw Refusal(response: response)
        }
        do throws(BodyFileWriter.Failure) {
            body.file = try BodyFileWriter(in: loop.configuration.temporaryDirectory)
        } catch {
            throw Refusal(problem(error))
        }
    }

    /// Returns the error for the client if a body cannot be stored, and logs the cause.
    private func problem(_ failure: BodyFileWriter.Failure) -> HTTPError {
        loop.configuration.logger.error(
            "A request's body cannot be stored. Free disk space for temporary files, or choose another directory for them.",
            metadata: [
                "directory": "\(loop.configuration.temporaryDirectory)", "call": "\(failure.call)",
                "error": "\(errorText(failure.errno))",
            ])
        return failure.isFull ? .storageFull : .internalError
    }

    func receiveBody(_ bytes: UnsafeRawBufferPointer) -> MHD_Result {
        if phase == .discarding {
            body.discarded += bytes.count
            return body.discarded <= 64 << 20 ? .YES : .NO
        }
        guard body.count + bytes.count <= body.limit else {
            loop.counters.refusalCounter.move(by: 1)
            return refuseWhileReceiving(HTTPError.bodyTooLarge(body.limit).httpResponse)
        }
        guard let file = body.file else {
            let count = body.bytes.count + bytes.count
            guard count <= BodyMemory.small || body.lease?.grow(to: count) == true else {
                loop.counters.refusalCounter.move(by: 1)
                return refuseWhileReceiving(HTTPError.noMemoryForBody.httpResponse)
            }
            lastProgress = loop.now
            // An array would double beyond what is announced.
            if count > body.bytes.capacity, let head, head.contentLength >= count {
                body.bytes.reserveCapacity(min(2 * count, head.contentLength))
            }
            body.bytes.append(contentsOf: bytes)
            return .YES
        }
        // A large body may be slow, but must make progress.
        let step = 256 * 1024
        if file.count / step != (file.count + bytes.count) / step {
            deadline = loop.now + Int64(loop.configuration.receiveTimeout)
        }
        do throws(BodyFileWriter.Failure) {
            try file.append(bytes)
        } catch {
            loop.counters.refusalCounter.move(by: 1)
            return refuseWhileReceiving(problem(error).httpResponse)
        }
        return .YES
    }

    /// Sends the response while the body is still arriving, which the library does not support: it is written directly
    /// to the socket.
    ///
    /// The client's remaining bytes are read and dropped for a short while. Closing at once would make the kernel reset
    /// the connection, and the client might lose the response.
    func refuseWhileReceiving(_ response: Response) -> MHD_Result {
        // Frees the space before the client learns that there was too little.
        body.drop()
        sendPastLibrary(readable(response))
        phase = .discarding
        deadline = loop.now + 2_000
        body.discarded = 0
        return .YES
    }

    // MARK: Streamed response bodies

    /// Suspends the connection until the stream has a piece. Called while the library asks for bytes.
    func awaitPiece(of bodyStream: BodyStream) {
        awaitedBodyStream = bodyStream
        MHD_suspend_connection(handle)
    }

    func resumeBody() {
        guard awaitedBodyStream != nil else { return }
        awaitedBodyStream = nil
        loop.resume(self)
    }

    /// Abandons a body that cannot be completed before the server stops.
    func abandonBody() {
        awaitedBodyStream?.abandon()
        resumeBody()
    }

    /// Whether the client understands chunks; otherwise the end of the connection ends a body.
    var takesChunks: Bool { head?.isHTTP11 ?? true }
}
