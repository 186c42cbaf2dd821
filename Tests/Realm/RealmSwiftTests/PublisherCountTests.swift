import Foundation
import OpenCombine
import OpenCombineDispatch
import RealmSwift
import Synchronization
import TestBasics
import Testing

class CountedItem: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var owner: CountedOwner?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class CountedOwner: Object {
    @Persisted var list: RealmSwift.List<CountedItem>
    @Persisted var set: MutableSet<CountedItem>
    @Persisted var map: RealmSwift.Map<String, CountedItem?>
    @Persisted var values: RealmSwift.List<Int>
    @Persisted(originProperty: "owner") var linking: LinkingObjects<CountedItem>
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// Retains subscriptions, which are used on one queue.
private final class Keeper: @unchecked Sendable {
    var all: [any Cancellable] = []
    var token: NotificationToken?
    var tokens: [NotificationToken] = []
}

/// The counts that were published, by label.
private final class Notes: Sendable {
    private let sent = Mutex<[String: [Int]]>([:])

    var all: [String: [Int]] { sent.withLock { $0 } }

    func add(_ label: String, _ count: Int) { sent.withLock { $0[label, default: []].append(count) } }
}

private func shown<C: RealmCollection>(_ change: RealmCollectionChange<C>) -> Int {
    switch change {
    case .initial(let collection), .update(let collection, _, _, _): collection.count
    case .error: -1
    }
}

/// Each publisher sends the initial state and then one value for each write, whatever it passes through; none for a write
/// that leaves its token out.
@Suite("Publishers: one value for each write")
struct PublisherCountTests {
    private let fixture = QueueFixture([CountedItem.self, CountedOwner.self])
    private let keeper = Keeper()
    private let notes = Notes()

    private static func add(_ id: Int, to realm: Realm) {
        let owner = realm.objects(CountedOwner.self)[0]
        let item = realm.create(CountedItem.self, value: ["id": id, "owner": owner])
        owner.list.append(item)
        owner.set.insert(item)
        owner.map["\(id)"] = item
        owner.values.append(id)
    }

