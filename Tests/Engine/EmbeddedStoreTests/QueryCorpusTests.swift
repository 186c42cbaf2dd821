import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing

/// Every row of the corpus, on every store. The stores are filled once and then only read.
@Suite("The corpus of queries")
struct QueryCorpusTests {
    private struct Filled: Sendable {
        let directory: TestDirectory
        let store: any Store

        init(_ make: (String) throws -> any Store) throws {
            directory = try TestDirectory()
            store = try make(directory.store)
            try QueryCorpus.fill(store)
        }
    }

    private static let model = Result { try Filled { _ in try ModelStore(QueryCorpus.schema) } }

    private static let embedded = Result {
        try Filled { try EmbeddedStore.open(path: $0, schema: QueryCorpus.schema) }
    }

    private static let tiny = Result {
        try Filled { try EmbeddedStore.open(path: $0, schema: QueryCorpus.schema, options: smallClusters()) }
    }

    @Test("the reference evaluator finds the corpus's results", arguments: QueryCorpus.rows)
    func model(_ row: QueryCorpus.Row) throws {
        try QueryCorpus.check(row, in: try Self.model.get().store.snapshot())
    }

    @Test("the embedded store finds the corpus's results", arguments: QueryCorpus.rows)
    func embedded(_ row: QueryCorpus.Row) throws {
        try QueryCorpus.check(row, in: try Self.embedded.get().store.snapshot())
    }

    @Test("the embedded store with the smallest clusters finds the corpus's results", arguments: QueryCorpus.rows)
    func tinyClusters(_ row: QueryCorpus.Row) throws {
        try QueryCorpus.check(row, in: try Self.tiny.get().store.snapshot())
    }

    @Test("the corpus has rows for every part of the language")
    func size() {
        #expect(QueryCorpus.rows.count >= 300)
        let sections = Set(QueryCorpus.rows.map { $0.section.prefix { $0 != " " } })
        #expect(
            sections == [
                "words", "form", "constants", "paths", "quantifiers", "types", "values", "mixed", "arguments",
                "subqueries", "order", "special", "formats",
            ])
    }
}
