import Foundation
import OpenCombine
import OpenCombineDispatch
import RealmSwift
import Synchronization
import Testing

class PublishedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var toys: RealmSwift.List<String>
}

/// Retains subscriptions, which are used on one queue.
private final class Keeper: @unchecked Sendable {
    var all: [any Cancellable] = []
    var token: NotificationToken?
    var resume: (() -> Void)?
}

/// A subscriber that requests values when the test says so. Used on one queue.
private final class Asker<Input, Failure: Error>: Subscriber {
    var subscription: (any Subscription)?
    let note: (Input) -> Void
    let first: Subscribers.Demand

    init(_ first: Subscribers.Demand, _ note: @escaping (Input) -> Void) {
        self.first = first
        self.note = note
    }

    func receive(subscription: any Subscription) {
        self.subscription = subscription
        if first > .none { subscription.request(first) }
    }
    func receive(_ input: Input) -> Subscribers.Demand {
        note(input)
        return .none
    }
    func receive(completion: Subscribers.Completion<Failure>) {}
}

@Suite("Publishers")
struct PublisherTests {
    private let fixture = QueueFixture([PublishedDog.self])
    private let keeper = Keeper()

    @Sendable private static func text<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> String {
        switch change {
        case .initial(let collection): "initial \(collection.count)"
        case .update(let collection, let deletions, let insertions, let modifications):
            "\(collection.count) \(deletions) \(insertions) \(modifications)"
        case .error: "error"
        }
    }

    private func add(_ id: Int) throws {
        try fixture.run { realm in
            try realm.write { _ = realm.create(PublishedDog.self, value: ["id": id]) }
            realm.refresh()
        }
    }

    private func change(_ body: @Sendable (PublishedDog) -> Void) throws {
        try fixture.run { realm in
            try realm.write { if let dog = realm.objects(PublishedDog.self).first { body(dog) } }
            realm.refresh()
        }
    }

    @Test(
        """
        RealmPublishers.{WillChange,Value,CollectionChangeset} collections publish that \
        they changed, themselves, and their changes
        """)
    func collections() async throws {
        try fixture.run { [fixture, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.objectWillChange.sink { fixture.note("will") },
                dogs.collectionPublisher.sink(receiveCompletion: { _ in }) { fixture.note("value \($0.count)") },
                dogs.changesetPublisher.sink { fixture.note(Self.text($0)) },
            ]
        }
        _ = try await fixture.notes(3)
        try add(1)
        let notes = try await fixture.notes(6)
        #expect(notes.sorted() == ["1 [] [0] []", "initial 0", "value 0", "value 1", "will", "will"])
        fixture.queue.sync { [keeper] in for subscription in keeper.all { subscription.cancel() } }
        try add(2)
        #expect(try await fixture.notes(6).count == 6)
    }

