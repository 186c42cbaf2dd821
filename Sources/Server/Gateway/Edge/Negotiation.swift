import HTTPServer

/// Answers 406 where a client takes nothing that a resource can give.
///
/// Errors are problem documents whatever is asked for.
func negotiate(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
    guard let accept = request.header("Accept"), accept != "*/*", let offered = Offer(request) else {
        return next(request)
    }
    let accepted = AcceptedTypes(accept)
    // Generated clients name the types of what a request is answered with. Of one that is answered with nothing, as most
    // deletions are, that is the type of errors.
    let isForErrors = !request.method.isRead && accepted.take("application/problem+json")
    guard isForErrors || accepted.take(offered.rawValue) else {
        throw Problem(
            406, "not_acceptable",
            "This is given as \(offered.rawValue). Leave the header 'Accept' out, or name that type in it.",
            parameter: "Accept")
    }
    return next(request)
}

/// What resources are given as.
private enum Offer: String {
    case json = "application/json"
    case events = "text/event-stream"

    /// Nil for what has types of its own.
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
struct AcceptedTypes {
    private let ranges: [(type: Substring, isAccepted: Bool)]

    /// What cannot be read is taken for nothing; so is a range with a quality of zero, which rules its types out.
    init(_ header: String) {
        ranges = header.split(separator: ",").map { part in
            let pieces = part.split(separator: ";").map(\.trimmed)
            let quality = pieces.dropFirst().first { $0.lowercased().hasPrefix("q=") }.map { Double($0.dropFirst(2)) }
            return (pieces.first ?? "", (quality ?? 1) ?? 0 > 0)
        }
    }

    /// Whether a type such as `application/json` is taken: the range that is most about it decides.
    func take(_ type: String) -> Bool {
        let wildcards = [type, type.prefix { $0 != "/" } + "/*", "*/*"].map { $0.lowercased() }
        for name in wildcards {
            if let range = ranges.first(where: { $0.type.lowercased() == name }) { return range.isAccepted }
        }
        return ranges.isEmpty
    }
}

extension Substring {
    /// Without blanks around it.
    fileprivate var trimmed: Substring {
        var text = drop { $0 == " " || $0 == "\t" }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
