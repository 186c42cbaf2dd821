import Foundation
import RealmSwift
import Testing

enum DeclaredColor: String, PersistableEnum {
    case red, green
}

enum DeclaredLevel: Int, PersistableEnum {
    case low = 1
    case high = 2
}

struct DeclaredPoint: CustomPersistable, Equatable {
    typealias PersistedType = Int
    var x: Int
    init(x: Int) { self.x = x }
    init(persistedValue: Int) { x = persistedValue }
    var persistableValue: Int { x }
}

struct DeclaredEven: FailableCustomPersistable, Equatable {
    typealias PersistedType = Int
    var half: Int
    init?(persistedValue: Int) {
        guard persistedValue.isMultiple(of: 2) else { return nil }
        half = persistedValue / 2
    }
    var persistableValue: Int { half * 2 }
}

class DeclaredEmbedded: EmbeddedObject {
    @Persisted var x: Int
    @Persisted var y: Int
}

struct DeclaredPair: CustomPersistable, Equatable {
    typealias PersistedType = DeclaredEmbedded
    var x: Int
    var y: Int
    init(x: Int, y: Int) { (self.x, self.y) = (x, y) }
    init(persistedValue: DeclaredEmbedded) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: DeclaredEmbedded { DeclaredEmbedded(value: [x, y]) }
}

class DeclaredAll: Object {
    @Persisted var int: Int
    @Persisted var int8: Int8
    @Persisted var int16: Int16
    @Persisted var int32: Int32
    @Persisted var int64: Int64
    @Persisted var bool: Bool
    @Persisted var float: Float
    @Persisted var double: Double
    @Persisted var string: String
    @Persisted var data: Data
    @Persisted var date: Date
    @Persisted var decimal: Decimal128
    @Persisted var objectId: ObjectId
    @Persisted var uuid: UUID
    @Persisted var mixed: AnyRealmValue
    @Persisted var optInt: Int?
    @Persisted var optString: String?
    @Persisted var optDate: Date?
    @Persisted var color: DeclaredColor
    @Persisted var optColor: DeclaredColor?
    @Persisted var level: DeclaredLevel = .high
    @Persisted var point: DeclaredPoint
    @Persisted var optPoint: DeclaredPoint?
    @Persisted var even: DeclaredEven
    @Persisted var optEven: DeclaredEven?
    @Persisted var pair: DeclaredPair
    @Persisted var optPair: DeclaredPair?
}

/// A class with the same stored form as `DeclaredAll` but fewer declarations, to write values that it cannot read.
enum DeclaredRaw {
    class DeclaredChoice: Object {
        @Persisted var color: String
        @Persisted var optColor: String?
        @Persisted var optEven: Int?
        override class func shouldIncludeInDefaultSchema() -> Bool { false }
    }
}

class DeclaredChoice: Object {
    @Persisted var color: DeclaredColor
    @Persisted var optColor: DeclaredColor?
    @Persisted var optEven: DeclaredEven?
}

final class DeclaredCodable: Object, Codable {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var note: String?
    @Persisted var color: DeclaredCodableColor?
    @Persisted var when: Date
    @Persisted var key: ObjectId

    required init() { super.init() }
}

enum DeclaredCodableColor: String, PersistableEnum, Codable {
    case red, green
}

