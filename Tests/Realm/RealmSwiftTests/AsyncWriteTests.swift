import Foundation
import TestBasics
import Testing

@testable import RealmSwift

class AsyncDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
}

actor AsyncWriter {
    private var realm: Realm?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm.open(configuration: configuration)
    }

    func add(_ id: Int) async throws -> Int {
        guard let realm else { return -1 }
        return try await realm.asyncWrite {
            realm.create(AsyncDog.self, value: ["id": id])
            return realm.objects(AsyncDog.self).count
        }
    }

    struct Stop: Error {}

    func fail() async throws {
        guard let realm else { return }
        try await realm.asyncWrite {
            realm.create(AsyncDog.self, value: ["id": 99])
            throw Stop()
        }
    }

    func count() async -> Int {
        _ = await realm?.asyncRefresh()
        return realm?.objects(AsyncDog.self).count ?? -1
    }

    var isWaiting: Bool { realm?.isPerformingAsynchronousWriteOperations ?? false }
    var isWriting: Bool { realm?.isInWriteTransaction ?? false }
}

@Suite("Writes that nobody waits for")
struct AsyncWriteTests {
    private let fixture = QueueFixture([AsyncDog.self])

    @Test(
        """
        Realm.{writeAsync(_:onComplete:),isPerformingAsynchronousWriteOperations} runs its blocks one after the \
        other, and says when each is on disk
        """)
    func writeAsync() async throws {
        try fixture.run { [fixture] realm in
            for id in 0..<3 {
                realm.writeAsync {
                    fixture.note("write \(realm.isInWriteTransaction) \(realm.objects(AsyncDog.self).count)")
                    realm.create(AsyncDog.self, value: ["id": id])
                } onComplete: { error in
                    fixture.note("\(error == nil) \(realm.objects(AsyncDog.self).count)")
                }
            }
            #expect(realm.isPerformingAsynchronousWriteOperations && !realm.isInWriteTransaction)
        }
        #expect(
            try await fixture.notes(6) == [
                "write true 0", "true 1", "write true 1", "true 2", "write true 2", "true 3",
            ])
        try fixture.run { realm in
            #expect(!realm.isPerformingAsynchronousWriteOperations && realm.objects(AsyncDog.self).count == 3)
        }
    }

    @Test("Realm.writeAsync(_:onComplete:) a write that is begun while others wait goes first, and they follow")
    func waiting() async throws {
        try fixture.run { [fixture] realm in
            realm.writeAsync({ fixture.note("async \(realm.objects(AsyncDog.self).count)") })
            // Gives the first one time to get the file's lock; if it is slower, both orders are one.
            Thread.sleep(forTimeInterval: 0.05)
            try realm.write { _ = realm.create(AsyncDog.self, value: ["id": 1]) }
            fixture.note("sync")
        }
        #expect(try await fixture.notes(2) == ["sync", "async 1"])
    }

    @Test(
        """
        Realm.{beginAsyncWrite(_:),commitAsyncWrite(allowGrouping:_:),cancelAsyncWrite(_:)} a block commits, or \
        its write is taken back; one that is cancelled is not called
        """)
    func begin() async throws {
        try fixture.run { [fixture] realm in
            realm.beginAsyncWrite {
                realm.create(AsyncDog.self, value: ["id": 1])
                fixture.note("left")
            }
            let cancelled = realm.beginAsyncWrite { fixture.note("cancelled") }
            realm.beginAsyncWrite {
                realm.create(AsyncDog.self, value: ["id": 2])
                realm.commitAsyncWrite(allowGrouping: true) { _ in
                    fixture.note("\(Array(realm.objects(AsyncDog.self)).map(\.id))")
                }
                #expect(!realm.isInWriteTransaction && realm.isPerformingAsynchronousWriteOperations)
            }
            realm.cancelAsyncWrite(cancelled)
        }
        #expect(try await fixture.notes(2) == ["left", "[2]"])
    }

    @Test("what a commit in the background wrote shows at once to a write and after a refresh")
    func afterCommit() async throws {
        try fixture.run { realm in
            realm.beginWrite()
            realm.create(AsyncDog.self, value: ["id": 1])
            realm.commitAsyncWrite()
            realm.beginWrite()
            #expect(realm.objects(AsyncDog.self).count == 1)
            realm.create(AsyncDog.self, value: ["id": 2])
            realm.commitAsyncWrite()
            realm.refresh()
            #expect(realm.objects(AsyncDog.self).count == 2)
        }
    }

    @Test("what a commit in the background wrote shows at once, and its observers are told once, in a later turn")
    func readAfterCommit() async throws {
        try fixture.run { [fixture] realm in
            let dogs = realm.objects(AsyncDog.self)
            let dog = try realm.write { realm.create(AsyncDog.self, value: ["id": 0, "name": "a"]) }
            fixture.keep(realm.observe { _, realm in fixture.note("told of \(realm.objects(AsyncDog.self).count)") })
            for id in 1...3 {
                realm.beginWrite()
                realm.create(AsyncDog.self, value: ["id": id])
                dog.name += "b"
                realm.commitAsyncWrite { error in fixture.note("done \(error == nil)") }
                #expect(!realm.isInWriteTransaction)
                // Each kind of read is the first one once.
                switch id {
                case 1: #expect(dogs.count == 2)
                case 2: #expect(dog.name == "abb")
                default: #expect(realm.freeze().objects(AsyncDog.self).count == 4)
                }
                #expect(dog.name == "a" + String(repeating: "b", count: id) && dogs.count == id + 1)
                #expect(realm.isPerformingAsynchronousWriteOperations)
            }
            // The next write tells of the commit before it.
            fixture.note("block ends")
        }
        let notes = try await fixture.notes(7)
        #expect(notes.filter { $0.hasPrefix("told") } == ["told of 2", "told of 3", "told of 4"], "\(notes)")
        #expect(notes.filter { $0 == "done true" }.count == 3 && notes.last == "done true")
        #expect(notes.firstIndex(of: "block ends").map { $0 < (notes.firstIndex(of: "told of 4") ?? 0) } == true)
    }

    @Test("observers hear of writes in the background, also of those on other queues")
    func observed() async throws {
        let other = QueueFixture(beside: fixture)
        try fixture.run { [fixture] realm in
            fixture.keep(
                realm.objects(AsyncDog.self).observe { change in
                    if case .update(let dogs, _, let insertions, _) = change {
                        fixture.note("\(dogs.count) \(insertions)")
                    }
                    if case .initial = change { fixture.note("initial") }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in _ = realm.writeAsync({ realm.create(AsyncDog.self, value: ["id": 1]) }) }
        _ = try await fixture.notes(2)
        try other.run { realm in _ = realm.writeAsync({ realm.create(AsyncDog.self, value: ["id": 2]) }) }
        #expect(try await fixture.notes(3) == ["initial", "1 [0]", "2 [1]"])
    }

    @Test(
        """
        Realm.asyncWrite(_:) Realm.actor an actor's asyncWrite gives the block's result when it is on \
        disk, and takes back what fails
        """)
    func actors() async throws {
        let writers = [AsyncWriter(), AsyncWriter()]
        for writer in writers { try await writer.open(fixture.configuration) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for id in 0..<10 { group.addTask { _ = try await writers[id % 2].add(id) } }
            try await group.waitForAll()
        }
        await #expect(throws: AsyncWriter.Stop.self) { try await writers[0].fail() }
        for writer in writers { #expect(await writer.count() == 10) }
        #expect(await writers[0].isWriting == false)
    }

    @Test("Realm.asyncWrite(_:) of a cancelled task throws, and its block is not run")
    func cancelled() async throws {
        let writer = AsyncWriter()
        try await writer.open(fixture.configuration)
        fixture.queue.sync {}
        try fixture.run { realm in realm.beginWrite() }
        let task = Task { try await writer.add(1) }
        let waits = try await eventually { await writer.isWaiting }
        #expect(waits)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        try fixture.run { realm in realm.cancelWrite() }
        #expect(try await writer.add(2) == 1)
    }

    @Test(
        "what suspends its caller is refused for the realm of a thread or queue",
        arguments: ["asyncWrite()", "asyncRefresh()", "`subscribe`"])
    @MainActor func awaitable(_ function: String) throws {
        let message = try fixture.run { realm in
            do {
                try realm.freeze().rlm.checkAwaitable(function)
                try realm.rlm.checkAwaitable(function)
                return "not refused"
            } catch { return "\(error)" }
        }
        #expect(message == "\(function) can only be called on main thread or actor-isolated Realms")
        try Realm(configuration: fixture.configuration).rlm.checkAwaitable(function)
    }

    @Test("Realm.writeAsync(_:onComplete:) threads without a run loop and frozen realms do not write like that")
    func misuse() async throws {
        let configuration = fixture.configuration
        #expect(
            await exception { try Realm(configuration: configuration).writeAsync({}) }
                == "Cannot schedule async transaction. Make sure you are running from inside a run loop.")
        #expect(
            await exception { try Realm(configuration: configuration).freeze().writeAsync({}) }
                == "Can't perform transactions on a frozen Realm")
        #expect(
            await exception { try Realm(configuration: configuration).commitAsyncWrite() }
                == "Can't commit a non-existing write transaction")
    }
}
