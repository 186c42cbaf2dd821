import Foundation
import RealmSwift
import Testing

class HandedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var tags: List<String>
    @Persisted var digits: MutableSet<Int>
    @Persisted var scores: Map<String, Int>
    @Persisted var friend: HandedDog?
    @Persisted var friends: List<HandedDog>
    @Persisted var pack: MutableSet<HandedDog>
    @Persisted var byName: Map<String, HandedDog?>
    @Persisted var home: HandedHome?
    @Persisted var any: AnyRealmValue
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<HandedDog>

    convenience init(_ id: Int, _ name: String = "") {
        self.init()
        (self.id, self.name) = (id, name)
    }
}

class HandedHome: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var rooms: List<Int>
}

class HandedView: Projection<HandedDog> {
    @Projected(\HandedDog.name) var label
    @Projected(\HandedDog.friend?.name) var friendName
}

/// What references hand over between threads, and what `@ThreadSafe` and frozen copies show afterwards.
@Suite("Handing over")
struct HandedOverTests {
    private let configuration = Realm.Configuration(
        inMemoryIdentifier: UUID().uuidString, objectTypes: [HandedDog.self, HandedHome.self])

    private func open() throws -> Realm { try Realm(configuration: configuration) }

    /// Creates two dogs, of which the first likes the second.
    private func pair(_ realm: Realm) throws -> HandedDog {
        try realm.write {
            let second = realm.create(HandedDog.self, value: ["id": 2, "name": "b"])
            return realm.create(
                HandedDog.self,
                value: [
                    "id": 1, "name": "a", "tags": ["x", "y"], "digits": [3, 1], "scores": ["k": 7], "friend": second,
                    "friends": [second], "pack": [second], "byName": ["b": second], "home": ["street": "s"],
                    "any": ["n": 1] as [String: Any],
                ] as [String: Any])
        }
    }

