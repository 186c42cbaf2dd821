import Foundation
import Testing

@testable import RealmSwift

class RuleEvent: AsymmetricObject {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var kind = ""
}

class RuleEventWithoutKey: AsymmetricObject {
    @Persisted var kind = ""
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class RuleEventHolder: Object {
    @Persisted(primaryKey: true) var _id = 0
    @Persisted var event: RuleEvent?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Misuse of asymmetric classes")
struct AsymmetricRuleTests {
    /// Opens a realm in memory whose gateway cannot be reached.
    private static func open(_ types: [ObjectBase.Type], follows: Bool = true) throws -> Realm {
        var configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
        if follows { configuration.syncConfiguration = SyncConfiguration(gateway: URL(fileURLWithPath: "/nowhere")) }
        return try Realm(configuration: configuration)
    }

    @Test("a local realm refuses an asymmetric class that it is given, and leaves it out of the default classes")
    func local() async {
        do {
            _ = try Self.open([RuleEvent.self], follows: false)
            Issue.record("opened")
        } catch {
            #expect(
                (error as? Realm.Error)?.code == .fail
                    && error.localizedDescription
                        == "Schema validation failed due to the following errors:\n- Asymmetric table 'RuleEvent' not allowed in a local Realm"
            )
        }
        let configuration = Realm.Configuration(inMemoryIdentifier: UUID().uuidString)
        #expect((try? configuration.models().contains { $0.isAsymmetric }) == false)
        var following = configuration
        following.syncConfiguration = SyncConfiguration(gateway: URL(fileURLWithPath: "/nowhere"))
        #expect((try? following.models().contains { $0.name == "RuleEvent" }) == true)
    }

    @Test("an asymmetric class needs a primary key, and nothing links to it")
    func classes() async {
        let keyless = await exception { _ = try Self.open([RuleEventWithoutKey.self]) }
        #expect(keyless == "There must be a primary key property on the asymmetric class 'RuleEventWithoutKey'.")
        let linked = await exception { _ = try Self.open([RuleEvent.self, RuleEventHolder.self]) }
        #expect(linked?.hasSuffix("cannot be a link to an asymmetric object.") == true, "\(linked ?? "nothing")")
    }

    @Test("what reads objects of an asymmetric class is misuse", arguments: 0..<5)
    func reads(_ way: Int) async {
        let message = await exception {
            let realm = try Self.open([RuleEvent.self])
            try realm.write { realm.create(RuleEvent.self, value: ["_id": 1]) }
            switch way {
            case 0: _ = realm.objects(RuleEvent.self)
            case 1: _ = realm.dynamicObjects("RuleEvent")
            case 2: _ = realm.dynamicObject(ofType: "RuleEvent", forPrimaryKey: 1)
            case 3: try realm.write { _ = realm.dynamicCreate("RuleEvent", value: ["_id": 2]) }
            default: realm.subscriptions.update { realm.subscriptions.append(QuerySubscription<RuleEvent>()) }
            }
        }
        #expect(message == "You cannot query an asymmetric class.")
    }

    @Test("outside of a write, and with the key of an unsent object, nothing is created")
    func creating() async {
        let outside = await exception { try Self.open([RuleEvent.self]).create(RuleEvent.self, value: ["_id": 1]) }
        #expect(outside == RLMRealm.notWritingRealm)
        let twice = await exception {
            let realm = try Self.open([RuleEvent.self])
            try realm.write {
                realm.create(RuleEvent.self, value: ["_id": 1])
                realm.create(RuleEvent.self, value: ["_id": 1])
            }
        }
        #expect(twice?.contains("existing primary key value") == true, "\(twice ?? "nothing")")
        let empty = await exception {
            let realm = try Self.open([RuleEvent.self])
            try realm.write { realm.create(RuleEvent.self, value: ["_id": 1]) }
            #expect(realm.isEmpty)
            try realm.write { realm.deleteAll() }
        }
        #expect(empty == nil)
    }
}
