import Foundation
import JSONCoding
import Synchronization
import TestBasics
import Testing
import WireProtocol

@testable import RealmSwift
@testable import SyncEngine

class RulesDog: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var owner: RulesOwner?
    override class func propertiesMapping() -> [String: String] { ["name": "dog_name"] }
}

class RulesOwner: Object {
    @Persisted(primaryKey: true) var handle = ""
}

class RulesPlain: Object {
    @Persisted var text = ""
}

/// A realm whose gateway cannot be reached.
actor LonelyRealm {
    let configuration: Realm.Configuration
    private var realm: Realm?

    init(_ path: String? = nil) {
        var configuration = Realm.Configuration(
            objectTypes: [RulesDog.self, RulesOwner.self, RulesPlain.self])
        if let path {
            configuration.fileURL = URL(fileURLWithPath: path)
        } else {
            configuration.inMemoryIdentifier = UUID().uuidString
        }
        configuration.syncConfiguration = SyncConfiguration(gateway: URL(fileURLWithPath: "/nowhere"))
        self.configuration = configuration
    }

    func run<R: Sendable>(_ body: @Sendable (isolated LonelyRealm, Realm) async throws -> R) async throws -> R {
        if realm == nil { realm = try await Realm.open(configuration: configuration) }
        guard let realm else { throw CancellationError() }
        return try await body(self, realm)
    }

    func close() { realm = nil }

    func subscribe(_ name: String?, _ format: String) async throws {
        try await run { _, realm in
            _ = try await realm.objects(RulesDog.self).filter(format).subscribe(name: name, waitForSync: .never)
        }
    }

    /// Returns the error code with which waiting for a subscription fails.
    func failure(_ mode: WaitForSyncMode) async -> Realm.Error.Code? {
        do {
            try await run { _, realm in
                _ = try await realm.objects(RulesDog.self).subscribe(name: "a", waitForSync: mode, timeout: 0.05)
            }
            return nil
        } catch {
            return (error as? Realm.Error)?.code
        }
    }

    func names() async throws -> [String] {
        try await run { _, realm in realm.subscriptions.map { "\($0.name ?? "-") \($0.query.filter)" } }
    }
}

@Suite("Subscriptions without a network")
struct SubscriptionRulesTests {
    @Test("a query without a name is there once, whatever named ones ask for")
    func unnamed() async throws {
        let realm = LonelyRealm()
        try await realm.subscribe("a", "age > 1")
        try await realm.subscribe(nil, "age > 1")
        try await realm.subscribe(nil, "age > 1")
        try await realm.subscribe(nil, "age > 2")
        #expect(try await realm.names() == ["a age > 1", "- age > 1", "- age > 2"])
    }

    @Test("a name that is given again asks for the new query, of another class too; with the same it stays")
    func named() async throws {
        let realm = LonelyRealm()
        try await realm.subscribe("a", "name == 'x'")
        let first = try await realm.run { _, realm in realm.subscriptions.first(named: "a")?.updatedAt }
        try await realm.subscribe("a", "name == 'x'")
        let second = try await realm.run { _, realm in realm.subscriptions.first(named: "a")?.updatedAt }
        #expect(first == second)
        try await realm.subscribe("a", "age == 1")
        #expect(try await realm.names() == ["a age == 1"])
        try await realm.run { _, realm in
            let first = realm.subscriptions.first(named: "a")
            #expect(first.map { $0.updatedAt > $0.createdAt } == true)
            _ = try await realm.objects(RulesOwner.self).subscribe(name: "a", waitForSync: .never)
            #expect(realm.subscriptions.first(named: "a")?.query.className == "RulesOwner")
            #expect(realm.subscriptions.count == 1)
        }
    }

    @Test("the gateway is told stored names, and objects by their primary keys")
    func text() async throws {
        let realm = LonelyRealm()
        try await realm.run { _, realm in
            _ = try await realm.objects(RulesOwner.self).subscribe(waitForSync: .never)
            let owner = try realm.write { realm.create(RulesOwner.self, value: ["handle": "ada"]) }
            _ = try await realm.objects(RulesDog.self).where { $0.owner == owner && $0.name == "x" }
                .subscribe(waitForSync: .never)
        }
        let names = try await realm.names()
        #expect(names == ["- TRUEPREDICATE", "- owner == obj('RulesOwner', 'ada') AND dog_name == 'x'"])
    }

    @Test("waits for as long as the timeout says, and the subscription stays")
    func timeout() async throws {
        let realm = LonelyRealm()
        try await realm.run { lonely, realm in
            let failure = await lonely.failure(.onCreation)
            #expect(failure == .subscriptionFailed)
            #expect(realm.subscriptions.state == .pending)
            #expect(realm.subscriptions.count == 1)
            // It exists already.
            _ = try await realm.objects(RulesDog.self).subscribe(name: "a", waitForSync: .onCreation, timeout: 0.05)
            let again = await lonely.failure(.always)
            #expect(again == .subscriptionFailed)
        }
    }

