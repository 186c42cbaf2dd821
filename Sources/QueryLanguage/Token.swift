import ObjectModel

/// A part of the query text, in bytes.
struct SourceRange: Hashable, Sendable {
    var start: Int
    var end: Int

    /// The place of what was not read from a text.
    static let nowhere = SourceRange(start: 0, end: 0)

    func joined(_ other: SourceRange) -> SourceRange {
        SourceRange(start: min(start, other.start), end: max(end, other.end))
    }
}

/// One token with its place.
struct Token: Sendable {
    enum Kind: Hashable, Sendable {
        /// A name or a keyword; which one depends on where it stands.
        case identifier(String)
        /// `@count`, `@links`, …, without the sign.
        case atName(String)
        case constant(Value)
        /// `$0`; the number.
        case argument(Int)
        /// `$K0`; the number.
        case keyPathArgument(Int)
        /// `%@`
        case nextArgument
        /// `%K`
        case nextKeyPath
        case comparison(ComparisonOperator)
        /// `&&`, `||`, `!`, and the arithmetic signs.
        case symbol(Character)
        /// `( ) { } [ ] , .`
        case punctuation(Character)
        /// `[c]`
        case ignoringCase
        /// `[d]`, `[cd]`
        case ignoringDiacritics
        case end
    }

    var kind: Kind
    var range: SourceRange
}
