import ObjectModel

/// A range of the query text, in bytes.
package struct SourceRange: Hashable, Sendable {
    package var start: Int
    package var end: Int

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    /// The range of an element that was not parsed from a text.
    static let nowhere = SourceRange(start: 0, end: 0)

    package func joined(_ other: SourceRange) -> SourceRange {
        SourceRange(start: min(start, other.start), end: max(end, other.end))
    }
}

/// One token with its range.
struct Token: Sendable {
    enum Kind: Hashable, Sendable {
        /// A name, which may be a keyword; its position decides whether it is one.
        case word(String, Keyword?)
        /// `@count`, `@links`, …, without the `@`.
        case atName(String)
        /// A number, a date, an object id or a UUID.
        indirect case constant(ParsedConstant)
        case string(String)
        /// `B64"…"`: text or data.
        case base64([UInt8])
        /// `O5`, `L3:5`: an object by numbers that are valid in one store only.
        case rowKey
        /// `$0`, by its number.
        case argument(Int)
        /// `$K0`, by its number.
        case keyPathArgument(Int)
        /// `%@`, and the `%d` of formats.
        case nextArgument
        /// `%K`
        case nextKeyPath
        case comparison(ComparisonOperator)
        /// `&&`, `||`, `!`, and the arithmetic signs.
        case symbol(Character)
        /// `( ) { } [ ] , .`
        case punctuation(Character)
        /// `[c]`, `[d]`, `[cd]`
        case modifier(ignoresCase: Bool, ignoresDiacritics: Bool)
        /// `#any` in a format: the word as a name; `[#any]` is every key.
        case escapedWord(String)
        case end
    }

    var kind: Kind
    var range: SourceRange

    /// The keyword that the token may be.
    var keyword: Keyword? {
        if case .word(_, let keyword) = kind { keyword } else { nil }
    }
}

/// The operations of key paths that begin with `@`, without the `@`: in lower case only.
enum KeyPathOperator {
    /// Allowed anywhere in a path.
    static let anywhere = ["links", "keys", "values"]
    /// Allowed at the end of a path.
    static let last = ["count", "size", "type"]
    /// Allowed at the end of a path, or before one last name.
    static let aggregates = ["min", "max", "sum", "avg"]

    static let all = anywhere + last + aggregates

    /// The spellings in formats.
    static let formatSpellings = ["allKeys": "keys", "allValues": "values"]
}