    @Test("unsubscribe takes back what these results subscribed to, and nothing else")
    func unsubscribe() async throws {
        let realm = LonelyRealm()
        try await realm.run { _, realm in
            let young = realm.objects(RulesDog.self).where { $0.age < 3 }
            let copy = try await young.subscribe(name: "young", waitForSync: .never)
            _ = try await realm.objects(RulesDog.self).where { $0.age < 3 }.subscribe(waitForSync: .never)
            #expect(realm.subscriptions.count == 2)
            copy.unsubscribe()
            #expect(realm.subscriptions.map(\.name) == [nil])
            // Other results with the same query refer to the unnamed subscription.
            realm.objects(RulesDog.self).where { $0.age < 3 }.unsubscribe()
            #expect(realm.subscriptions.isEmpty)
            young.unsubscribe()
            _ = try await realm.objects(RulesDog.self).subscribe(name: "all", waitForSync: .never)
            realm.objects(RulesDog.self).unsubscribe()
            #expect(realm.subscriptions.count == 1)
        }
    }

    @Test("misuse")
    func misuse() async throws {
        let plain = await exception {
            let realm = try Realm(configuration: LonelyRealm().configuration)
            let set = realm.subscriptions
            set.update { set.append(QuerySubscription<RulesPlain>()) }
        }
        #expect(plain?.contains("no primary key") == true)
        let elsewhere = await exception {
            try Realm(configuration: LonelyRealm().configuration).rlm.checkAwaitable("`subscribe`")
        }
        #expect(elsewhere == "thrown: `subscribe` can only be called on main thread or actor-isolated Realms")
        let without = await exception {
            _ = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: "x", objectTypes: [RulesPlain.self]))
                .subscriptions
        }
        #expect(without == "This Realm was not configured with flexible sync")
    }

    @Test(
        """
        Realm.subscriptions SyncSubscriptionSet.{count,state,first(named:),first(ofType:where:),append(_:)} \
        SyncSubscriptionSet.{update(_:onComplete:),remove(named:),remove(ofType:where:),removeAll(unnamedOnly:)} \
        SyncSubscriptionSet.{removeAll(ofType:),Sequence} SyncSubscription.{name,updateQuery} \
        QuerySubscription.{init(name:),init(name:query:),init(name:where:)} a set is changed within update, and \
        finds by name and by query
        """)
    func set() async throws {
        let realm = LonelyRealm()
        try await realm.run { _, realm in
            let set = realm.subscriptions
            #expect(set.state == .complete)
            set.update {
                set.append(QuerySubscription<RulesDog>(name: "old") { $0.age > 10 })
                set.append(
                    QuerySubscription<RulesDog>(where: "age == %@", 3),
                    QuerySubscription<RulesDog>(where: NSPredicate(format: "age == 4")))
                set.append(QuerySubscription<RulesDog>(where: "age == 3"), QuerySubscription<RulesDog>())
                #expect(set.count == 4)
            }
            #expect(set.count == 4 && realm.subscriptions.count == 4)
            #expect(set.first(named: "old")?.name == "old" && set.first(named: "new") == nil)
            #expect(set.first(ofType: RulesDog.self) { $0.age > 10 } == set.first(named: "old"))
            #expect(set.first(ofType: RulesDog.self, where: "age == 4") == set[2])
            #expect(set.first(ofType: RulesDog.self, where: NSPredicate(format: "age == 5")) == nil)
            let before = realm.subscriptions
            let old = set.first(named: "old")
            set.update {
                old?.updateQuery(toType: RulesDog.self) { $0.age > 20 }
                set.remove(ofType: RulesDog.self, where: "age == 4")
                set.remove(ofType: RulesDog.self) { $0.age == -4 }
            }
            #expect(before.state == .superseded && set.state == .pending)
            #expect(set.first(named: "old")?.query.filter == "age > 20")
            set.update { set.removeAll(unnamedOnly: true) }
            #expect(set.map(\.name) == ["old"])
            set.update {
                set.append(QuerySubscription<RulesOwner>(name: "o"))
                set.removeAll(ofType: RulesDog.self)
            }
            #expect(set.map(\.name) == ["o"])
            set.update { set.remove(named: "o") }
            #expect(set.isEmpty)
        }
    }

    @Test(
        "SyncSubscriptionSet.update(_:onComplete:) misuse of a set of subscriptions",
        arguments: [
            (0, "Can only add, remove, or update subscriptions within a write subscription block."),
            (
                1,
                "A subscription named 'n' already exists. If you meant to update the existing subscription please use the `update` method."
            ),
            (2, "Cannot initiate a write transaction on subscription set that is already been updated."),
            (
                3,
                "Updating a subscription query of a different Object Type is not allowed: it is to 'RulesDog', not to 'RulesOwner'."
            ),
            (4, "Cannot write to class RulesOwner when no flexible sync subscription has been created."),
            (5, "Cannot update subscriptions within a write transaction of the Realm."),
        ])
    func setMisuse(number: Int, message: String) async throws {
        let configuration = LonelyRealm().configuration
        let found = await exception {
            let realm = try Realm(configuration: configuration)
            let set = realm.subscriptions
            set.update { set.append(QuerySubscription<RulesDog>(name: "n")) }
            switch number {
            case 0: set.append(QuerySubscription<RulesDog>(name: "m"))
            case 1: set.update { set.append(QuerySubscription<RulesDog>(name: "n", where: "age == 1")) }
            case 2: set.update { realm.subscriptions.update {} }
            case 3: set.update { set.first?.updateQuery(to: RulesOwner.self) }
            case 4: try realm.write { _ = realm.create(RulesOwner.self, value: ["handle": "x"]) }
            default: try realm.write { set.update {} }
            }
        }
        #expect(found == message)
    }

    @Test("subscriptions, and what was not sent, are there when the file is opened again")
    func reopening() async throws {
        let path = NSTemporaryDirectory() + "/lonely-\(UUID().uuidString).realm"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let first = LonelyRealm(path)
        try await first.subscribe("a", "age > 1")
        let uploads = try await first.run { _, realm in
            try realm.write { _ = realm.create(RulesDog.self, value: ["_id": 1, "name": "x"]) }
            try realm.write { _ = realm.create(RulesDog.self, value: ["_id": 2]) }
            let client = try #require(realm.rlm.file?.sync).client
            try await client.stateStore.change { _, _ in }
            return client.stateStore.syncState.uploads.flatMap(\.operations).map {
                String(decoding: $0.sent.json.bytes, as: UTF8.self)
            }
        }
        #expect(
            uploads == [
                #"{"op":"create","class":"RulesDog","value":{"_id":1,"dog_name":"x","age":0},"update":"modified"}"#,
                #"{"op":"create","class":"RulesDog","value":{"_id":2,"dog_name":"","age":0},"update":"modified"}"#,
            ])
        await first.close()
        let second = LonelyRealm(path)
        #expect(try await second.names() == ["a age > 1"])
        let again = try await second.run { _, realm in
            realm.rlm.file?.sync?.client.stateStore.syncState.uploads.flatMap(\.operations).count
        }
        #expect(again == 2)
    }
}

