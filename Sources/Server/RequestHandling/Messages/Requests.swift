import FairScheduling
package import HTTPMessages
import HTTPProblems
package import HTTPServer
package import JSONCoding
package import ObjectCoding
import StoreContract
package import WireProtocol

extension Request {
    /// Whether the request changes nothing.
    package var isRead: Bool {
        method.isRead || method == .post && segments.count > 2 && segments[0] == "v1" && segments[1] == "query"
    }

    /// Parses the body as JSON. Throws 415 for another content type, and 400 for invalid JSON.
    ///
    /// - Parameter folding: whether long lists of plain values stay text.
    package func json(folding: Bool = false) throws(Problem) -> JSONValue {
        // An empty body is not JSON, whatever its content type is.
        guard body.isEmpty || Self.isJSON(header("Content-Type") ?? "") else {
            throw Problem(
                .unsupportedMediaType, "Send the body as UTF-8 with Content-Type: application/json.")
        }
        do {
            return folding ? try JSONValue.parseFolding(body) : try JSONValue.parse(body)
        } catch {
            throw Problem(error)
        }
    }

    /// Whether a media type is that of JSON in UTF-8.
    package static func isJSON(_ mediaType: String) -> Bool {
        // Nearly every request says this.
        guard mediaType != "application/json" else { return true }
        let type = FieldElement(mediaType)
        guard type.name == "application/json" || type.name.hasSuffix("+json") else { return false }
        return type.isUTF8
    }

    /// The id of the last event that the client received. The header, which browsers send when they reconnect, and the
    /// parameters that replacements of `EventSource` send then, are more recent than the parameter with which the page
    /// opened the stream.
    package var lastEventID: String? {
        if let sent = header(HeaderName.lastEventID) { return sent }
        guard !query.isEmpty else { return nil }
        return ParameterName.lastEventIDs.lazy.compactMap { self.query($0) }.first ?? query(ParameterName.lastEventID)
    }

    // MARK: Quotas

    /// The key by which requests are counted together; nil for callers without identity, which are counted by address.
    package var callerKey: LimitKey? { (context as? CallerContext)?.name.map(LimitKey.caller) }

    /// The key of the request's quotas: that of its caller, or of its address.
    package var limitKey: LimitKey { callerKey ?? LimitKey(remoteAddress) ?? RequestPace.ownCaller }

    // MARK: Threads

    /// Throws on a loop's thread, for work without a small bound.
    package func requireWorker() throws(NeedsWorker) {
        if isOnLoop { throw NeedsWorker() }
    }
}

/// Thrown on a loop's thread for work that takes too long there.
package struct NeedsWorker: Error {
    package init() {}

    /// Whether an error on a loop's thread, where budgets are small, has this meaning.
    static func isMeant(by error: any Error) -> Bool {
        error is NeedsWorker || (error as? StoreError)?.code == .tooExpensive
    }
}

extension HTTPMethod {
    /// Whether the method changes nothing.
    package var isRead: Bool { self == .get || self == .head }
}

extension ParameterName {
    /// The parameter of all reads that names a snapshot.
    package static let snapshot = "snapshot"
}
