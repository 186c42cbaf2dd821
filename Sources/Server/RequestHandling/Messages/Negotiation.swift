import HTTPMessages
package import HTTPServer
import ObjectCoding

/// Responds with 406 if the client accepts none of the resource's media types.
///
/// Errors are problem documents whatever the client accepts.
package func negotiate(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
    guard let accept = request.header("Accept"), accept != "*/*", let offered = Offer(request) else {
        return next(request)
    }
    let accepted = AcceptedTypes(accept)
    // Generated clients list the types of a request's responses. For a request with an empty response, as most
    // deletions have, that is the type of errors.
    let isForErrors = !request.method.isRead && accepted.accepts("application/problem+json")
    guard isForErrors || accepted.accepts(offered.rawValue) else {
        throw Problem(
            .notAcceptable,
            "The response has the type \(offered.rawValue). Omit the header 'Accept', or include that type in it.",
            parameter: "Accept")
    }
    return next(request)
}

/// The media types of resources.
private enum Offer: String {
    case json = "application/json"
    case events = "text/event-stream"

    /// Nil for resources with types of their own.
    init?(_ request: Request) {
        var segments = request.segments[...]
        guard segments.popFirst() == "v1" else { return nil }
        if segments.first == "query" { segments.removeFirst() }
        switch segments.first {
        case "observe": self = .events
        case "subscriptions" where segments.last == "stream": self = .events
        case "schema", "objects", "aggregates", "sections", "index", "values", "snapshots", "subscriptions",
            "transactions":
            self = .json
        default: return nil
        }
    }
}

/// The media ranges of an `Accept` header.
package struct AcceptedTypes {
    private let ranges: [(type: String, isAccepted: Bool)]

    /// Ignores unreadable ranges; a range with quality zero excludes its types.
    package init(_ header: String) {
        ranges = FieldElement.list(header).map { range in
            let quality = range.parameters.first { $0.name == "q" }.map { $0.value.flatMap { Double($0) } ?? 0 }
            return (range.name, quality ?? 1 > 0)
        }
    }

    /// Whether a type such as `application/json` is accepted: the most specific range decides.
    func accepts(_ type: String) -> Bool {
        let wildcards = [type, type.prefix { $0 != "/" } + "/*", "*/*"].map { $0.lowercased() }
        for name in wildcards {
            if let range = ranges.first(where: { $0.type == name }) { return range.isAccepted }
        }
        return ranges.isEmpty
    }

    /// Whether a type is accepted by its own name: the way to ask for a form that nobody gets unasked.
    package func names(_ type: String) -> Bool { ranges.first { $0.type == type }?.isAccepted ?? false }
}
