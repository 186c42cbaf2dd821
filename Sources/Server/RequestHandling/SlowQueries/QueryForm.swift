import HTTPMessages
import HTTPServer

/// The path and the parameters of a read without keys of objects and constants: what many requests have in common.
struct QueryForm {
    let text: String

    init(_ request: Request) {
        var path: [String] = []
        // /v1/KIND/objects/CLASS/KEY/…, and for objects themselves /v1/objects/CLASS/KEY/….
        let classIndex = request.segments.count > 1 && request.segments[1] == "objects" ? 2 : 3
        for (index, segment) in request.segments.enumerated() {
            path.append(index > classIndex && (index - classIndex) % 2 == 1 ? ":key" : segment)
        }
        let items = request.query.filter { !Self.unnamed.contains($0.name) }.map { item in
            switch item.name {
            case "filter", "having", "matching": "\(item.name)=\(Self.withoutConstants(item.value))"
            case "args", "limit", "offset", "after", "of": "\(item.name)=?"
            default: "\(item.name)=\(item.value)"
            }
        }
        // Their order means nothing.
        text = ReadableTarget.joined("/" + path.joined(separator: "/"), items.sorted())
    }

    /// Parameters that do not tell what is asked for.
    private static let unnamed = ["snapshot", "wait", "since", "count", Credential.parameter]

    /// A predicate with `?` in place of each constant and each list of them. It is a rough reading: a text that is cut
    /// in another way makes another form, and nothing else depends on it.
    static func withoutConstants(_ text: String) -> String {
        var result = ""
        var rest = text.prefix(4 * ReadableTarget.limit)
        func isWord(_ one: Character) -> Bool { one.isLetter || one.isNumber || "_$.-".contains(one) }
        while let next = rest.popFirst() {
            if next == "'" || next == "\"" {
                while let one = rest.popFirst(), one != next { if one == "\\" { _ = rest.popFirst() } }
                result += "?"
            } else if next == "(", result.hasSuffix("uuid") || result.hasSuffix("oid") {
                rest = rest.drop { $0 != ")" }
                result += "(?"
            } else if next.isNumber || "+-".contains(next) && rest.first?.isNumber == true,
                result.last.map(isWord) != true
            {
                while let one = rest.first, isWord(one) || "@:".contains(one) { rest.removeFirst() }
                result += "?"
            } else {
                result.append(next)
            }
        }
        for separator in [", ", ","] {
            while result.contains("?\(separator)?") { result = result.replacing("?\(separator)?", with: "?") }
        }
        return result
    }
}
