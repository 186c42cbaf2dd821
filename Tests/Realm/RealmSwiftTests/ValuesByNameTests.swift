import Foundation
import RealmSwift
import TestBasics
import Testing

/// Every number, alone and in collections.
class NamedNumbers: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var int8: Int8 = 8
    @Persisted var int16: Int16 = 16
    @Persisted var int32: Int32 = 32
    @Persisted var int64: Int64 = 64
    @Persisted var optional8: Int8? = 7
    @Persisted var bool = true
    @Persisted var float: Float = 1.5
    @Persisted var double = 2.5
    @Persisted var any: AnyRealmValue = .int(5)
    @Persisted var list8: List<Int8>
    @Persisted var set16: MutableSet<Int16>
    @Persisted var map32: Map<String, Int32>
    @Persisted var optionals: Map<String, Int?>
    @Persisted var mixed: List<AnyRealmValue>
    @Persisted var mixedSet: MutableSet<AnyRealmValue>
    @Persisted var mixedMap: Map<String, AnyRealmValue>
    @Persisted var texts: List<String>
    @Persisted var others: MutableSet<NamedNumbers>
    @Persisted var link: NamedNumbers?
    @Persisted var place: NamedPlace?
    @Persisted var places: List<NamedPlace>
    var ignored = 1
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class NamedPlace: EmbeddedObject {
    @Persisted var x = 0
    @Persisted var y: Int8?
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

@Suite("Values by name")
struct ValuesByNameTests {
    static let types: [ObjectBase.Type] = [NamedNumbers.self, NamedPlace.self]
    private static let wholes = ["int8": 8, "int16": 16, "int32": 32, "int64": 64, "optional8": 7, "id": 3, "any": 5]

    static func opened() throws -> Realm { try ParityRealm.open(types) }

    static func stored() throws -> (Realm, NamedNumbers) {
        let realm = try opened()
        let object = try realm.write {
            realm.create(
                NamedNumbers.self,
                value: ["id": 3, "list8": [1, 2], "set16": [3, 4], "map32": ["a": 5]] as [String: Any])
        }
        return (realm, object)
    }

    /// Whether the value is a number that casts to every type of number.
    private func isWhole(_ value: Any?, _ number: Int) -> Bool {
        value as? Int == number && value as? Int8 == Int8(number) && value as? Int16 == Int16(number)
            && value as? Int32 == Int32(number) && value as? Int64 == Int64(number) && value as? UInt8 == UInt8(number)
            && value as? Double == Double(number) && value as? Float == Float(number)
            && value as? NSNumber == NSNumber(value: number) && value as? Int?? == .some(.some(number))
    }

    @Test("numbers by name cast to every type of number, of unmanaged, managed and dynamic objects")
    func widths() throws {
        let (realm, object) = try Self.stored()
        let unmanaged = NamedNumbers(value: ["id": 3])
        let dynamic = try #require(realm.dynamicObject(ofType: "NamedNumbers", forPrimaryKey: 3))
        for object in [object, unmanaged, dynamic, object.freeze()] {
            for (name, number) in Self.wholes {
                #expect(isWhole(object[name], number) && isWhole(object.value(forKey: name), number), "\(name)")
            }
            #expect(object["bool"] as? Bool == true && object["bool"] as? Int == 1)
            #expect(
                object["float"] as? Float == 1.5 && object["float"] as? Double == 1.5 && object["float"] as? Int == nil)
            #expect(object["double"] as? Double == 2.5 && object["double"] as? Float == 2.5)
            #expect(object["int16"] as? String == nil)
        }
        #expect(isWhole(dynamic.int8, 8))
    }

    @Test("numbers by name in collections, and what key paths compute of them")
    func collections() throws {
        let (realm, object) = try Self.stored()
        for element in (object.list8.value(forKey: "self") as [AnyObject]).enumerated() {
            #expect(isWhole(element.element, element.offset + 1))
        }
        #expect(object.value(forKeyPath: "list8.self") as? [Int] == [1, 2])
        #expect(object.value(forKeyPath: "list8.self") as? [Int8] == [1, 2])
        #expect(isWhole(object.value(forKeyPath: "list8.@sum.self"), 3))
        #expect(isWhole(object.value(forKeyPath: "list8.@max.self"), 2))
        #expect(isWhole(object.value(forKeyPath: "list8.@count"), 2))
        #expect(isWhole(object.map32.value(forKey: "a"), 5))
        let all = realm.objects(NamedNumbers.self)
        #expect(all.value(forKey: "int8") as? [Int64] == [8] && all.value(forKey: "int64") as? [Int8] == [64])
        #expect(isWhole(all.value(forKeyPath: "@sum.int32"), 32))
        #expect(all.value(forKeyPath: "@avg.int8") as? Double == 8)
    }

    @Test("numbers by name are accepted by every property that can hold them, and mixed values keep their kind")
    func roundTrip() async throws {
        let (realm, object) = try Self.stored()
        try realm.write {
            for name in ["int8", "int16", "int32", "int64", "optional8", "bool", "float", "double", "list8", "set16"] {
                object[name] = object[name]
            }
            object["int8"] = object["int64"]
            object["optional8"] = NSNumber(value: 9)
            object["mixed"] = [
                object["bool"] as Any, object["float"] as Any, object["int16"] as Any, NSNumber(value: false),
            ]
        }
        #expect(object.int8 == 64 && object.optional8 == 9 && object.bool && Array(object.list8) == [1, 2])
        #expect(Array(object.mixed) == [.bool(true), .float(1.5), .int(16), .bool(false)])
        #expect(
            await exception {
                let (realm, object) = try Self.stored()
                try realm.write { object["int8"] = 300 }
            }?.hasPrefix("Invalid value '300'") == true)
    }

    @Test("Map.object(forKey:) and value(forKey:): null is NSNull, and a key that does not exist is nil")
    func nulls() throws {
        let (realm, object) = try Self.stored()
        try realm.write {
            object.optionals["a"] = .some(nil)
            object.mixedMap["a"] = .some(.none)
        }
        let unmanaged = NamedNumbers()
        unmanaged.optionals["a"] = .some(nil)
        unmanaged.mixedMap["a"] = .some(.none)
        for object in [object, unmanaged] {
            #expect(object.optionals.value(forKey: "a") is NSNull && object.optionals.object(forKey: "a") is NSNull)
            #expect(object.mixedMap.value(forKey: "a") is NSNull && object.mixedMap.value(forKeyPath: "a") is NSNull)
            #expect(object.optionals.value(forKey: "b") == nil && object.optionals.object(forKey: "b") == nil)
            #expect(object.optionals.value(forKeyPath: "a.b") == nil)
            #expect(object.optionals.value(forKey: "a") as Any as? Int? == .some(nil))
        }
    }

    @Test("several properties by name at once, where null is NSNull both ways")
    func several() throws {
        let (realm, object) = try Self.stored()
        for object in [object, NamedNumbers()] {
            try realm.write {
                object.setValuesForKeys(["int8": 5, "optional8": NSNull(), "texts": ["a"], "any": "x"])
            }
            let values = object.dictionaryWithValues(forKeys: ["int8", "optional8", "any", "link"])
            #expect(values.count == 4 && isWhole(values["int8"], 5) && values["any"] as? String == "x")
            #expect(values["optional8"] is NSNull && values["link"] is NSNull && Array(object.texts) == ["a"])
        }
    }

    @Test("MutableSet.value(forKey:) is a set where any value is asked for, and an array where one is")
    func sets() throws {
        let (realm, object) = try Self.stored()
        try realm.write {
            for id in [1, 2] { object.others.insert(realm.create(NamedNumbers.self, value: ["id": id])) }
        }
        let ids: Any? = object.others.value(forKey: "id")
        #expect(ids as? Set<Int> == [1, 2] && ids as? Set<Int8> == [1, 2] && ids is NSSet)
        let array: [AnyObject] = object.others.value(forKey: "id")
        #expect(array as? [Int] == [1, 2])
        let path: Any? = object.others.value(forKeyPath: "id")
        #expect(path as? Set<Int64> == [1, 2])
        #expect(object.others.value(forKeyPath: "@max.id") as Any? as? Int == 2)
        func generic<C: RealmCollection>(_ collection: C) -> Any? { collection.value(forKey: "id") }
        #expect(generic(object.others) as? Set<Int> == [1, 2])
        let none: Any? = NamedNumbers().others.value(forKey: "id")
        #expect((none as? Set<Int>)?.isEmpty == true)
    }

    @Test("sum() of mixed lists, sets and maps without numbers is zero, and their average() is nil")
    func mixedSums() throws {
        let (realm, object) = try Self.stored()
        let unmanaged = NamedNumbers()
        func fill(_ object: NamedNumbers) {
            object.mixed.append(.string("a"))
            object.mixedSet.insert(.bool(true))
            object.mixedMap["a"] = .date(Date())
        }
        let zero = AnyRealmValue.decimal128(0)
        for _ in 0..<2 {
            for object in [object, unmanaged] {
                #expect(object.mixed.sum() == zero && object.mixedSet.sum() == zero && object.mixedMap.sum() == zero)
                #expect(object.mixed.sum(ofProperty: "self") as Int? == 0)
                #expect(object.mixed.average() as AnyRealmValue? == nil)
            }
            fill(unmanaged)
            try realm.write { fill(object) }
        }
    }

    @Test(
        "the words of an aggregate that does not apply are the same by name",
        arguments: ["sum", "avg", "min", "max"])
    func aggregates(_ name: String) async {
        let operation = name == "avg" ? "average" : name
        #expect(
            await exception { _ = try Self.stored().1.value(forKeyPath: "texts.@\(name).self") }
                == "Operation '\(operation)' not supported for string list 'NamedNumbers.texts'")
        #expect(
            await exception { _ = try Self.stored().0.objects(NamedNumbers.self).value(forKeyPath: "@\(name).bool") }
                == "Operation '\(operation)' not supported for bool property 'NamedNumbers.bool'")
    }

    @Test("Decimal128 arithmetic leaves no zeros at the end")
    func decimals() throws {
        let results: [(Decimal128, String)] = [
            ("10.0" + "1.111110", "11.11111"), ("1.111111" * 10, "11.11111"), ("-0.1" * 10, "-1"),
            ("1.23456789E131" * 10, "1.23456789E132"), ("1.50" - "0.50", "1"), ("3.00" / "2.00", "1.5"),
            ("1.5" - "1.50", "0"), (10 * 10, "100"), ("2.50" * "4.00", "10"),
            (1 / 3, "0.3333333333333333333333333333333333"),
        ]
        for (result, text) in results { #expect(result.description == text) }
        #expect(Decimal128("1.10").description == "1.10" && (-Decimal128("1.10")).description == "-1.10")
        let (realm, object) = try Self.stored()
        try realm.write { object.mixed.append(objectsIn: [.decimal128("1.50"), .decimal128("1.50")]) }
        #expect("\(object.mixed.sum())" == "decimal128(3)" && object.mixed.sum() == .decimal128(3))
        #expect("\(object.value(forKeyPath: "mixed.@avg.self") ?? "")" == "1.5")
        #expect((object.mixed.max()?.decimal128Value)?.description == "1.50")
    }

    @Test("an embedded object that is assigned by name becomes managed, of objects with and without a model")
    func embedded() throws {
        let (realm, object) = try Self.stored()
        let dynamic = try #require(realm.dynamicObjects("NamedNumbers").first)
        let place = NamedPlace(value: ["x": 1])
        try realm.write { object["place"] = place }
        #expect(place.realm == realm && object.place?.x == 1)
        try realm.write { object.setValue(["x": 2, "y": 3], forKey: "place") }
        #expect(object.place?.x == 2 && object.place?.y == 3 && place.isInvalidated)
        try realm.write { dynamic["place"] = NamedPlace(value: ["x": 4]) }
        #expect(object.place?.x == 4 && object.place?.y == nil)
        try realm.write { dynamic.place = ["x": 5] }
        #expect(object.place?.x == 5)
        try realm.write { object["places"] = [NamedPlace(value: ["x": 6])] }
        #expect(object.places.first?.x == 6)
        try realm.write { object["place"] = nil }
        #expect(object.place == nil)
        let same = NamedPlace(value: ["x": 1])
        try realm.write {
            object["place"] = same
            object["place"] = object["place"]
        }
        #expect(object.place?.x == 1 && !same.isInvalidated)
    }

    @Test("DynamicObject a link by member shows each change")
    func dynamicLinks() throws {
        let (realm, object) = try Self.stored()
        let dynamic = try #require(realm.dynamicObjects("NamedNumbers").first)
        #expect(dynamic.link == nil)
        try realm.write { object.link = object }
        #expect((dynamic.link as? NamedNumbers)?.id == 3)
        try realm.write { dynamic.link = nil }
        #expect(object.link == nil && dynamic.link == nil)
        try realm.write { dynamic.link = dynamic }
        #expect(object.link?.id == 3)
    }

    @Test("the key invalidated is isInvalidated, of objects and maps, unless a map has that key")
    func invalidated() throws {
        let (realm, object) = try Self.stored()
        let (map, list) = (object.map32, object.list8)
        func values() -> [Bool?] {
            [
                object.value(forKey: "invalidated") as? Bool, map.value(forKey: "invalidated") as? Bool,
                (list as any RealmCollection).value(forKey: "invalidated") as? Bool,
            ]
        }
        #expect(values() == [false, false, false])
        #expect(NamedNumbers().value(forKey: "invalidated") as? Bool == false)
        #expect(object.value(forKeyPath: "map32.invalidated") as? Bool == false)
        try realm.write { map["invalidated"] = 6 }
        #expect(isWhole(map.value(forKey: "invalidated"), 6))
        try realm.write { realm.delete(object) }
        #expect(values() == [true, true, true])
    }
}
