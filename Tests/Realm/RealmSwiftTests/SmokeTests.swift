import Foundation
import RealmSwift
import Testing

@Suite("Realm")
struct SmokeTests {
    static func configuration() -> Realm.Configuration {
        Realm.Configuration(
            inMemoryIdentifier: UUID().uuidString, objectTypes: [Dog.self, Person.self, Address.self])
    }

    @Test("objects are added, read, changed and deleted")
    func objects() throws {
        let realm = try Realm(configuration: Self.configuration())
        let dog = Dog()
        dog.id = 3
        #expect(dog.name == "Rex" && dog.realm == nil)
        let person = Person(value: ["name": "Ann", "home": ["street": "Main"]])
        dog.owner = person
        try realm.write { realm.add(dog) }
        #expect(dog.realm == realm && dog.owner?.name == "Ann" && dog.owner?.home?.street == "Main")
        #expect(person.realm == realm && person.owned.first?.id == 3)
        try realm.write {
            dog.age = 5
            person.dogs.append(dog)
            realm.create(Dog.self, value: ["id": 4, "name": "Max", "owner": person])
        }
        #expect(realm.objects(Dog.self).map(\.name) == ["Rex", "Max"])
        #expect(person.owned.count == 2 && person.dogs.count == 1 && dog.age == 5)
        #expect(realm.object(ofType: Dog.self, forPrimaryKey: 4)?["name"] as? String == "Max")
        #expect(_name(for: \Dog.owner?.home?.city) == "owner.home.city")
        try realm.write { realm.delete(dog) }
        #expect(dog.isInvalidated && realm.objects(Dog.self).count == 1)
    }

    @Test("misuse stops with Realm's message")
    func misuse() async {
        #expect(
            await exception {
                let realm = try Realm(configuration: Self.configuration())
                realm.add(Dog())
            }
                == "Can only add, remove, or create objects in a Realm in a write transaction - call beginWriteTransaction on an RLMRealm instance first."
        )
        #expect(
            await exception {
                let realm = try Realm(configuration: Self.configuration())
                try realm.write { realm.add(Dog()) }
                realm.objects(Dog.self)[0].age = 3
            } == "Cannot modify managed objects outside of a write transaction.")
        #expect(await exception { _ = Dog()["nothing"] } == "Invalid property name 'nothing' for class 'Dog'.")
        #expect(await exception { _ = try Realm(configuration: Self.configuration()) } == nil)
    }
}

@Suite("Discovery")
struct DiscoveryTests {
    @Test("a configuration without types has the program's classes, without registration")
    func discovery() throws {
        let realm = try Realm(configuration: Realm.Configuration(inMemoryIdentifier: UUID().uuidString))
        try realm.write { _ = realm.create(Dog.self, value: ["id": 1]) }
        #expect(realm.objects(Person.self).isEmpty && realm.objects(Dog.self).first?.name == "Rex")
    }
}
