import Foundation
import RealmSwift
import Testing

final class ProofDogView: Projection<ProofDog> {
    @Projected(\ProofDog.name) var title
}

@Suite("Declarations: threads")
struct ThreadDeclarations {
    private let fixture = QueueFixture(Form.types)

    private func fill() throws {
        try fixture.run { realm in
            try realm.write {
                let owner = realm.create(ProofOwner.self, value: ["name": "Ann", "home": ["street": "Elm"]])
                let dog = ProofDog(1, "Rex")
                owner.dogs.append(dog)
                owner.pack.insert(dog)
                owner.named["a"] = dog
            }
        }
    }

    /// Passes a reference from one queue to another, and resolves it after a change.
    private func hand<C: ThreadConfined & SendableMetatype>(
        _ make: @Sendable (ProofOwner, Realm) throws -> C, _ check: @Sendable (C) throws -> Void
    ) throws {
        let (reference, wrapped) = try fixture.run { realm in
            let thing = try make(realm.objects(ProofOwner.self)[0], realm)
            return (ThreadSafeReference(to: thing), ThreadSafe(wrappedValue: thing))
        }
        #expect(!reference.isInvalidated)
        try QueueFixture(beside: fixture).run { realm in
            try realm.write { realm.objects(ProofDog.self)[0].name = "Max" }
            let resolved = try #require(realm.resolve(reference))
            #expect(reference.isInvalidated && resolved.realm == realm && !resolved.isFrozen)
            try check(resolved)
        }
        try fixture.run { realm in
            realm.refresh()
            try check(#require(wrapped.wrappedValue))
            try check(#require(wrapped.wrappedValue))
        }
    }

    @Test(
        """
        ThreadSafeReference(Object) ThreadSafeReference(Results) ThreadSafeReference(List) \
        ThreadSafeReference(MutableSet) ThreadSafeReference(Map) ThreadSafeReference(LinkingObjects) \
        ThreadSafeReference(AnyRealmCollection) ThreadSafeReference(Projection) ThreadSafeReference(SectionedResults) \
        ThreadSafeReference(ResultsSection) ThreadSafe show the new state where they are resolved
        """)
    func references() throws {
        try fill()
        try hand({ _, realm in realm.objects(ProofDog.self)[0] }, { #expect($0.name == "Max") })
        try hand({ owner, _ in owner }, { #expect($0.dogs.first?.name == "Max") })
        try hand({ owner, _ in try #require(owner.home) }, { #expect($0.street == "Elm") })
        try hand(
            { _, realm in realm.objects(ProofDog.self).filter("id == 1").sorted(byKeyPath: "name") },
            { #expect($0.map(\.name) == ["Max"]) })
        try hand({ owner, _ in owner.dogs }, { #expect($0.map(\.name) == ["Max"]) })
        try hand({ owner, _ in owner.dogs.where { $0.id == 1 } }, { #expect($0.map(\.name) == ["Max"]) })
        try hand({ owner, _ in owner.pack }, { #expect($0.map(\.name) == ["Max"]) })
        try hand({ owner, _ in owner.named }, { #expect($0["a"]??.name == "Max") })
        try hand({ _, realm in realm.objects(ProofDog.self)[0].owners }, { #expect($0.map(\.name) == ["Ann"]) })
        try hand({ owner, _ in AnyRealmCollection(owner.dogs) }, { #expect($0.map(\.name) == ["Max"]) })
        try hand(
            { _, realm in AnyRealmCollection(realm.objects(ProofDog.self)) }, { #expect($0.map(\.name) == ["Max"]) })
        try hand({ _, realm in realm.objects(ProofDogView.self)[0] }, { #expect($0.title == "Max") })
        try hand({ _, realm in realm.objects(ProofDogView.self) }, { #expect($0.map(\.title) == ["Max"]) })
        try hand(
            { _, realm in realm.objects(ProofDog.self).sectioned(by: \.age) }, { #expect($0.first?[0].name == "Max") })
        try hand(
            { _, realm in realm.objects(ProofDog.self).sectioned(by: \.age)[0] }, { #expect($0[0].name == "Max") })
    }

    @Test("Realm.resolve(_:) Realm.resolve(_:) nil for what is gone, X for the second time")
    func resolving() async throws {
        try fill()
        let configuration = fixture.configuration
        #expect(
            try fixture.run { realm in
                let reference = ThreadSafeReference(to: realm.objects(ProofOwner.self)[0].dogs)
                try realm.write { realm.delete(realm.objects(ProofOwner.self)) }
                return realm.resolve(reference) == nil
            })
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let reference = ThreadSafeReference(to: realm.objects(ProofDog.self))
                _ = (realm.resolve(reference), realm.resolve(reference))
            } == "Can only resolve a thread safe reference once.")
        for body: @Sendable () -> Void in [
            { _ = ThreadSafeReference(to: ProofDog()) }, { _ = ThreadSafeReference(to: List<Int>()) },
            { _ = ThreadSafeReference(to: MutableSet<Int>()) }, { _ = ThreadSafeReference(to: Map<String, Int>()) },
            { _ = ThreadSafeReference(to: ProofDogView(projecting: ProofDog())) },
        ] {
            #expect(await exception(body)?.hasPrefix("Cannot construct reference to unmanaged object") == true)
        }
        #expect(
            await exception {
                let realm = try Realm(configuration: configuration)
                let dog = realm.objects(ProofDog.self)[0]
                try realm.write { realm.delete(dog) }
                _ = ThreadSafeReference(to: dog)
            }?.hasPrefix("Cannot construct reference to invalidated object") == true)
    }

    @Test("ThreadSafe as the wrapper of a parameter and of a variable")
    func wrapper() throws {
        try fill()
        let dog = try fixture.run { ThreadSafe(wrappedValue: $0.objects(ProofDog.self)[0]) }
        let ids = try QueueFixture(beside: fixture).run { _ in
            @ThreadSafe var there = dog.wrappedValue
            let id = there?.id
            there = nil
            return [id, there?.id]
        }
        #expect(ids == [1, nil])
    }

    @Test("Realm.threadWithoutRunLoop a thread without a run loop refreshes, and cannot observe")
    func withoutRunLoop() async throws {
        let configuration = fixture.configuration
        #expect(
            await exception { _ = try Realm(configuration: configuration).objects(ProofDog.self).observe { _ in } }
                == "Can only add notification blocks from within runloops.")
        let fixture = fixture
        let message = await exception {
            let realm = try Realm(configuration: configuration)
            let before = realm.objects(ProofDog.self).count
            try fixture.run { realm in try realm.write { realm.add(ProofDog(7)) } }
            guard before == 0, realm.objects(ProofDog.self).count == 0, realm.refresh() else { return }
            guard !realm.refresh(), realm.objects(ProofDog.self).count == 1 else { return }
            throw Fine()
        }
        #expect(message == "thrown: Fine()")
    }

    private struct Fine: Error {}

    // MARK: Changes

    @Test("ObjectChange.{change,deleted} PropertyChange.{name,oldValue,newValue} what others assigned")
    func objectChanges() async throws {
        try fill()
        try fixture.run { [fixture] realm in
            fixture.keep(
                realm.objects(ProofDog.self)[0].observe { (change: ObjectChange<ProofDog>) in
                    switch change {
                    case .error(let error): fixture.note("\(error)")
                    case .change(let dog, let properties):
                        let texts = properties.map { "\($0.name) \($0.oldValue ?? "nil") \($0.newValue ?? "nil")" }
                        fixture.note("\(dog.id) " + texts.joined(separator: ", "))
                    case .deleted: fixture.note("deleted")
                    }
                })
        }
        let other = QueueFixture(beside: fixture)
        for change in [
            { $0.weight = 2.5 }, { ($0.name, $0.weight) = ("Max", nil) }, { $0.realm?.delete($0) },
        ] as [@Sendable (ProofDog) -> Void] {
            let count = try await fixture.notes(0).count
            try other.run { realm in try realm.write { change(realm.objects(ProofDog.self)[0]) } }
            _ = try await fixture.notes(count + 1)
        }
        #expect(
            try await fixture.notes(3) == ["1 weight nil 2.5", "1 name Rex Max, weight 2.5 nil", "deleted"])
    }

    @Test("NotificationToken.invalidate() ends it at once, is idempotent, and a token that is dropped ends, too")
    func tokens() async throws {
        try fill()
        try fixture.run { [fixture] realm in
            fixture.keep(realm.objects(ProofDog.self).observe { _ in fixture.note("called") })
        }
        _ = try await fixture.notes(1)
        try fixture.run { [fixture] realm in
            for token in fixture.kept {
                token.invalidate()
                token.invalidate()
            }
            try realm.write { realm.objects(ProofDog.self)[0].age = 5 }
            _ = realm.objects(ProofDog.self).observe { _ in fixture.note("dropped") }
        }
        try fixture.run { _ in }
        #expect(try await fixture.notes(1) == ["called"])
    }
}
