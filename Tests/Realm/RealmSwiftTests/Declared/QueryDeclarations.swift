import Foundation
import RealmSwift
import Testing

class ProofAsked: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var map: Map<String, Int>
    @Persisted var texts: Map<String, String?>
    @Persisted var any: AnyRealmValue
    @Persisted var name: String
    @Persisted var other: String
    @Persisted var data: Data
    @Persisted var next: ProofAsked?
}

@Suite("Declarations: queries")
struct QueryDeclarations {
    /// A condition with its text, and the ids of the objects that satisfy it.
    struct Case: Sendable, CustomTestStringConvertible {
        let text: String
        let ids: [Int]
        let query: @Sendable (Query<ProofAsked>) -> Query<Bool>
        var testDescription: String { text }
        init(_ text: String, _ ids: [Int], _ query: @escaping @Sendable (Query<ProofAsked>) -> Query<Bool>) {
            (self.text, self.ids, self.query) = (text, ids, query)
        }
    }

    static let cases: [Case] = {
        // One by one: the compiler takes too long over one long array.
        var cases: [Case] = []
        cases.append(Case("(map[%@] == %@)", [1], { $0.map["a"] == 1 }))
        cases.append(Case("(map[%@] > %@)", [1, 2], { $0.map["b"] > 1 }))
        cases.append(Case("(ANY map.@allKeys == %@)", [1, 2], { $0.map.keys == "b" }))
        cases.append(Case("(ANY map.@allKeys BEGINSWITH %@)", [1], { $0.map.keys.starts(with: "a") }))
        cases.append(Case("(ANY map.@allValues > %@)", [2], { $0.map.values > 4 }))
        cases.append(Case("(ANY map == %@)", [1], { $0.map == 1 }))
        cases.append(Case("(%@ IN map)", [1], { $0.map.contains(1) }))
        cases.append(Case("(ANY map IN %@)", [1, 2], { $0.map.containsAny(in: [1, 5]) }))
        cases.append(Case("(map.@count == %@)", [0], { $0.map.count == 0 }))
        cases.append(Case("(map.@min == %@)", [2], { $0.map.min == 5 }))
        cases.append(Case("(map.@max == %@)", [1], { $0.map.max == 2 }))
        cases.append(Case("(map.@sum == %@)", [1], { $0.map.sum == 3 }))
        cases.append(Case("(map.@avg == %@)", [2], { $0.map.avg == 5 }))
        cases.append(Case("(texts[%@] == %@)", [2], { $0.texts["n"] == "x" }))
        cases.append(
            Case("(texts[%@] CONTAINS[c] %@)", [2], { $0.texts["n"].contains("X", options: .caseInsensitive) }))
        cases.append(Case("(any[%@] == %@)", [1], { $0.any["k"] == .int(1) }))
        cases.append(Case("(any[%@][%@] == %@)", [1], { $0.any["list"][0] == .string("x") }))
        cases.append(Case("(any[%@] == %@)", [2], { $0.any[1] == .int(7) }))
        cases.append(Case("(any[%K] == %@)", [2], { $0.any.any == .int(7) }))
        cases.append(Case("(any[%@][%K] == %@)", [1], { $0.any["list"].any == .string("y") }))
        cases.append(Case("(name == other)", [1], { $0.name == $0.other }))
        cases.append(Case("(name BEGINSWITH other)", [1, 2], { $0.name.starts(with: $0.other) }))
        cases.append(Case("(data CONTAINS %@)", [2], { $0.data.contains(Data([2])) }))
        cases.append(Case("(data ENDSWITH %@)", [1], { $0.data.ends(with: Data([1])) }))
        cases.append(Case("(next.name == %@)", [0], { $0.next.name == "one" }))
        cases.append(Case("((next.next.id == %@) && (id == %@))", [0], { $0.next.next.id == 2 && $0.id == 0 }))
        cases.append(Case("(next.map[%@] == %@)", [0], { $0.next.map["a"] == 1 }))
        return cases
    }()

    static func realm(_ configuration: Realm.Configuration) throws -> Realm {
        let realm = try Realm(configuration: configuration)
        try realm.write {
            let zero = ProofAsked(value: ["id": 0, "name": "zero", "other": "null"])
            zero.next = ProofAsked(
                value: [
                    "id": 1, "map": ["a": 1, "b": 2], "name": "one", "other": "one", "data": Data([3, 1]),
                    "any": ["k": 1, "list": ["x", "y"]] as [String: Any],
                ])
            zero.next?.next = ProofAsked(
                value: [
                    "id": 2, "map": ["b": 5], "texts": ["n": "x", "m": NSNull()], "name": "two", "other": "t",
                    "data": Data([2, 9]), "any": [3, 7],
                ])
            realm.add(zero)
        }
        return realm
    }

    static func memory() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [ProofAsked.self])
    }

    @Test(
        """
        where(_:) Query.{subscript(map),keys,values,count,min,max,sum,avg,contains(element),containsAny(in:)} \
        Query.{subscript(any),any,subscript(dynamicMember:)} maps, mixed values, columns and links
        """, arguments: cases)
    func conditions(_ one: Case) throws {
        let fixture = try FileFixture()
        let file = Realm.Configuration(fileURL: fixture.url("asked"), objectTypes: [ProofAsked.self])
        for configuration in [Self.memory(), file] {
            let realm = try Self.realm(configuration)
            let all = realm.objects(ProofAsked.self).sorted(byKeyPath: "id")
            #expect(all.where(one.query).map(\.id) == one.ids)
            let (text, arguments) = one.query(Query<ProofAsked>._constructForTesting())._constructPredicate()
            #expect(text == one.text)
            let format = NSPredicate(format: text, argumentArray: arguments)
            #expect(all.filter(format).map(\.id) == one.ids, "\(arguments)")
        }
    }

    @Test("Query.restrictions key paths after a map's subscript, two collections")
    func restrictions() async {
        #expect(
            await exception {
                let (_, owners) = try Form.inMemory.stage { ($0.realm, $0.realm?.objects(ProofOwner.self)) }
                _ = owners?.where { $0.named["a"].age == 3 }
            } == "Cannot apply key path to Map subscripts.")
        #expect(
            await exception {
                let owners = try Form.inMemory.stage { $0.realm?.objects(ProofOwner.self) }
                _ = owners?.where { $0.dogs.age == $0.pack.age }
            } == "Comparing two collection columns is not permitted.")
    }
}
