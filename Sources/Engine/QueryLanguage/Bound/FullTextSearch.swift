package import QuerySyntax

/// `bio TEXT 'swim -jump climb*'`: every word must occur in the text, and no excluded one.
package struct FullTextSearch: Hashable, Sendable {
    package struct Word: Hashable, Sendable {
        /// The word as written, without its signs.
        package var text: String
        /// `word*`: also matches longer words that begin with it.
        package var isPrefix: Bool
        /// `-word`
        package var isExcluded: Bool

        package init(_ text: String, isPrefix: Bool = false, isExcluded: Bool = false) {
            self.text = text
            self.isPrefix = isPrefix
            self.isExcluded = isExcluded
        }

        /// Words are compared by their bytes, as in the index.
        package static func == (a: Word, b: Word) -> Bool {
            a.isPrefix == b.isPrefix && a.isExcluded == b.isExcluded && a.text.utf8.elementsEqual(b.text.utf8)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(isPrefix)
            hasher.combine(isExcluded)
            for byte in text.utf8 { hasher.combine(byte) }
        }
    }

    package var words: [Word]

    package init(_ words: [Word]) { self.words = words }
}

/// A search in a property with a full-text index.
package struct BoundFullText: Hashable, Sendable {
    /// A path that ends in a string.
    package var path: BoundPath
    package var quantifier: Quantifier
    package var search: FullTextSearch

    package init(_ path: BoundPath, _ search: FullTextSearch, quantifier: Quantifier = .any) {
        self.path = path
        self.quantifier = quantifier
        self.search = search
    }
}
