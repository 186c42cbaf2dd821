import Basics
import HTTPMessages
package import HTTPServer
package import ObjectCoding
package import ObjectModel

/// An ETag, which a client compares to find out whether a resource has changed.
package struct EntityTag: Hashable {
    /// The tag without quotes.
    package var text: String

    package init(_ text: String) { self.text = text }
    /// The tag of a state of the store.
    package init(_ mark: Mark) { text = mark.description }

    /// The tag with quotes, as in a header.
    package var header: String { "\"" + text + "\"" }
}

/// The tags of an `If-Match` or `If-None-Match` header.
package enum EntityTags: Hashable {
    case any
    case some([String])

    /// Nil if the header is absent. Throws for an invalid list of tags.
    package init?(_ request: Request, _ name: String) throws(Problem) {
        guard let text = request.header(name) else { return nil }
        if text == "*" {
            self = .any
            return
        }
        guard let tags = Self.tags(text) else {
            throw Problem(
                .headerInvalid, "\(name) must be an ETag in quotes, several separated by commas, or *.",
                parameter: name)
        }
        self = .some(tags)
    }

    /// Parses a list of tags, which may contain commas. Nil for an invalid list.
    private static func tags(_ text: String) -> [String]? {
        let comma = UInt8(ascii: ","), quote = UInt8(ascii: "\"")
        var tags: [String] = []
        var rest = text.utf8[...]
        while true {
            rest = rest.drop { isBlank($0) || $0 == comma }
            if rest.isEmpty { return tags }
            // Weakness makes no difference: bodies are identical byte for byte.
            if rest.starts(with: "W/".utf8) { rest = rest.dropFirst(2) }
            guard rest.first == quote else { return nil }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: quote), let tag = String(rest[..<end]) else { return nil }
            tags.append(tag)
            rest = rest[end...].dropFirst().drop(while: isBlank)
            guard rest.isEmpty || rest.first == comma else { return nil }
        }
    }

    package func contains(_ tag: EntityTag) -> Bool {
        switch self {
        case .any: true
        case .some(let tags): tags.contains(tag.text)
        }
    }
}

/// A hash for clients: the same in every process.
package enum Fingerprint {
    /// - Parameter seed: changes the fingerprint of the same bytes.
    package static func of(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt32 = 0) -> UInt64 {
        FNV1a.hash(bytes, seed: seed)
    }

    /// Returns sixteen hexadecimal digits.
    package static func text(of bytes: UnsafeBufferPointer<UInt8>, seed: UInt32 = 0) -> String {
        text(of(bytes, seed: seed))
    }

    /// Returns 16 hexadecimal digits.
    package static func text(_ value: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { text in
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 15
                text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 16
        }
    }
}
