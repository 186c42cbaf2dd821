import EmbeddedTesting
import EmbeddedStore
import Foundation
import Glibc
import ObjectModel
import RepositoryFiles
import StoreContract
import Synchronization
import Testing

@Suite("Compaction and copies")
struct CompactionTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    /// Loads people, then deletes most of them, which leaves the file longer than necessary.
    private func openLoose() throws -> (EmbeddedStore, Pets) {
        let (store, pets) = try openPets(directory.store)
        try store.write { transaction in
            for number in Int64(0)..<6000 {
                _ = try transaction.create(
                    pets.person.id,
                    [pets.person("id"): .int(number), pets.person("name"): .string("person \(number)")])
            }
        }
        try store.write { transaction in
            for number in Int64(100)..<6000 {
                if let key = try transaction.key(of: pets.person.id, primaryKey: .int(number)) {
                    try transaction.delete(pets.person.id, key)
                }
            }
        }
        return (store, pets)
    }

    private func fileSize(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("compaction shortens the file, keeps everything and lets snapshots and writes continue")
    func compacts() throws {
        let (store, pets) = try openLoose()
        let old = try store.snapshot()
        let before = try fileSize(directory.store)
        let sizes = try store.compact()
        #expect(sizes.before == before)
        #expect(sizes.after == (try fileSize(directory.store)))
        #expect(sizes.after < sizes.before / 2)
        #expect(try names() == ["store", "store-lock"])

        let new = try store.snapshot()
        #expect(new.version == old.version)
        for snapshot in [old, new] {
            #expect(snapshot.count(of: pets.person.id) == 100)
            let key = try #require(try snapshot.key(of: pets.person.id, primaryKey: .int(42)))
            #expect(try snapshot.value(pets.person.id, key, pets.person("name")) == .string("person 42"))
        }
        try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(9999)]) }
        #expect(old.count(of: pets.person.id) == 100)
        #expect(try store.snapshot().count(of: pets.person.id) == 101)
        #expect(try store.snapshot().version == old.version.next)
        #expect(try store.changes(after: old.version)?.count == 1)
    }

    @Test("writes after a compaction go to the file with the name")
    func reopensAfterCompaction() throws {
        do {
            let (store, pets) = try openLoose()
            for round in Int64(0)..<3 {
                try store.compact()
                try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(10_000 + round)]) }
            }
            store.close()
        }
        let (store, pets) = try openPets(directory.store)
        #expect(try store.snapshot().count(of: pets.person.id) == 103)
    }

    @Test("compaction under readers and writers loses nothing")
    func compactsWhileInUse() async throws {
        let (store, pets) = try openLoose()
        await withTaskGroup(of: Void.self) { group in
            for writer in Int64(0)..<3 {
                group.addTask {
                    for number in Int64(0)..<40 {
                        let id = 20_000 + writer * 1000 + number
                        #expect(throws: Never.self) {
                            try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(id)]) }
                            let snapshot = try store.snapshot()
                            #expect(try snapshot.key(of: pets.person.id, primaryKey: .int(id)) != nil)
                            #expect(try snapshot.key(of: pets.person.id, primaryKey: .int(42)) != nil)
                        }
                    }
                }
            }
            group.addTask { for _ in 0..<8 { #expect(throws: Never.self) { try store.compact() } } }
        }
        #expect(try store.snapshot().count(of: pets.person.id) == 220)
        store.close()
    }

    @Test("the file is compacted when it is opened if the options say so, and only then")
    func compactsOnLaunch() throws {
        do {
            let (store, _) = try openLoose()
            store.close()
        }
        let before = try fileSize(directory.store)
        let asked = Mutex<[[Int]]>([])
        var options = smallClusters()
        for answer in [false, true] {
            options.shouldCompactOnLaunch = { total, used in
                asked.withLock { $0.append([total, used]) }
                return answer
            }
            let store = try EmbeddedStore.open(path: directory.store, options: options)
            #expect(try store.snapshot().count(of: Pets(store).person.id) == 100)
            store.close()
            #expect((try fileSize(directory.store) < before / 2) == answer)
        }
        let questions = asked.withLock { $0 }
        #expect(questions.map { $0[0] } == [before, before])
        #expect(questions.allSatisfy { $0[1] < before / 2 })
    }

    @Test("shouldCompact is not called for a new file")
    func newFile() throws {
        var options = smallClusters()
        options.shouldCompactOnLaunch = { _, _ in
            Issue.record("asked about a new file")
            return true
        }
        _ = try EmbeddedStore.open(path: directory.store, options: options)
    }

    @Test("leftovers of an interrupted compaction are deleted")
    func leftovers() throws {
        do {
            let (store, _) = try openLoose()
            store.close()
        }
        for name in ["store.compacting", "store.compacting-lock"] {
            try Data("half a copy".utf8).write(to: URL(fileURLWithPath: directory.path + "/" + name))
        }
        let (store, pets) = try openPets(directory.store)
        #expect(try names() == ["store", "store-lock"])
        #expect(try store.snapshot().count(of: pets.person.id) == 100)
    }

    @Test("a compaction keeps the file's permissions")
    func permissions() throws {
        let (store, _) = try openLoose()
        #expect(chmod(directory.store, 0o604) == 0)
        try store.compact()
        let attributes = try FileManager.default.attributesOfItem(atPath: directory.store)
        #expect(attributes[.posixPermissions] as? Int == 0o604)
    }

    @Test("a copy has the store's content in less space, while writes continue")
    func copies() async throws {
        let (store, pets) = try openLoose()
        let copy = directory.path + "/copy"
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in Int64(0)..<50 {
                    #expect(throws: Never.self) {
                        // Two objects per version: a copy has both or neither.
                        try store.write { transaction in
                            for half in Int64(0)..<2 {
                                _ = try transaction.create(
                                    pets.person.id, [pets.person("id"): .int(30_000 + 2 * number + half)])
                            }
                        }
                    }
                }
            }
            group.addTask {
                for attempt in 0..<5 {
                    #expect(throws: Never.self) {
                        let path = "\(copy)\(attempt)"
                        let lowest = try store.snapshot().version
                        try store.writeCopy(to: path)
                        let highest = try store.snapshot().version
                        let copied = try EmbeddedStore.open(path: path)
                        let snapshot = try copied.snapshot()
                        #expect(snapshot.version >= lowest && snapshot.version <= highest)
                        let extra = snapshot.count(of: pets.person.id) - 100
                        #expect(extra == 2 * Int(snapshot.version.rawValue - 4))
                    }
                }
            }
        }
        #expect(try fileSize(copy + "0") < (try fileSize(directory.store)))
        #expect(!(try names().contains { $0.hasSuffix(".partial") }))
    }

    @Test("a copy never replaces a file, and an unwritable path is reported")
    func copyTargets() throws {
        let (store, _) = try openPets(directory.store)
        let taken = directory.path + "/taken"
        try Data("a letter".utf8).write(to: URL(fileURLWithPath: taken))
        #expect(code { try store.writeCopy(to: taken) } == .fileAccess)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "a letter")
        #expect(code { try store.writeCopy(to: directory.store) } == .fileAccess)
        #expect(code { try store.writeCopy(to: directory.path + "/nowhere/copy") } == .fileAccess)
        store.close()
        #expect(code { try store.writeCopy(to: directory.path + "/late") } == .closed)
        #expect(code { try store.compact() } == .closed)
        #expect(try names() == ["store", "store-lock", "taken"])
    }

    @Test("an abandoned partial copy is overwritten")
    func partialCopy() throws {
        let (store, _) = try openPets(directory.store)
        let copy = directory.path + "/copy"
        try Data(repeating: 7, count: 1 << 20).write(to: URL(fileURLWithPath: copy + ".partial"))
        try store.writeCopy(to: copy)
        #expect(try EmbeddedStore.open(path: copy).snapshot().schema == store.snapshot().schema)
    }

    @Test("sizes show the gain of a compaction")
    func sizes() throws {
        let (store, _) = try openLoose()
        let loose = try store.sizes()
        #expect(loose.totalBytes == (try fileSize(directory.store)))
        #expect(loose.freeBytes > loose.usedBytes)
        let after = try store.compact().after
        let tight = try store.sizes()
        #expect(tight.totalBytes == after)
        #expect(tight.usedBytes > after * 9 / 10)
        #expect(loose.usedBytes < 3 * after)
    }

    @Test("a compacted file contains no deleted data")
    func clearsWhatWasDeleted() throws {
        let (store, pets) = try openPets(directory.store)
        try store.write { transaction in
            for number in Int64(0)..<1000 {
                _ = try transaction.create(
                    pets.person.id, [pets.person("id"): .int(number), pets.person("name"): .string("secret\(number)!")])
            }
        }
        try store.write { transaction in
            for number in Int64(0)..<1000 where number % 5 == 0 {
                if let key = try transaction.key(of: pets.person.id, primaryKey: .int(number)) {
                    try transaction.delete(pets.person.id, key)
                }
            }
        }
        // The change log contains replaced values as well as deleted ones.
        try store.write { transaction in
            guard let key = try transaction.key(of: pets.person.id, primaryKey: .int(1)) else { return }
            try transaction.set(pets.person.id, key, [pets.person("name"): .string("hidden")])
            try transaction.set(pets.person.id, key, [pets.person("name"): .string("secret1!")])
        }
        try store.write { transaction in
            guard let key = try transaction.key(of: pets.person.id, primaryKey: .int(2)) else { return }
            try transaction.set(pets.person.id, key, [pets.person("name"): .string("shown")])
        }
        let version = try store.snapshot().version
        try store.compact()
        let snapshot = try store.snapshot()
        #expect(snapshot.version == version && snapshot.count(of: pets.person.id) == 800)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        for number in Int64(0)..<1000 {
            let isThere = bytes.range(of: Data("secret\(number)!".utf8)) != nil
            #expect(isThere == (number % 5 != 0 && number != 2), "secret\(number)")
        }
        // The changes themselves are still there.
        let before = Version(version.rawValue - 1)
        #expect(try store.changes(after: before)?.count == 1)
        #expect(try store.asOf(before, before: snapshot) == nil)
        store.close()
    }
}
