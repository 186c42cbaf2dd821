package import Compression

/// ETags of compressed bodies.
///
/// A strong tag identifies bytes, and a compressed body has different ones. So its tag is that of the uncompressed body
/// with the coding's name at the end: `"41"` becomes `"41-gzip"`. The tags that a client sends are converted back
/// before a handler sees them, because conditions apply to the resource, whatever coding it was read in.
package enum EncodedETags {
    /// Returns the tag of the compressed body. Weak tags stay, because they do not identify bytes.
    package static func tag(_ tag: String, _ coding: Coding) -> String {
        guard tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 else { return tag }
        return tag.dropLast() + "-\(coding.rawValue)\""
    }

    /// Returns the tags of `If-Match` or `If-None-Match` without the suffixes of these codings.
    package static func plain(_ tags: String, _ codings: [Coding]) -> String {
        var text = tags[...]
        var plain = ""
        // Tags are quoted and contain no quotes, so the text between an odd and an even quote is a tag.
        var isInside = false
        while let quote = text.firstIndex(of: "\"") {
            var part = text[..<quote]
            if isInside, let coding = codings.first(where: { part.hasSuffix("-\($0.rawValue)") }) {
                part = part.dropLast(coding.rawValue.count + 1)
            }
            plain += part + "\""
            isInside.toggle()
            text = text[text.index(after: quote)...]
        }
        return plain + text
    }
}