    /// Makes four writes, of which the third leaves out the tokens, and compares what was published with the counts.
    private func check(_ labels: [String], withTokens: [String]) async throws {
        func wait(_ labels: [String], _ count: Int) async throws {
            let haveCome = try await eventually {
                let sent = notes.all
                return labels.allSatisfy { sent[$0]?.last == count }
            }
            #expect(haveCome, "\(count): \(notes.all)")
        }
        try await wait(labels + withTokens, 0)
        for id in 1...4 {
            try fixture.run { [keeper] realm in
                try realm.write(withoutNotifying: id == 3 ? keeper.tokens : []) { Self.add(id, to: realm) }
            }
            try await wait(id == 3 ? labels : labels + withTokens, id)
        }
        let sent = notes.all
        for label in labels { #expect(sent[label] == [0, 1, 2, 3, 4], "\(label)") }
        for label in withTokens { #expect(sent[label] == [0, 1, 2, 4], "\(label)") }
        fixture.queue.sync { [keeper] in keeper.all = [] }
    }

    private func check<C: RealmCollection & RealmSubscribable>(
        _ get: @escaping @Sendable (Realm) -> C
    ) async throws {
        let (other, third) = (DispatchQueue(label: "other"), DispatchQueue(label: "third"))
        try fixture.run { [keeper, notes] realm in
            try realm.write { realm.add(CountedOwner()) }
            let collection = get(realm)
            let (values, changes) = (collection.collectionPublisher, collection.changesetPublisher)
            func save(_ subscription: any Cancellable) {
                keeper.all.append(subscription)
                if let token = keeper.token { keeper.tokens.append(token) }
            }
            save(
                values.saveToken(on: keeper, at: \.token).sink(receiveCompletion: { _ in }) {
                    notes.add("values with token", $0.count)
                })
            save(changes.saveToken(on: keeper, at: \.token).sink { notes.add("changes with token", shown($0)) })
            save(
                collection.objectWillChange.saveToken(on: keeper, at: \.token).sink {
                    notes.add("will change with token", get(realm).count)
                })
            #expect(keeper.tokens.count == 3)
            keeper.all += [
                collection.objectWillChange.sink { notes.add("will change", get(realm).count) },
                values.sink(receiveCompletion: { _ in }) { notes.add("values", $0.count) },
                changes.sink { notes.add("changes", shown($0)) },
                values.freeze().receive(on: other).sink(receiveCompletion: { _ in }) { notes.add("frozen", $0.count) },
                changes.freeze().receive(on: other).sink { notes.add("frozen changes", shown($0)) },
                values.subscribe(on: other).freeze().receive(on: third).sink(receiveCompletion: { _ in }) {
                    notes.add("subscribed and frozen", $0.count)
                },
                changes.subscribe(on: other).freeze().receive(on: third).sink {
                    notes.add("subscribed and frozen changes", shown($0))
                },
                values.threadSafeReference().receive(on: third).sink(receiveCompletion: { _ in }) {
                    notes.add("handed over", $0.count)
                },
                changes.threadSafeReference().receive(on: third).sink { notes.add("changes handed over", shown($0)) },
                values.freeze().threadSafeReference().receive(on: third).sink(receiveCompletion: { _ in }) {
                    notes.add("frozen and handed over", $0.count)
                },
            ]
        }
        try await check(
            [
                "will change", "values", "changes", "frozen", "frozen changes", "subscribed and frozen",
                "subscribed and frozen changes", "handed over", "changes handed over", "frozen and handed over",
            ], withTokens: ["values with token", "changes with token", "will change with token"])
    }

    @Test("RealmPublishers.Value and CollectionChangeset: results")
    func results() async throws { try await check { $0.objects(CountedItem.self) } }

    @Test("RealmPublishers.Value and CollectionChangeset: a list of objects")
    func list() async throws { try await check { $0.objects(CountedOwner.self)[0].list } }

    @Test("RealmPublishers.Value and CollectionChangeset: a list of values")
    func values() async throws { try await check { $0.objects(CountedOwner.self)[0].values } }

    @Test("RealmPublishers.Value and CollectionChangeset: a set")
    func set() async throws { try await check { $0.objects(CountedOwner.self)[0].set } }

    @Test("RealmPublishers.Value and CollectionChangeset: linking objects")
    func linking() async throws { try await check { $0.objects(CountedOwner.self)[0].linking } }

    @Test("RealmPublishers.Value and CollectionChangeset: any collection")
    func any() async throws { try await check { AnyRealmCollection($0.objects(CountedOwner.self)[0].list) } }

    @Test("RealmPublishers.Value and MapChangeset: a map")
    func map() async throws {
        let other = DispatchQueue(label: "other")
        @Sendable func shown(_ change: RealmMapChange<RealmSwift.Map<String, CountedItem?>>) -> Int {
            switch change {
            case .initial(let map), .update(let map, _, _, _): map.count
            case .error: -1
            }
        }
        try fixture.run { [keeper, notes] realm in
            try realm.write { realm.add(CountedOwner()) }
            let map = realm.objects(CountedOwner.self)[0].map
            let (values, changes) = (map.collectionPublisher, map.changesetPublisher)
            keeper.all.append(changes.saveToken(on: keeper, at: \.token).sink { notes.add("with token", shown($0)) })
            if let token = keeper.token { keeper.tokens.append(token) }
            keeper.all += [
                map.objectWillChange.sink { notes.add("will change", map.count) },
                values.sink(receiveCompletion: { _ in }) { notes.add("values", $0.count) },
                changes.sink { notes.add("changes", shown($0)) },
                values.freeze().receive(on: other).sink(receiveCompletion: { _ in }) { notes.add("frozen", $0.count) },
                changes.freeze().receive(on: other).sink { notes.add("frozen changes", shown($0)) },
                changes.subscribe(on: other).freeze().sink { notes.add("subscribed", shown($0)) },
            ]
        }
        try await check(
            ["will change", "values", "changes", "frozen", "frozen changes", "subscribed"], withTokens: ["with token"])
    }
}
