import Foundation
import RealmSwift
import StoreTesting
import TestBasics

// Every element type, in every kind of collection.

class CollectionsAll: Object {
    @Persisted var intList: List<Int>
    @Persisted var intSet: MutableSet<Int>
    @Persisted var intMap: Map<String, Int>
    @Persisted var intOptionalList: List<Int?>
    @Persisted var intOptionalSet: MutableSet<Int?>
    @Persisted var intOptionalMap: Map<String, Int?>
    @Persisted var int8List: List<Int8>
    @Persisted var int8Set: MutableSet<Int8>
    @Persisted var int8Map: Map<String, Int8>
    @Persisted var int8OptionalList: List<Int8?>
    @Persisted var int8OptionalSet: MutableSet<Int8?>
    @Persisted var int8OptionalMap: Map<String, Int8?>
    @Persisted var int16List: List<Int16>
    @Persisted var int16Set: MutableSet<Int16>
    @Persisted var int16Map: Map<String, Int16>
    @Persisted var int16OptionalList: List<Int16?>
    @Persisted var int16OptionalSet: MutableSet<Int16?>
    @Persisted var int16OptionalMap: Map<String, Int16?>
    @Persisted var int32List: List<Int32>
    @Persisted var int32Set: MutableSet<Int32>
    @Persisted var int32Map: Map<String, Int32>
    @Persisted var int32OptionalList: List<Int32?>
    @Persisted var int32OptionalSet: MutableSet<Int32?>
    @Persisted var int32OptionalMap: Map<String, Int32?>
    @Persisted var int64List: List<Int64>
    @Persisted var int64Set: MutableSet<Int64>
    @Persisted var int64Map: Map<String, Int64>
    @Persisted var int64OptionalList: List<Int64?>
    @Persisted var int64OptionalSet: MutableSet<Int64?>
    @Persisted var int64OptionalMap: Map<String, Int64?>
    @Persisted var boolList: List<Bool>
    @Persisted var boolSet: MutableSet<Bool>
    @Persisted var boolMap: Map<String, Bool>
    @Persisted var boolOptionalList: List<Bool?>
    @Persisted var boolOptionalSet: MutableSet<Bool?>
    @Persisted var boolOptionalMap: Map<String, Bool?>
    @Persisted var floatList: List<Float>
    @Persisted var floatSet: MutableSet<Float>
    @Persisted var floatMap: Map<String, Float>
    @Persisted var floatOptionalList: List<Float?>
    @Persisted var floatOptionalSet: MutableSet<Float?>
    @Persisted var floatOptionalMap: Map<String, Float?>
    @Persisted var doubleList: List<Double>
    @Persisted var doubleSet: MutableSet<Double>
    @Persisted var doubleMap: Map<String, Double>
    @Persisted var doubleOptionalList: List<Double?>
    @Persisted var doubleOptionalSet: MutableSet<Double?>
    @Persisted var doubleOptionalMap: Map<String, Double?>
    @Persisted var stringList: List<String>
    @Persisted var stringSet: MutableSet<String>
    @Persisted var stringMap: Map<String, String>
    @Persisted var stringOptionalList: List<String?>
    @Persisted var stringOptionalSet: MutableSet<String?>
    @Persisted var stringOptionalMap: Map<String, String?>
    @Persisted var dataList: List<Data>
    @Persisted var dataSet: MutableSet<Data>
    @Persisted var dataMap: Map<String, Data>
    @Persisted var dataOptionalList: List<Data?>
    @Persisted var dataOptionalSet: MutableSet<Data?>
    @Persisted var dataOptionalMap: Map<String, Data?>
    @Persisted var dateList: List<Date>
    @Persisted var dateSet: MutableSet<Date>
    @Persisted var dateMap: Map<String, Date>
    @Persisted var dateOptionalList: List<Date?>
    @Persisted var dateOptionalSet: MutableSet<Date?>
    @Persisted var dateOptionalMap: Map<String, Date?>
    @Persisted var decimalList: List<Decimal128>
    @Persisted var decimalSet: MutableSet<Decimal128>
    @Persisted var decimalMap: Map<String, Decimal128>
    @Persisted var decimalOptionalList: List<Decimal128?>
    @Persisted var decimalOptionalSet: MutableSet<Decimal128?>
    @Persisted var decimalOptionalMap: Map<String, Decimal128?>
    @Persisted var objectIdList: List<ObjectId>
    @Persisted var objectIdSet: MutableSet<ObjectId>
    @Persisted var objectIdMap: Map<String, ObjectId>
    @Persisted var objectIdOptionalList: List<ObjectId?>
    @Persisted var objectIdOptionalSet: MutableSet<ObjectId?>
    @Persisted var objectIdOptionalMap: Map<String, ObjectId?>
    @Persisted var uuidList: List<UUID>
    @Persisted var uuidSet: MutableSet<UUID>
    @Persisted var uuidMap: Map<String, UUID>
    @Persisted var uuidOptionalList: List<UUID?>
    @Persisted var uuidOptionalSet: MutableSet<UUID?>
    @Persisted var uuidOptionalMap: Map<String, UUID?>
    @Persisted var colorList: List<CollectionsColor>
    @Persisted var colorSet: MutableSet<CollectionsColor>
    @Persisted var colorMap: Map<String, CollectionsColor>
    @Persisted var colorOptionalList: List<CollectionsColor?>
    @Persisted var colorOptionalSet: MutableSet<CollectionsColor?>
    @Persisted var colorOptionalMap: Map<String, CollectionsColor?>
    @Persisted var wrappedList: List<CollectionsWrapped>
    @Persisted var wrappedSet: MutableSet<CollectionsWrapped>
    @Persisted var wrappedMap: Map<String, CollectionsWrapped>
    @Persisted var wrappedOptionalList: List<CollectionsWrapped?>
    @Persisted var wrappedOptionalSet: MutableSet<CollectionsWrapped?>
    @Persisted var wrappedOptionalMap: Map<String, CollectionsWrapped?>
    @Persisted var mixedList: List<AnyRealmValue>
    @Persisted var mixedSet: MutableSet<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
}

