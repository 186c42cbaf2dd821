import Foundation
import RealmSwift
import TestBasics
import Testing

class ObservedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var friend: ObservedDog?
    @Persisted var scores: List<Int>
}

actor ObservedActor {
    var notes: [String] = []
    private var token: NotificationToken?

    func note(_ text: String) { notes.append(text) }

    nonisolated func notes(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async throws -> [String] {
        let areEnough = try await eventually { await notes.count >= count }
        let seen = await notes
        #expect(areEnough, "\(seen)", sourceLocation: sourceLocation)
        return seen
    }

    static func text(_ change: ObjectChange<ObservedDog>) -> String {
        switch change {
        case .change(let dog, let properties):
            "\(dog.id) "
                + properties.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }.joined(
                    separator: ", ")
        case .deleted: "deleted"
        case .error: "error"
        }
    }

    /// Observes an object of this actor.
    func observe(_ configuration: Realm.Configuration, swift: Bool, on other: ObservedActor) async throws {
        let realm = try await Realm.open(configuration: configuration)
        let dog = realm.objects(ObservedDog.self)[0]
        if swift {
            token = await dog.observe(keyPaths: [\ObservedDog.name], on: other) { actor, change in
                actor.note(Self.text(change))
            }
        } else {
            token = await dog.observe(on: other) { (actor, change: ObjectChange<ObservedDog>) in
                actor.note(Self.text(change))
            }
        }
    }

    /// Observes results of this actor, by Swift key paths.
    func observeAll(_ configuration: Realm.Configuration, on other: ObservedActor) async throws {
        let dogs = try await Realm.open(configuration: configuration).objects(ObservedDog.self)
        token = await dogs.observe(keyPaths: [\.name], on: other) { actor, change in
            if case .update(let dogs, _, _, let modifications) = change { actor.note("\(dogs.count) \(modifications)") }
            if case .initial = change { actor.note("initial") }
        }
    }

    func end() { token?.invalidate() }
}

@Suite("Rules of observing")
struct ObservingRulesTests {
    private let fixture = QueueFixture([ObservedDog.self])

    private func write(_ body: @Sendable (Realm) -> Void) throws {
        try fixture.run { realm in try realm.write { body(realm) } }
    }

    private static func add(_ realm: Realm, _ id: Int) { realm.create(ObservedDog.self, value: ["id": id]) }

