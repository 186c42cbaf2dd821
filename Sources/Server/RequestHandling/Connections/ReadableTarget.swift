package import HTTPMessages

/// A request's path and parameters, decoded and cut, as a person reads them. Credentials are left out.
package struct ReadableTarget {
    private let path: String
    private let items: [QueryItem]

    /// The most characters that are shown.
    package static let limit = 1000

    package init(_ segments: [String], _ query: [QueryItem]) {
        path = "/" + segments.joined(separator: "/")
        items = query.filter { $0.name != Credential.parameter }
    }

    /// The parameters in the order sent.
    package var whole: String { Self.joined(path, items.map { "\($0.name)=\($0.value)" }) }

    package static func joined(_ path: String, _ items: [String]) -> String {
        cut(items.isEmpty ? path : "\(path)?\(items.joined(separator: "&"))")
    }

    private static func cut(_ text: String) -> String {
        // Few are so long, and bytes are counted faster than characters.
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))) + "…"
    }
}
