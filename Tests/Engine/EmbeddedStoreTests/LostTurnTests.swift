import EmbeddedTesting
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing

@testable import EmbeddedStore

@Suite("A turn to write to a log whose connection is lost")
struct LostTurnTests {
    private let directory: TestDirectory
    private let log = MemoryLog(id: 1)
    private let store: EmbeddedStore
    private let pets: Pets
    /// What another program writes to the log.
    private let entry: LogEntry

    init() throws {
        directory = try TestDirectory()
        store = try EmbeddedStore.open(path: directory.file("one"), log: log.connect(), options: smallClusters())
        try store.replaceSchema(with: petSchema)
        pets = try Pets(store)
        let copy = log.prefix(upTo: try store.snapshot().version)
        let other = try EmbeddedStore.open(
            path: directory.file("other"), log: copy.connect(), options: smallClusters())
        defer { other.close() }
        try Self.create("theirs", in: other, pets)
        entry = try #require(copy.entries.last)
    }

    private static func create(_ name: String, in store: EmbeddedStore, _ pets: Pets) throws {
        let (dog, property) = (pets.dog.id, pets.dog("name"))
        try store.write { _ = try $0.create(dog, [property: .string(name)]) }
    }

    @Test("work that runs once fails when another program wrote first, and the store goes on")
    func once() throws {
        defer { store.close() }
        let (dog, property) = (pets.dog.id, pets.dog("name"))
        let runs = Mutex(0)
        let found = code {
            try store.write(isAlone: true) { [log, entry] transaction in
                runs.withLock { $0 += 1 }
                // Without its connection, the turn keeps nobody away.
                log.append(entry)
                _ = try transaction.create(dog, [property: .string("ours")])
            }
        }
        #expect(found == .busy)
        #expect(runs.withLock { $0 } == 1)
        try Self.create("later", in: store, pets)
        #expect(try store.snapshot().count(of: dog) == 2)
        #expect(log.entries.count { $0.version == entry.version } == 1)
    }

    @Test("an open write fails when another program wrote first, and the next one has its objects")
    func interactive() throws {
        defer { store.close() }
        let (dog, property) = (pets.dog.id, pets.dog("name"))
        let write = try store.beginWrite()
        _ = try write.transaction.create(dog, [property: .string("ours")])
        log.append(entry)
        #expect(code { try write.commit() } == .busy)
        let next = try store.beginWrite()
        #expect(try next.transaction.count(of: dog) == 1)
        next.cancel()
    }
}
