import HTTPMessages
import HTTPServer
import Identity
import ObjectCoding

/// The credential of a request. Never logged.
struct Credential {
    /// The query parameter in which streams may send it, because a page cannot set a header of an EventSource.
    static let parameter = "access_token"

    let text: String

    /// Whether it has the form of a token; anything else is a key.
    var isToken: Bool { !text.hasPrefix(KeyRing.prefix) && text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// Reads the credential from `Authorization: Bearer`, else from `X-API-Key`, else, for a stream, from the query
    /// parameter. Nil if there is none. Throws 401 for another scheme.
    init?(_ request: Request) throws(Problem) {
        if let header = request.header("Authorization") {
            let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                throw Problem(
                    .authInvalid,
                    "The header Authorization must contain 'Bearer', a space, and an API key or a token.",
                    parameter: "Authorization")
            }
            text = String(parts[1].trimmingBlanks)
        } else if let header = request.header("X-API-Key") {
            text = String(header[...].trimmingBlanks)
        } else if Self.isTakenFromQuery(of: request), let value = request.query(Self.parameter) {
            text = value
        } else {
            return nil
        }
    }

    /// Whether the request opens an event stream, which may have its credential in the query.
    static func isTakenFromQuery(of request: Request) -> Bool {
        guard request.method == .get, request.segments.count >= 3, request.segments[0] == "v1" else { return false }
        return request.segments[1] == "observe"
            || request.segments[1] == "subscriptions" && request.segments.count == 4 && request.segments[3] == "stream"
    }
}
