import Columnar
import ObjectModel
import QueryLanguage
import QueryOperators

/// Plans a full-text search in one column with its index of words.
struct WordPlanner {
    let source: any ColumnSource
    let classID: ClassID
    let property: PropertyID

    init(source: any ColumnSource, classID: ClassID, _ property: PropertyID) {
        self.source = source
        self.classID = classID
        self.property = property
    }

    /// Returns nil when the column has no such index.
    func plan(_ search: FullTextSearch) throws -> (any Operator)? {
        let capacity = source.clusterCapacity
        var wanted: Set<ObjectKey>?
        var excluded: Set<ObjectKey> = []
        for word in search.words {
            let found = try source.lookUp(word: word.text, isPrefix: word.isPrefix, in: classID, property)
            guard let found else { return nil }
            if word.isExcluded {
                excluded.formUnion(found)
            } else {
                wanted = wanted?.intersection(found) ?? Set(found)
            }
        }
        if let wanted {
            return KeySetOperator(
                wanted.subtracting(excluded).sorted(), capacity: capacity,
                origin: "word index, \(search.words.count) look-ups")
        }
        // Only excluded words: every other text matches.
        let texts = NullOperator(property, isNull: false)
        if excluded.isEmpty { return texts }
        let found = KeySetOperator(excluded.sorted(), capacity: capacity, origin: "word index")
        return AndOperator([texts, NotOperator(found, capacity: capacity)], samples: [])
    }
}
