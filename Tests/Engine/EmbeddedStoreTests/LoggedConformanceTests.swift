import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing

/// Stores with a log pass what all stores pass, and each time more replicas equal them: two that get everything from the
/// log, one that begins from an image, and one that has nothing but an image.
@Suite("A store on a shared log keeps the contract of all stores")
struct LoggedConformanceTests {
    /// The stores that a topic made, each with its log.
    final class Made: Sendable {
        let directory: TestDirectory
        private let stores = Mutex<[(store: EmbeddedStore, log: MemoryLog, path: String, schema: Schema)]>([])

        private let paths = Atomic(0)

        init() throws { directory = try TestDirectory() }

        func make(_ schema: Schema) throws -> any Store {
            let log = MemoryLog()
            let path = newPath()
            let store = try EmbeddedStore.open(path: path, schema: schema, log: log.connect(), options: smallClusters())
            stores.withLock { $0.append((store, log, path, schema)) }
            return store
        }

        func reopen(_ store: any Store) throws -> any Store {
            store.close()
            guard let made = stores.withLock({ $0.last }) else { throw ConformanceFailure("no store was made") }
            let again = try EmbeddedStore.open(
                path: made.path, schema: made.schema, log: made.log.connect(), options: smallClusters())
            stores.withLock { $0[$0.count - 1].store = again }
            return again
        }

        /// Compares each store, opened again, with two replicas that read the log in batches of different sizes, and two
        /// that begin from images.
        func compare() throws {
            for made in stores.withLock({ $0 }) {
                made.store.close()
                let original = try EmbeddedStore.open(
                    path: made.path, log: made.log.connect(), options: smallClusters())
                defer { original.close() }
                for batch in [1, 4096] {
                    let replica = try EmbeddedStore.open(
                        path: newPath(), schema: made.schema, log: made.log.connect(LogFaults(batch: batch)),
                        options: smallClusters())
                    defer { replica.close() }
                    try ReplicaComparison.requireEqual(original, replica)
                }
                try compareImages(made.log, original, made.schema)
            }
        }

        private func compareImages(_ log: MemoryLog, _ original: EmbeddedStore, _ schema: Schema) throws {
            guard let middle = log.entries.dropFirst(log.entries.count / 2).first?.version else { return }
            // A store in the middle of the log makes the first image.
            let past = log.prefix(upTo: middle)
            let early = try EmbeddedStore.open(
                path: newPath(), schema: schema, log: past.connect(), options: smallClusters())
            try early.makeImage(by: .init(repeating: 1, count: 16), copy: newPath())
            early.close()
            log.images.takeAll(of: past.images)
            for isLast in [false, true] {
                if isLast { try original.makeImage(by: .init(repeating: 2, count: 16), copy: newPath()) }
                let image = log.images.all[0]
                // Nothing before the image can be read.
                log.trim(to: image.position.version)
                let replica = try EmbeddedStore.open(path: newPath(), log: log.connect(), options: smallClusters())
                defer { replica.close() }
                try ReplicaComparison.requireEqual(original, replica)
            }
        }

        private func newPath() -> String { directory.path + "/\(paths.add(1, ordering: .relaxed).newValue)" }
    }

    private func with(_ body: (Made) throws -> Void) throws {
        let made = try Made()
        try body(made)
        try made.compare()
    }

    private static let plainTopics: [StoreConformance.Topic] = [
        .init("object keys") { try StoreConformance.objectKeys($0) },
        .init("primary keys") { try StoreConformance.primaryKeys($0) },
        .init("values") { try StoreConformance.values($0) },
        .init("links") { try StoreConformance.links($0) },
        .init("rollback") { try StoreConformance.rollback($0) },
        .init("snapshot isolation") { try StoreConformance.snapshotIsolation($0) },
        .init("versions") { try StoreConformance.versions($0) },
        .init("change sets") { try StoreConformance.changeSets($0) },
        .init("concurrent submitters") { try StoreConformance.concurrentSubmitters($0) },
        .init("replacing the schema") { try StoreConformance.replaceSchema($0) },
        .init("closing") { try StoreConformance.closing($0) },
        .init("rows") { try StoreConformance.rows($0, seed: seed("rows")) },
        .init("random history") { try StoreConformance.randomHistory($0, seed: seed("history"), steps: 150) },
        .init("random history of everything") {
            try StoreConformance.randomHistory(
                $0, seed: seed("history of everything"), steps: 100, kinds: .all, compareEvery: 5)
        },
        .init("random queries") { try StoreConformance.randomQueries($0, seed: seed("queries"), steps: 25) },
    ]

    @Test(
        "every topic, and replicas from its log and from images",
        arguments: plainTopics + StoreConformance.dataModelTopics(seed: seed)
            + StoreConformance.interactiveTopics(seed: seed) + StoreConformance.versionTopics(seed: seed))
    func topic(_ topic: StoreConformance.Topic) throws { try with { try topic.run($0.make) } }

    @Test("earlier versions are what the model was then, also after the replica was opened again")
    func past() throws {
        try with { try StoreConformance.past($0.make, seed: seed("past"), steps: 40, reopen: $0.reopen) }
    }

    @Test("each version has one mark, also after the replica was opened again")
    func marks() throws {
        try with { try StoreConformance.marks($0.make, seed: seed("marks"), reopen: $0.reopen) }
    }
}
