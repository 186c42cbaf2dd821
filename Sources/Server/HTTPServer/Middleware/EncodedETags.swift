import Compression

/// ETags of bodies that were compressed.
///
/// A strong tag stands for bytes, and a compressed body has others. So its tag is that of the body as it is with the
/// coding's name at the end: `"41"` becomes `"41-gzip"`. What a client sends back is turned round before a handler
/// sees it: conditions are about the resource, whatever coding it was read in.
enum EncodedETags {
    /// The tag of the compressed body. Weak ones stay, because they do not stand for bytes.
    static func tag(_ tag: String, _ coding: Coding) -> String {
        guard tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2 else { return tag }
        return tag.dropLast() + "-\(coding.rawValue)\""
    }

    /// The tags of `If-Match` or `If-None-Match` without the endings of the codings given.
    static func plain(_ tags: String, _ codings: [Coding]) -> String {
        var text = tags[...]
        var plain = ""
        // Tags are quoted and hold no quotes, so what is between an odd and an even quote is a tag.
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
