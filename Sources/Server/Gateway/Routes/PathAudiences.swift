import RequestHandling

/// Who may use a path without a credential, from the route table: the caller of a request is determined before its route
/// is.
struct PathAudiences {
    /// Made once: to look at the characters of a pattern for each request would cost thousands of instructions.
    private enum Part {
        case text(String)
        case any
        /// All segments from here on.
        case rest

        init(_ text: Substring) {
            switch text.first {
            case "*": self = .rest
            case ":": self = .any
            default: self = .text(String(text))
            }
        }
    }

    private struct Row {
        let pattern: [Part]
        let audience: Audience
    }

    /// A few paths: all others require a credential.
    private let rows: [Row]

    init(_ table: [Route]) {
        rows = Dictionary(grouping: table, by: \.pattern).compactMap { pattern, routes in
            let audience = routes[0].audience
            guard ![.callers, .administrators].contains(audience), routes.allSatisfy({ $0.audience == audience }) else {
                return nil
            }
            return Row(pattern: pattern.split(separator: "/").map { Part($0) }, audience: audience)
        }
    }

    /// The audience of the routes with this path, whatever the method; nil for a path that requires a credential.
    subscript(segments: [String]) -> Audience? {
        rows.first { Self.matches($0.pattern, segments) }?.audience
    }

    private static func matches(_ pattern: [Part], _ segments: [String]) -> Bool {
        for (index, part) in pattern.enumerated() {
            guard index < segments.count else { return false }
            switch part {
            case .text(let text): if text != segments[index] { return false }
            case .any: break
            case .rest: return true
            }
        }
        return pattern.count == segments.count
    }
}
