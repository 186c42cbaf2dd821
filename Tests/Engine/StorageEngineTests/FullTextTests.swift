import EmbeddedTesting
import Columnar
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing

@testable import StorageEngine
@testable import EmbeddedStore
import TestBasics

@Suite("Full-text indexes")
struct FullTextTests {
    @Test(
        "text is cut into words of letters and digits, folded",
        arguments: [
            ("", []), ("Swim, jump!", ["swim", "jump"]), ("ÉCOLE école", ["ecole"]), ("e\u{301}cole", ["ecole"]),
            ("Straße 12a", ["straße", "12a"]), ("日本語 日本", ["日本語", "日本"]), ("ΩMEGA ωmega", ["ωmega"]),
            ("a-b_c.d", ["a", "b", "c", "d"]), ("Żółw", ["zolw"]), ("\u{0}x\u{0}", ["x"]),
        ])
    func words(_ text: String, _ expected: [String]) {
        #expect(SearchWords.words(of: text) == Set(expected.map { Array($0.utf8) }))
    }

    private static func schema(_ version: UInt64, fullText: Bool) -> Schema {
        Schema(
            version: version,
            classes: [
                ClassSchema(
                    "Note",
                    properties: [
                        PropertySchema("bio", PropertyType(.string, isOptional: true), isFullTextIndexed: fullText)
                    ])
            ])
    }

    @Test("the index follows creation, assignment, deletion, rollback, and being added and removed")
    func index() throws {
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(
            path: directory.path + "/store", schema: Self.schema(1, fullText: false), options: smallClusters())
        defer { store.close() }
        let (note, bio) = (ClassID(1), PropertyID(1))
        var random = SeededRandom.ofTest()
        let vocabulary = ["swim", "Swimming", "jump", "École", "日本", "climb", "climber"]
        var texts: [ObjectKey: String] = [:]
        struct GivenUp: Error {}
        for step in 0..<120 {
            let text = (0..<random.below(4)).map { _ in random.pick(vocabulary) ?? "" }.joined(separator: ", ")
            let value: Value = random.oneIn(6) ? .null : .string(text)
            let target = texts.keys.sorted().randomElement(using: &random)
            let choice = random.below(4)
            let givesUp = random.oneIn(5)
            do {
                let key = try store.write { transaction in
                    var result: ObjectKey? = target
                    switch (choice, target) {
                    case (0, _), (_, nil): result = try transaction.create(note, [bio: value])
                    case (1, let key?): try transaction.delete(note, key)
                    case (_, let key?): try transaction.set(note, key, [bio: value])
                    }
                    if givesUp { throw GivenUp() }
                    return result
                }
                if let key { texts[key] = choice == 1 && target != nil ? nil : value.isNull ? "" : text }
            } catch is GivenUp {}
            if step == 40 { try store.replaceSchema(with: Self.schema(1, fullText: true)) }
            guard step >= 40, let snapshot = try store.snapshot() as? EmbeddedSnapshot else { continue }
            for word in ["swim", "ECOLE", "climb", "日本", "none"] {
                for isPrefix in [false, true] {
                    let folded = SearchWords.words(of: word).first ?? []
                    let expected = texts.filter { entry in
                        SearchWords.words(of: entry.value).contains {
                            isPrefix ? $0.starts(with: folded) : $0 == folded
                        }
                    }
                    #expect(
                        try snapshot.lookUp(word: word, isPrefix: isPrefix, in: note, bio) == expected.keys.sorted())
                }
            }
            #expect(try snapshot.lookUp(word: "two words", isPrefix: false, in: note, bio) == [])
        }
        try store.replaceSchema(with: Self.schema(1, fullText: false))
        let snapshot = try #require(try store.snapshot() as? EmbeddedSnapshot)
        #expect(try snapshot.lookUp(word: "swim", isPrefix: false, in: note, bio) == nil)
        #expect(try snapshot.keys(in: snapshot.trees.words, prefix: []).isEmpty)
    }
}
