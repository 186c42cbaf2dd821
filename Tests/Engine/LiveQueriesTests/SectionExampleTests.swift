import ViewMaintenance
import LiveQueries
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Testing

/// Worked examples for sections, with the numbers of their series.
struct SectionExampleTests {
    typealias Work = @Sendable (any WriteTransaction) throws -> Void

    struct Example: Sendable, CustomTestStringConvertible {
        let number: Int
        let expected: SectionChanges
        let work: Work
        var testDescription: String { "example \(number)" }

        init(
            _ number: Int, plus: [Int] = [], minus: [Int] = [], d: [(Int, Int)] = [], i: [(Int, Int)] = [],
            m: [(Int, Int)] = [], at: [(Int, Int)]? = nil, _ work: @escaping Work
        ) {
            func paths(_ pairs: [(Int, Int)]) -> [SectionPath] { pairs.map { SectionPath($0.0, $0.1) } }
            self.number = number
            expected = SectionChanges(
                sectionsToInsert: plus, sectionsToDelete: minus, insertions: paths(i), deletions: paths(d),
                modifications: paths(m), modificationsNew: paths(at ?? m))
            self.work = work
        }
    }

    static let examples: [Example] = [
        Example(57, m: [(0, 1)]) { try $0.annotate("alma") },
        Example(58, plus: [3], i: [(3, 0)]) { try $0.addWord("dora") },
        Example(59, minus: [1]) { try $0.deleteWord("bert") },
        Example(60, plus: [3], d: [(0, 0)], i: [(3, 0)]) { try $0.rename("adam", "zed") },
        Example(61, d: [(0, 1)], i: [(1, 0)]) { try $0.rename("alma", "bela") },
        Example(62, plus: [2], minus: [2], i: [(2, 0)]) { try $0.rename("cleo", "dirk") },
        Example(63, d: [(0, 0)], i: [(0, 1)]) { try $0.rename("adam", "anna") },
        Example(64, minus: [1], m: [(2, 0)], at: [(1, 0)]) {
            try $0.deleteWord("bert")
            try $0.annotate("cleo")
        },
        Example(65, d: [(1, 0)], i: [(1, 0), (1, 1)]) {
            try $0.addWord("bea")
            try $0.annotate("bert")
        },
        Example(66, minus: [0, 1, 2]) { for word in ["adam", "alma", "bert", "cleo"] { try $0.deleteWord(word) } },
    ]