enum CollectionsColor: String, PersistableEnum {
    case red, green, blue
}

struct CollectionsWrapped: CustomPersistable, Hashable {
    typealias PersistedType = Int
    var number: Int
    init(number: Int) { self.number = number }
    init(persistedValue: Int) { number = persistedValue }
    var persistableValue: Int { number }
}

/// A type with sample values.
protocol CollectionsSamples: RealmCollectionValue, SendableMetatype {
    static var samples: [Self] { get }
}

extension FixedWidthInteger where Self: RealmCollectionValue {
    static var samples: [Self] { [0, 1, 2, 7, .max, .min] }
}
extension Int: CollectionsSamples {}
extension Int8: CollectionsSamples {}
extension Int16: CollectionsSamples {}
extension Int32: CollectionsSamples {}
extension Int64: CollectionsSamples {}
extension Bool: CollectionsSamples {
    static var samples: [Bool] { [true, false] }
}
extension Float: CollectionsSamples {
    static var samples: [Float] { [0, 1.5, -2.25, .infinity, .greatestFiniteMagnitude] }
}
extension Double: CollectionsSamples {
    static var samples: [Double] { [0, 1.1, -2.25, -.infinity, .leastNonzeroMagnitude] }
}
extension String: CollectionsSamples {
    static var samples: [String] { ["", "a", "b", "é", "😀", String(repeating: "long", count: 300)] }
}
extension Data: CollectionsSamples {
    static var samples: [Data] { [Data(), Data([0]), Data([1, 2, 3]), Data(repeating: 255, count: 700)] }
}
extension Date: CollectionsSamples {
    static var samples: [Date] { [0, 1, -86_400, 1_700_000_000.5].map { Date(timeIntervalSince1970: $0) } }
}
extension Decimal128: CollectionsSamples {
    static var samples: [Decimal128] { ["0", "1.10", "-7E20", "123456789012345678901234567890.5"] }
}
extension ObjectId: CollectionsSamples {
    static var samples: [ObjectId] {
        [
            ObjectId("5f0b6d1e8c9a3b7d2e4f6001"), ObjectId("5f0b6d1e8c9a3b7d2e4f6002"),
            ObjectId("000000000000000000000000"), ObjectId("ffffffffffffffffffffffff"),
        ]
    }
}
extension UUID: CollectionsSamples {
    static let samples: [UUID] = (1...4).map { UUID(uuid: ($0 * 61, 7, 6, 5, 4, 3, 64, 2, 128, 1, 9, 8, 7, 6, 5, $0)) }
}
extension CollectionsColor: CollectionsSamples {
    static var samples: [CollectionsColor] { allCases }
}
extension CollectionsWrapped: CollectionsSamples {
    static var samples: [CollectionsWrapped] { [CollectionsWrapped(number: 3), CollectionsWrapped(number: -9)] }
}
extension AnyRealmValue: CollectionsSamples {
    static var samples: [AnyRealmValue] {
        [
            .none, .int(1), .string("a"), .bool(true), .double(2.5), .data(Data([7])),
            .date(Date(timeIntervalSince1970: 5)),
        ]
    }
}
extension Optional: CollectionsSamples where Wrapped: CollectionsSamples & _RealmCollectionValueInsideOptional {
    static var samples: [Wrapped?] { [nil] + Wrapped.samples }
}