extension SubscriptionRulesTests {
    @Test(
        """
        SyncSubscriptionSet.{remove(_:),update(async),update(_:onComplete:)} \
        SyncSubscription.{createdAt,updatedAt} WaitForSyncMode.{onCreation,always,never} \
        times, several at once, and what waits for the gateway
        """)
    func times() async throws {
        let realm = LonelyRealm()
        let before = Date(timeIntervalSinceNow: -1)
        try await realm.run { _, realm in
            @Sendable func change(_ set: SyncSubscriptionSet, _ block: () -> Void) { set.update(block) }
            let set = realm.subscriptions
            change(set) {
                for age in 1...3 { set.append(QuerySubscription<RulesDog>(name: "n\(age)") { $0.age > age }) }
            }
            let subscriptions = Array(set)
            #expect(subscriptions.allSatisfy { $0.createdAt >= before && $0.createdAt == $0.updatedAt })
            change(set) { set.remove(subscriptions[0], subscriptions[2]) }
            #expect(set.map(\.name) == ["n2"] && set.first(named: "n2")?.createdAt == subscriptions[1].createdAt)
            change(set) { set.first(named: "n2")?.updateQuery(to: RulesDog.self, where: "age > %@", 9) }
            let changed = set.first(named: "n2")
            #expect(changed.map { $0.updatedAt > $0.createdAt } == true && changed?.query.filter == "age > 9")
        }
        try await realm.run { lonely, realm in
            // The gateway cannot be reached: a call that waits for it does not return, any other returns at once.
            _ = try await realm.objects(RulesDog.self).subscribe(name: "never", waitForSync: .never)
            #expect(realm.subscriptions.first(named: "never") != nil)
            let failures = await [lonely.failure(.onCreation), lonely.failure(.onCreation), lonely.failure(.always)]
            #expect(failures == [.subscriptionFailed, nil, .subscriptionFailed])
        }
        // Waits until the task is cancelled; the set has been changed by then.
        let task = Task {
            try await realm.run { _, realm in
                let set = realm.subscriptions
                try await set.update { set.append(QuerySubscription<RulesOwner>(name: "awaited")) }
            }
        }
        let isThere = try await eventually {
            try await realm.run { _, realm in realm.subscriptions.first(named: "awaited") != nil }
        }
        #expect(isThere)
        task.cancel()
        await #expect(throws: (any Error).self) { try await task.value }
        let names = try await realm.run { _, realm in realm.subscriptions.map(\.name) }
        #expect(names.contains("awaited"))
    }
}
