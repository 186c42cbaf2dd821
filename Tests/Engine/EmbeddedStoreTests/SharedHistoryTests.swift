import EmbeddedTesting
import Dispatch
import Foundation
import Glibc
import ObjectModel
import QueryExecution
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import EmbeddedStore

/// Three stores that write to one log at the same time, while calls of the log fail.
@Suite("Random histories of stores that share a log")
struct SharedHistoryTests {
    /// What the callers of writes were answered.
    private final class Answers: Sendable {
        struct State {
            /// Dogs that are certainly there, certainly not, and perhaps.
            var made: Set<String> = []
            var refused: Set<String> = []
            var unknown: Set<String> = []
            var strange: [String] = []
        }
        let state = Mutex(State())
        private let open = DispatchGroup()

        func begin() { open.enter() }

        func end(_ name: String, _ result: Result<Version, any Error>) {
            state.withLock { state in
                switch result {
                case .success: state.made.insert(name)
                case .failure(let error):
                    switch (error as? StoreError)?.code {
                    case StoreError.Code.logOutcomeUnknown: state.unknown.insert(name)
                    case StoreError.Code.logUnavailable, StoreError.Code.logRefused, StoreError.Code.busy:
                        state.refused.insert(name)
                    default: state.strange.append("\(name): \(error)")
                    }
                }
            }
            open.leave()
        }

        func wait() { open.wait() }
    }

    @Test(
        "each write is done once or not at all, as its caller was answered, and all stores have the same",
        arguments: 0..<3 * TestRun.length)
    func faults(number: Int) throws {
        let random = SeededRandom.ofTest(number)
        do { try history(random) } catch { throw HistoryFailure("seed \(random.seed): \(error)") }
    }

    private struct HistoryFailure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    private func history(_ seeded: SeededRandom) throws {
        var random = seeded
        let directory = try TestDirectory()
        let log = MemoryLog()
        let answers = Answers()
        let faults = (0..<3).map { _ in LogFaults(batch: random.pick([1, 3, 4096]) ?? 1) }
        func open(_ number: Int) throws -> EmbeddedStore {
            var store: EmbeddedStore?
            // It is busy while a thread of the closed store releases its last snapshot.
            _ = try eventually {
                do {
                    store = try EmbeddedStore.open(
                        path: directory.file("\(number)"), log: log.connect(faults[number]), options: smallClusters())
                } catch let error as StoreError where error.code == .logUnavailable || error.code == .busy {}
                return store != nil
            }
            return try #require(store)
        }
        var stores = try (0..<3).map(open)
        defer { for store in stores { store.close() } }
        try stores[0].replaceSchema(with: petSchema)
        let pets = try Pets(stores[0])
        let (dog, name, age) = (pets.dog.id, pets.dog("name"), pets.dog("age"))
        for store in stores { try Self.wait("the schema") { try store.snapshot().schema.classes.count == 2 } }
        func submit(_ text: String, to store: EmbeddedStore, isAlone: Bool = false) {
            answers.begin()
            store.submit(
                {
                    let key = try $0.create(dog, [name: .string(text)])
                    // An edit that depends on what the others have written.
                    let older = ObjectKey(key.rawValue / 2)
                    if try $0.exists(dog, older) { try $0.set(dog, older, [age: .int(key.rawValue)]) }
                }, isAlone: isAlone, completion: { answers.end(text, $0) })
        }
        // Each kind of outcome comes at least once: a write that is waited for has an append of its own.
        for (store, fault) in zip(faults, [LogFaults.Fault.unknownDone, .refused, .unknownLater]) {
            store.plan(.append, after: 2, fault)
        }
        for round in 0..<3 {
            for (number, store) in stores.enumerated() { submit("first of \(number), \(round)", to: store) }
            answers.wait()
        }
        for store in faults { store.start(seed: random.next(), oneIn: 12) }
        for step in 0..<250 {
            let number = random.below(3)
            switch random.below(20) {
            case 0:
                // Its queued writes are finished first, whatever becomes of them.
                stores[number].close()
                stores[number] = try open(number)
            case 1: log.deliver()
            case 2: answers.wait()
            default:
                submit("dog \(step)", to: stores[number], isAlone: random.oneIn(10))
            }
        }
        answers.wait()
        for store in faults { store.end() }
        log.deliver()
        // Every store writes once more, and so learns what it did not know.
        for (number, store) in stores.enumerated() {
            try store.write { _ = try $0.create(dog, [name: .string("last of \(number)")]) }
        }
        let newest = try log.connect().newest()
        for store in stores {
            try Self.wait("version \(newest.version)") { try store.snapshot().version == newest.version }
        }
        for store in stores.dropFirst() { try ReplicaComparison.requireEqual(stores[0], store) }
        let fresh = try EmbeddedStore.open(
            path: directory.file("fresh"), log: log.connect(), options: smallClusters())
        defer { fresh.close() }
        try ReplicaComparison.requireEqual(stores[0], fresh)
        try check(stores[0], pets, answers.state.withLock { $0 }, versions: log.entries.count)
    }

