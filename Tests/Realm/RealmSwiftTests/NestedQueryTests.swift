import Foundation
import RealmSwift
import Testing

/// Collections within mixed values, sorted, filtered, distinct and aggregated. Oracle: properties with the same elements.
@Suite("Queries of collections within mixed values")
struct NestedQueryTests {
    private static var elements: [AnyRealmValue] {
        [
            .int(3), .string("b"), .double(1.5), .none, .int(3), .bool(true), .string("a"), .int(-2), .double(3),
        ]
    }

    private static func stored() throws -> (Realm, NestedThing) {
        let configuration = Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [NestedThing.self, NestedTarget.self])
        let realm = try Realm(configuration: configuration)
        let entries = Dictionary(uniqueKeysWithValues: elements.enumerated().map { ("k\($0)", $1) })
        let thing = try realm.write {
            let thing = realm.create(NestedThing.self)
            thing.any = .fromDictionary(["list": .fromArray(elements), "map": .fromDictionary(entries)])
            thing.list.append(objectsIn: elements)
            for (key, value) in entries { thing.map[key] = value }
            return thing
        }
        return (realm, thing)
    }

    private static func answers(_ collection: List<AnyRealmValue>) -> [String: [AnyRealmValue]] {
        [
            "sorted": Array(collection.sorted(ascending: true)),
            "falling": Array(collection.sorted(ascending: false)),
            "distinct": Array(collection.distinct(by: ["self"])),
            "filtered": Array(collection.filter("self > 2")),
            "filtered and sorted": Array(collection.filter("self != nil").sorted(ascending: true)),
            "sorted and distinct": Array(collection.sorted(ascending: false).distinct(by: ["self"])),
            "first": [collection.index(matching: "self == 'b'").map { .int($0) } ?? .none],
            "absent": [collection.index(matching: "self == 'c'").map { .int($0) } ?? .none],
            "minimum": [collection.min() ?? .none],
            "maximum": [collection.max() ?? .none],
            "sum": [collection.sum()],
            "average": [collection.average().map { (mean: Double) in .double(mean) } ?? .none],
        ]
    }

    @Test("sorts, conditions, distinct values and aggregates are those of properties with the same elements")
    func sameAnswers() throws {
        let (_, thing) = try Self.stored()
        let inner = try #require(thing.any.dictionaryValue)
        let list = try #require(inner["list"]?.listValue)
        #expect(Self.answers(list) == Self.answers(thing.list))
        #expect(Array(list.sorted(ascending: true)).count == Self.elements.count)
        #expect(Array(list.filter("self > 2")) == [.int(3), .int(3), .double(3)])
        let map = try #require(inner["map"]?.dictionaryValue)
        #expect(Array(map.sorted(ascending: true)) == Array(thing.map.sorted(ascending: true)))
        #expect(Array(map.distinct(by: ["self"])) == Array(thing.map.distinct(by: ["self"])))
        #expect(Array(map.filter("self > 2")) == Array(thing.map.filter("self > 2")))
        #expect(map.min() == thing.map.min() && map.max() == thing.map.max() && map.sum() == thing.map.sum())
    }

    @Test("results follow edits, end with the collection, and can be frozen and handed over")
    func followed() throws {
        let (realm, thing) = try Self.stored()
        let list = try #require(thing.any.dictionaryValue?["list"]?.listValue)
        let results = list.filter("self > 2").sorted(ascending: true)
        let (frozen, reference) = (results.freeze(), ThreadSafeReference(to: results))
        try realm.write { list.append(.int(7)) }
        #expect(Array(results) == [.int(3), .int(3), .double(3), .int(7)] && frozen.count == 3)
        #expect(realm.resolve(reference).map { Array($0) } == Array(results))
        try realm.write { thing.any = .int(1) }
        #expect(results.isInvalidated && frozen.count == 3)
    }
}