    private func elsewhere<R: Sendable>(_ body: @escaping @Sendable (Realm) throws -> R) async throws -> R {
        let configuration = configuration
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try body(Realm(configuration: configuration)) })
            }
        }
    }

    @Test("ThreadSafeReference(to:) every kind of collection, objects, projections and sections are resolved")
    func kinds() async throws {
        let texts = try await {
            let (references, keeper) = try { () -> (References, Realm) in
                let realm = try Realm(configuration: configuration)
                return (try References(pair(realm), realm), realm)
            }()
            _ = keeper
            return try await elsewhere { try references.texts($0) }
        }()
        #expect(
            texts == [
                "a", "s", "x,y", "1,3", "k=7", "b", "b", "b", "1", "2", "a-b", "1", "a", "a,b", "b", "n=1",
            ])
    }

    private struct References: Sendable {
        let dog: ThreadSafeReference<HandedDog>
        let home: ThreadSafeReference<HandedHome>
        let tags: ThreadSafeReference<List<String>>
        let digits: ThreadSafeReference<MutableSet<Int>>
        let scores: ThreadSafeReference<Map<String, Int>>
        let friends: ThreadSafeReference<List<HandedDog>>
        let pack: ThreadSafeReference<MutableSet<HandedDog>>
        let byName: ThreadSafeReference<Map<String, HandedDog?>>
        let admirers: ThreadSafeReference<LinkingObjects<HandedDog>>
        let results: ThreadSafeReference<Results<HandedDog>>
        let view: ThreadSafeReference<HandedView>
        let sections: ThreadSafeReference<SectionedResults<String, HandedDog>>
        let section: ThreadSafeReference<ResultsSection<String, HandedDog>>
        let names: ThreadSafeReference<Results<HandedDog>>
        let any: ThreadSafeReference<AnyRealmCollection<HandedDog>>
        let nested: ThreadSafeReference<Map<String, AnyRealmValue>>

        init(_ dog: HandedDog, _ realm: Realm) throws {
            let dogs = realm.objects(HandedDog.self)
            self.dog = ThreadSafeReference(to: dog)
            home = ThreadSafeReference(to: try #require(dog.home))
            tags = ThreadSafeReference(to: dog.tags)
            digits = ThreadSafeReference(to: dog.digits)
            scores = ThreadSafeReference(to: dog.scores)
            friends = ThreadSafeReference(to: dog.friends)
            pack = ThreadSafeReference(to: dog.pack)
            byName = ThreadSafeReference(to: dog.byName)
            admirers = ThreadSafeReference(to: try #require(dog.friend).admirers)
            results = ThreadSafeReference(to: dogs.where { $0.name > "a" })
            view = ThreadSafeReference(to: try #require(realm.objects(HandedView.self).sorted(byKeyPath: "name").first))
            let sections = dogs.sectioned(by: \.name)
            self.sections = ThreadSafeReference(to: sections)
            section = ThreadSafeReference(to: sections[0])
            names = ThreadSafeReference(to: dogs.sorted(byKeyPath: "name"))
            any = ThreadSafeReference(to: AnyRealmCollection(dog.friends))
            nested = ThreadSafeReference(to: try #require(dog.any.dictionaryValue))
        }

        func texts(_ realm: Realm) throws -> [String] {
            let view = try #require(realm.resolve(view))
            return [
                try #require(realm.resolve(dog)).name, try #require(realm.resolve(home)).street,
                try #require(realm.resolve(tags)).joined(separator: ","),
                try #require(realm.resolve(digits)).map { "\($0)" }.joined(separator: ","),
                try #require(realm.resolve(scores)).map { "\($0.key)=\($0.value)" }.joined(),
                try #require(realm.resolve(friends)).map(\.name).joined(),
                try #require(realm.resolve(pack)).map(\.name).joined(),
                try #require(realm.resolve(byName)).keys.joined(),
                "\(try #require(realm.resolve(admirers)).count)",
                try #require(realm.resolve(results)).map { "\($0.id)" }.joined(),
                "\(view.label)-\(view.friendName ?? "nil")",
                "\(try #require(realm.resolve(section)).count)",
                try #require(realm.resolve(sections)).allKeys.prefix(1).joined(),
                try #require(realm.resolve(names)).map(\.name).joined(separator: ","),
                try #require(realm.resolve(any)).map(\.name).joined(),
                try #require(realm.resolve(nested)).map { "\($0.key)=\($0.value.intValue ?? -1)" }.joined(),
            ]
        }
    }

    @Test("Realm.resolve(_:) the state at the time of the reference is passed on; what was deleted since is nil")
    func deleted() async throws {
        let realm = try open()
        let dog = try pair(realm)
        let (gone, list) = (ThreadSafeReference(to: dog), ThreadSafeReference(to: dog.friends))
        try realm.write { realm.delete(dog) }
        let answer = try await elsewhere { realm in
            _ = realm.refresh()
            return [realm.resolve(gone) == nil, realm.resolve(list) == nil]
        }
        #expect(answer == [true, true])
    }

    @Test("ThreadSafeReference(to:) unmanaged, invalidated, resolved twice, and within a write")
    func misuse() async {
        let configuration = configuration
        #expect(
            await exception { _ = ThreadSafeReference(to: HandedDog()) }
                == "Cannot construct reference to unmanaged object, which can be passed across threads directly")
        #expect(
            await exception { _ = ThreadSafeReference(to: List<Int>()) }
                == "Cannot construct reference to unmanaged object, which can be passed across threads directly")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let dog = try realm.write { realm.create(HandedDog.self, value: ["id": 5]) }
                try realm.write { realm.delete(dog) }
                _ = ThreadSafeReference(to: dog)
            } == "Cannot construct reference to invalidated object")
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let dog = try realm.write { realm.create(HandedDog.self, value: ["id": 6]) }
                let reference = ThreadSafeReference(to: dog)
                _ = realm.resolve(reference)
                _ = realm.resolve(reference)
            } == "Can only resolve a thread safe reference once.")
    }

    @Test("ThreadSafe a nil value, a value that is deleted, and values that are assigned later")
    func wrapper() throws {
        let realm = try open()
        let dog = try pair(realm)
        @ThreadSafe var held: HandedDog? = nil
        #expect(held == nil)
        held = dog
        #expect(held?.isSameObject(as: dog) == true)
        try realm.write { realm.delete(dog) }
        #expect(held == nil || held?.isInvalidated == true)
        // What is passed on is live, also when it was taken from a frozen object.
        @ThreadSafe var thawed: HandedDog? = realm.objects(HandedDog.self).first?.freeze()
        #expect(thawed?.id == 2 && thawed?.isFrozen == false)
    }

    @Test("Realm.freeze() frozen objects, collections and realms stay what they were, anywhere")
    func frozen() async throws {
        let realm = try open()
        let dog = try pair(realm)
        let results = realm.objects(HandedDog.self).sorted(byKeyPath: "id")
        let frozen = Frozen(
            dog: dog.freeze(), results: results.freeze(), tags: dog.tags.freeze(), scores: dog.scores.freeze(),
            digits: dog.digits.freeze(), realm: realm.freeze(),
            sections: results.sectioned(by: \.name).freeze())
        try realm.write {
            dog.name = "changed"
            dog.tags.removeAll()
            dog.scores["k"] = 8
            dog.digits.insert(9)
            realm.delete(results[1])
        }
        #expect(frozen.texts == ["a", "2", "x,y", "7", "2", "2", "a,b", "b", "true"])
        #expect(frozen.dog.thaw()?.name == "changed" && frozen.tags.thaw()?.isEmpty == true)
        #expect(frozen.results.thaw()?.count == 1 && frozen.scores.thaw()?["k"] == 8)
        #expect(frozen.results[1].thaw() == nil)
        #expect(frozen.realm.thaw() == realm && !frozen.realm.thaw().isFrozen)
        #expect(frozen.dog.realm?.isFrozen == true && frozen.dog.freeze() === frozen.dog)
        // Frozen objects are equal by what they show.
        #expect(frozen.dog == frozen.results[0] && frozen.dog.hash == frozen.results[0].hash)
        #expect(!frozen.dog.isSameObject(as: dog))
        #expect(frozen.dog.friend?.isFrozen == true && frozen.dog.home?.isFrozen == true)
        #expect(frozen.dog.friend?.admirers.first?.name == "a")
        #expect(frozen.results.where { $0.friends.count > 0 }.map(\.name) == ["a"])
        #expect(frozen.results.sum(of: \.id) == 3 && frozen.results.max(ofProperty: "id") as Int? == 2)
        // Last, because this function may go on on another thread.
        let texts = await Task.detached { frozen.texts }.value
        #expect(texts == ["a", "2", "x,y", "7", "2", "2", "a,b", "b", "true"])
    }

    private struct Frozen: @unchecked Sendable {
        let dog: HandedDog
        let results: Results<HandedDog>
        let tags: List<String>
        let scores: Map<String, Int>
        let digits: MutableSet<Int>
        let realm: Realm
        let sections: SectionedResults<String, HandedDog>

        var texts: [String] {
            [
                dog.name, "\(results.count)", tags.joined(separator: ","), "\(scores["k"] ?? 0)", "\(digits.count)",
                "\(realm.objects(HandedDog.self).count)", sections.allKeys.joined(separator: ","),
                dog.friend?.name ?? "", "\(dog.any.dictionaryValue?.isFrozen == true)",
            ]
        }
    }

    @Test("frozen things are neither written nor observed nor refreshed", arguments: 0..<7)
    func frozenMisuse(_ number: Int) async {
        let configuration = configuration
        let message = await exception {
            let realm = try Realm(configuration: configuration)
            let dog = try realm.write { realm.create(HandedDog.self, value: ["id": 1], update: .all) }
            let frozen = dog.freeze()
            let frozenRealm = realm.freeze()
            switch number {
            case 0: frozenRealm.beginWrite()
            case 1: try frozenRealm.write {}
            case 2: frozen.name = "x"
            case 3: frozen.tags.append("x")
            case 4: frozenRealm.autorefresh = true
            case 5: _ = frozenRealm.observe { _, _ in }
            default: _ = HandedDog().freeze()
            }
        }
        let expected = [
            "Can't perform transactions on a frozen Realm", "Can't perform transactions on a frozen Realm",
            "frozen", "frozen", "Auto-refresh cannot be enabled for frozen Realms.",
            "Frozen Realms do not change and do not have change notifications.", "Unmanaged objects cannot be frozen.",
        ]
        #expect(message?.contains(expected[number]) == true, "\(message ?? "nothing")")
    }

    @Test("Realm.writeAsync(_:onComplete:) the completion belongs to the commit: a cancelled write has none")
    func cancelledWrite() async throws {
        let fixture = QueueFixture([HandedDog.self, HandedHome.self])
        try fixture.run { [fixture] realm in
            realm.writeAsync(
                {
                    realm.create(HandedDog.self, value: ["id": 1])
                    realm.cancelWrite()
                    fixture.note("cancelled")
                }, onComplete: { _ in fixture.note("wrong") })
            realm.writeAsync({ realm.create(HandedDog.self, value: ["id": 2]) }) { error in
                fixture.note("\(error == nil) \(Array(realm.objects(HandedDog.self).map(\.id)))")
            }
        }
        let notes = try await fixture.notes(2)
        #expect(notes == ["cancelled", "true [2]"])
        try fixture.run { realm in #expect(!realm.isPerformingAsynchronousWriteOperations) }
        #expect(try await fixture.notes(2).count == 2)
    }
}