    private func check(_ store: EmbeddedStore, _ pets: Pets, _ answers: Answers.State, versions: Int) throws {
        let snapshot = try store.snapshot()
        let keys = try snapshot.select(BoundQuery(classID: pets.dog.id), .all)
        let names = try keys.compactMap { key -> String? in
            guard case .string(let name) = try snapshot.value(pets.dog.id, key, pets.dog("name")) else { return nil }
            return name
        }
        let stored = Set(names)
        // Work that was done before and is run again finds its own name, which is another error.
        #expect(answers.strange == [])
        #expect(answers.made.isSubset(of: stored), "lost: \(answers.made.subtracting(stored))")
        #expect(answers.refused.isDisjoint(with: stored), "done: \(answers.refused.intersection(stored))")
        let last = Set((0..<3).map { "last of \($0)" })
        #expect(stored.subtracting(answers.made).subtracting(last).isSubset(of: answers.unknown))
        #expect(!answers.unknown.isEmpty && !answers.refused.isEmpty)
        if TestRun.hasFixedSeeds { #expect(answers.made.count > 50) }
        // A version each, and one for the schema.
        #expect(versions == names.count + 1)
    }

    private static func wait(_ what: String, until isSo: () throws -> Bool) throws {
        guard try eventually(isSo) else { throw HistoryFailure("\(what) did not come") }
    }

    @Test("work that comes while a store waits for its turn shares the append; work that must be alone does not")
    func turns() throws {
        let directory = try TestDirectory()
        let log = MemoryLog()
        let stores = try ["a", "b"].map {
            try EmbeddedStore.open(path: directory.file($0), log: log.connect(), options: smallClusters())
        }
        defer { for store in stores { store.close() } }
        try stores[0].replaceSchema(with: petSchema)
        let pets = try Pets(stores[0])
        let (dog, name) = (pets.dog.id, pets.dog("name"))
        try Self.wait("the schema") { try stores[1].snapshot().schema.classes.count == 2 }
        // One that is superseded takes turns from then on.
        func write(_ store: EmbeddedStore, _ text: String) throws {
            try store.write { _ = try $0.create(dog, [name: .string(text)]) }
        }
        let superseded = { stores[1].statistics().log?.appends[.superseded] ?? 0 }
        for number in 0..<1000 where superseded() == 0 {
            try write(stores[0], "a\(number)")
            try write(stores[1], "b\(number)")
        }
        #expect(superseded() > 0)
        let other = try log.connect().takeTurn()
        let group = DispatchGroup()
        let versions = Mutex<[String: Version]>([:])
        func submit(_ text: String, isAlone: Bool = false) {
            group.enter()
            stores[1].submit(
                { _ = try $0.create(dog, [name: .string(text)]) }, isAlone: isAlone,
                completion: { result in
                    versions.withLock { $0[text] = try? result.get() }
                    group.leave()
                })
        }
        submit("first")
        // It waits for the turn now; if it does not yet, all the more come into its append.
        usleep(200_000)
        for number in 1...8 { submit("joined \(number)") }
        submit("alone", isAlone: true)
        submit("after")
        other.end()
        group.wait()
        let made = versions.withLock { $0 }
        func tag(_ text: String) throws -> HistoryTag? { try stores[1].tag(of: try #require(made[text])) }
        let shared = try #require(try tag("first"))
        for number in 1...8 { #expect(try tag("joined \(number)") == shared) }
        #expect(try tag("alone") != shared)
        #expect(try tag("after") != tag("alone"))
    }
}
