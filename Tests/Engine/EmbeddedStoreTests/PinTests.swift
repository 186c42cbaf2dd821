import EmbeddedTesting
import Columnar
import Dispatch
import Glibc
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import StoredRecords
@testable import EmbeddedStore

@Suite("Versions that the stores of a log keep together")
struct PinTests {
    /// The pins that a store passes on, in order.
    private final class Ear: Sendable {
        let events = Mutex<[(name: String, version: Version, snapshot: (any Snapshot)?)]>([])
        /// The newest version that listeners of commits knew when a pin came.
        let known = Mutex(Version(0))
        let faults = Mutex<[String]>([])

        init(_ store: EmbeddedStore) throws {
            known.withLock { [version = try? store.snapshot().version] in $0 = version ?? Version(0) }
            store.onPin { [self] event in
                switch event {
                case .pinned(let pin, let snapshot):
                    events.withLock { $0.append((Self.name(pin.id), snapshot.version, snapshot)) }
                case .unpinned(let id): events.withLock { $0.append(("-" + Self.name(id), Version(0), nil)) }
                }
            }
            store.onCommit { [self] changes in
                guard let newest = changes.last?.version else { return }
                known.withLock { $0 = newest }
            }
        }

        static func name(_ id: [UInt8]) -> String { String(decoding: id, as: UTF8.self) }

        var names: [String] { events.withLock { $0.map(\.name) } }

        func snapshot(_ name: String) throws -> any Snapshot {
            try #require(events.withLock { $0.last { $0.name == name }?.snapshot })
        }
    }

    private func pin(_ name: String, _ store: EmbeddedStore, note: String = "note") throws -> Version {
        let outcome = Promised()
        store.pin(VersionPin(id: Array(name.utf8), note: Array(note.utf8))) { outcome.set($0) }
        return try outcome.get()
    }

    private func unpin(_ name: String, _ store: EmbeddedStore) throws {
        let outcome = Promised()
        store.unpin(Array(name.utf8)) { outcome.set($0) }
        _ = try outcome.get()
    }

    private final class Promised: Sendable {
        private let result = Mutex<Result<Version, any Error>?>(nil)
        private let done = DispatchSemaphore(value: 0)

        func set(_ outcome: Result<Version, any Error>) {
            result.withLock { $0 = outcome }
            done.signal()
        }

        func get() throws -> Version {
            done.wait()
            return try #require(result.withLock { $0 }).get()
        }
    }

    private func wait(_ store: EmbeddedStore, for version: Version) throws {
        #expect(try eventually { try store.snapshot().version >= version })
        #expect(try store.snapshot().version >= version)
    }

    /// A store passes a pin on after its version can be read.
    private func wait(_ ear: Ear, for names: [String]) throws {
        _ = eventually { ear.names.count >= names.count }
        #expect(ear.names == names)
    }

    @Test("every open store passes on a snapshot of just that version, while others write")
    func everyStore() throws {
        let home = try ReplicaImageTests.Home()
        let faults = LogFaults()
        let second = try home.open("second", home.log.connect(faults))
        let ears = [try Ear(home.first), try Ear(second)]
        let (dogs, name) = (home.pets.dog.id, home.pets.dog("name"))
        var versions: [String: (Version, Int)] = [:]
        for round in 0..<20 {
            try home.write(3)
            let maker = round % 2 == 0 ? home.first : second
            let version = try pin("p\(round)", maker)
            let count = try ears[round % 2].snapshot("p\(round)").count(of: dogs)
            versions["p\(round)"] = (version, count)
            #expect(count == 3 * (round + 1))
            // Objects that come and go, so that later versions have other ones.
            let keys = try second.write { transaction in
                try (0..<3).map { try transaction.create(dogs, [name: .string("\(round) \($0)")]) }
            }
            try maker.write(isAlone: true) { transaction in
                for key in keys { try transaction.delete(dogs, key) }
            }
        }
        for store in [home.first, second] { try wait(store, for: try home.first.snapshot().version) }
        try wait(home.first, for: try second.snapshot().version)
        for ear in ears {
            try wait(ear, for: (0..<20).map { "p\($0)" })
            for (name, (version, count)) in versions {
                let snapshot = try ear.snapshot(name)
                #expect(snapshot.version == version && snapshot.count(of: dogs) == count, "\(name)")
            }
        }
        try unpin("p3", second)
        try wait(home.first, for: try second.snapshot().version)
        for ear in ears { try wait(ear, for: (0..<20).map { "p\($0)" } + ["-p3"]) }
        try home.requireEqual(second)
    }

    @Test("a pin changes nothing, and earlier versions can be computed across it")
    func nothing() throws {
        let home = try ReplicaImageTests.Home()
        try home.write(2)
        let before = try home.first.snapshot()
        let version = try pin("a", home.first)
        try home.write(1)
        let changes = try #require(try home.first.changes(after: before.version))
        #expect(changes.first == ChangeSet(version: version))
        let past = try #require(try home.first.asOf(before.version, before: try home.first.snapshot()))
        #expect(past.reads.count(of: home.pets.dog.id) == before.count(of: home.pets.dog.id))
    }

    @Test("a store that begins later has no snapshot, neither from the log nor from an image")
    func late() throws {
        let home = try ReplicaImageTests.Home()
        try home.write(2)
        _ = try pin("a", home.first)
        try home.image()
        _ = try pin("b", home.first)
        let later = try home.open("later")
        let ear = try Ear(later)
        let version = try pin("c", home.first)
        try wait(later, for: version)
        try wait(ear, for: ["c"])
        try home.requireEqual(later)
    }

    @Test("a pin that the log does not take is not passed on, and the caller has the log's error")
    func faults() throws {
        let home = try ReplicaImageTests.Home()
        let faults = LogFaults()
        let store = try home.open("second", home.log.connect(faults))
        let ear = try Ear(store)
        faults.plan(.turn, .unavailable)
        #expect(throws: StoreError.self) { try pin("a", store) }
        faults.plan(.append, .refused)
        #expect(throws: StoreError.self) { try pin("b", store) }
        #expect(ear.names == [])
        // The caller does not know of a pin that arrives all the same; the store has it like one of another store.
        faults.plan(.append, .unknownDone)
        #expect(throws: StoreError.self) { try pin("c", store) }
        try wait(store, for: try home.log.connect().newest().version)
        try wait(ear, for: ["c"])
        _ = try pin("d", store)
        try wait(ear, for: ["c", "d"])
    }

    @Test("a store of its own shares nothing")
    func own() throws {
        let directory = try TestDirectory()
        let store = try EmbeddedStore.open(path: directory.file("own"), schema: petSchema)
        #expect(store.sharedVersions == nil && store.sharedRecords == nil)
        store.close()
    }
}
