import HTTPServer
import ObjectModel
import StoreContract

/// What a client compares to learn whether something is as it was.
struct EntityTag: Hashable {
    /// Without quotes.
    var text: String

    init(_ text: String) { self.text = text }
    init(_ version: Version) { text = String(version.rawValue) }

    /// As a header has it.
    var header: String { "\"\(text)\"" }
}

/// The tags of an `If-Match` or `If-None-Match` header.
enum EntityTags: Hashable {
    case any
    case some([String])

    /// Nil when the header is not there. Throws for what is no list of tags.
    init?(_ request: Request, _ name: String) throws(Problem) {
        guard let text = request.header(name) else { return nil }
        if text == "*" {
            self = .any
            return
        }
        var tags: [String] = []
        for part in text.split(separator: ",") {
            var tag = part.drop { $0 == " " || $0 == "\t" }
            while tag.last == " " || tag.last == "\t" { tag.removeLast() }
            // Whether a tag is weak makes no difference here: bodies are the same byte for byte.
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            guard tag.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else {
                throw Problem(
                    400, "header.invalid", "\(name) takes an ETag in quotes, several separated by commas, or *.",
                    parameter: name)
            }
            tags.append(String(tag.dropFirst().dropLast()))
        }
        self = .some(tags)
    }

    func contains(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .some(let tags): tags.contains(tag.text)
        }
    }
}
