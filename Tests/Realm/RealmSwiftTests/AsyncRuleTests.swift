import Foundation
import RealmSwift
import Synchronization
import TestBasics
import Testing

/// What writes in the background do when they meet mistakes, each other, and the end of their realm.
@Suite("Rules of writes in the background")
struct AsyncRuleTests {
    private let fixture = QueueFixture([AsyncDog.self])

    private static func add(_ realm: Realm, _ id: Int) { realm.create(AsyncDog.self, value: ["id": id]) }

    private static func ids(_ realm: Realm) -> [Int] { realm.objects(AsyncDog.self).map(\.id) }

    @Test("Realm.beginAsyncWrite(_:) nested: a block that begins another write is followed by that one")
    func nested() async throws {
        try fixture.run { [fixture] realm in
            realm.beginAsyncWrite {
                Self.add(realm, 1)
                realm.beginAsyncWrite {
                    fixture.note("inner \(Self.ids(realm))")
                    realm.cancelWrite()
                    fixture.note("cancelled \(realm.isInWriteTransaction)")
                }
                realm.commitAsyncWrite { error in fixture.note("outer \(error == nil)") }
            }
        }
        let notes = try await fixture.notes(3)
        #expect(Set(notes) == ["inner [1]", "cancelled false", "outer true"], "\(notes)")
    }

    @Test("Realm.commitAsyncWrite(allowGrouping:_:) grouped commits call back in order, and all are kept")
    func grouped() async throws {
        try fixture.run { [fixture] realm in
            for id in 0..<6 {
                realm.beginAsyncWrite {
                    Self.add(realm, id)
                    realm.commitAsyncWrite(allowGrouping: id % 3 != 2) { error in
                        fixture.note("\(id) \(error == nil) \(realm.isPerformingAsynchronousWriteOperations)")
                    }
                }
            }
        }
        let notes = try await fixture.notes(6)
        #expect(notes.map { $0.prefix(6) } == (0..<6).map { "\($0) true" }.map { $0.prefix(6) }, "\(notes)")
        try fixture.run { realm in
            #expect(Self.ids(realm) == Array(0..<6) && !realm.isPerformingAsynchronousWriteOperations)
        }
    }

    @Test("Realm.cancelAsyncWrite(_:) of a write that has begun, ended or never existed does nothing")
    func cancelled() async throws {
        let number = Mutex<AsyncTransactionId?>(nil)
        try fixture.run { [fixture] realm in
            let id = realm.writeAsync({ Self.add(realm, 1) }, onComplete: { _ in fixture.note("done") })
            number.withLock { $0 = id }
        }
        _ = try await fixture.notes(1)
        try fixture.run { realm in
            if let id = number.withLock({ $0 }) { realm.cancelAsyncWrite(id) }
            realm.cancelAsyncWrite(9_999)
            #expect(Self.ids(realm) == [1])
        }
    }

    @Test("Realm.writeAsync(_:onComplete:) a block that cancels its write wrote nothing, and the next one follows")
    func cancelling() async throws {
        try fixture.run { [fixture] realm in
            realm.writeAsync({
                Self.add(realm, 1)
                realm.cancelWrite()
            })
            realm.writeAsync({ Self.add(realm, 2) }, onComplete: { _ in fixture.note("\(Self.ids(realm))") })
        }
        #expect(try await fixture.notes(1) == ["[2]"])
    }

    @Test("Realm.commitWrite(withoutNotifying:) within a block in the background commits it")
    func synchronous() async throws {
        try fixture.run { [fixture] realm in
            realm.beginAsyncWrite {
                Self.add(realm, 1)
                do { try realm.commitWrite() } catch { fixture.note("\(error)") }
                fixture.note("\(Self.ids(realm)) \(realm.isInWriteTransaction)")
            }
            realm.writeAsync({ Self.add(realm, 2) }, onComplete: { _ in fixture.note("\(Self.ids(realm))") })
        }
        #expect(try await fixture.notes(2) == ["[1] false", "[1, 2]"])
    }

    @Test("Realm.invalidate() while writes wait does not lose them")
    func invalidated() async throws {
        try fixture.run { [fixture] realm in
            realm.writeAsync({ Self.add(realm, 1) }, onComplete: { _ in fixture.note("\(Self.ids(realm))") })
            realm.invalidate()
        }
        #expect(try await fixture.notes(1) == ["[1]"])
    }

    @Test("Realm.writeAsync(_:onComplete:) writes of two queues take turns")
    func twoQueues() async throws {
        let other = QueueFixture(beside: fixture)
        for round in 0..<20 {
            let here = round % 2 == 0 ? fixture : other
            try here.run { realm in
                _ = realm.writeAsync({ Self.add(realm, round) }, onComplete: { here.note("\($0 == nil)") })
            }
        }
        #expect(try await fixture.notes(10) == Array(repeating: "true", count: 10))
        #expect(try await other.notes(10) == Array(repeating: "true", count: 10))
        try fixture.run { realm in
            realm.refresh()
            #expect(Self.ids(realm).sorted() == Array(0..<20))
        }
    }

