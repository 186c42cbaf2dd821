import Foundation
import RealmSwift
import Testing

class ObjectOwner: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name = "nobody"
    @Persisted var note: String?
    @Persisted var age: Int
    @Persisted var best: ObjectPet?
    @Persisted var home: ObjectHome?
    @Persisted var pets: List<ObjectPet>
}

class ObjectPet: Object {
    @Persisted var name = "pet"
    @Persisted var next: ObjectPet?
    @Persisted var owner: ObjectOwner?
    @Persisted(originProperty: "best") var bestOf: LinkingObjects<ObjectOwner>
}

class ObjectHome: EmbeddedObject {
    @Persisted var street = "none"
    @Persisted var number: Int?
}

class ObjectBaseClass: Object {
    @Persisted var first = 1
}

class ObjectDerived: ObjectBaseClass {
    @Persisted var second = 2
}

class ObjectMapped: Object {
    @Persisted(indexed: true) var swiftName = "x"
    override class func propertiesMapping() -> [String: String] { ["swiftName": "stored_name"] }
    override class func ignoredProperties() -> [String] { ["swiftName"] }
    override class func indexedProperties() -> [String] { ["nothing"] }
}

class ObjectOverridden: Object {
    @Persisted var name = "a"
    override subscript(key: String) -> Any? {
        get { key == "magic" ? 42 : super[key] }
        set { super[key] = newValue }
    }
}

@Suite("Objects")
struct ObjectTests {
    static let types: [ObjectBase.Type] = [
        ObjectOwner.self, ObjectPet.self, ObjectHome.self, ObjectBaseClass.self, ObjectDerived.self, ObjectMapped.self,
        ObjectOverridden.self,
    ]

    static func realm() throws -> Realm {
        try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    @Test("an instance is unmanaged until it is added, then it shows the stored object")
    func life() throws {
        let realm = try Self.realm()
        let owner = ObjectOwner()
        owner.age = 3
        #expect(owner.realm == nil && !owner.isInvalidated)
        try realm.write { realm.add(owner) }
        let again = realm.object(ofType: ObjectOwner.self, forPrimaryKey: 0)
        try realm.write { again?.age = 4 }
        #expect(owner.age == 4 && owner.realm == realm)
    }

    @Test("objects are elements of lists and values of properties that may be nil")
    func elements() throws {
        let realm = try Self.realm()
        let owner = ObjectOwner()
        try realm.write {
            realm.add(owner)
            owner.pets.append(ObjectPet(value: ["name": "a"]))
            owner.best = owner.pets[0]
        }
        #expect(owner.best?.isSameObject(as: owner.pets[0]) == true && owner.best?.bestOf.count == 1)
    }

    @Test("realm is nil when unmanaged and after the instance was deleted")
    func realmOfObject() throws {
        let realm = try Self.realm()
        let pet = ObjectPet()
        #expect(pet.realm == nil && !pet.isFrozen)
        try realm.write { realm.add(pet) }
        let frozen = pet.freeze()
        #expect(pet.realm == realm && frozen.isFrozen)
        try realm.write { realm.delete(pet) }
        #expect(pet.realm == nil && pet.isInvalidated)
        #expect(frozen.name == "pet" && frozen.thaw() == nil)
    }

    @Test("init(value:) from a dictionary keeps defaults and ignores unknown names")
    func fromDictionary() {
        let owner = ObjectOwner(value: ["age": 5, "nothing": 1, "best": ["name": "b"], "home": ["number": 4]])
        #expect(owner.name == "nobody" && owner.age == 5 && owner.best?.name == "b")
        #expect(owner.home?.street == "none" && owner.home?.number == 4)
        #expect(ObjectOwner(value: ["note": NSNull()]).note == nil)
        let next: String? = nil
        #expect(ObjectOwner(value: ["note": next as Any]).note == nil)
        #expect(ObjectHome(value: ["street": "s"]).street == "s")
    }

    @Test("init(value:) from an array goes by declaration; missing trailing values keep their defaults")
    func fromArray() async {
        let owner = ObjectOwner(value: [7, "Ann"] as [Any])
        #expect(owner.id == 7 && owner.name == "Ann" && owner.age == 0)
        #expect(ObjectDerived(value: [5, 6]).first == 5)
        #expect(
            await exception { _ = ObjectHome(value: ["a", 1, 2] as [Any]) }
                == "Invalid array input: more values (3) than properties (2).")
    }

