import Foundation
import RealmSwift
import Testing

class KeyedDog: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = ""
    @Persisted var weight: Double?

    convenience init(_ id: Int, _ name: String = "") {
        self.init()
        (self.id, self.name) = (id, name)
    }
}

class KeyedRoom: EmbeddedObject {
    @Persisted var area = 0

    convenience init(_ area: Int) {
        self.init()
        self.area = area
    }
}

class KeyedHouse: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var numbers: Map<String, Int>
    @Persisted var optionals: Map<String, Int?>
    @Persisted var strings: Map<String, String>
    @Persisted var dogs: Map<String, KeyedDog?>
    @Persisted var rooms: Map<String, KeyedRoom?>
    @Persisted var values: Map<String, AnyRealmValue>
    @Persisted var digits: MutableSet<Int>
    @Persisted var words: MutableSet<String?>
    @Persisted var pack: MutableSet<KeyedDog>
    @Persisted var mixed: MutableSet<AnyRealmValue>
    @Persisted var any: AnyRealmValue
}

/// Maps, sets and mixed values: the same for unmanaged and managed ones, unless a rule says otherwise.
@Suite("Rules of maps, sets and mixed values")
struct MapAndSetRuleTests {
    private static func open() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [KeyedDog.self, KeyedRoom.self, KeyedHouse.self]))
    }

    private static func house(_ isManaged: Bool) throws -> (Realm, KeyedHouse) {
        let realm = try open()
        let house = KeyedHouse()
        realm.beginWrite()
        if isManaged { realm.add(house) }
        return (realm, house)
    }

    @Test("Map: entries, nulls, merges, key-value sequences, closures and equality", arguments: [false, true])
    func maps(_ isManaged: Bool) throws {
        let (realm, house) = try Self.house(isManaged)
        let numbers = house.numbers
        #expect(
            numbers.isEmpty && numbers.count == 0 && numbers["a"] == nil && numbers.keys == [] && numbers.values == [])
        numbers["b"] = 2
        numbers["a"] = 1
        numbers["c"] = 3
        numbers["c"] = nil
        #expect(numbers.count == 2 && numbers.keys.sorted() == ["a", "b"] && numbers.values.sorted() == [1, 2])
        numbers.updateValue(5, forKey: "b")
        numbers.merge(["b": 10, "d": 4]) { $0 + $1 }
        #expect(
            numbers["b"] == 15 && numbers["d"] == 4 && numbers.max() == 15 && numbers.min() == 1 && numbers.sum() == 20)
        #expect(numbers.average() as Double? == 20.0 / 3)
        let other = Map<String, Int>()
        other["z"] = 26
        numbers.merge(other) { old, _ in old }
        #expect(numbers["z"] == 26)
        #expect(numbers.map { "\($0.key)\($0.value)" }.sorted() == ["a1", "b15", "d4", "z26"])
        #expect(numbers.asKeyValueSequence().reduce(0) { $0 + $1.value } == 46)
        #expect(numbers.contains { $0 == "a" && $1 == 1 } && !numbers.contains { _, value in value > 99 })
        #expect(numbers.contains(where: { key, _ in key == "z" }))
        numbers.removeObject(for: "z")
        numbers.removeObject(for: "missing")
        numbers.setValue(nil, forKey: "a")
        #expect(numbers.keys.sorted() == ["b", "d"] && numbers.value(forKey: "b") as? Int == 15)
        numbers.setValue(nil, forKey: "b")
        #expect(numbers.keys == ["d"])
        numbers.removeAll()
        #expect(numbers.isEmpty && numbers.max() == nil && numbers.sum() == 0)

        let optionals = house.optionals
        optionals["n"] = .some(nil)
        optionals["v"] = 1
        #expect(
            optionals.count == 2 && optionals["n"] == .some(nil) && optionals["x"] == nil
                && optionals.keys.sorted() == ["n", "v"])
        optionals["n"] = nil as Int??
        #expect(optionals.count == 1)
        optionals.updateValue(nil, forKey: "v")
        #expect(optionals.count == 1 && optionals["v"] == .some(nil))

        house.dogs["x"] = KeyedDog(1, "x")
        house.dogs["none"] = .some(nil)
        house.rooms["r"] = KeyedRoom(5)
        #expect(house.dogs["x"]??.name == "x" && house.dogs["none"] == .some(nil) && house.rooms["r"]??.area == 5)
        house.dogs["x"]??.name = "renamed"
        #expect(house.dogs.values.compactMap { $0?.name } == ["renamed"])
        house.rooms["r"] = KeyedRoom(6)
        house.rooms["gone"] = KeyedRoom(7)
        house.rooms["gone"] = nil
        #expect(house.rooms.count == 1 && house.rooms["r"]??.area == 6)
        if isManaged {
            #expect(realm.objects(KeyedRoom.self).count == 1 && realm.objects(KeyedDog.self).count == 1)
            realm.delete(realm.objects(KeyedDog.self))
            #expect(house.dogs.count == 2 && house.dogs["x"] == .some(nil))
            let dogs = house.dogs
            realm.delete(house)
            #expect(dogs.isInvalidated && realm.objects(KeyedRoom.self).isEmpty)
        }
        realm.cancelWrite()
    }

    @Test("Map keys with a dot or a dollar sign at the start", arguments: ["a.b", "$a", "."])
    func keys(_ key: String) async {
        for isManaged in [false, true] {
            let message = await exception {
                let (_, house) = try Self.house(isManaged)
                house.numbers[key] = 1
            }
            if isManaged {
                #expect(message?.contains(key.hasPrefix("$") ? "$" : ".") == true, "\(message ?? "nothing")")
            }
        }
    }

    @Test("MutableSet: members, null, algebra, aggregates and equality", arguments: [false, true])
    func sets(_ isManaged: Bool) throws {
        let (realm, house) = try Self.house(isManaged)
        let digits = house.digits
        digits.insert(3)
        digits.insert(1)
        digits.insert(3)
        digits.insert(objectsIn: [2, 1])
        #expect(digits.count == 3 && Array(digits).sorted() == [1, 2, 3] && digits.contains(2) && !digits.contains(9))
        #expect(digits.max() == 3 && digits.min() == 1 && digits.sum() == 6 && digits.average() as Double? == 2)
        digits.remove(2)
        digits.remove(99)
        let other = KeyedHouse(value: ["id": 5, "digits": [1, 8]] as [String: Any])
        if isManaged { realm.add(other) }
        #expect(
            digits.intersects(other.digits) && !digits.isSubset(of: other.digits)
                && other.digits.isSubset(of: other.digits))
        digits.formUnion(other.digits)
        #expect(Array(digits).sorted() == [1, 3, 8])
        digits.formIntersection(other.digits)
        #expect(Array(digits).sorted() == [1, 8])
        digits.subtract(other.digits)
        #expect(digits.isEmpty)
        house.words.insert(nil)
        house.words.insert("a")
        house.words.insert(nil)
        #expect(house.words.count == 2 && house.words.contains(nil))
        house.pack.insert(objectsIn: [KeyedDog(1, "a"), KeyedDog(2, "b")])
        #expect(house.pack.count == 2 && house.pack.map(\.name).sorted() == ["a", "b"])
        house.mixed.insert(objectsIn: [.int(1), .string("1"), .none, .bool(true), .int(1), .object(KeyedDog(3, "c"))])
        #expect(house.mixed.count == 5 && house.mixed.contains(.string("1")) && house.mixed.contains(.none))
        house.mixed.remove(.int(1))
        #expect(house.mixed.count == 4)
        if isManaged {
            realm.delete(house.pack)
            #expect(house.pack.isEmpty && realm.objects(KeyedDog.self).map(\.id) == [3])
            realm.delete(realm.objects(KeyedDog.self))
            #expect(house.mixed.count == 3, "an object that is deleted leaves a set of mixed values")
        }
        house.words.removeAll()
        #expect(house.words.isEmpty)
        realm.cancelWrite()
    }

    @Test(
        "AnyRealmValue nested collections are written, changed, replaced and queried",
        arguments: [false, true])
    func nested(_ isManaged: Bool) throws {
        let (realm, house) = try Self.house(isManaged)
        house.any = AnyRealmValue.fromDictionary([
            "a": .int(1), "l": AnyRealmValue.fromArray([.string("x"), .none, AnyRealmValue.fromArray([.int(5)])]),
            "o": .object(KeyedDog(1, "inner")),
        ])
        let map = try #require(house.any.dictionaryValue)
        #expect(map.count == 3 && map["a"] == .int(1) && map["l"]?.listValue?.count == 3)
        #expect(map["l"]?.listValue?[2].listValue?[0] == .int(5))
        #expect(map["o"]?.object(KeyedDog.self)?.name == "inner")
        map["a"] = .string("changed")
        map["l"]?.listValue?.append(.double(1.5))
        map["l"]?.listValue?[2].listValue?.append(.int(6))
        map["new"] = AnyRealmValue.fromDictionary(["k": .bool(true)])
        map["o"] = nil
        #expect(house.any.dictionaryValue?["a"] == .string("changed"))
        #expect(house.any.dictionaryValue?["l"]?.listValue?.count == 4)
        #expect(house.any.dictionaryValue?["l"]?.listValue?[2].listValue?.map(\.intValue) == [5, 6])
        #expect(house.any.dictionaryValue?["new"]?.dictionaryValue?["k"] == .bool(true))
        #expect(house.any.dictionaryValue?.keys.sorted() == ["a", "l", "new"])
        house.values["n"] = AnyRealmValue.fromArray([.int(1), .int(2)])
        #expect(house.values["n"]?.listValue?.sum { $0.intValue ?? 0 } == 3)
        if isManaged {
            let houses = realm.objects(KeyedHouse.self)
            #expect(houses.where { $0.any["a"] == .string("changed") }.count == 1)
            #expect(houses.where { $0.any["l"][0] == .string("x") }.count == 1)
            #expect(houses.where { $0.any["l"].any == .double(1.5) }.count == 1)
            #expect(
                houses.filter("any['a'] == 'changed'").count == 1
                    && houses.filter("any.@type == 'dictionary'").count == 1)
            house.any = .int(3)
            #expect(map.isInvalidated)
        } else {
            house.any = .int(3)
        }
        #expect(house.any.intValue == 3 && house.any.dictionaryValue == nil)
        realm.cancelWrite()
    }

    @Test("AnyRealmValue equality and accessors of every case")
    func cases() throws {
        let id = ObjectId.generate()
        let uuid = UUID()
        let date = Date(timeIntervalSince1970: 1)
        let values: [AnyRealmValue] = [
            .none, .int(1), .bool(true), .float(1), .double(1), .string("1"), .data(Data([1])), .date(date),
            .objectId(id),
            .decimal128(1), .uuid(uuid), .object(KeyedDog(1)),
        ]
        for (index, a) in values.enumerated() {
            for (other, b) in values.enumerated() { #expect((a == b) == (index == other), "\(a) \(b)") }
        }
        #expect(values.compactMap(\.intValue) == [1] && values.compactMap(\.boolValue) == [true])
        #expect(values.compactMap(\.floatValue) == [1] && values.compactMap(\.doubleValue) == [1])
        #expect(values.compactMap(\.stringValue) == ["1"] && values.compactMap(\.dataValue) == [Data([1])])
        #expect(values.compactMap(\.dateValue) == [date] && values.compactMap(\.objectIdValue) == [id])
        #expect(values.compactMap(\.decimal128Value) == [1] && values.compactMap(\.uuidValue) == [uuid])
        #expect(Set(values).count == 12)
    }

    @Test("Decimal128 ObjectId literals, arithmetic, comparisons, coding and texts")
    func values() throws {
        let numbers: [Decimal128] = [
            1, 1.5, "2.25", try Decimal128(string: "-3E-2"), Decimal128(value: 7), Decimal128(number: 8.5),
        ]
        #expect(numbers.map(\.stringValue) == ["1", "1.5", "2.25", "-0.03", "7", "8.5"])
        #expect(numbers.sorted().first == Decimal128("-0.03") && numbers.max() == 8.5)
        #expect(Decimal128(1) + 2 == 3 && Decimal128("0.1") + "0.2" == "0.3" && Decimal128(7) / 2 == 3.5)
        #expect(Decimal128(2) * 3 - 1 == 5 && -Decimal128(3) == -3 && Decimal128("-3").magnitude == 3)
        #expect(try Decimal128(string: "x1").isNaN)
        #expect(
            Decimal128(floatLiteral: 1.1) == "1.1" && Decimal128("1.0") == 1
                && Decimal128("1.0").hashValue == Decimal128(1).hashValue)
        #expect(try JSONDecoder().decode([Decimal128].self, from: Data("[1, 2.5, \"3.5\"]".utf8)) == [1, 2.5, 3.5])
        #expect(String(decoding: try JSONEncoder().encode([Decimal128("1.50")]), as: UTF8.self) == "[\"1.50\"]")
        let id = try ObjectId(string: "507f1f77bcf86cd799439011")
        #expect(
            id.stringValue == "507f1f77bcf86cd799439011" && id.description == id.stringValue
                && "\(id)" == id.stringValue)
        #expect(id.timestamp == Date(timeIntervalSince1970: 1_350_508_407))
        #expect(id == ObjectId("507f1f77bcf86cd799439011") && id < ObjectId("507f1f77bcf86cd799439012"))
        #expect(Set([id, ObjectId("507f1f77bcf86cd799439011")]).count == 1)
        for text in ["", "507f1f77bcf86cd79943901", "507f1f77bcf86cd7994390111", "507f1f77bcf86cd79943901g"] {
            #expect(throws: (any Error).self) { try ObjectId(string: text) }
        }
        let made = ObjectId(timestamp: Date(timeIntervalSince1970: 100), machineId: 5, processId: 6)
        #expect(made.timestamp.timeIntervalSince1970 == 100)
        #expect(try JSONDecoder().decode([ObjectId].self, from: JSONEncoder().encode([id])) == [id])
        let generated = (0..<1000).map { _ in ObjectId.generate() }
        #expect(Set(generated).count == 1000)
    }
}

extension Sequence {
    fileprivate func sum(_ value: (Element) -> Int) -> Int { reduce(0) { $0 + value($1) } }
}
