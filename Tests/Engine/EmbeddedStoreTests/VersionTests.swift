import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

@Suite("Versions and their lifetime")
struct VersionTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func open(_ change: (inout EmbeddedStoreOptions) -> Void = { _ in }) throws -> (EmbeddedStore, Pets) {
        var options = smallClusters()
        change(&options)
        let store = try EmbeddedStore.open(path: directory.store, schema: petSchema, options: options)
        return (store, try Pets(store))
    }

    private func setName(_ store: EmbeddedStore, _ pets: Pets, _ id: Int64, _ name: String) throws {
        try store.write { transaction in
            let key =
                try transaction.key(of: pets.person.id, primaryKey: .int(id))
                ?? transaction.create(pets.person.id, [pets.person("id"): .int(id)])
            try transaction.set(pets.person.id, key, [pets.person("name"): .string(name)])
        }
    }

    @Test("every held version of a random history is unchanged", arguments: 0..<3)
    func history(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        print("VersionTests history seed \(random.seed)")
        let (store, pets) = try open()
        var model: [Int64: String] = [:]
        var held: [Version: (snapshot: any Snapshot, model: [Int64: String])] = [:]
        var released: Set<Version> = []
        for step in 0..<120 {
            let id = (Int64.random(in: 0..<40, using: &random))
            if model[id] != nil, Int.random(in: 0..<4, using: &random) == 0 {
                try store.write { transaction in
                    if let key = try transaction.key(of: pets.person.id, primaryKey: .int(id)) {
                        try transaction.delete(pets.person.id, key)
                    }
                }
                model[id] = nil
            } else {
                model[id] = "name \(step)"
                try setName(store, pets, id, "name \(step)")
            }
            if Int.random(in: 0..<3, using: &random) == 0 {
                let snapshot = try store.snapshot()
                held[snapshot.version] = (snapshot, model)
            }
            if Int.random(in: 0..<5, using: &random) == 0, let version = held.keys.sorted().dropLast().first {
                held[version] = nil
                released.insert(version)
            }
            if Int.random(in: 0..<20, using: &random) == 0 { try store.compact() }
        }
        if TestRun.hasFixedSeeds { #expect(!held.isEmpty && !released.isEmpty) }
        for (version, (snapshot, model)) in held {
            let again = try store.snapshot(at: version)
            #expect(again === snapshot || again.version == version)
            for reading in [snapshot, again] {
                #expect(reading.count(of: pets.person.id) == model.count)
                for id in Int64(0)..<40 {
                    let key = try reading.key(of: pets.person.id, primaryKey: .int(id))
                    let name = try key.map { try reading.value(pets.person.id, $0, pets.person("name")) }
                    #expect(name == model[id].map { .string($0) })
                }
            }
        }
        for version in released where held[version] == nil {
            #expect(code { _ = try store.snapshot(at: version) } == .versionGone)
        }
    }

    @Test("equal versions share a snapshot, the newest is always available, others only while they are held")
    func snapshotAt() throws {
        let (store, pets) = try open()
        let first = try store.snapshot()
        try setName(store, pets, 1, "Ann")
        try setName(store, pets, 1, "Bea")
        #expect(try store.snapshot(at: first.version) === first)
        #expect(try store.snapshot(at: Version(3)).version == Version(3))
        #expect(try store.snapshot(at: Version(3)) === store.snapshot())
        let error = #expect(throws: StoreError.self) { _ = try store.snapshot(at: Version(2)) }
        #expect(error?.code == .versionGone)
        #expect(error?.message.contains("Version 2 is no longer available") == true)
        #expect(code { _ = try store.snapshot(at: Version(99)) } == .versionGone)
    }

    @Test("a write beyond the limit of versions is rejected, until the old ones are released")
    func tooMany() throws {
        let (store, pets) = try open { $0.maximumActiveVersions = 4 }
        var pinned: (any Snapshot)? = try store.snapshot()
        let version = try #require(pinned?.version)
        for number in 0..<4 { try setName(store, pets, 1, "name \(number)") }
        #expect(try store.activeVersions() == 5)
        let error = #expect(throws: StoreError.self) { try setName(store, pets, 1, "one too many") }
        #expect(error?.code == .tooManyVersions)
        #expect(
            error?.message.hasPrefix("Number of active versions (5) in the Realm exceeded the limit of 4") == true)
        #expect(pinned?.version == version)
        let key = try #require(try store.snapshot().key(of: pets.person.id, primaryKey: .int(1)))
        #expect(try store.snapshot().value(pets.person.id, key, pets.person("name")) == .string("name 3"))
        pinned = nil
        try setName(store, pets, 1, "fits again")
        #expect(try store.activeVersions() == 1)
    }

    @Test("released versions do not count")
    func unpinned() throws {
        let (store, pets) = try open { $0.maximumActiveVersions = 2 }
        for number in 0..<20 {
            try setName(store, pets, 1, "name \(number)")
            _ = try store.snapshot()
        }
        #expect(try store.activeVersions() <= 2)
    }

    @Test("a snapshot past the age limit is revoked, the newest never")
    func expiry() throws {
        let (store, pets) = try open { $0.maximumVersionAge = 0 }
        try setName(store, pets, 1, "Ann")
        let old = try store.snapshot()
        try setName(store, pets, 1, "Bea")
        let middle = try store.snapshot()
        try setName(store, pets, 1, "Cid")
        let error = #expect(throws: StoreError.self) { _ = try old.key(of: pets.person.id, primaryKey: .int(1)) }
        #expect(error?.code == .versionGone)
        #expect(error?.message.contains("Version 2 is no longer available") == true)
        #expect(code { _ = try store.snapshot(at: old.version) } == .versionGone)
        // Answers that need no read of the file are still available.
        #expect(old.count(of: pets.person.id) == 1)
        try setName(store, pets, 1, "Dan")
        #expect(code { _ = try middle.exists(pets.person.id, ObjectKey(0)) } == .versionGone)
        let newest = try store.snapshot()
        #expect(try newest.exists(pets.person.id, ObjectKey(0)))
        #expect(try store.activeVersions() == 1)
    }

    @Test("a snapshot that expires while others read from it does not interrupt their calls")
    func expiryWhileReading() async throws {
        let (store, pets) = try open { $0.maximumVersionAge = 0 }
        for number in Int64(0)..<300 { try setName(store, pets, number, "old name \(number)") }
        let end = End()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var reads = 0
                    // Once nobody writes, a snapshot does not expire.
                    while reads == 0 || !end.isReached {
                        await Task.yield()
                        guard let snapshot = try? store.snapshot() else { continue }
                        var sink = ValueSink()
                        do {
                            let version = snapshot.version
                            let keys = (Int64(0)..<300).map { ObjectKey($0) }
                            try snapshot.read(pets.person.id, keys, [pets.person("name")], into: &sink)
                            #expect(sink.rows.count == 300, "at version \(version)")
                            #expect(
                                sink.rows.allSatisfy { row in
                                    guard case .string(let name)? = row.values.first else { return false }
                                    return name.hasPrefix("old name") || name.hasPrefix("new name")
                                })
                            reads += 1
                        } catch {
                            #expect((error as? StoreError)?.code == .versionGone)
                        }
                    }
                }
            }
            group.addTask {
                for number in Int64(0)..<120 {
                    #expect(throws: Never.self) { try setName(store, pets, number, "new name \(number)") }
                }
                end.reach()
            }
        }
    }

    private final class End: Sendable {
        private let state = Mutex(false)
        var isReached: Bool { state.withLock { $0 } }
        func reach() { state.withLock { $0 = true } }
    }

    @Test("a pinned snapshot makes the file grow, and the limits bound that")
    func growth() throws {
        var sizes: [String: Int] = [:]
        for (name, limit, age) in [
            ("unpinned", nil, nil), ("pinned", nil, nil), ("bounded", 10, nil), ("aged", nil, 0.0),
        ] as [(String, Int?, Double?)] {
            var options = smallClusters()
            options.maximumActiveVersions = limit
            options.maximumVersionAge = age
            // The old values in the change log would hide the values that this test looks for.
            options.undoLimit = 0
            let store = try EmbeddedStore.open(path: directory.path + "/" + name, schema: petSchema, options: options)
            let pets = try Pets(store)
            let long = String(repeating: "x", count: 8000)
            try setName(store, pets, 1, long)
            let pinned = name == "unpinned" ? nil : try store.snapshot()
            var refused = 0
            for number in 0..<200 {
                do {
                    try setName(store, pets, 1, long + "\(number)")
                } catch let error as StoreError where error.code == .tooManyVersions {
                    refused += 1
                }
            }
            #expect((refused > 0) == (name == "bounded"))
            sizes[name] = try store.sizes().totalBytes
            #expect(pinned == nil || pinned?.version == Version(2))
        }
        let unpinned = try #require(sizes["unpinned"])
        let pinned = try #require(sizes["pinned"])
        #expect(pinned > 10 * unpinned, "\(sizes)")
        #expect(try #require(sizes["bounded"]) < pinned / 5, "\(sizes)")
        #expect(try #require(sizes["aged"]) < 2 * unpinned, "\(sizes)")
    }

    @Test("the floor is the oldest version after which changes are known")
    func floor() throws {
        let (store, pets) = try open { $0.changeLogVersions = 5 }
        #expect(try store.changeLogFloor() == Version(1))
        for number in 0..<12 {
            try setName(store, pets, 1, "name \(number)")
            let floor = try store.changeLogFloor()
            #expect(try store.changes(after: floor) != nil)
            if floor > Version(1) { #expect(try store.changes(after: Version(floor.rawValue - 1)) == nil) }
        }
        #expect(try store.changeLogFloor() > Version(1))
        store.close()
        #expect(code { _ = try store.changeLogFloor() } == .closed)
    }
}
