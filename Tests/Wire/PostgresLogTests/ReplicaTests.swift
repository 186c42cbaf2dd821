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

    @Test("a store whose turn the server ends while it catches up takes another one, whatever others wrote")
    func overtakenTurn() throws {
        let directory = try TestDirectory()
        let realm = try TestRealm()
        let schema = Schema(
            version: 1, classes: [ClassSchema("Dog", properties: [PropertySchema("name", PropertyType(.string))])])
        let staged = StagedLog(
            try realm.log {
                $0.turnLength = .milliseconds(200)
                $0.usesHints = false
            })
        let store = try EmbeddedStore.open(
            path: directory.file("one"), schema: schema, log: staged, options: Self.options())
        defer { store.close() }
        let other = try EmbeddedStore.open(
            path: directory.file("other"), schema: schema, log: try realm.log(), options: Self.options())
        defer { other.close() }
        let dog = try #require(store.snapshot().schema["Dog"])
        let name = try #require(dog["name"]?.id)
        @Sendable func create(_ text: String, in store: EmbeddedStore, isAlone: Bool = false) throws {
            try store.write(isAlone: isAlone) { _ = try $0.create(dog.id, [name: .string(text)]) }
        }
        staged.plan(.beforeTurn) { try create("their first", in: other) }
        // It waits for the server, which ends the turn of the store that does nothing in it.
        staged.plan(.inTurn) { try create("their second", in: other) }
        // Its work runs once, and is not refused: it has not run yet.
        try create("ours", in: store, isAlone: true)
        #expect(staged.isOver)
        #expect(store.replicaFailure == nil)
        let newest = try store.snapshot().version
        #expect(try store.snapshot().count(of: dog.id) == 3)
        #expect(try eventually { try other.snapshot().version == newest })
        #expect(try ReplicaDifference.first(between: store, and: other) == nil)
    }
}
