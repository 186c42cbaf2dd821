import ObjectModel

extension Binding {
    /// `bio TEXT 'swim -jump climb*'`
    func fullText(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        guard let path = left.path, let bound = path.bound, bound.steps.isEmpty, let property = path.property,
            case .property = bound.end, property.schema.isFullTextIndexed
        else { throw source.error(.invalid, "Column has no fulltext index", left.range) }
        if dialect == .format { try checkQuantifier(left) }
        guard case .constants(let constants, false) = right.content, let constant = constants.first,
            case .string(let text)? = constant.value
        else {
            throw source.error(.typeMismatch, "The right side of TEXT must be a string of search words.", right.range)
        }
        return .fullText(
            BoundFullText(bound, try search(text, constant.range), quantifier: left.quantifier ?? .any))
    }

    private func search(_ text: String, _ range: SourceRange) throws(QueryError) -> FullTextSearch {
        var words: [FullTextSearch.Word] = []
        for piece in text.split(whereSeparator: \.isWhitespace) {
            var word = piece
            let isExcluded = word.hasPrefix("-")
            if isExcluded { word = word.dropFirst() }
            let isPrefix = word.hasSuffix("*")
            if isPrefix { word = word.dropLast() }
            guard !word.isEmpty, word.unicodeScalars.allSatisfy(\.isOfWord) else {
                throw source.error(.invalid, "Non alphanumeric characters not allowed inside search word", range)
            }
            words.append(FullTextSearch.Word(String(word), isPrefix: isPrefix, isExcluded: isExcluded))
        }
        guard !words.isEmpty else {
            throw source.error(.invalid, "A full-text search needs at least one word.", range)
        }
        let excluded = Set(words.filter(\.isExcluded).map(\.identity))
        guard !words.contains(where: { !$0.isExcluded && excluded.contains($0.identity) }) else {
            throw source.error(.invalid, "You can't include and exclude the same token", range)
        }
        return FullTextSearch(words)
    }
}

extension FullTextSearch.Word {
    /// Words that differ by case alone are the same.
    fileprivate var identity: String { text.lowercased() + (isPrefix ? "*" : "") }
}

extension Unicode.Scalar {
    fileprivate var isOfWord: Bool {
        properties.isAlphabetic || properties.numericType != nil || properties.generalCategory == .nonspacingMark
    }
}
