package import HTTPMessages
package import Compression

/// Decompresses bodies in memory that have a `Content-Encoding` of gzip or zstd, for the handlers inside. Handlers
/// decompress bodies in files themselves.
///
/// Responds with 415 for another coding, 400 for invalid data, and 413 if the decompressed body exceeds the limit.
///
/// - Parameters:
///   - limit: the maximum size of the decompressed body, in bytes.
///   - elsewhere: runs long work on a thread other than the loop's.
package func expandRequests(
    limit: Int, elsewhere: @escaping @Sendable (Request, @escaping @Sendable () -> Reply) -> Reply = { $1() }
) -> Middleware {
    { request, next in
        guard request.bodyFile == nil, !request.body.isEmpty, let coding = try request.contentCoding else {
            return next(request)
        }
        return elsewhere(request) {
            do throws(HTTPError) {
                let expanded = try request.expanded(coding, limit: limit)
                guard expanded.bodyLease?.grow(to: expanded.body.count) != false else { throw .noMemoryForBody }
                return next(expanded)
            } catch {
                return .now(error.httpResponse)
            }
        }
    }
}

extension Request {
    /// The coding of the body, by `Content-Encoding`; nil for an uncompressed body. Throws 415 for an unsupported
    /// coding, and for several.
    package var contentCoding: Coding? {
        get throws(HTTPError) {
            guard let name = header("Content-Encoding"), !equalsIgnoringCase(name, "identity") else { return nil }
            guard let coding = Coding(name: name) else {
                throw HTTPError(
                    .encodingUnsupported,
                    detail: "Send the body uncompressed, or with a Content-Encoding of these: \(Coding.list).",
                    headers: ["Accept-Encoding": Coding.allCases.map(\.rawValue).joined(separator: ", ")])
            }
            return coding
        }
    }

    fileprivate func expanded(_ coding: Coding, limit: Int) throws(HTTPError) -> Request {
        var plain = self
        do throws(CompressionError) {
            let bytes = body
            plain.body = try expand(bytes, coding, limit)
        } catch {
            throw HTTPError(error, coding)
        }
        plain.setHeader("Content-Encoding", nil)
        plain.setHeader("Content-Length", String(plain.body.count))
        return plain
    }
}

private func expand(_ bytes: [UInt8], _ coding: Coding, _ limit: Int) throws(CompressionError) -> [UInt8] {
    let result = bytes.withUnsafeBytes { bytes -> Result<[UInt8], CompressionError> in
        do throws(CompressionError) {
            return .success(try Decoder.expand(bytes, coding, limit: limit))
        } catch {
            return .failure(error)
        }
    }
    return try result.get()
}

extension HTTPError {
    /// Creates the error response for a body that cannot be decompressed.
    package init(_ error: CompressionError, _ coding: Coding) {
        switch error {
        case .damaged, .truncated:
            self = HTTPError(
                .encodingInvalid,
                detail: "The body has Content-Encoding: \(coding.rawValue), but its data is "
                    + (error == .truncated ? "incomplete." : "not valid."))
        case .tooLarge(let limit):
            self = HTTPError(
                .bodyTooLarge,
                detail: "The body expands to more than \(limit) bytes. Send the objects in smaller batches.")
        case .outOfMemory:
            self = HTTPError(
                .outOfMemory,
                detail: "There is not enough memory for this body now. Try again in a moment.",
                headers: ["Retry-After": "1"])
        }
    }
}