    @Test("init(value:) from another object takes all of it")
    func fromObject() async {
        let source = ObjectDerived(value: ["first": 3, "second": 4])
        #expect(ObjectBaseClass(value: source).first == 3 && ObjectDerived(value: source).second == 4)
        let message = await exception { _ = ObjectDerived(value: ObjectBaseClass()) }
        #expect(message?.hasSuffix("missing key 'second'") == true, "\(message ?? "none")")
    }

    @Test("what does not fit is refused")
    func misfits() async {
        #expect(
            await exception { _ = ObjectOwner(value: ["age": "x"]) }
                == "Invalid value 'x' of type 'String' for 'int' property 'ObjectOwner.age'.")
        let null = await exception { _ = ObjectOwner(value: ["age": NSNull()]) }
        #expect(null?.contains("for 'int' property 'ObjectOwner.age'.") == true, "\(null ?? "none")")
        #expect(
            await exception {
                let value: String? = nil
                _ = ObjectOwner(value: value as Any)
            } == "Must provide a non-nil value.")
        #expect(await exception { _ = ObjectOwner(value: 5) } != nil)
    }

    @Test("the schema has every property, also of unmanaged and dynamic objects")
    func schema() throws {
        let schema = ObjectOwner().objectSchema
        #expect(schema.className == "ObjectOwner" && schema.primaryKeyProperty?.name == "id")
        #expect(schema.properties.map(\.name) == ["id", "name", "note", "age", "best", "home", "pets"])
        #expect(schema["note"]?.isOptional == true && schema["pets"]?.isArray == true)
        #expect(schema["home"]?.objectClassName == "ObjectHome" && ObjectHome().objectSchema.isEmbedded)
        #expect(ObjectPet().objectSchema["bestOf"]?.type == .linkingObjects)
        let realm = try Self.realm()
        try realm.write { realm.add(ObjectPet()) }
        #expect(realm.dynamicObjects("ObjectPet").first?.objectSchema.className == "ObjectPet")
        #expect(ObjectOwner.className() == "ObjectOwner")
    }

    @Test("an object is invalidated by its deletion, its realm's invalidation and the cancelling of its creation")
    func invalidation() async throws {
        let realm = try Self.realm()
        let pet = ObjectPet()
        try realm.write { realm.add(pet) }
        realm.beginWrite()
        let other = realm.create(ObjectPet.self)
        realm.delete(pet)
        #expect(pet.isInvalidated && !other.isInvalidated)
        realm.cancelWrite()
        #expect(!pet.isInvalidated && pet.name == "pet" && other.isInvalidated)
        realm.invalidate()
        #expect(pet.isInvalidated && realm.objects(ObjectPet.self).count == 1)
        #expect(
            await exception {
                let realm = try Self.realm()
                let pet = ObjectPet()
                try realm.write {
                    realm.add(pet)
                    realm.delete(pet)
                }
                _ = pet.name
            } == "Object has been deleted or invalidated.")
    }

    @Test("the description has every property, objects indented, and ends at a depth")
    func description() throws {
        let pet = ObjectPet(value: ["name": "a"])
        pet.owner = ObjectOwner(value: ["id": 2, "note": "n"])
        let text = pet.description
        #expect(text.hasPrefix("ObjectPet {\n\tname = a;\n\tnext = (null);\n\towner = ObjectOwner {\n\t\tid = 2;"))
        #expect(text.contains("\t\tnote = n;") && text.hasSuffix("}"))
        pet.next = pet
        #expect(pet.description.contains("<Maximum depth exceeded>"))
        let realm = try Self.realm()
        try realm.write { realm.add(pet) }
        #expect(realm.objects(ObjectPet.self)[0].description.hasPrefix("ObjectPet {\n\tname = a;"))
    }

    @Test("the legacy class functions can be overridden and have no effect beside @Persisted")
    func legacy() throws {
        #expect(Object.primaryKey() == nil && Object.ignoredProperties() == [] && Object.indexedProperties() == [])
        let schema = ObjectMapped().objectSchema
        #expect(schema.primaryKeyProperty == nil && schema["swiftName"]?.isIndexed == true)
        let realm = try Self.realm()
        try realm.write { realm.create(ObjectMapped.self, value: ["swiftName": "y"]) }
        #expect(realm.objects(ObjectMapped.self)[0].swiftName == "y")
    }

    @Test("a property may be stored under another name than it has in Swift")
    func mapping() throws {
        let property = ObjectMapped().objectSchema["swiftName"]
        #expect(property?.columnName == "stored_name" && ObjectMapped().objectSchema["stored_name"] == nil)
        let mapped = ObjectMapped(value: ["swiftName": "z", "stored_name": "no"])
        #expect(mapped.swiftName == "z" && mapped["swiftName"] as? String == "z")
    }

    @Test("subscripts read and assign by name")
    func subscripts() throws {
        let owner = ObjectOwner()
        owner["age"] = 9
        #expect(owner["age"] as? Int == 9 && owner["note"] == nil)
        let realm = try Self.realm()
        try realm.write {
            realm.add(owner)
            owner["note"] = "n"
            owner["best"] = ObjectPet(value: ["name": "b"])
            owner["home"] = ["street": "s"]
        }
        #expect(owner.note == "n" && owner.best?.name == "b" && owner.home?.street == "s")
        try realm.write { owner["note"] = nil }
        #expect(owner.note == nil && ObjectOverridden()["magic"] as? Int == 42)
        #expect(ObjectOverridden()["name"] as? String == "a")
        let home = ObjectHome()
        home["number"] = 3
        #expect(home.number == 3)
    }

    @Test("subscripts refuse unknown names, wrong types, other keys and assignments outside of a write")
    func subscriptFaults() async {
        @Sendable func message(
            isWriting: Bool = true, _ body: @escaping @Sendable (ObjectOwner) -> Void
        ) async -> String? {
            await exception {
                let realm = try Self.realm()
                let owner = ObjectOwner()
                try realm.write { realm.add(owner) }
                if isWriting { realm.beginWrite() }
                body(owner)
            }
        }
        #expect(await message { $0["x"] = 1 } == "Invalid property name 'x' for class 'ObjectOwner'.")
        #expect(
            await message { $0["age"] = "x" }
                == "Invalid value 'x' of type 'String' for 'int' property 'ObjectOwner.age'.")
        #expect(await message { $0["id"] = 5 } == "Primary key can't be changed to '5' after an object is inserted.")
        #expect(await message { $0.id = 5 } == "Cannot modify primary key")
        #expect(
            await message(isWriting: false) { $0["age"] = 1 }
                == "Cannot modify managed objects outside of a write transaction.")
    }

    @Test("the same object is the same row of the same realm")
    func sameObject() throws {
        let realm = try Self.realm()
        let pet = ObjectPet()
        #expect(pet.isSameObject(as: pet) && !pet.isSameObject(as: ObjectPet()) && !pet.isSameObject(as: nil))
        try realm.write { realm.add(pet) }
        let again = realm.objects(ObjectPet.self)[0]
        #expect(pet.isSameObject(as: again) && pet !== again && !pet.isSameObject(as: again.freeze()))
        try realm.write { realm.delete(again) }
        #expect(!pet.isSameObject(as: again))
    }

    @Test("objects are equal by row with a primary key or when frozen, else by instance")
    func equality() throws {
        let realm = try Self.realm()
        try realm.write {
            realm.create(ObjectOwner.self)
            realm.create(ObjectPet.self)
        }
        let owners = (realm.objects(ObjectOwner.self)[0], realm.objects(ObjectOwner.self)[0])
        let pets = (realm.objects(ObjectPet.self)[0], realm.objects(ObjectPet.self)[0])
        #expect(owners.0 == owners.1 && Set([owners.0, owners.1]).count == 1)
        #expect(pets.0 != pets.1 && pets.0 == pets.0 && Set([pets.0, pets.1]).count == 2)
        let frozen = realm.freeze()
        #expect(frozen.objects(ObjectPet.self)[0] == frozen.objects(ObjectPet.self)[0])
        #expect(ObjectOwner() != ObjectOwner())
    }
}
