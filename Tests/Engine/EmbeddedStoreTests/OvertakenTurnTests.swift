import EmbeddedTesting
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import EmbeddedStore

/// What a store knows of its log becomes older while it reads: others go on, and a turn may have ended unnoticed.
@Suite("A log that moves while a store catches up")
struct OvertakenTurnTests {
    private let directory: TestDirectory
    private let log = MemoryLog(id: 1)
    private let staged: StagedLog
    private let store: EmbeddedStore
    private let pets: Pets
    /// What another program writes to the log.
    private let entries: [LogEntry]

    init() throws {
        directory = try TestDirectory()
        staged = StagedLog(log.connect())
        store = try EmbeddedStore.open(path: directory.file("one"), log: staged, options: smallClusters())
        try store.replaceSchema(with: petSchema)
        pets = try Pets(store)
        entries = try Self.others(log, directory.file("other"), pets)
    }

    /// The entries of a program that goes on from where the log is, without the log.
    private static func others(_ log: MemoryLog, _ path: String, _ pets: Pets) throws -> [LogEntry] {
        let newest = try log.connect().newest().version
        let copy = log.prefix(upTo: newest)
        let other = try EmbeddedStore.open(path: path, log: copy.connect(), options: smallClusters())
        defer { other.close() }
        for name in ["first", "second"] { try create("their \(name)", in: other, pets) }
        return copy.entries.filter { $0.version > newest }
    }

    private static func create(
        _ name: String, in store: EmbeddedStore, _ pets: Pets, isAlone: Bool = false
    ) throws {
        let (dog, property) = (pets.dog.id, pets.dog("name"))
        try store.write(isAlone: isAlone) { _ = try $0.create(dog, [property: .string(name)]) }
    }

    private func requireWhole(dogs: Int) throws {
        #expect(staged.isOver)
        #expect(store.replicaFailure == nil)
        #expect(try store.snapshot().count(of: pets.dog.id) == dogs)
        let fresh = try EmbeddedStore.open(path: directory.file("fresh"), log: log.connect(), options: smallClusters())
        defer { fresh.close() }
        try ReplicaComparison.requireEqual(store, fresh)
    }

    @Test("a store whose turn was lost, and which reads more than the log had then, takes another turn")
    func overtaken() throws {
        defer { store.close() }
        staged.plan(.beforeTurn) { [log, entries] in log.append(entries[0]) }
        // Without its connection, the turn keeps nobody away.
        staged.plan(.inTurn) { [log, entries] in log.append(entries[1]) }
        // Its work runs once, and is not refused: it has not run yet.
        try Self.create("ours", in: store, pets, isAlone: true)
        try requireWhole(dogs: 3)
    }

    @Test("so does one whose turn was at an entry that the log lost before the store read it")
    func lostAhead() throws {
        defer { store.close() }
        staged.plan(.beforeTurn) { [log, entries] in log.append(entries[0]) }
        staged.plan(.inTurn) { [log] in log.lose(1) }
        try Self.create("ours", in: store, pets, isAlone: true)
        try requireWhole(dogs: 1)
    }

    enum Loss: CaseIterable {
        /// The log ends before the store's version, at it with another tag, or after it.
        case shorter, asLong, longer
    }

    @Test("a store that has what the log has lost stops, wherever the log ends now", arguments: Loss.allCases)
    func lostBehind(loss: Loss) throws {
        defer { store.close() }
        staged.plan(.beforeTurn) { [log, entries] in
            log.lose(1)
            if loss != .shorter { log.append(entries[0]) }
            if loss == .longer { log.append(entries[1]) }
        }
        // The same version as that of `entries[0]`.
        try log.append(#require(try Self.others(log, directory.file("lost"), pets).first))
        let dogs = { [store, pets] in try store.snapshot().count(of: pets.dog.id) }
        #expect(try eventually { try dogs() == 1 })
        #expect(code { try Self.create("ours", in: store, pets, isAlone: true) } == .historyLost)
        #expect(staged.isOver)
        #expect(store.replicaFailure?.code == .historyLost)
    }

    @Test("a store that the writer brings further while the log forgets what it asked for goes on")
    func trimmed() throws {
        defer { store.close() }
        staged.plan(.beforeEntries) { [log, store, pets] in
            try Self.create("ours", in: store, pets)
            log.trim(to: try log.connect().newest().version)
        }
        #expect(eventually { staged.isOver })
        // The thread that follows the log still does.
        let next = try Self.others(log, directory.file("next"), pets)
        log.append(next[0])
        #expect(try eventually { try store.snapshot().version == next[0].version })
        #expect(store.replicaFailure == nil)
        try Self.create("later", in: store, pets, isAlone: true)
        #expect(try store.snapshot().count(of: pets.dog.id) == 3)
    }
}
