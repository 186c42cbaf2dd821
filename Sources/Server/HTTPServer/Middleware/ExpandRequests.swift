package import Compression

/// Expands bodies with a `Content-Encoding` of gzip or zstd that are in memory, for the handlers inside. Bodies in files
/// are left to their handlers.
///
/// 415 for another coding, 400 for a body that is none of its coding, 413 for one that expands beyond the limit.
///
/// - Parameters:
///   - limit: of the expanded body, in bytes.
///   - elsewhere: runs what may take long on another thread than the loop's.
package func expandRequests(
    limit: Int, elsewhere: @escaping @Sendable (Request, @escaping @Sendable () -> Reply) -> Reply = { $1() }
) -> Middleware {
    { request, next in
        guard let name = request.header("Content-Encoding"), request.bodyFile == nil, !request.body.isEmpty,
            !equalsIgnoringCase(name, "identity")
        else { return next(request) }
        guard let coding = try request.contentCoding else { return next(request) }
        return elsewhere(request) {
            do throws(HTTPError) {
                return next(try request.expanded(coding, limit: limit))
            } catch {
                return .now(error.httpResponse)
            }
        }
    }
}

extension Request {
    /// The coding of the body, by `Content-Encoding`; nil for a body as it is. Throws 415 for a coding, or several, that
    /// nobody here can undo.
    package var contentCoding: Coding? {
        get throws(HTTPError) {
            guard let name = header("Content-Encoding"), !equalsIgnoringCase(name, "identity") else { return nil }
            guard let coding = Coding(name: name) else {
                throw HTTPError(
                    415, code: "encoding.unsupported",
                    detail: "Send the body as it is, or with Content-Encoding: gzip or zstd, one of them.",
                    headers: ["Accept-Encoding": "zstd, gzip"])
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
    /// What a client hears of a body that cannot be expanded.
    package init(_ error: CompressionError, _ coding: Coding) {
        switch error {
        case .damaged, .truncated:
            self = .badRequest(
                "encoding.invalid",
                "The body says Content-Encoding: \(coding.rawValue) and is "
                    + (error == .truncated ? "cut off." : "none, or damaged."))
        case .tooLarge(let limit):
            self = HTTPError(
                413, code: "body_too_large",
                detail: "The body expands to more than \(limit) bytes. Send the objects in smaller batches.")
        case .outOfMemory:
            self = HTTPError(
                503, code: "out_of_memory", detail: "There is no memory for this body now. Try again in a moment.",
                headers: ["Retry-After": "1"])
        }
    }
}
