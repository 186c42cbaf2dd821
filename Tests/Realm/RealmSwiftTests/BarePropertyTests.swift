import Foundation
import RealmSwift
import Testing

// Classes in the style before `@Persisted`: the values of properties are instances that remain the same.

class BareOwner: Object {
    let age = RealmProperty<Int?>()
    let weight = RealmProperty<Double?>()
    let any = RealmProperty<AnyRealmValue>()
    let dogs = List<BareDog>()
    let parts = List<BarePart>()
    let words = MutableSet<String>()
    let prices = Map<String, Int>()
    let notStored = List<Int>()
    var plain = 7

    override class func ignoredProperties() -> [String] { ["notStored"] }
}

class BareDog: Object {
    let number = RealmProperty<Int?>()
    let owners = LinkingObjects(fromType: BareOwner.self, property: "dogs")
}

class BarePart: EmbeddedObject {
    let size = RealmProperty<Int8?>()
    let marks = List<Int>()
}

/// With one `@Persisted` property, nothing else is stored.
class BareMixed: Object {
    @Persisted var id: Int
    let list = List<Int>()
    let property = RealmProperty<Int?>()
}

class BareOldest: Object {
    let age = RealmOptional<Int>(3)
    let flag = RealmOptional<Bool>()
    let weight = RealmOptional<Double>(1.5)
    let _marks = List<Int>()
}

class BareCoded: Object, Codable {
    let number = RealmProperty<Int?>()
    let words = List<String>()

    enum CodingKeys: String, CodingKey { case number, words }

    required init() { super.init() }

    required init(from decoder: any Decoder) throws {
        super.init()
        let container = try decoder.container(keyedBy: CodingKeys.self)
        number.value = try container.decode(RealmProperty<Int?>.self, forKey: .number).value
        words.append(objectsIn: try container.decode(List<String>.self, forKey: .words))
    }
}

