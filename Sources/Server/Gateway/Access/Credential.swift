import HTTPServer
import Identity

/// What a request shows to say who makes it. Never logged.
struct Credential {
    /// The parameter that streams may have it in, because a page cannot give an EventSource a header.
    static let parameter = "access_token"

    let text: String

    /// Whether it has the form of a token: everything else is a key.
    var isToken: Bool { !text.hasPrefix(KeyRing.prefix) && text.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// From `Authorization: Bearer`, else from `X-API-Key`, else from the parameter of a stream. Nil when there is
    /// none. Throws 401 for another scheme.
    init?(_ request: Request) throws(Problem) {
        if let header = request.header("Authorization") {
            let parts = header.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, parts[0].lowercased() == "bearer" else {
                throw Problem(
                    401, "auth.invalid",
                    "The header Authorization takes 'Bearer', a space, and an API key or a token.",
                    parameter: "Authorization")
            }
            text = parts[1].trimmingSpaces
        } else if let header = request.header("X-API-Key") {
            text = header[...].trimmingSpaces
        } else if Self.isTakenFromQuery(of: request), let value = request.query(Self.parameter) {
            text = value
        } else {
            return nil
        }
    }

    /// Whether the request opens a stream of events.
    static func isTakenFromQuery(of request: Request) -> Bool {
        guard request.method == .get, request.segments.count >= 3, request.segments[0] == "v1" else { return false }
        return request.segments[1] == "observe"
            || request.segments[1] == "subscriptions" && request.segments.count == 4 && request.segments[3] == "stream"
    }
}

extension Substring {
    fileprivate var trimmingSpaces: String {
        var text = self
        while text.first == " " { text.removeFirst() }
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// The paths that take no credential.
enum PublicPath {
    /// They serve everybody the same.
    case sameForAll
    /// They serve what the caller may see, if only to nobody in particular.
    case visiblePart

    /// Nil for a path that takes one.
    init?(_ request: Request) {
        // A browser asks beforehand, without credentials, whether it may send them.
        if request.method == .options {
            self = .sameForAll
            return
        }
        switch (request.segments.first, request.segments.count) {
        case (nil, _), ("healthz", 1), ("readyz", 1), ("static", _), ("docs", _): self = .sameForAll
        case ("openapi.json", 1): self = .visiblePart
        default: return nil
        }
    }
}