    @Test("Realm.{writeAsync(_:onComplete:),beginAsyncWrite(_:)} misuse within the block has Realm's texts")
    func misuse() async throws {
        // A realm for each, because the thread ends within its write.
        func message(_ body: @escaping @Sendable (Realm) throws -> Void) async -> String? {
            let configuration = QueueFixture([AsyncDog.self]).configuration
            return await exception { try body(try Realm(configuration: configuration)) }
        }
        #expect(await message { $0.cancelWrite() } == "Can't cancel a non-existing write transaction")
        #expect(
            await message {
                $0.beginWrite()
                $0.beginWrite()
            } == "The Realm is already in a write transaction")
        #expect(
            await message {
                let realm = $0
                _ = try realm.write { try realm.write {} }
            } == "The Realm is already in a write transaction")
    }
}

/// Objects that an actor's realm has, changed and observed there.
actor RuleActor {
    private var realm: Realm?
    private var notes: [String] = []
    private var token: NotificationToken?

    func open(_ configuration: Realm.Configuration) async throws {
        realm = try await Realm(configuration: configuration, actor: self)
    }

    func write(_ id: Int, _ name: String) throws {
        guard let realm else { return }
        try realm.write { realm.create(AsyncDog.self, value: ["id": id, "name": name], update: .modified) }
    }

    func asyncWrite(_ id: Int, _ name: String) async throws {
        guard let realm else { return }
        try await realm.asyncWrite { realm.create(AsyncDog.self, value: ["id": id, "name": name], update: .modified) }
    }

    func nested() async throws -> String {
        guard let realm else { return "" }
        return try await realm.asyncWrite {
            realm.create(AsyncDog.self, value: ["id": 50])
            realm.cancelWrite()
            return "\(realm.isInWriteTransaction) \(realm.objects(AsyncDog.self).count)"
        }
    }

    func observe() async {
        guard let realm else { return }
        token = await realm.objects(AsyncDog.self).observe(on: self) { actor, change in
            switch change {
            case .initial(let dogs): actor.note("initial \(dogs.count)")
            case .update(let dogs, let deletions, let insertions, let modifications):
                actor.note("\(dogs.count) \(deletions) \(insertions) \(modifications)")
            case .error: actor.note("error")
            }
        }
    }

    private func note(_ text: String) { notes.append(text) }

    func notes(_ count: Int) async throws -> [String] {
        _ = try await eventually { notes.count >= count }
        return notes
    }

    func names() async -> [String] {
        await realm?.asyncRefresh()
        return realm?.objects(AsyncDog.self).map(\.name) ?? []
    }

    func reference(_ id: Int) -> ThreadSafeReference<AsyncDog>? {
        realm?.object(ofType: AsyncDog.self, forPrimaryKey: id).map { ThreadSafeReference(to: $0) }
    }

    func resolve(_ reference: ThreadSafeReference<AsyncDog>) -> String? { realm?.resolve(reference)?.name }

    private var frozen: Results<AsyncDog>?

    func freeze() { frozen = realm?.objects(AsyncDog.self).freeze() }

    func frozenNames() -> [String] { frozen?.map(\.name) ?? [] }

    func close() {
        token = nil
        realm = nil
    }
}

@Suite("Realms of queues and actors")
struct ActorRuleTests {
    private let fixture = QueueFixture([AsyncDog.self])

    /// Sendable, because the queues that use it take turns.
    private final class Held: @unchecked Sendable {
        var dog: AsyncDog?
    }

    @Test("Realm.init(queue:) queues that target the realm's queue use its objects, other threads do not")
    func targeting() async throws {
        try fixture.run { realm in try realm.write { _ = realm.create(AsyncDog.self, value: ["id": 1, "name": "a"]) } }
        let inner = DispatchQueue(label: "inner", target: fixture.queue)
        let configuration = fixture.configuration
        for (opening, other) in [(fixture.queue, inner), (inner, fixture.queue)] {
            let held = Held()
            try opening.sync { [fixture] in
                let realm = try Realm(configuration: configuration, queue: fixture.queue)
                held.dog = realm.object(ofType: AsyncDog.self, forPrimaryKey: 1)
                #expect(held.dog?.name == "a")
            }
            for _ in 0..<3 {
                other.sync { #expect(held.dog?.name == "a") }
                opening.sync { #expect(held.dog?.name == "a") }
            }
            #expect(await exception { _ = held.dog?.name } == "Realm accessed from incorrect thread.")
            DispatchQueue(label: "stranger").sync { #expect(held.dog?.isInvalidated == false) }
            opening.sync { held.dog = nil }
        }
    }

    @Test("Realm.actor Realm.asyncWrite(_:) two actors write, observe, and hand objects over")
    func actors() async throws {
        let (first, second) = (RuleActor(), RuleActor())
        try await first.open(fixture.configuration)
        try await second.open(fixture.configuration)
        await first.observe()
        #expect(try await first.notes(1) == ["initial 0"])
        try await first.write(1, "a")
        #expect(try await first.notes(2).last == "1 [] [0] []")
        try await second.asyncWrite(1, "b")
        #expect(try await first.notes(3).last == "1 [] [] [0]")
        #expect(try await first.nested() == "false 1")
        #expect(await second.names() == ["b"])
        // An object of one actor, resolved on another.
        let reference = try #require(await first.reference(1))
        try await second.write(1, "c")
        #expect(await second.resolve(reference) == "c")
        // What is frozen stays.
        await second.freeze()
        try await second.write(1, "d")
        #expect(await second.frozenNames() == ["c"])
        await first.close()
        try await second.write(2, "e")
        #expect(await second.names() == ["d", "e"])
    }
}