    @Test("sections report insertions, deletions and modifications", arguments: examples)
    func sections(_ example: Example) throws {
        let words = try WordStore("cleo", "alma", "adam", "bert")
        let (recorder, token) = try words.observe()
        #expect(recorder.sections?.map(\.key) == ["A", "B", "C"].map { .string($0) })
        try words.write(example.work)
        #expect(recorder.takeChanges().map(\.changes) == [example.expected])
        #expect(recorder.faults == [])
        #expect(
            try recorder.sections == words.store.snapshot().sections(WordStore.sorted, by: WordStore.byFirst).recorded)
        token.cancel()
    }

    @Test("an observer of a single section gets only the changes in it (67, 68, 69)")
    func singleSection() throws {
        let words = try WordStore("cleo", "alma", "adam", "bert")
        let (recorder, token) = try words.observe()
        func told(_ key: String, _ work: @escaping Work) throws -> [SectionChanges] {
            try words.write(work)
            return recorder.takeChanges().compactMap { $0.restricted(to: .string(key)) }
        }
        #expect(try told("B") { try $0.rename("adam", "zed") } == [])
        #expect(try told("C") { try $0.deleteWord("bert") } == [])
        #expect(
            try told("B") { try $0.addWord("bo") }
                == [SectionChanges(sectionsToInsert: [1], insertions: [SectionPath(1, 0)])])
        #expect(try told("B") { try $0.deleteWord("bo") } == [SectionChanges(sectionsToDelete: [1])])
        #expect(
            try told("C") { try $0.annotate("cleo") }
                == [SectionChanges(modifications: [SectionPath(1, 0)], modificationsNew: [SectionPath(1, 0)])])
        #expect(recorder.faults == [])
        token.cancel()
    }

    @Test("sections that change their order are deleted and inserted with all their rows, as few as possible")
    func movedSections() throws {
        // In the order of ranks, so that sections may be anywhere.
        let words = try WordStore("adam", "alma", "bert", "cleo")
        let byRank = BoundQuery(
            classID: WordStore.wordClass,
            steps: [.sort([SortKey(BoundPath(end: .property(WordStore.rank, PropertyType(.int))))])])
        try words.write { transaction in
            for (rank, word) in ["adam", "bert", "cleo", "alma"].enumerated() {
                try transaction.rank(word, Int64(rank))
            }
        }
        let (recorder, token) = try words.observe(byRank)
        #expect(recorder.sections?.map(\.rows.count) == [2, 1, 1])
        try words.write { try $0.rank("adam", 9) }
        // Adam moves to the end of the result, and with it its section.
        #expect(
            recorder.takeChanges().map(\.changes) == [
                SectionChanges(
                    sectionsToInsert: [2], sectionsToDelete: [0], insertions: [SectionPath(2, 0), SectionPath(2, 1)])
            ])
        #expect(recorder.sections?.map(\.key) == ["B", "C", "A"].map { .string($0) })
        #expect(recorder.faults == [])
        token.cancel()
    }

    @Test("a change of a section's key that no key path names is reported with the next change")
    func silentMoves() throws {
        let words = try WordStore("adam", "alma", "bert")
        try words.write { for word in ["adam", "alma", "bert"] { try $0.annotate(word, "one") } }
        let (filtered, first) = try words.observe(by: WordStore.byNote, keyPaths: ["rank"])
        let (all, second) = try words.observe(by: WordStore.byNote)
        try words.write { try $0.annotate("alma", "two") }
        #expect(filtered.takeChanges().isEmpty)
        #expect(
            all.takeChanges().map(\.changes) == [
                SectionChanges(
                    sectionsToInsert: [1], insertions: [SectionPath(1, 0)], deletions: [SectionPath(0, 1)])
            ])
        // An observer that joins now gets the present sections, and then what is new to it.
        let (late, third) = try words.observe(by: WordStore.byNote, keyPaths: ["rank"])
        try words.write { try $0.annotate("bert", "two") }
        try words.write { try $0.rank("adam", 3) }
        #expect(
            filtered.takeChanges().map(\.changes) == [
                SectionChanges(
                    sectionsToInsert: [1], insertions: [SectionPath(1, 0), SectionPath(1, 1)],
                    deletions: [SectionPath(0, 1), SectionPath(0, 2)], modifications: [SectionPath(0, 0)],
                    modificationsNew: [SectionPath(0, 0)])
            ])
        #expect(
            late.takeChanges().map(\.changes) == [
                SectionChanges(
                    insertions: [SectionPath(1, 1)], deletions: [SectionPath(0, 1)],
                    modifications: [SectionPath(0, 0)], modificationsNew: [SectionPath(0, 0)])
            ])
        for recorder in [filtered, all, late] { #expect(recorder.faults == []) }
        for token in [first, second, third] { token.cancel() }
        words.live.settle()
        #expect(words.live.resultCount == 0)
    }

    @Test("changes of many elements and of few in many sections lead to the same sections")
    func bulkChanges() throws {
        let words = try WordStore()
        let (recorder, token) = try words.observe(by: WordStore.byNote)
        func check() throws {
            let fresh = try words.store.snapshot().sections(WordStore.sorted, by: WordStore.byNote).recorded
            #expect(recorder.sections == fresh && recorder.faults == [])
        }
        try words.write { transaction in
            for number in 0..<600 {
                try transaction.addWord("w\(number)")
                try transaction.annotate("w\(number)", "n\(number * 7 % 50)")
            }
        }
        try check()
        for number in stride(from: 0, to: 600, by: 41) {
            try words.write { transaction in
                try transaction.annotate("w\(number)", "n\(number % 60)")
                try transaction.rename("w\(599 - number)", "v\(number)")
                if number % 2 == 0 { try transaction.deleteWord("w\(number + 1)") }
            }
            try check()
        }
        try words.write { transaction in
            for number in 0..<600 where number % 3 == 2 {
                if try transaction.key(of: WordStore.wordClass, primaryKey: .string("w\(number)")) != nil {
                    try transaction.annotate("w\(number)", "n\(number % 11)")
                }
            }
        }
        try check()
        token.cancel()
    }

    @Test("a query or key that does not fit the schema is rejected, also when the schema changes later")
    func refusals() throws {
        let words = try WordStore("adam")
        let nowhere = SectionKey(BoundPath(end: .property(PropertyID(77), PropertyType(.string))))
        #expect(try words.observe(by: nowhere).0.failureCode == .unknownProperty)
        let (recorder, token) = try words.observe(by: WordStore.byNote)
        let (other, second) = try words.observe()
        let properties = try #require(WordStore.schema.classes.first).properties.filter { $0.name != "note" }
        try words.store.replaceSchema(
            with: Schema(version: 2, classes: [ClassSchema("Word", primaryKey: "id", properties: properties)]),
            migration: Migration())
        try words.write { try $0.rename("adam", "zed") }
        #expect(recorder.failureCode == .unknownProperty)
        #expect(other.failureCode == nil && other.sections?.map(\.key) == [.string("Z")] && other.faults == [])
        for token in [token, second] { token.cancel() }
    }
}
