import Columnar
import ObjectModel

extension EmbeddedSnapshot {
    /// The objects whose full-text indexed property contains a word, or one that begins with it, ascending; the word is
    /// folded like the text. Empty for text that is not a single word; nil when the property has no such index. Cost:
    /// the entries of the words found.
    func lookUp(
        word: String, isPrefix: Bool, in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]? {
        guard schema[classID]?[property]?.isFullTextIndexed == true else { return nil }
        let words = SearchWords.words(of: word)
        guard words.count == 1, let word = words.first else { return [] }
        var prefix = TreeKey.entries(of: classID, property)
        prefix.append(contentsOf: word)
        if !isPrefix { prefix = TreeKey.word(word, of: classID, property) }
        let keys = try keys(in: trees.words, prefix: prefix.bytes)
        return isPrefix ? Set(keys).sorted() : keys
    }
}