@Suite("Properties without @Persisted")
struct BarePropertyTests {
    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    BareOwner.self, BareDog.self, BarePart.self, BareMixed.self, BareCoded.self, BareOldest.self,
                ]))
    }

    @Test("RealmProperty, List, MutableSet, Map and LinkingObjects are stored without @Persisted")
    func stored() throws {
        let realm = try open()
        let owner = BareOwner()
        owner.age.value = 3
        owner.any.value = .string("x")
        owner.words.insert("w")
        owner.prices["a"] = 1
        owner.notStored.append(1)
        let dog = BareDog()
        dog.number.value = 5
        owner.dogs.append(dog)
        let part = BarePart(value: ["size": 4, "marks": [1, 2]])
        owner.parts.append(part)
        #expect(dog.owners.isEmpty && owner.weight.value == nil)
        try realm.write { realm.add(owner) }
        #expect(owner.age.value == 3 && owner.dogs[0].number.value == 5 && owner.parts[0].size.value == 4)
        #expect(part.realm == realm && Array(part.marks) == [1, 2])
        try realm.write {
            owner.age.value = nil
            owner.weight.value = 1.5
            owner.words.insert("v")
            owner.prices["b"] = 2
            owner.dogs.append(BareDog())
            part.marks.append(3)
        }
        let stored = try #require(realm.objects(BareOwner.self).first)
        #expect(stored !== owner && stored.age.value == nil && stored.weight.value == 1.5)
        #expect(stored.any.value == .string("x") && Array(stored.words) == ["v", "w"])
        #expect(stored.prices["b"] == 2 && stored.dogs.count == 2 && Array(stored.parts[0].marks) == [1, 2, 3])
        #expect(stored.notStored.isEmpty && stored.notStored.realm == nil)
        #expect(dog.owners.count == 1 && dog.owners[0].isSameObject(as: owner))
        #expect(
            owner.objectSchema.properties.map(\.name) == [
                "age", "weight", "any", "dogs", "parts", "words", "prices",
            ])
    }

    @Test("properties without @Persisted by name, from values, in queries and key paths")
    func byName() throws {
        let realm = try open()
        try realm.write {
            realm.create(BareOwner.self, value: ["age": 1, "dogs": [["number": 1], [2]], "prices": ["x": 9]])
            realm.create(BareOwner.self, value: ["age": 8, "words": ["a"], "parts": [["size": 1, "marks": [5]]]])
            realm.add(BareOwner(value: [5, 2.5]))
        }
        let owners = realm.objects(BareOwner.self)
        #expect(owners.filter("age > 2").count == 2 && owners.filter("ANY dogs.number == 2").count == 1)
        #expect(owners.where { $0.age.value > 2 }.count == 2 && owners.where { $0.dogs.number.value == 2 }.count == 1)
        #expect(owners.where { $0.dogs.count == 2 && $0.prices["x"] == 9 }.count == 1)
        #expect(owners.sorted(byKeyPath: "age", ascending: false).map(\.age.value) == [8, 5, 1])
        #expect(owners[0]["age"] as? Int == 1 && (owners[0]["dogs"] as? List<BareDog>)?.count == 2)
        #expect(owners[2].weight.value == 2.5 && owners.sum(ofProperty: "age") as Int == 14)
        #expect(_name(for: \BareOwner.age) == "age" && _name(for: \BareOwner.dogs) == "dogs")
        #expect(_name(for: \BareOwner.age.value) == "age" && _name(for: \BareDog.owners) == "owners")
        #expect(_name(for: \BareOwner.dogs[0].number) == "dogs.number")
        try realm.write {
            owners[0]["age"] = 4
            owners[0]["words"] = ["q", "q"]
            owners.setValue(6.5, forKey: "weight")
        }
        #expect(owners[0].age.value == 4 && Array(owners[0].words) == ["q"] && owners[1].weight.value == 6.5)
        let owner = BareOwner(value: owners[0])
        #expect(owner.realm == nil && owner.age.value == 4 && owner.dogs.count == 2)
    }

    @Test("properties without @Persisted of frozen, deleted and cancelled objects")
    func lives() throws {
        let realm = try open()
        let owner = BareOwner(value: ["age": 1])
        try realm.write { realm.add(owner) }
        let frozen = owner.freeze()
        let property = owner.age
        try realm.write { owner.age.value = 2 }
        #expect(frozen.age.value == 1 && property.value == 2 && frozen.dogs.isFrozen)
        var found = realm.objects(BareOwner.self).first
        let kept = try #require(found).age
        found = nil
        try realm.write { kept.value = 3 }
        #expect(owner.age.value == 3 && kept.value == 3)
        let dogs = owner.dogs
        try realm.write { realm.delete(owner) }
        #expect(dogs.isInvalidated && owner.isInvalidated)
    }

    @Test("a class with @Persisted stores nothing else, and RealmProperty is Codable")
    func mixed() throws {
        let realm = try open()
        #expect(BareMixed().objectSchema.properties.map(\.name) == ["id"])
        let mixed = BareMixed()
        mixed.list.append(1)
        mixed.property.value = 2
        try realm.write { realm.add(mixed) }
        #expect(mixed.list.realm == nil && mixed.property.value == 2)
        #expect(realm.objects(BareMixed.self).first?.property.value == nil)

        let coded = try JSONDecoder().decode(BareCoded.self, from: Data(#"{"number": 3, "words": ["a"]}"#.utf8))
        #expect(coded.number.value == 3 && Array(coded.words) == ["a"])
        try realm.write { realm.add(coded) }
        let text = String(decoding: try JSONEncoder().encode(coded), as: UTF8.self)
        #expect(text.contains("\"number\":3") && text.contains("\"words\":[\"a\"]"))
    }

    @Test("RealmOptional is stored as an optional property: unmanaged, managed, by name, in queries and coded")
    func optionals() throws {
        let realm = try open()
        let names = ["age", "flag", "weight", "_marks"]
        #expect(BareOldest().objectSchema.properties.map(\.name) == names)
        #expect(BareOldest().objectSchema["age"]?.isOptional == true && BareOldest().objectSchema["age"]?.type == .int)
        let first = BareOldest()
        first._marks.append(1)
        try realm.write {
            realm.add(first)
            realm.create(BareOldest.self, value: ["age": 8, "flag": true, "weight": NSNull(), "_marks": [2, 3]])
        }
        let all = realm.objects(BareOldest.self)
        #expect(all.map(\.age.value) == [3, 8] && all.map(\.flag.value) == [nil, true])
        #expect(all.map(\.weight.value) == [1.5, nil] && all.map { $0._marks.count } == [1, 2])
        try realm.write {
            first.age.value = nil
            first["flag"] = false
        }
        #expect(all[0].age.value == nil && all[0].flag.value == false && all[0]["age"] == nil)
        #expect(all.filter("age == nil").count == 1 && all.filter("flag == true AND age > 3").count == 1)
        #expect(all.sum(ofProperty: "age") as Int == 8 && _name(for: \BareOldest.age) == "age")
        #expect(RealmOptional<Int>(2) == RealmOptional<Int>(2) && RealmOptional<Int>() != RealmOptional<Int>(0))
        #expect("\(RealmOptional<Int8>(2))" == "Optional(2)" && RealmOptional<Float>().value == nil)
        let decoded = try JSONDecoder().decode([RealmOptional<Int>].self, from: Data("[4, null]".utf8))
        #expect(decoded.map(\.value) == [4, nil])
        #expect(String(decoding: try JSONEncoder().encode(decoded), as: UTF8.self) == "[4,null]")
    }
}