    @Test("key paths narrow what is published")
    func keyPaths() async throws {
        try add(1)
        try fixture.run { [fixture, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.collectionPublisher(keyPaths: ["name"]).sink(receiveCompletion: { _ in }) { _ in
                    fixture.note("value")
                },
                dogs.changesetPublisher(keyPaths: ["name"]).sink { fixture.note(Self.text($0)) },
                valuePublisher(dogs, keyPaths: ["age"]).sink(receiveCompletion: { _ in }) {
                    fixture.note("age \($0.count)")
                },
                changesetPublisher(dogs, keyPaths: ["age"]).sink { fixture.note("age " + Self.text($0)) },
            ]
        }
        _ = try await fixture.notes(4)
        try change { $0.age = 3 }
        _ = try await fixture.notes(6)
        try change { $0.name = "Rex" }
        #expect(
            try await fixture.notes(8).dropFirst(4).sorted() == ["1 [] [] [0]", "age 1", "age 1 [] [] [0]", "value"])
    }

    @Test(
        """
        RealmPublishers.{WillChange,Value,ObjectChangeset} objects publish changes, and complete when \
        they are deleted
        """)
    func objects() async throws {
        try add(1)
        try fixture.run { [fixture, keeper] realm in
            let dog = realm.objects(PublishedDog.self)[0]
            keeper.all = [
                dog.objectWillChange.sink(receiveCompletion: { _ in fixture.note("will end") }) {
                    fixture.note("will")
                },
                valuePublisher(dog).sink(receiveCompletion: { _ in fixture.note("value end") }) {
                    fixture.note("value \($0.age)")
                },
                changesetPublisher(dog).sink(receiveCompletion: { _ in fixture.note("change end") }) {
                    switch $0 {
                    case .change(_, let properties): fixture.note("change \(properties.map(\.name))")
                    case .deleted: fixture.note("deleted")
                    case .error: fixture.note("error")
                    }
                },
            ]
        }
        try change { $0.age = 7 }
        #expect(try await fixture.notes(3) == ["will", "value 7", #"change ["age"]"#])
        try change { dog in dog.realm?.delete(dog) }
        #expect(try await fixture.notes(6).dropFirst(3).sorted() == ["change end", "value end", "will end"])
    }

    @Test("RealmPublishers.CollectionChangeset what was not asked for is kept as one change that tells all of it")
    func demand() async throws {
        try fixture.run { [fixture, keeper] realm in
            let asker = Asker<RealmCollectionChange<Results<PublishedDog>>, Never>(.max(1)) {
                fixture.note(Self.text($0))
            }
            realm.objects(PublishedDog.self).changesetPublisher.subscribe(asker)
            keeper.all = [AnyCancellable { asker.subscription?.cancel() }]
            keeper.resume = { asker.subscription?.request(.max(1)) }
        }
        _ = try await fixture.notes(1)
        try add(1)
        try add(2)
        try change { $0.age = 1 }
        fixture.queue.sync { [keeper] in keeper.resume?() }
        #expect(try await fixture.notes(2) == ["initial 0", "2 [] [0, 1] []"])
        fixture.queue.sync { [keeper] in keeper.resume?() }
        try change { $0.age = 2 }
        #expect(try await fixture.notes(3).last == "2 [] [] [0]")
        fixture.queue.sync { [keeper] in keeper.resume = nil }
    }

    @Test("saveToken(on:at:) a saved token keeps a subscription from hearing of a write")
    func tokens() async throws {
        try fixture.run { [fixture, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.changesetPublisher.saveToken(on: keeper, at: \.token).sink { fixture.note(Self.text($0)) }
            ]
        }
        _ = try await fixture.notes(1)
        try fixture.run { [keeper] realm in
            let tokens = keeper.token.map { [$0] } ?? []
            #expect(tokens.count == 1)
            try realm.write(withoutNotifying: tokens) { _ = realm.create(PublishedDog.self, value: ["id": 1]) }
            realm.refresh()
        }
        try add(2)
        #expect(try await fixture.notes(2) == ["initial 0", "2 [] [1] []"])
    }

    @Test(
        """
        subscribe(on:) receive(on:) threadSafeReference() freeze() subscribe observes on a queue; receive(on:) \
        hands over to one
        """)
    func queues() async throws {
        try add(1)
        let other = DispatchQueue(label: "other")
        try fixture.run { [fixture, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.changesetPublisher.subscribe(on: other).sink {
                    dispatchPrecondition(condition: .onQueue(other))
                    fixture.note("subscribed " + Self.text($0))
                },
                dogs.collectionPublisher.threadSafeReference().receive(on: other)
                    .sink(receiveCompletion: { _ in }) {
                        dispatchPrecondition(condition: .onQueue(other))
                        fixture.note("value \(Array($0).map(\.id))")
                    },
                dogs.changesetPublisher.receive(on: other).sink {
                    dispatchPrecondition(condition: .onQueue(other))
                    fixture.note("received " + Self.text($0))
                },
                dogs.collectionPublisher.freeze().receive(on: other).sink(receiveCompletion: { _ in }) {
                    fixture.note("frozen \($0.isFrozen) \($0.count)")
                },
            ]
        }
        _ = try await fixture.notes(4)
        try add(2)
        let notes = try await fixture.notes(8)
        #expect(
            Set(notes) == [
                "subscribed initial 1", "subscribed 2 [] [1] []", "value [1]", "value [1, 2]", "received initial 1",
                "received 2 [] [1] []", "frozen true 1", "frozen true 2",
            ])
    }

    @Test("RealmPublishers.{SectionedResultsChangeset,RealmWillChange} sections and realms publish")
    func others() async throws {
        try fixture.run { [fixture, keeper] realm in
            let sections = realm.objects(PublishedDog.self).sectioned(by: \.age)
            keeper.all = [
                sections.changesetPublisher.sink {
                    switch $0 {
                    case .initial(let sections): fixture.note("initial \(sections.count)")
                    case .update(let sections, _, let insertions, _, let come, _):
                        fixture.note("\(sections.allKeys) \(insertions.count) \(Array(come))")
                    }
                },
                realm.objectWillChange.sink { fixture.note("realm") },
            ]
        }
        _ = try await fixture.notes(1)
        try add(1)
        #expect(try await fixture.notes(3).sorted() == ["[0] 1 [0]", "initial 0", "realm"])
    }

    @Test("RealmPublishers.{WillChange,CollectionChangeset} subscribing to what is unmanaged stops the program")
    func unmanaged() async {
        #expect(
            await exception { _ = PublishedDog().objectWillChange.sink {} }
                == "Only objects which are managed by a Realm support change notifications")
        #expect(
            await exception { _ = RealmSwift.List<Int>().changesetPublisher.sink { _ in } }
                == "Change notifications are only supported on managed collections.")
    }

    @Test(
        """
        RealmPublishers.{SectionChangeset,SectionedResultsChangeset,Value,ObjectChangeset,AsyncOpenPublisher} \
        saveToken(on:at:) subscribe(on:) receive(on:) threadSafeReference() freeze() valuePublisher(_:keyPaths:) \
        changesetPublisher(_:keyPaths:) sections, objects and realms with each operator
        """)
    func operators() async throws {
        try add(1)
        try add(2)
        let other = DispatchQueue(label: "other")
        let configuration = fixture.configuration
        try fixture.run { [fixture, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            let sections = dogs.sectioned(by: \.age)
            let section = sections[0]
            @Sendable func told<C: RealmSectionedResult & SendableMetatype>(
                _ name: String, _ change: SectionedResultsChange<C>
            ) {
                switch change {
                case .initial(let sections): fixture.note("\(name) initial \(sections.count)")
                case .update(let sections, _, let insertions, let modifications, _, _):
                    fixture.note("\(name) \(sections.count) \(insertions.count) \(modifications.count)")
                }
            }
            @Sendable func told(_ name: String, _ change: ObjectChange<PublishedDog>) {
                if case .change(let dog, let properties) = change {
                    fixture.note("\(name) \(properties.map(\.name)) \(dog.age) \(dog.isFrozen)")
                }
            }
            typealias Changes = RealmPublishers.SectionChangeset<ResultsSection<Int, PublishedDog>>
            let changes: Changes = section.changesetPublisher
            keeper.all = [
                changes.sink { told("section", $0) },
                changesetPublisher(section).subscribe(on: other).sink { told("section on queue", $0) },
                changesetPublisher(sections).freeze().sink { told("frozen sections", $0) },
                sections.changesetPublisher.saveToken(on: keeper, at: \.token).threadSafeReference().receive(on: other)
                    .sink { told("handed sections", $0) },
                valuePublisher(sections).sink(receiveCompletion: { _ in }) { fixture.note("sections \($0.count)") },
                section.collectionPublisher.freeze().sink(receiveCompletion: { _ in }) {
                    fixture.note("frozen section \($0.isFrozen) \($0.count)")
                },
                changesetPublisher(dogs[0]).threadSafeReference().receive(on: other).sink { told("handed", $0) },
                changesetPublisher(dogs[0]).freeze().sink { told("frozen", $0) },
                changesetPublisher(dogs[0]).subscribe(on: other).sink { told("on queue", $0) },
                valuePublisher(dogs[0], keyPaths: ["name"]).sink(receiveCompletion: { _ in }) { _ in
                    fixture.note("not told")
                },
                valuePublisher(dogs[0]).subscribe(on: other).sink(receiveCompletion: { _ in }) {
                    fixture.note("value \($0.age)")
                },
                Realm.asyncOpen(configuration: configuration).sink(receiveCompletion: { _ in }) { _ in },
            ]
            #expect(keeper.token != nil)
        }
        _ = try await fixture.notes(6)
        try change { $0.age = 3 }
        let wanted: Set = [
            "section initial 2", "section on queue initial 2", "frozen sections initial 1", "handed sections initial 1",
            "sections 1", "sections 2", "frozen section true 2", "frozen section true 1", "frozen sections 2 1 0",
            "handed sections 2 1 0", "section 1 0 0", "section on queue 1 0 0",
            #"handed ["age"] 3 false"#, #"frozen ["age"] 3 true"#, #"on queue ["age"] 3 false"#, "value 3",
        ]
        let notes = try await fixture.notes(with: wanted)
        #expect(!notes.contains("not told"))
        fixture.queue.sync { [keeper] in keeper.all = [] }
    }

    @Test("threadSafeReference() receive(on:) what is unmanaged, frozen, or of several realms is handed over")
    func mixedHandover() async throws {
        let second = QueueFixture([PublishedDog.self])
        let other = DispatchQueue(label: "other")
        try fixture.run { [fixture, keeper] realm in
            let there = try second.run { realm in
                try ThreadSafeReference(to: realm.write { realm.create(PublishedDog.self, value: ["id": 2]) })
            }
            let secondRealm = try Realm(configuration: second.configuration, queue: fixture.queue)
            let dogs = try realm.write { (1...4).map { realm.create(PublishedDog.self, value: ["id": $0 * 10]) } }
            let mixed = [dogs[0], secondRealm.resolve(there), PublishedDog(value: ["id": 3]), dogs[1].freeze()]
            let texts = mixed.compactMap { $0 }.publisher.threadSafeReference().receive(on: other).map { dog in
                dispatchPrecondition(condition: .onQueue(other))
                return "\(dog.id) \(dog.isFrozen) \(dog.realm != nil)"
            }
            keeper.all = [texts.collect().sink { fixture.note("\($0)") }]
        }
        #expect(
            try await fixture.notes(1) == [#"["10 false true", "2 false true", "3 false false", "20 true true"]"#])
        fixture.queue.sync { [keeper] in keeper.all = [] }
    }

    @Test("receive(on:) freeze() a change's object is at the version that the change tells of")
    func versions() async throws {
        let other = DispatchQueue(label: "other")
        other.suspend()
        try add(1)
        try fixture.run { [fixture, keeper] realm in
            keeper.all = [
                changesetPublisher(realm.objects(PublishedDog.self)[0]).receive(on: other).sink { change in
                    if case .change(let dog, let properties) = change {
                        fixture.note("\(properties.map { $0.newValue ?? 0 }) \(dog.age)")
                        dog.realm?.invalidate()
                    }
                },
                valuePublisher(realm.objects(PublishedDog.self)[0]).freeze().collect(3).sink(
                    receiveCompletion: { _ in }, receiveValue: { fixture.note("\($0.map(\.age))") }),
            ]
        }
        for age in 1...3 { try change { $0.age = age } }
        other.resume()
        #expect(try await fixture.notes(4) == ["[1, 2, 3]", "[1] 1", "[2] 2", "[3] 3"])
        fixture.queue.sync { [keeper] in keeper.all = [] }
    }
}
