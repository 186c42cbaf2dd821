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

/// Keeps subscriptions, which are used on one queue.
private final class Keeper: @unchecked Sendable {
    var all: [any Cancellable] = []
    var token: NotificationToken?
    var resume: (() -> Void)?
}

/// A subscriber that asks for values when the test says so. Used on one queue.
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
    private let place = Place([PublishedDog.self])
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
        try place.run { realm in
            try realm.write { _ = realm.create(PublishedDog.self, value: ["id": id]) }
            realm.refresh()
        }
    }

    private func change(_ body: @Sendable (PublishedDog) -> Void) throws {
        try place.run { realm in
            try realm.write { if let dog = realm.objects(PublishedDog.self).first { body(dog) } }
            realm.refresh()
        }
    }

    @Test("R02 R09 C35 C36 C38 collections publish that they changed, themselves, and their changes")
    func collections() async throws {
        try place.run { [place, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.objectWillChange.sink { place.note("will") },
                dogs.collectionPublisher.sink(receiveCompletion: { _ in }) { place.note("value \($0.count)") },
                dogs.changesetPublisher.sink { place.note(Self.text($0)) },
            ]
        }
        _ = try await place.notes(3)
        try add(1)
        let notes = try await place.notes(6)
        #expect(notes.sorted() == ["1 [] [0] []", "initial 0", "value 0", "value 1", "will", "will"])
        place.queue.sync { [keeper] in for subscription in keeper.all { subscription.cancel() } }
        try add(2)
        #expect(try await place.notes(6).count == 6)
    }

    @Test("C37 C39 key paths narrow what is published")
    func keyPaths() async throws {
        try add(1)
        try place.run { [place, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.collectionPublisher(keyPaths: ["name"]).sink(receiveCompletion: { _ in }) { _ in
                    place.note("value")
                },
                dogs.changesetPublisher(keyPaths: ["name"]).sink { place.note(Self.text($0)) },
                valuePublisher(dogs, keyPaths: ["age"]).sink(receiveCompletion: { _ in }) {
                    place.note("age \($0.count)")
                },
                changesetPublisher(dogs, keyPaths: ["age"]).sink { place.note("age " + Self.text($0)) },
            ]
        }
        _ = try await place.notes(4)
        try change { $0.age = 3 }
        _ = try await place.notes(6)
        try change { $0.name = "Rex" }
        #expect(
            try await place.notes(8).dropFirst(4).sorted() == ["1 [] [] [0]", "age 1", "age 1 [] [] [0]", "value"])
    }

    @Test("O02 O05 §2.17 objects publish changes, and complete when they are deleted")
    func objects() async throws {
        try add(1)
        try place.run { [place, keeper] realm in
            let dog = realm.objects(PublishedDog.self)[0]
            keeper.all = [
                dog.objectWillChange.sink(receiveCompletion: { _ in place.note("will end") }) { place.note("will") },
                valuePublisher(dog).sink(receiveCompletion: { _ in place.note("value end") }) {
                    place.note("value \($0.age)")
                },
                changesetPublisher(dog).sink(receiveCompletion: { _ in place.note("change end") }) {
                    switch $0 {
                    case .change(_, let properties): place.note("change \(properties.map(\.name))")
                    case .deleted: place.note("deleted")
                    case .error: place.note("error")
                    }
                },
            ]
        }
        try change { $0.age = 7 }
        #expect(try await place.notes(3) == ["will", "value 7", #"change ["age"]"#])
        try change { dog in dog.realm?.delete(dog) }
        #expect(try await place.notes(7).dropFirst(3).sorted() == ["change end", "deleted", "value end", "will end"])
    }

    @Test("§2.17 what was not asked for is kept as one change that tells all of it")
    func demand() async throws {
        try place.run { [place, keeper] realm in
            let asker = Asker<RealmCollectionChange<Results<PublishedDog>>, Never>(.max(1)) {
                place.note(Self.text($0))
            }
            realm.objects(PublishedDog.self).changesetPublisher.subscribe(asker)
            keeper.all = [AnyCancellable { asker.subscription?.cancel() }]
            keeper.resume = { asker.subscription?.request(.max(1)) }
        }
        _ = try await place.notes(1)
        try add(1)
        try add(2)
        try change { $0.age = 1 }
        place.queue.sync { [keeper] in keeper.resume?() }
        #expect(try await place.notes(2) == ["initial 0", "2 [] [0, 1] []"])
        place.queue.sync { [keeper] in keeper.resume?() }
        try change { $0.age = 2 }
        #expect(try await place.notes(3).last == "2 [] [] [0]")
        place.queue.sync { [keeper] in keeper.resume = nil }
    }

    @Test("§2.17 a saved token keeps a subscription from hearing of a write")
    func tokens() async throws {
        try place.run { [place, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.changesetPublisher.saveToken(on: keeper, at: \.token).sink { place.note(Self.text($0)) }
            ]
        }
        _ = try await place.notes(1)
        try place.run { [keeper] realm in
            let tokens = keeper.token.map { [$0] } ?? []
            #expect(tokens.count == 1)
            try realm.write(withoutNotifying: tokens) { _ = realm.create(PublishedDog.self, value: ["id": 1]) }
            realm.refresh()
        }
        try add(2)
        #expect(try await place.notes(2) == ["initial 0", "2 [] [1] []"])
    }

    @Test("§2.17 subscribe(on:) observes on a queue; receive(on:) hands over to one")
    func queues() async throws {
        try add(1)
        let other = DispatchQueue(label: "other")
        try place.run { [place, keeper] realm in
            let dogs = realm.objects(PublishedDog.self)
            keeper.all = [
                dogs.changesetPublisher.subscribe(on: other).sink {
                    dispatchPrecondition(condition: .onQueue(other))
                    place.note("subscribed " + Self.text($0))
                },
                dogs.collectionPublisher.threadSafeReference().receive(on: other)
                    .sink(receiveCompletion: { _ in }) {
                        dispatchPrecondition(condition: .onQueue(other))
                        place.note("value \(Array($0).map(\.id))")
                    },
                dogs.changesetPublisher.receive(on: other).sink {
                    dispatchPrecondition(condition: .onQueue(other))
                    place.note("received " + Self.text($0))
                },
                dogs.collectionPublisher.freeze().receive(on: other).sink(receiveCompletion: { _ in }) {
                    place.note("frozen \($0.isFrozen) \($0.count)")
                },
            ]
        }
        _ = try await place.notes(4)
        try add(2)
        let notes = try await place.notes(8)
        #expect(
            Set(notes) == [
                "subscribed initial 1", "subscribed 2 [] [1] []", "value [1]", "value [1, 2]", "received initial 1",
                "received 2 [] [1] []", "frozen true 1", "frozen true 2",
            ])
    }

    @Test("§2.17 sections and realms publish")
    func others() async throws {
        try place.run { [place, keeper] realm in
            let sections = realm.objects(PublishedDog.self).sectioned(by: \.age)
            keeper.all = [
                sections.changesetPublisher.sink {
                    switch $0 {
                    case .initial(let sections): place.note("initial \(sections.count)")
                    case .update(let sections, _, let insertions, _, let come, _):
                        place.note("\(sections.allKeys) \(insertions.count) \(Array(come))")
                    }
                },
                realm.objectWillChange.sink { place.note("realm") },
            ]
        }
        _ = try await place.notes(1)
        try add(1)
        #expect(try await place.notes(3).sorted() == ["[0] 1 [0]", "initial 0", "realm"])
    }

    @Test("§2.17 subscribing to what is unmanaged stops the program")
    func unmanaged() async {
        #expect(
            await exception { _ = PublishedDog().objectWillChange.sink {} }
                == "Only objects which are managed by a Realm support change notifications")
        #expect(
            await exception { _ = RealmSwift.List<Int>().changesetPublisher.sink { _ in } }
                == "Change notifications are only supported on managed collections.")
    }
}