    @Test("what cannot be observed says why")
    func misuse() async throws {
        try write { Self.add($0, 1) }
        let configuration = fixture.configuration
        let frozen = "Frozen Realms do not change and do not have change notifications."
        let inWrite = "Cannot create asynchronous query after making changes in a write transaction."
        let noLoop = "Can only add notification blocks from within runloops."
        #expect(
            await exception { _ = try Realm(configuration: configuration).objects(ObservedDog.self).observe { _ in } }
                == noLoop)
        #expect(
            await exception {
                _ = try Realm(configuration: configuration).objects(ObservedDog.self).freeze().observe { _ in }
            } == frozen)
        #expect(await exception { _ = try Realm(configuration: configuration).freeze().observe { _, _ in } } == frozen)
        #expect(
            await exception {
                let dog = try Realm(configuration: configuration).objects(ObservedDog.self)[0].freeze()
                _ = dog.observe { (_: ObjectChange<ObservedDog>) in }
            } == frozen)
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                realm.beginWrite()
                defer { realm.cancelWrite() }
                Self.add(realm, 2)
                _ = realm.objects(ObservedDog.self).observe(on: DispatchQueue(label: "q")) { _ in }
            } == inWrite)
        #expect(
            await exception { _ = List<Int>().observe { _ in } }
                == "Change notifications are only supported on managed collections.")
        #expect(
            await exception { _ = ObservedDog().observe { (_: ObjectChange<ObservedDog>) in } }
                == "Only objects which are managed by a Realm support change notifications")
        #expect(
            await exception {
                let dogs = try Realm(configuration: configuration).objects(ObservedDog.self)
                _ = dogs.observe(keyPaths: ["tail"], on: DispatchQueue(label: "q")) { _ in }
            } == "Invalid property name: property 'tail' not found in object of type 'ObservedDog'")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let dogs = realm.objects(ObservedDog.self)
                realm.invalidate()
                _ = dogs.observe(on: DispatchQueue(label: "q")) { _ in }
            } == "Access to invalidated Results objects")
    }

    @Test(
        """
        NotificationToken NotificationToken.invalidate() blocks run in the order of registration, and a \
        token that is invalidated or dropped ends them
        """)
    func tokens() async throws {
        try fixture.run { [fixture] realm in
            let dogs = realm.objects(ObservedDog.self)
            for number in 0..<3 {
                let token = dogs.observe { change in
                    fixture.note("\(number)")
                    // The last observer is never called.
                    if number == 1 { fixture.kept.last?.invalidate() }
                }
                fixture.keep(token)
            }
        }
        _ = try await fixture.notes(2)
        try write { Self.add($0, 1) }
        #expect(try await fixture.notes(4) == ["0", "1", "0", "1"])
        fixture.dropTokens()
        try write { Self.add($0, 2) }
        try fixture.run { _ = $0.refresh() }
        #expect(try await fixture.notes(4).count == 4)
    }

    @Test("Realm.beginWrite() tells what others did, and the observers it calls find the write open")
    func beginWrite() async throws {
        let other = QueueFixture(beside: fixture)
        try fixture.run { [fixture] realm in
            realm.autorefresh = false
            fixture.keep(
                realm.objects(ObservedDog.self).observe { change in
                    fixture.note("\(realm.isInWriteTransaction) \(realm.objects(ObservedDog.self).count)")
                })
        }
        _ = try await fixture.notes(1)
        try other.run { realm in try realm.write { Self.add(realm, 1) } }
        try fixture.run { [fixture] realm in
            #expect(realm.objects(ObservedDog.self).count == 0)
            realm.beginWrite()
            fixture.note("begun")
            realm.cancelWrite()
        }
        #expect(try await fixture.notes(3) == ["false 0", "true 1", "begun"])
    }

    @Test(
        """
        Realm.{refresh(),autorefresh,observe(_:)} Notification.{didChange,refreshRequired} refresh tells before \
        it returns, and without autorefresh others' commits wait for it
        """)
    func refresh() async throws {
        let other = QueueFixture(beside: fixture)
        try fixture.run { [fixture] realm in
            realm.autorefresh = false
            fixture.keep(realm.observe { notification, _ in fixture.note(notification.rawValue) })
            fixture.keep(realm.objects(ObservedDog.self).observe { _ in fixture.note("called") })
            #expect(!realm.refresh())
            fixture.note("refreshed")
        }
        try other.run { realm in try realm.write { Self.add(realm, 1) } }
        _ = try await fixture.notes(3)
        try fixture.run { [fixture] realm in
            #expect(realm.objects(ObservedDog.self).count == 0)
            #expect(realm.refresh())
            fixture.note("refreshed")
            #expect(realm.objects(ObservedDog.self).count == 1)
        }
        #expect(
            try await fixture.notes(6) == [
                "called", "refreshed", "RLMRealmRefreshRequiredNotification", "RLMRealmDidChangeNotification", "called",
                "refreshed",
            ])
    }

    @Test(
        """
        Realm.{write(withoutNotifying:_:),commitWrite(withoutNotifying:)} observers of the tokens hear nothing \
        of a write without notifying, and of the next one as if they had
        """)
    func withoutNotifying() async throws {
        try fixture.run { [fixture] realm in
            try realm.write { Self.add(realm, 1) }
            fixture.keep(
                realm.objects(ObservedDog.self).observe { change in
                    if case .update(_, let deletions, let insertions, let modifications) = change {
                        fixture.note("\(deletions) \(insertions) \(modifications)")
                    } else {
                        fixture.note("initial")
                    }
                })
        }
        _ = try await fixture.notes(1)
        try fixture.run { [fixture] realm in
            try realm.write(withoutNotifying: fixture.kept) { Self.add(realm, 2) }
            realm.refresh()
            try realm.write { realm.objects(ObservedDog.self)[1].age = 3 }
        }
        #expect(try await fixture.notes(2) == ["initial", "[] [] [1]"])
        let (configuration, tokens) = (fixture.configuration, fixture.kept)
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                defer { if realm.isInWriteTransaction { realm.cancelWrite() } }
                realm.beginWrite()
                try realm.commitWrite(withoutNotifying: tokens)
            } == "Incorrect Realm: only notifications for the Realm being modified can be skipped.")
    }

    @Test("key paths say what of an object is told, also behind its links")
    func objectKeyPaths() async throws {
        try write {
            $0.create(ObservedDog.self, value: ["id": 1, "friend": ["id": 2]])
        }
        try fixture.run { [fixture] realm in
            guard let dog = realm.object(ofType: ObservedDog.self, forPrimaryKey: 1) else { return }
            fixture.keep(
                dog.observe(keyPaths: [\ObservedDog.friend?.name]) { (change: ObjectChange<ObservedDog>) in
                    if case .change(_, let properties) = change { fixture.note("\(properties.map(\.name))") }
                })
        }
        try write { $0.object(ofType: ObservedDog.self, forPrimaryKey: 1)?.name = "Rex" }
        try fixture.run { _ = $0.refresh() }
        try write { $0.object(ofType: ObservedDog.self, forPrimaryKey: 2)?.name = "Max" }
        #expect(try await fixture.notes(1) == [#"["friend"]"#])
    }

    @Test("actors are told of objects and collections of their own", arguments: [false, true])
    func actors(_ swift: Bool) async throws {
        try write { Self.add($0, 1) }
        let (source, target, all) = (ObservedActor(), ObservedActor(), ObservedActor())
        try await source.observe(fixture.configuration, swift: swift, on: target)
        try await all.observeAll(fixture.configuration, on: all)
        _ = try await all.notes(1)
        try write { $0.objects(ObservedDog.self)[0].age = 4 }
        if !swift { _ = try await target.notes(1) }
        try write { $0.objects(ObservedDog.self)[0].name = "Rex" }
        _ = try await target.notes(swift ? 1 : 2)
        _ = try await all.notes(2)
        try write { $0.deleteAll() }
        #expect(try await target.notes(swift ? 2 : 3) == (swift ? [] : ["1 age 0 4"]) + ["1 name  Rex", "deleted"])
        #expect(try await all.notes(3) == ["initial", "1 [0]", "0 []"])
        await source.end()
        await all.end()
    }

    @Test("freezing what cannot be frozen says why, frozen things cannot be changed")
    func frozen() async throws {
        try write { Self.add($0, 1) }
        let configuration = fixture.configuration
        try fixture.run { realm in
            let scores = realm.objects(ObservedDog.self)[0].scores
            try realm.write { scores.append(1) }
            let frozen = scores.freeze()
            try realm.write { scores.append(2) }
            #expect(frozen.isFrozen && Array(frozen) == [1] && frozen.thaw().map { Array($0) } == [1, 2])
            #expect(scores.thaw() == scores && frozen.freeze() == frozen)
            realm.beginWrite()
            scores.append(3)
            #expect(Array(scores.freeze()) == [1, 2])
            realm.cancelWrite()
        }
        // A misuse that stops the program within a write leaves it open: no other follows.
        #expect(!ObservedDog().isFrozen && !List<Int>().isFrozen)
        #expect(await exception { _ = ObservedDog().freeze() } == "Unmanaged objects cannot be frozen.")
        #expect(
            await exception { _ = List<Int>().freeze() }
                == "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        #expect(
            await exception { _ = List<Int>().thaw() }
                == "This method may only be called on RLMArray instances retrieved from an RLMRealm")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                realm.beginWrite()
                defer { realm.cancelWrite() }
                _ = realm.create(ObservedDog.self, value: ["id": 5]).freeze()
            } == "Cannot freeze an object in the same write transaction as it was created in.")
        #expect(
            await exception {
                try Realm(configuration: configuration).objects(ObservedDog.self)[0].freeze().age = 1
            } == "Attempting to modify a frozen object - call thaw on the Object instance first.")
    }

    @Test(
        """
        ThreadSafeReference.init(to:) Realm.resolve(_:) ThreadSafe ThreadSafeReference(Object) \
        ThreadSafeReference(List); what is unmanaged or gone says so
        """)
    func references() async throws {
        try write {
            Self.add($0, 1)
            $0.objects(ObservedDog.self)[0].scores.append(7)
        }
        let references = try fixture.run { realm in
            let dog = realm.objects(ObservedDog.self)[0]
            return (
                ThreadSafeReference(to: dog), ThreadSafeReference(to: dog.scores), ThreadSafeReference(to: dog),
                ThreadSafe(wrappedValue: dog)
            )
        }
        try QueueFixture(beside: fixture).run { realm in
            #expect(realm.resolve(references.0)?.id == 1 && references.0.isInvalidated)
            #expect(realm.resolve(references.1).map { Array($0) } == [7])
            try realm.write { realm.deleteAll() }
            #expect(realm.resolve(references.2) == nil)
        }
        let configuration = fixture.configuration
        #expect(
            await exception { _ = try Realm(configuration: configuration).resolve(references.0) }
                == "Can only resolve a thread safe reference once.")
        #expect(
            await exception { _ = ThreadSafeReference(to: ObservedDog()) }
                == "Cannot construct reference to unmanaged object, which can be passed across threads directly")
        try fixture.run { _ = $0.refresh() }
        #expect(try fixture.run { _ in references.3.wrappedValue == nil })
    }

    @Test("Realm.isolation a realm that is used elsewhere than it belongs stops the program")
    func confined() async throws {
        let configuration = fixture.configuration
        let realm = try fixture.run { ThreadSafeReference(to: $0.objects(ObservedDog.self)) }
        _ = realm
        #expect(
            await exception {
                let queue = DispatchQueue(label: "q")
                nonisolated(unsafe) var there: Realm?
                try queue.sync { there = try Realm(configuration: configuration, queue: queue) }
                _ = there?.objects(ObservedDog.self).count
            } == "Realm accessed from incorrect thread.")
    }
}
