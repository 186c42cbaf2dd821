import ObjectModel
import PostgresTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import EmbeddedStore
@testable import PostgresLog

@Suite("Stores on a log in PostgreSQL", .enabled(if: PostgresServer.isThere))
struct ReplicaTests {
    /// A store that a topic made, and its realm.
    private struct Made: Sendable {
        let store: EmbeddedStore
        let realm: TestRealm
        let schema: Schema
    }

    private static let topics: [StoreConformance.Topic] =
        [
            .init("replacing the schema") { try StoreConformance.replaceSchema($0) },
            .init("rollback") { try StoreConformance.rollback($0) },
            .init("concurrent submitters") { try StoreConformance.concurrentSubmitters($0) },
            .init("random history of everything") {
                try StoreConformance.randomHistory(
                    $0, seed: seed("history in PostgreSQL"), steps: 60, kinds: .all, compareEvery: 10)
            },
        ] + StoreConformance.interactiveTopics(seed: seed)

    private static func seed(_ name: String) -> UInt64 {
        let seed = TestSeed.of(name)
        print("seed of \(name): \(seed)")
        return seed
    }

    private static func options() -> EmbeddedStoreOptions {
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        return options
    }

    @Test("keep the contract of stores; replicas from the log and from an image equal them", arguments: topics)
    func topic(_ topic: StoreConformance.Topic) throws {
        let directory = try TestDirectory()
        let made = Mutex<[Made]>([])
        func path() -> String { directory.file("\(PostgresServer.number())") }
        try topic.run { schema in
            let realm = try TestRealm()
            let store = try EmbeddedStore.open(
                path: path(), schema: schema, log: try realm.log(), options: Self.options())
            made.withLock { $0.append(Made(store: store, realm: realm, schema: schema)) }
            return store
        }
        for made in made.withLock({ $0 }) {
            made.store.close()
            let long = try EmbeddedStore.open(
                path: path(), schema: made.schema, log: try made.realm.log(), options: Self.options())
            defer { long.close() }
            guard try long.snapshot().version > Version(1) else { continue }
            let image = try #require(try long.makeImage(by: .init(repeating: 1, count: 16), copy: path()))
            // Nothing before the image can be read.
            try made.realm.server.sql(
                "update realmgate.realm set floor = version where id = \(try made.realm.id)")
            var fetched: [LogImage] = []
            let short = try EmbeddedStore.open(path: path(), log: try made.realm.log(), options: Self.options()) {
                if case .fetched(let image) = $0 { fetched.append(image) }
            }
            defer { short.close() }
            #expect(fetched == [image])
            #expect(try ReplicaDifference.first(between: long, and: short) == nil)
        }
    }
}
