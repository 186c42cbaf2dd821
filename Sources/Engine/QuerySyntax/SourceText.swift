/// The text of a query, for errors with a position in it.
package struct SourceText: Sendable {
    private var text: String

    package init(_ text: String) {
        self.text = text
        // Native storage, so that an offset in bytes is found in constant time.
        self.text.makeContiguousUTF8()
    }

    /// An error at a range of bytes; its position is in Unicode scalars. A hint that is too long is left out.
    package func error(
        _ code: QueryError.Code, _ message: String, _ range: SourceRange, hint: String? = nil,
        expected: [String] = []
    ) -> QueryError {
        let start = scalars(before: range.start)
        return QueryError(
            code, message, position: start, length: max(0, scalars(before: range.end) - start),
            hint: hint.flatMap { $0.utf8.count <= Self.hintLimit ? $0 : nil },
            expected: expected)
    }

    /// The part of the text in that range. Cost: linear in the part only, since it is called for each path.
    package func slice(_ range: SourceRange) -> String {
        let bytes = text.utf8
        let start = min(bytes.count, max(0, range.start))
        let end = min(bytes.count, max(start, range.end))
        let from = bytes.index(bytes.startIndex, offsetBy: start)
        return String(decoding: bytes[from..<bytes.index(from, offsetBy: end - start)], as: UTF8.self)
    }

    /// The part for a message: its beginning, when it is long.
    package func shown(_ range: SourceRange) -> String {
        guard range.end - range.start > Self.shownLimit else { return slice(range) }
        let start = slice(SourceRange(start: range.start, end: range.start + Self.shownLimit))
        return String(String.UnicodeScalarView(start.unicodeScalars.prefix(Self.shownLimit / 2))) + "…"
    }

    private static let hintLimit = 200
    private static let shownLimit = 80

    private func scalars(before byte: Int) -> Int {
        // Every scalar has exactly one byte that is not a continuation byte.
        text.utf8.prefix(byte).reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