class DeclaredTwoKeys: Object {
    @Persisted(primaryKey: true) var a: Int
    @Persisted(primaryKey: true) var b: Int
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeclaredBoolKey: Object {
    @Persisted(primaryKey: true) var a: Bool
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeclaredEmpty: Object {
    var a = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeclaredOptionalKey: Object {
    @Persisted(primaryKey: true) var id: String?
    @Persisted var text = "t"
}

class DeclaredDangling: Object {
    @Persisted var link: DeclaredOptionalKey?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class DeclaredNameOfMoreThanFiftySevenBytesWhichIsTooLongForAClass: Object {
    @Persisted var a = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Declarations")
struct DeclarationTests {
    static func realm(_ types: ObjectBase.Type...) throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    @Test("Persisted Persisted.types properties begin with their type's zero, or what is declared, managed or not")
    func zeros() throws {
        let before = Date()
        let all = DeclaredAll()
        #expect(all.int == 0 && all.string.isEmpty && !all.bool && all.data.isEmpty && all.mixed == .none)
        #expect(all.date >= before && all.objectId != DeclaredAll().objectId && all.uuid != DeclaredAll().uuid)
        #expect(all.color == .red && all.optColor == nil && all.level == .high && all.optInt == nil)
        #expect(all.point == DeclaredPoint(x: 0) && all.even.half == 0 && all.pair == DeclaredPair(x: 0, y: 0))
        let realm = try Self.realm(DeclaredAll.self, DeclaredEmbedded.self)
        let id = all.objectId
        try realm.write { realm.add(all) }
        #expect(all.objectId == id && all.color == .red && all.pair == DeclaredPair(x: 0, y: 0) && all.optPair == nil)
    }

    @Test("Persisted.types every type keeps its values, limits too")
    func values() throws {
        let realm = try Self.realm(DeclaredAll.self, DeclaredEmbedded.self)
        let all = DeclaredAll()
        try realm.write { realm.add(all) }
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 1_234_567_890.125)
        try realm.write {
            (all.int, all.int8, all.int16, all.int32, all.int64) = (.min, .max, .min, .max, .min)
            (all.bool, all.float, all.double) = (true, 1.5, .infinity)
            (all.string, all.data, all.date) = ("ä", Data([0, 255]), date)
            (all.decimal, all.uuid, all.mixed) = ("1.25", uuid, .string("m"))
            (all.optInt, all.optString, all.optDate) = (1, "", date)
            (all.color, all.optColor, all.level) = (.green, .red, .low)
            (all.point, all.optPoint) = (DeclaredPoint(x: 4), DeclaredPoint(x: 5))
            all.even = DeclaredEven(persistedValue: 6) ?? all.even
            all.optEven = DeclaredEven(persistedValue: 8)
            (all.pair, all.optPair) = (DeclaredPair(x: 1, y: 2), DeclaredPair(x: 3, y: 4))
        }
        #expect(all.int == .min && all.int8 == .max && all.int16 == .min && all.int32 == .max && all.int64 == .min)
        #expect(
            all.bool && all.float == 1.5 && all.double == .infinity && all.string == "ä" && all.data == Data([0, 255]))
        #expect(all.date == date && all.decimal == "1.25" && all.uuid == uuid && all.mixed == .string("m"))
        #expect(all.optInt == 1 && all.optString?.isEmpty == true && all.optDate == date)
        #expect(all.color == .green && all.optColor == .red && all.level == .low)
        #expect(all.point.x == 4 && all.optPoint?.x == 5 && all.even.half == 3 && all.optEven?.half == 4)
        #expect(all.pair == DeclaredPair(x: 1, y: 2) && all.optPair == DeclaredPair(x: 3, y: 4))
        try realm.write { (all.optPair, all.optColor, all.optInt) = (nil, nil, nil) }
        #expect(all.optPair == nil && all.optColor == nil && all.optInt == nil)
        #expect(realm.objects(DeclaredEmbedded.self).count == 1)
    }

    @Test(
        """
        PersistableEnum FailableCustomPersistable a stored value that no case has is nil in an optional and \
        stops elsewhere
        """)
    func unknownCases() async throws {
        let message = await exception {
            let url = URL(fileURLWithPath: NSTemporaryDirectory() + UUID().uuidString + ".realm")
            try autoreleased {
                let raw = try Realm(
                    configuration: Realm.Configuration(fileURL: url, objectTypes: [DeclaredRaw.DeclaredChoice.self]))
                try raw.write {
                    raw.create(DeclaredRaw.DeclaredChoice.self, value: ["blue", "blue", 3] as [Any])
                }
            }
            let realm = try Realm(
                configuration: Realm.Configuration(fileURL: url, objectTypes: [DeclaredChoice.self]))
            let choice = realm.objects(DeclaredChoice.self)[0]
            guard choice.optColor == nil, choice.optEven == nil else { return }
            _ = choice.color
        }
        #expect(message == "Could not convert raw value 'blue' to enum type 'DeclaredColor'.")
    }

    @Test("Object models inherit the properties of their base classes")
    func inheritance() throws {
        let realm = try Self.realm(ObjectBaseClass.self, ObjectDerived.self)
        #expect(ObjectDerived().objectSchema.properties.map(\.name) == ["first", "second"])
        try realm.write { realm.create(ObjectDerived.self, value: ["first": 5, "second": 6]) }
        let derived = realm.objects(ObjectDerived.self)[0]
        #expect(derived.first == 5 && derived.second == 6 && realm.objects(ObjectBaseClass.self).isEmpty)
    }

    @Test("Persisted(primaryKey:) optional keys may be null, once")
    func optionalKey() async throws {
        let realm = try Self.realm(DeclaredOptionalKey.self)
        try realm.write {
            realm.create(DeclaredOptionalKey.self, value: ["id": NSNull()])
            realm.create(DeclaredOptionalKey.self, value: ["id": "a"])
        }
        let key: String? = nil
        #expect(realm.object(ofType: DeclaredOptionalKey.self, forPrimaryKey: key)?.text == "t")
        #expect(
            await exception {
                let realm = try Self.realm(DeclaredOptionalKey.self)
                realm.beginWrite()
                realm.create(DeclaredOptionalKey.self)
                realm.create(DeclaredOptionalKey.self)
            }
                == "Attempting to create an object of type 'DeclaredOptionalKey' with an existing primary key value 'null'."
        )
    }

    @Test("Persisted(primaryKey:) schema faults are told all at once, with an error")
    func faults() async throws {
        #expect(
            await exception { _ = try Self.realm(DeclaredTwoKeys.self) }
                == "Properties 'a' and 'b' are both marked as the primary key of 'DeclaredTwoKeys'")
        var thrown: (any Error)?
        do { _ = try Self.realm(DeclaredBoolKey.self, DeclaredDangling.self) } catch { thrown = error }
        let error = try #require(thrown as? Realm.Error)
        #expect(error.code == .fail && error.userInfo["Error Name"] as? String == "SchemaValidationFailed")
        let key = error.message
        #expect(key.hasPrefix("Schema validation failed due to the following errors:"), "\(key)")
        #expect(key.contains("- Property 'DeclaredBoolKey.a' of type 'bool' cannot be made the primary key."), "\(key)")
        #expect(
            key.contains(
                "- Property 'DeclaredDangling.link' of type 'object' has unknown object type 'DeclaredOptionalKey'"),
            "\(key)")
        let empty = await exception { _ = try Self.realm(DeclaredEmpty.self) }
        #expect(empty?.hasPrefix("No properties are defined for 'DeclaredEmpty'.") == true)
        let long = await exception {
            _ = try Self.realm(DeclaredNameOfMoreThanFiftySevenBytesWhichIsTooLongForAClass.self)
        }
        #expect(long?.contains("longer than 57 bytes") == true, "\(long ?? "none")")
    }

