/// `bio TEXT 'swim -jump climb*'`: every word must occur in the text, but no excluded one.
package struct FullTextSearch: Hashable, Sendable {
    package struct Word: Hashable, Sendable {
        /// As written, without the signs.
        package var text: String
        /// `word*`: also longer words that begin so.
        package var isPrefix: Bool
        /// `-word`
        package var isExcluded: Bool

        package init(_ text: String, isPrefix: Bool = false, isExcluded: Bool = false) {
            self.text = text
            self.isPrefix = isPrefix
            self.isExcluded = isExcluded
        }

        /// Words are told apart by their bytes, as the index does.
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
    /// Ends in a string.
    package var path: BoundPath
    package var quantifier: Quantifier
    package var search: FullTextSearch

    package init(_ path: BoundPath, _ search: FullTextSearch, quantifier: Quantifier = .any) {
        self.path = path
        self.quantifier = quantifier
        self.search = search
    }
}
