import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting

/// A store of words, which are observed in sections by their first letters.
struct WordStore {
    let store: ModelStore
    let live: LiveQueries

    static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Word", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.string)),
                    PropertySchema("word", PropertyType(.string)),
                    PropertySchema("note", PropertyType(.string)),
                    PropertySchema("rank", PropertyType(.int)),
                ])
        ])

    static let wordClass = ClassID(1)
    static let id = PropertyID(1)
    static let word = PropertyID(2)
    static let note = PropertyID(3)
    static let rank = PropertyID(4)

    static let path = BoundPath(end: .property(word, PropertyType(.string)))
    static let byFirst = SectionKey(path, .first)
    static let byNote = SectionKey(BoundPath(end: .property(note, PropertyType(.string))))
    static let sorted = BoundQuery(classID: wordClass, steps: [.sort([SortKey(path)])])

    /// Makes a store with the words, which are also their ids.
    init(_ words: String...) throws {
        store = try ModelStore(Self.schema)
        live = try LiveQueries(store)
        try store.write { transaction in for word in words { try transaction.addWord(word) } }
    }

    func write(_ work: @escaping @Sendable (any WriteTransaction) throws -> Void) throws {
        try store.write(work)
        live.settle()
    }

    func observe(
        _ query: BoundQuery = sorted, by key: SectionKey = byFirst, keyPaths: [String] = [],
        _ recorder: SectionRecorder = SectionRecorder(), since version: Version? = nil
    ) throws -> (SectionRecorder, LiveToken) {
        let paths = try keyPaths.map { try LiveKeyPath($0, in: Self.wordClass, of: Self.schema) }
        let token = live.observeSections(query, by: key, keyPaths: paths, since: version, deliver: recorder.receive)
        live.settle()
        return (recorder, token)
    }
}

extension WriteTransaction {
    func addWord(_ word: String) throws {
        _ = try create(
            WordStore.wordClass,
            [WordStore.id: .string(word), WordStore.word: .string(word), WordStore.note: .string("")])
    }

    private func word(_ id: String) throws -> ObjectKey {
        guard let key = try key(of: WordStore.wordClass, primaryKey: .string(id)) else {
            throw StoreError(.notFound, "There is no word \(id).")
        }
        return key
    }

    func rename(_ id: String, _ word: String) throws {
        try set(WordStore.wordClass, self.word(id), [WordStore.word: .string(word)])
    }

    func annotate(_ id: String, _ note: String = "x") throws {
        try set(WordStore.wordClass, word(id), [WordStore.note: .string(note)])
    }

    func rank(_ id: String, _ rank: Int64) throws {
        try set(WordStore.wordClass, word(id), [WordStore.rank: .int(rank)])
    }

    func deleteWord(_ id: String) throws { try delete(WordStore.wordClass, word(id)) }
}