    @Test("Codable models decode, a missing optional key is nil, and managed ones do not encode")
    func codable() throws {
        let text = #"{"id": 3, "name": "n", "when": 0, "key": "000102030405060708090a0b"}"#
        let object = try JSONDecoder().decode(DeclaredCodable.self, from: Data(text.utf8))
        #expect(object.id == 3 && object.note == nil && object.color == nil)
        #expect(object.key.stringValue == "000102030405060708090a0b")
        object.color = .green
        let again = try JSONDecoder().decode(DeclaredCodable.self, from: JSONEncoder().encode(object))
        #expect(again.color == .green && again.name == "n")
        let null = #"{"id": 3, "name": "n", "when": 0, "key": "000102030405060708090a0b", "note": null}"#
        #expect(try JSONDecoder().decode(DeclaredCodable.self, from: Data(null.utf8)).note == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(DeclaredCodable.self, from: Data(#"{"id": 3}"#.utf8))
        }
        let realm = try Self.realm(DeclaredCodable.self)
        try realm.write { realm.add(object) }
        #expect(throws: EncodingError.self) { try JSONEncoder().encode(object) }
    }

    @Test("DynamicObject DynamicObject.subscript(dynamicMember:) dynamic objects read and assign by name")
    func dynamicObjects() throws {
        let realm = try ObjectTests.realm()
        try realm.write {
            let owner = realm.dynamicCreate("ObjectOwner", value: ["id": 1, "pets": [["name": "a"]]])
            owner.note = "n"
            owner["best"] = realm.dynamicCreate("ObjectPet", value: ["name": "b"])
            owner["home"] = ["street": "s"]
        }
        let owner = realm.dynamicObject(ofType: "ObjectOwner", forPrimaryKey: 1)
        #expect(owner?.note as? String == "n" && owner?["age"] as? Int == 0)
        // Links lead to objects of their class, as in Realm.
        #expect((owner?.best as? ObjectPet)?.name == "b")
        #expect((owner?["home"] as? EmbeddedObject)?["street"] as? String == "s")
        #expect(owner?.dynamicList("pets").first?["name"] as? String == "a")
        let typed = realm.objects(ObjectOwner.self)[0]
        #expect(typed.dynamicList("pets").first?["name"] as? String == "a")
        #expect(realm.dynamicObject(ofType: "ObjectOwner", forPrimaryKey: 2) == nil)
    }
}

/// A scope at whose end realms without references are closed.
func autoreleased(_ body: () throws -> Void) throws { try body() }
