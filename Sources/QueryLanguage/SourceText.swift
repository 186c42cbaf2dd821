/// The text of a query, for errors that name a place in it.
struct SourceText: Sendable {
    private let text: String

    init(_ text: String) { self.text = text }

    /// An error at a range of bytes, given in Unicode scalars.
    func error(
        _ code: QueryError.Code, _ message: String, _ range: SourceRange, hint: String? = nil
    ) -> QueryError {
        let start = scalars(before: range.start)
        return QueryError(
            code, message, position: start, length: max(0, scalars(before: range.end) - start), hint: hint)
    }

    func slice(_ range: SourceRange) -> String {
        String(
            decoding: Array(text.utf8)[max(0, range.start)..<min(text.utf8.count, max(range.start, range.end))],
            as: UTF8.self)
    }

    private func scalars(before byte: Int) -> Int {
        // Every scalar has exactly one byte that is not a continuation byte.
        text.utf8.prefix(byte).reduce(0) { $0 + ($1 & 0xC0 == 0x80 ? 0 : 1) }
    }
}