extension SeededRandom {
    /// Returns a range of positions in a number of elements.
    mutating func range(in count: Int) -> Range<Int> {
        let a = below(count + 1)
        let b = below(count + 1)
        return min(a, b)..<max(a, b)
    }
}

class CollectionsDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight: Double?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var tags: List<String>
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<CollectionsPerson>

    convenience init(_ name: String, _ age: Int = 0) {
        self.init()
        self.name = name
        self.age = age
    }
}

class CollectionsPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var dogs: List<CollectionsDog>
    @Persisted var pack: MutableSet<CollectionsDog>
    @Persisted var named: Map<String, CollectionsDog?>
    @Persisted var home: CollectionsPlace?
    @Persisted var places: List<CollectionsPlace>
    @Persisted var placesByName: Map<String, CollectionsPlace?>
    @Persisted var numbers: List<Int>
    @Persisted var numberSet: MutableSet<Int>
    @Persisted var others: MutableSet<Int>
    @Persisted var optionals: List<Int?>
    @Persisted var scores: Map<String, Int?>
    @Persisted var any: AnyRealmValue
    @Persisted var anyList: List<AnyRealmValue>
    @Persisted var anyMap: Map<String, AnyRealmValue>

    convenience init(_ id: Int) {
        self.init()
        self.id = id
    }
}

class CollectionsPlace: EmbeddedObject {
    @Persisted var street = ""
    @Persisted var rooms: List<CollectionsRoom>

    convenience init(_ street: String) {
        self.init()
        self.street = street
    }
}

class CollectionsRoom: EmbeddedObject {
    @Persisted var area = 0
}

class CollectionsCoded: Object, Codable {
    @Persisted var numbers: List<Int>
    @Persisted var optionals: List<String?>
    @Persisted var set: MutableSet<String>
    @Persisted var map: Map<String, Double?>
}

enum CollectionsRealm {
    static func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    CollectionsDog.self, CollectionsPerson.self, CollectionsPlace.self, CollectionsRoom.self,
                    CollectionsAll.self, CollectionsCoded.self,
                ]))
    }

    /// Creates a person with the dogs a, b and c.
    static func person() throws -> (Realm, CollectionsPerson) {
        let realm = try open()
        let person = CollectionsPerson(1)
        person.dogs.append(objectsIn: [CollectionsDog("a", 1), CollectionsDog("b", 2), CollectionsDog("c", 3)])
        try realm.write { realm.add(person) }
        return (realm, person)
    }
}
