import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import Synchronization
import Testing

@Suite("The store's file")
struct FileTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    @Test("commits are there after the file is opened again")
    func reopen() throws {
        do {
            let (store, pets) = try openPets(directory.store)
            try store.write { transaction in
                let owner = try transaction.create(
                    pets.person.id, [pets.person("id"): .int(7), pets.person("name"): .string("Ann")])
                for number in 0..<200 {
                    _ = try transaction.create(
                        pets.dog.id,
                        [
                            pets.dog("name"): .string("dog \(number)"), pets.dog("age"): .int(Int64(number)),
                            pets.dog("owner"): .link(owner),
                        ])
                }
            }
            store.close()
        }
        let (store, pets) = try openPets(directory.store)
        let snapshot = try store.snapshot()
        #expect(snapshot.version == Version(3))
        #expect(snapshot.count(of: pets.dog.id) == 200)
        let key = try #require(try snapshot.key(of: pets.dog.id, primaryKey: .string("dog 130")))
        #expect(try snapshot.value(pets.dog.id, key, pets.dog("age")) == .int(130))
        #expect(try snapshot.value(pets.dog.id, key, pets.dog("weight")) == .double(1.5))
        let owner = try #require(try snapshot.key(of: pets.person.id, primaryKey: .int(7)))
        #expect(try snapshot.backlinks(to: owner, from: pets.dog.id, pets.dog("owner")).count == 200)
    }

    @Test("a file of another kind is rejected and left unchanged")
    func foreign() throws {
        let text = Data(String(repeating: "This is somebody's letter. ", count: 1000).utf8)
        try text.write(to: URL(fileURLWithPath: directory.store))
        #expect(code { _ = try EmbeddedStore.open(path: directory.store) } == .invalidFile)
        #expect(try Data(contentsOf: URL(fileURLWithPath: directory.store)) == text)
    }

    @Test("a truncated file is rejected", arguments: [4096, 8192, 20_000])
    func truncated(bytes: Int) throws {
        do {
            let (store, pets) = try openPets(directory.store)
            try store.write { transaction in
                for number in 0..<2000 {
                    _ = try transaction.create(pets.dog.id, [pets.dog("name"): .string("a rather long name \(number)")])
                }
            }
            store.close()
        }
        let whole = try Data(contentsOf: URL(fileURLWithPath: directory.store))
        try whole.prefix(bytes).write(to: URL(fileURLWithPath: directory.store))
        #expect(code { _ = try EmbeddedStore.open(path: directory.store) } == .invalidFile)
    }

    @Test("a missing directory, and a directory in place of a file, are reported as such")
    func places() throws {
        #expect(code { _ = try EmbeddedStore.open(path: directory.path + "/nowhere/store") } == .fileAccess)
        #expect(code { _ = try EmbeddedStore.open(path: directory.path) } == .fileAccess)
    }

    @Test("the same file cannot be opened twice in one process, but again after the first store is released")
    func twice() throws {
        do {
            let first = try EmbeddedStore.open(path: directory.store)
            // Each is refused at once: if they waited for the first one, this test would take minutes.
            for _ in 0..<30 {
                let refused = #expect(throws: StoreError.self) { try EmbeddedStore.open(path: directory.store) }
                #expect(refused?.code == .busy)
                #expect(refused?.message == "'\(directory.store)' is already open in this program.")
            }
            first.close()
        }
        _ = try EmbeddedStore.open(path: directory.store)
    }

    @Test("a file that was closed while a snapshot of it exists opens again when that is released")
    func closing() throws {
        let first = try EmbeddedStore.open(path: directory.store)
        let kept = Mutex<(any Snapshot)?>(try first.snapshot())
        first.close()
        let (path, ended) = (directory.store, DispatchSemaphore(value: 0))
        let isOpen = Mutex(false)
        Thread.detachNewThread {
            let store = try? EmbeddedStore.open(path: path)
            isOpen.withLock { $0 = store != nil }
            ended.signal()
        }
        Thread.sleep(forTimeInterval: 0.05)
        #expect(!isOpen.withLock { $0 })
        kept.withLock { $0 = nil }
        ended.wait()
        #expect(isOpen.withLock { $0 })
    }

    @Test("a closed store rejects work instead of losing it")
    func closed() throws {
        let (store, pets) = try openPets(directory.store)
        store.close()
        #expect(
            code { try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("x")]) } } == .closed)
        #expect(code { _ = try store.snapshot() } == .closed)
    }

    @Test("a full store rejects the write that does not fit and keeps the others")
    func full() throws {
        var options = smallClusters()
        options.maximumSize = 1 << 20
        let store = try EmbeddedStore.open(path: directory.store, options: options)
        try store.replaceSchema(with: petSchema)
        let pets = try Pets(store)
        let huge = String(repeating: "x", count: 4 << 20)
        #expect(code { try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string(huge)]) } } == .full)
        try store.write { _ = try $0.create(pets.dog.id, [pets.dog("name"): .string("small")]) }
        #expect(try store.snapshot().count(of: pets.dog.id) == 1)
    }

    @Test("work that continues after the store was full is not kept in part")
    func fullAndIgnored() throws {
        var options = smallClusters()
        options.maximumSize = 1 << 20
        let store = try EmbeddedStore.open(path: directory.store, schema: petSchema, options: options)
        let pets = try Pets(store)
        let failed = code {
            try store.write { transaction in
                for number in Int64(0)..<40_000 {
                    _ = try? transaction.create(pets.person.id, [pets.person("id"): .int(number)])
                }
            }
        }
        #expect(failed == .full)
        #expect(try store.snapshot().count(of: pets.person.id) == 0)
        try store.write { _ = try $0.create(pets.person.id, [pets.person("id"): .int(7)]) }
        #expect(try store.snapshot().key(of: pets.person.id, primaryKey: .int(7)) != nil)
    }

    @Test("a full store reads and deletes, and accepts writes again with a larger size")
    func fullAndAfterwards() throws {
        var options = smallClusters()
        options.maximumSize = 1 << 20
        var kept: [Int64] = []
        do {
            let store = try EmbeddedStore.open(path: directory.store, schema: petSchema, options: options)
            let pets = try Pets(store)
            let text = String(repeating: "x", count: 900)
            func add(_ number: Int64) throws {
                try store.write {
                    _ = try $0.create(
                        pets.person.id, [pets.person("id"): .int(number), pets.person("name"): .string(text)])
                }
            }
            var refusal: StoreError?
            for number in Int64(0)..<3000 {
                do {
                    try add(number)
                    kept.append(number)
                } catch let error as StoreError {
                    refusal = error
                    break
                }
            }
            #expect(refusal?.code == .full)
            #expect(refusal?.message.contains("maximum size") == true)
            #expect(kept.count > 300)
            #expect(try store.snapshot().count(of: pets.person.id) == kept.count)
            #expect(code { try add(5000) } == .full)
            for number in kept.prefix(200) {
                try store.write { transaction in
                    if let key = try transaction.key(of: pets.person.id, primaryKey: .int(number)) {
                        try transaction.delete(pets.person.id, key)
                    }
                }
            }
            kept.removeFirst(200)
            for number in Int64(6000)..<6050 {
                try add(number)
                kept.append(number)
            }
            store.close()
        }
        options.maximumSize = 64 << 20
        let store = try EmbeddedStore.open(path: directory.store, options: options)
        let pets = try Pets(store)
        let snapshot = try store.snapshot()
        #expect(snapshot.count(of: pets.person.id) == kept.count)
        for number in kept { #expect(try snapshot.key(of: pets.person.id, primaryKey: .int(number)) != nil) }
        let long = String(repeating: "y", count: 4 << 20)
        try store.write {
            _ = try $0.create(pets.person.id, [pets.person("name"): .string(long), pets.person("id"): .int(-1)])
        }
    }
}
