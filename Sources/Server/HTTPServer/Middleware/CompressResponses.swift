import HTTPMessages
package import Compression

/// Determines which responses are compressed, and how.
package struct CompressionPolicy: Sendable {
    /// The size in bytes below which bodies are not compressed.
    package var shortest = 1024
    /// The size in bytes above which bodies are compressed while they are sent, off the loop's thread. Compressing a
    /// smaller body at once takes some hundred microseconds at most.
    package var maximumOneShotSize = 32 * 1024
    package var pool = EncoderPool()

    package init() {}

    /// Returns whether bodies of this type compress well.
    package func isWorthwhile(_ contentType: String) -> Bool {
        // Nearly every response is this.
        guard contentType != "application/json" else { return true }
        let type = contentType.prefix { $0 != ";" }.lowercased()
        if type == "text/event-stream" { return false }
        if type.hasPrefix("text/") || type.hasSuffix("+json") || type.hasSuffix("+xml") { return true }
        return [
            "application/json", "application/x-ndjson", "application/ndjson", "application/jsonl",
            "application/javascript", "application/xml", "application/yaml",
        ].contains(type)
    }
}

/// Compresses bodies as `Accept-Encoding` requests: text, JSON and similar types of at least 1 KiB. Skips event
/// streams, responses without a body and those that have a `Content-Encoding`.
///
/// ETags keep working: see `EncodedETags`. A response to HEAD has the fields of the one to GET, except `Content-Length`
/// if it is known only after the body was produced. Responds with 406 if the client accepts no supported coding.
package func compressResponses(_ policy: CompressionPolicy = CompressionPolicy()) -> Middleware {
    { request, next in
        let accepted = AcceptEncoding(request.header("Accept-Encoding"))
        guard accepted.allowsIdentity || accepted.coding != nil else {
            throw HTTPError(
                .encodingNotAcceptable,
                detail: "Accept-Encoding excludes every supported coding: allow \(Coding.list) or identity.",
                headers: ["Vary": "Accept-Encoding"])
        }
        let known = request.header("If-None-Match")
        let changing = request.header("If-Match")
        guard known != nil || changing != nil else {
            return next(request).mapHead { $0.compress(accepted, policy, known: nil) }
        }
        var plain = request
        if let known, let coding = accepted.coding {
            plain.setHeader("If-None-Match", EncodedETags.plain(known, [coding]))
        }
        if let changing { plain.setHeader("If-Match", EncodedETags.plain(changing, Coding.allCases)) }
        return next(plain).mapHead { $0.compress(accepted, policy, known: known) }
    }
}

extension Response {
    fileprivate mutating func compress(_ accepted: AcceptEncoding, _ policy: CompressionPolicy, known: String?) {
        if status == 304 {
            headers.vary("Accept-Encoding")
            // The client has one of two bodies, as the tag in its condition shows.
            if let coding = accepted.coding, let known, let tag = headers["ETag"].map({ EncodedETags.tag($0, coding) }),
                known.contains(tag)
            {
                headers["ETag"] = tag
            }
            return
        }
        // A client that does not accept uncompressed bodies gets all of them compressed.
        guard isLong(policy.shortest) || !accepted.allowsIdentity else { return }
        guard status >= 200, status != 204, !headers.has("Content-Encoding"), !headers.has("Content-Range"),
            let type = headers["Content-Type"]
        else { return }
        let isWorthwhile = policy.isWorthwhile(type)
        guard isWorthwhile || !accepted.allowsIdentity else { return }
        if isWorthwhile { headers.vary("Accept-Encoding") }
        guard let coding = accepted.coding, let compressed = compressedBody(coding, policy) else { return }
        body = compressed
        headers["Content-Encoding"] = coding.rawValue
        if let tag = headers["ETag"] { headers["ETag"] = EncodedETags.tag(tag, coding) }
    }

    private func isLong(_ shortest: Int) -> Bool {
        if case .pieces = body { true } else { contentLength >= shortest }
    }

    /// Returns nil if there is nothing to compress, or no memory to do it.
    private func compressedBody(_ coding: Coding, _ policy: CompressionPolicy) -> Body? {
        switch body {
        case .empty: return nil
        case .pieces(let source): return .pieces(EncodedSource(source, coding, policy.pool))
        case .bytes(let bytes) where bytes.count <= policy.maximumOneShotSize:
            return (try? bytes.withUnsafeBytes { try policy.pool.encode($0, coding) }).map(Body.bytes)
        case .shared(let shared) where shared.count <= policy.maximumOneShotSize:
            return (try? shared.withUnsafeBytes { try policy.pool.encode($0, coding) }).map(Body.bytes)
        case .bytes(let bytes): return .pieces(EncodedSource(BytesSource(bytes), coding, policy.pool))
        case .shared(let shared): return .pieces(EncodedSource(BytesSource(shared), coding, policy.pool))
        }
    }
}
