import CMicrohttpd
import Logging

/// The bodies of requests, on their way into memory or a file, and those of answers that are made in pieces.
extension Connection {
    /// What has come of a request's body.
    struct IncomingBody {
        var bytes: [UInt8] = []
        /// Where it goes, if not into memory.
        var file: BodyFileWriter?
        var limit = 0
        /// While it comes in chunks.
        var chunks: ChunkDecoder?
        /// Bytes that nobody wanted any more.
        var discarded = 0

        var count: Int { file?.count ?? bytes.count }

        mutating func drop() {
            if !bytes.isEmpty { bytes = [] }
            file?.discard()
            file = nil
            chunks = nil
        }
    }

    // MARK: Of requests

    /// Finds out where the body goes and whether it may come.
    func prepareBody(_ head: RequestHead) throws(Refusal) {
        let handling = parsedTarget.map { loop.router.bodyHandling(method, $0.segments) } ?? .memory
        switch handling {
        case .memory: body.limit = loop.configuration.bodyLimit
        case .file(let limit): body.limit = limit
        }
        guard head.contentLength <= body.limit else { throw Refusal(.bodyTooLarge(body.limit)) }
        guard handling != .memory else {
            body.bytes.reserveCapacity(min(head.contentLength, 1 << 18))
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

    /// What the client hears of a body that cannot be kept, and the log.
    private func problem(_ failure: BodyFileWriter.Failure) -> HTTPError {
        loop.configuration.logger.error(
            "A request's body cannot be kept. Make room for temporary files, or choose another directory for them.",
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
            body.bytes.append(contentsOf: bytes)
            return .YES
        }
        // A large body may take its time, but has to come.
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

    /// Takes the body out of its chunks.
    ///
    /// - Parameter left: becomes the number of bytes behind the last chunk and its trailers, which are those of the next
    ///   request.
    func receiveChunks(_ bytes: UnsafeRawBufferPointer, left: inout Int) -> MHD_Result {
        var position = 0
        do throws(HTTPError) {
            while let part = try body.chunks?.next(bytes, &position) {
                let result = receiveBody(UnsafeRawBufferPointer(rebasing: bytes[part]))
                guard result == .YES, phase != .discarding else { return result }
            }
        } catch {
            loop.counters.refusalCounter.move(by: 1)
            return refuseWhileReceiving(error.httpResponse)
        }
        if body.chunks?.isFinished == true {
            body.chunks = nil
            rg_mhd_end_chunks(handle, UInt64(position))
            left = bytes.count - position
        }
        return .YES
    }

    /// Answers although the body is still coming, which the library cannot do: the answer goes straight to the
    /// socket.
    ///
    /// What the client still sends is read and dropped for a short while. Closing at once would make the kernel
    /// reset the connection, and the client might lose the answer.
    func refuseWhileReceiving(_ response: Response) -> MHD_Result {
        // The space is free before the client hears that there was too little.
        body.drop()
        sendPastLibrary(response)
        phase = .discarding
        deadline = loop.now + 2_000
        body.discarded = 0
        return .YES
    }

    // MARK: Of answers, in pieces

    /// Sleeps until the feed has a piece. Called while the library asks for bytes.
    func awaitPiece(of bodyStream: BodyStream) {
        awaitedBodyStream = bodyStream
        MHD_suspend_connection(handle)
    }

    func resumeBody() {
        guard awaitedBodyStream != nil else { return }
        awaitedBodyStream = nil
        loop.resume(self)
    }

    /// Ends a body that the server has no time left for.
    func abandonBody() {
        awaitedBodyStream?.abandon()
        resumeBody()
    }

    /// Whether the end of a body is told by a last chunk, not by the end of the connection.
    var takesChunks: Bool { head?.isHTTP11 ?? true }
}
