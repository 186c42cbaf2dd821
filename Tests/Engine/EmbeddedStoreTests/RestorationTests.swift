import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import Testing

@Suite("Restoring backups")
struct RestorationTests {
    let directory: TestDirectory
    private var backup: String { directory.path + "/backup" }

    init() throws { directory = try TestDirectory() }

    /// Makes a store with so many people, and a backup of it.
    private func makeBackup(people: Int64) throws {
        let (store, pets) = try openPets(directory.store)
        try store.write { transaction in
            for number in 0..<people { _ = try transaction.create(pets.person.id, [pets.person("id"): .int(number)]) }
        }
        try store.writeCopy(to: backup)
        try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(people)]) }
        store.close()
    }

    private func count(_ path: String) throws -> Int {
        let store = try EmbeddedStore.open(path: path)
        defer { store.close() }
        let snapshot = try store.snapshot()
        return snapshot.count(of: try #require(snapshot.schema["Person"]).id)
    }

    @Test("a backup becomes a database where there was none")
    func again() throws {
        try makeBackup(people: 3)
        let path = directory.path + "/new"
        try EmbeddedStore.restore(path, from: backup, replaces: false)
        #expect(try count(path) == 3)
        #expect(try count(backup) == 3)
        #expect(try EmbeddedStore.check(path: path).faults.isEmpty)
    }

    @Test("a database is replaced only on request, and can be written to afterwards")
    func replaces() throws {
        try makeBackup(people: 2)
        #expect(code { try EmbeddedStore.restore(directory.store, from: backup, replaces: false) } == .fileAccess)
        #expect(try count(directory.store) == 3)
        try EmbeddedStore.restore(directory.store, from: backup, replaces: true)
        #expect(try count(directory.store) == 2)
        let store = try EmbeddedStore.open(path: directory.store)
        let person = try #require(try store.snapshot().schema["Person"])
        let id = try #require(person["id"]).id
        try store.write { _ = try $0.create(person.id, [id: .int(100)]) }
        store.close()
        #expect(try count(directory.store) == 3)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.hasSuffix(".restoring") || $0.hasSuffix(".partial") })
    }

    @Test("an open database is not replaced")
    func open() throws {
        try makeBackup(people: 1)
        let store = try EmbeddedStore.open(path: directory.store)
        #expect(code { try EmbeddedStore.restore(directory.store, from: backup, replaces: true) } == .busy)
        store.close()
        #expect(try count(directory.store) == 2)
    }

    @Test("a file that is not a backup changes nothing")
    func noBackup() throws {
        try makeBackup(people: 1)
        try Data("a letter, not a database".utf8).write(to: URL(fileURLWithPath: backup))
        #expect(code { try EmbeddedStore.restore(directory.store, from: backup, replaces: true) } == .invalidFile)
        #expect(code { try EmbeddedStore.restore(directory.store, from: backup + "s", replaces: true) } == .fileAccess)
        #expect(
            code { try EmbeddedStore.restore(directory.store, from: directory.store, replaces: true) } == .fileAccess)
        #expect(try count(directory.store) == 2)
    }
}
