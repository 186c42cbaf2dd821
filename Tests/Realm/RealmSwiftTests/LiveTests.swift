import Foundation
import RealmSwift
import TestBasics
import Testing

class LiveDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var owner: LivePerson?
}

class LivePerson: Object {
    @Persisted var name = ""
    @Persisted var dogs: List<LiveDog>
    @Persisted var scores: List<Int>
}

actor LiveActor {
    var notes: [String] = []

    func note(_ text: String) { notes.append(text) }

    func open(_ configuration: Realm.Configuration) async throws -> Int {
        let realm = try await Realm(configuration: configuration, actor: self)
        return realm.objects(LiveDog.self).count
    }

    nonisolated func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { await notes.count >= count }
        let seen = await notes
        #expect(areEnough, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }
}

@Suite("Observing")
struct LiveTests {
    private let fixture = QueueFixture([LiveDog.self, LivePerson.self])

    private static func text<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
        switch change {
        case .initial(let collection): "initial \(collection.count)"
        case .update(let collection, let deletions, let insertions, let modifications):
            "\(collection.count) \(deletions) \(insertions) \(modifications)"
        case .error: "error"
        }
    }

    private func write(_ body: @Sendable (Realm) -> Void) throws {
        try fixture.run { realm in try realm.write { body(realm) } }
    }

    @Test(
        """
        RealmCollectionChange.{initial,update} results are told initially and after each change, with the \
        collection at that state
        """)
    func results() async throws {
        try fixture.run { [fixture] realm in
            try realm.write { for id in 0..<3 { realm.create(LiveDog.self, value: ["id": id]) } }
            fixture.keep(realm.objects(LiveDog.self).observe { fixture.note(Self.text($0)) })
        }
        _ = try await fixture.notes(1)
        try write { realm in
            realm.create(LiveDog.self, value: ["id": 3])
            realm.objects(LiveDog.self)[1].age = 5
        }
        _ = try await fixture.notes(2)
        try write { $0.delete($0.objects(LiveDog.self)[0]) }
        #expect(try await fixture.notes(3) == ["initial 3", "4 [] [3] [1]", "3 [0] [] []"])
    }

    @Test("key paths narrow what is a modification")
    func keyPaths() async throws {
        try fixture.run { [fixture] realm in
            try realm.write { realm.create(LiveDog.self, value: ["id": 1, "owner": ["name": "Ann"]]) }
            fixture.keep(realm.objects(LiveDog.self).observe(keyPaths: ["name"]) { fixture.note("s" + Self.text($0)) })
            fixture.keep(
                realm.objects(LiveDog.self).observe(keyPaths: [\LiveDog.owner?.name]) {
                    fixture.note("p" + Self.text($0))
                }
            )
        }
        _ = try await fixture.notes(2)
        try write { $0.objects(LiveDog.self)[0].age = 1 }
        try write { $0.objects(LiveDog.self)[0].name = "Rex" }
        _ = try await fixture.notes(3)
        try write { $0.objects(LivePerson.self)[0].name = "Bob" }
        #expect(try await fixture.notes(4).dropFirst(2) == ["s1 [] [] [0]", "p1 [] [] [0]"])
    }

    @Test("an actor is told with a collection of its own, and of every write after the call")
    func actors() async throws {
        let actor = LiveActor()
        let found = try fixture.run { realm in
            try realm.write { _ = realm.create(LiveDog.self, value: ["id": 1]) }
            return ThreadSafeReference(to: realm.objects(LiveDog.self))
        }
        let configuration = fixture.configuration
        #expect(try await actor.open(configuration) == 1)
        let token = await Self.observe(found, configuration, on: actor)
        _ = try await actor.notes(1)
        try write { _ = $0.create(LiveDog.self, value: ["id": 2]) }
        #expect(try await actor.notes(2) == ["initial 1", "2 [] [1] []"])
        token.invalidate()
    }

    @MainActor
    private static func observe(
        _ reference: ThreadSafeReference<Results<LiveDog>>, _ configuration: Realm.Configuration, on actor: LiveActor
    ) async -> NotificationToken {
        guard let realm = try? await Realm(configuration: configuration), let dogs = realm.resolve(reference) else {
            fatalError("no realm")
        }
        return await dogs.observe(on: actor) { actor, change in actor.note(text(change)) }
    }

    @Test(
        """
        ObjectChange.{change,deleted} PropertyChange.{name,oldValue,newValue} an object's observer is told \
        its properties, old values of what others did, and its end
        """)
    func objects() async throws {
        try fixture.run { [fixture] realm in
            let dog = try realm.write { realm.create(LiveDog.self, value: ["id": 1, "name": "Rex"]) }
            let token = dog.observe { (change: ObjectChange<LiveDog>) in
                switch change {
                case .change(let dog, let properties):
                    for property in properties {
                        fixture.note(
                            "\(dog.id) \(property.name) \(property.oldValue ?? "nil") \(property.newValue ?? "nil")")
                    }
                case .deleted: fixture.note("deleted")
                case .error: fixture.note("error")
                }
            }
            fixture.keep(token)
        }
        try write { $0.objects(LiveDog.self)[0].age = 4 }
        _ = try await fixture.notes(1)
        try QueueFixture(beside: fixture).run { realm in try realm.write { realm.objects(LiveDog.self)[0].name = "Max" }
        }
        _ = try await fixture.notes(2)
        try write { $0.deleteAll() }
        #expect(try await fixture.notes(3) == ["1 age nil 4", "1 name Rex Max", "deleted"])
    }

    @Test("frozen things keep their version on any thread")
    func frozen() async throws {
        let reference = try fixture.run { realm in
            let dog = try realm.write { realm.create(LiveDog.self, value: ["id": 1, "name": "Rex"]) }
            let (frozen, all) = (dog.freeze(), realm.objects(LiveDog.self).freeze())
            #expect(frozen.isFrozen && all.isFrozen && all.realm?.isFrozen == true && frozen == all[0])
            try realm.write {
                dog.name = "Max"
                realm.create(LiveDog.self, value: ["id": 2])
            }
            #expect(frozen.name == "Rex" && all.count == 1 && all[0].name == "Rex")
            #expect(frozen.thaw()?.name == "Max" && all.thaw()?.count == 2)
            try realm.write { realm.delete(dog) }
            #expect(frozen.thaw() == nil && !frozen.isInvalidated)
            return ThreadSafeReference(to: realm.objects(LiveDog.self)[0])
        }
        #expect(try QueueFixture(beside: fixture).run { $0.resolve(reference)?.id } == 2)
    }
}
