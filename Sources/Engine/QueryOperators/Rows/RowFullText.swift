import Columnar
import ObjectModel
import QuerySyntax
import QueryLanguage

/// `TEXT`, object by object. Used by one thread at a time.
final class RowFullText {
    private let reader: PathReader
    private let quantifier: Quantifier
    private let search: TextSearch

    init(_ search: BoundFullText, on classID: ClassID, in source: any ColumnSource) {
        reader = PathReader(search.path, from: classID, in: source)
        quantifier = search.quantifier
        self.search = TextSearch(search.search)
    }

    func holds(_ key: ObjectKey) throws -> Bool {
        guard reader.isToMany else { return search.matches(try reader.view(key) ?? .null) }
        return quantifier.holds(
            reachedEnd: try reader.forEach(key) { quantifier.goesOn(after: search.matches($0)) })
    }
}

/// A full-text search prepared for many texts.
struct TextSearch {
    private struct Word {
        let bytes: [UInt8]
        let isPrefix: Bool
        let isExcluded: Bool
    }

    private let words: [Word]
    /// Whether a required word cannot occur because it has no letters.
    private let isImpossible: Bool

    init(_ search: FullTextSearch) {
        var words: [Word] = []
        var isImpossible = false
        for word in search.words {
            let folded = SearchWords.words(of: word.text)
            if folded.count == 1, let bytes = folded.first {
                words.append(Word(bytes: bytes, isPrefix: word.isPrefix, isExcluded: word.isExcluded))
            } else if !word.isExcluded {
                isImpossible = true
            }
        }
        self.words = words
        self.isImpossible = isImpossible
    }

    /// Null, and any value that is not text, does not match.
    func matches(_ value: ValueView) -> Bool {
        guard !isImpossible, case .string(let text) = value else { return false }
        let found = SearchWords.words(of: String(decoding: text, as: UTF8.self))
        return words.allSatisfy { word in
            let occurs =
                word.isPrefix ? found.contains { $0.starts(with: word.bytes) } : found.contains(word.bytes)
            return occurs != word.isExcluded
        }
    }
}
