import Foundation
import RealmSwift
import Testing

@Suite("Collections: values by name")
struct CollectionsKeyValueTests {
    @Test("value(forKey:) gives a value for each element, NSNull for null")
    func values() async throws {
        do {
            let (realm, person) = try CollectionsRealm.person()
            try realm.write {
                person.dogs[0].weight = 1.5
                person.optionals.append(objectsIn: [1, nil])
                person.pack.insert(objectsIn: person.dogs)
                person.dogs[2].age = 1
            }
            #expect(person.dogs.value(forKey: "name") as? [String] == ["a", "b", "c"])
            let weights: [AnyObject] = person.dogs.value(forKey: "weight")
            #expect(weights[0] as? Double == 1.5 && weights[1] is NSNull && weights.count == 3)
            #expect((person.dogs.value(forKey: "self") as? [CollectionsDog])?.count == 3)
            let optionals: [AnyObject] = person.optionals.value(forKey: "self")
            #expect(optionals[0] as? Int == 1 && optionals[1] is NSNull)
            #expect((person.places.value(forKey: "street") as [AnyObject]).isEmpty)
            #expect(AnyRealmCollection(person.pack).value(forKey: "age") as? Set<Int> == [1, 2])
            #expect(realm.objects(CollectionsDog.self).value(forKey: "age") as? [Int] == [1, 2, 1])
            #expect(person.dogs[0].owners.value(forKey: "id") as? [Int] == [1])
            #expect(
                CollectionsPerson(value: ["dogs": [["name": "x"]]]).dogs.value(forKey: "name") as? [String] == ["x"])
        }
        #expect(
            await exception { _ = try CollectionsRealm.person().1.dogs.value(forKey: "none") }
                == "Invalid property name 'none' for class 'CollectionsDog'.")
        #expect(
            await exception {
                let person = CollectionsPerson(value: ["numbers": [1]])
                _ = person.numbers.value(forKey: "none")
            } != nil)
    }

    @Test("value(forKeyPath:) follows paths and operators", arguments: [true, false])
    func paths(_ isManaged: Bool) throws {
        let realm = try CollectionsRealm.open()
        let person = CollectionsPerson(1)
        person.dogs.append(objectsIn: [CollectionsDog("a", 1), CollectionsDog("b", 2), CollectionsDog("b", 6)])
        person.dogs[0].tags.append(objectsIn: ["x", "y"])
        person.dogs[1].tags.append(objectsIn: ["y"])
        person.dogs[0].weight = 2.5
        person.numbers.append(objectsIn: [3, 4])
        if isManaged { try realm.write { realm.add(person) } }
        let dogs = person.dogs
        #expect(dogs.value(forKeyPath: "@count") as? Int == 3)
        #expect(AnyRealmCollection(dogs).value(forKey: "@count") as? Int == 3)
        #expect(dogs.value(forKeyPath: "@min.age") as? Int == 1 && dogs.value(forKeyPath: "@max.age") as? Int == 6)
        #expect(dogs.value(forKeyPath: "@sum.age") as? Int == 9 && dogs.value(forKeyPath: "@avg.age") as? Double == 3)
        #expect(dogs.value(forKeyPath: "@sum.weight") as? Double == 2.5)
        #expect(dogs.value(forKeyPath: "@avg.weight") as? Double == 2.5)
        #expect(dogs.value(forKeyPath: "@max.born") as? Date == Date(timeIntervalSince1970: 0))
        #expect(dogs.value(forKeyPath: "@unionOfObjects.name") as? [String] == ["a", "b", "b"])
        #expect(dogs.value(forKeyPath: "@distinctUnionOfObjects.name") as? [String] == ["a", "b"])
        #expect(dogs.value(forKeyPath: "@unionOfArrays.tags") as? [String] == ["x", "y", "y"])
        #expect(dogs.value(forKeyPath: "@distinctUnionOfArrays.tags") as? [String] == ["x", "y"])
        #expect(dogs.value(forKeyPath: "tags.@count") as? Int == 3)
        #expect(person.numbers.value(forKeyPath: "@sum.self") as? Int == 7)
        #expect(person.places.value(forKeyPath: "@count") as? Int == 0)
        // Of an empty collection.
        let none = CollectionsPerson().dogs
        #expect(none.value(forKeyPath: "@sum.age") as? Int == 0 && none.value(forKeyPath: "@avg.age") == nil)
        #expect(none.value(forKeyPath: "@sum.weight") as? Double == 0 && none.value(forKeyPath: "@min.age") == nil)
    }

    @Test("operators without a path, with a longer one, or unknown, fail")
    func operators() async {
        @Sendable func failure(_ path: String) async -> String? {
            await exception { _ = try CollectionsRealm.person().1.dogs.value(forKeyPath: path) }
        }
        #expect(await failure("@what.age") != nil)
        #expect(await failure("@sum") != nil)
        #expect(await failure("@sum.") != nil)
        #expect(await failure("@sum.owners.id") != nil)
        #expect(await failure("@sum.born") != nil)
        #expect(await failure("@min.name") != nil)
        #expect(await failure("@sum.none") != nil)
        #expect(await failure("name.length") != nil)
        #expect(await failure("@max.age") == nil)
    }

    @Test("setValue(_:forKey:) assigns a property of all elements")
    func setValue() async throws {
        do {
            let (realm, person) = try CollectionsRealm.person()
            try realm.write {
                person.dogs.setValue(7, forKey: "age")
                realm.objects(CollectionsDog.self).setValue("n", forKey: "name")
                person.dogs.setValue(nil, forKey: "weight")
                person.places.setValue("s", forKey: "street")
                person.numbers.append(objectsIn: [1, 2])
                person.numbers.setValue(5, forKey: "self")
                person.pack.insert(person.dogs[0])
                person.pack.setValue(2.5, forKey: "weight")
            }
            #expect(person.dogs.map(\.age) == [7, 7, 7] && person.dogs.map(\.name) == ["n", "n", "n"])
            #expect(Array(person.numbers) == [5, 5] && person.dogs[0].weight == 2.5 && person.dogs[1].weight == nil)
            let plain = CollectionsPerson(value: ["dogs": [["name": "x"]]])
            plain.dogs.setValue("y", forKey: "name")
            #expect(plain.dogs[0].name == "y")
        }
        @Sendable func failure(_ value: Any?, _ key: String) async -> String? {
            nonisolated(unsafe) let value = value
            return await exception {
                let (realm, person) = try CollectionsRealm.person()
                try realm.write {
                    person.dogs.setValue(value, forKey: key)
                    person.dogs[0].owners.setValue(value, forKey: key)
                }
            }
        }
        #expect(await failure(1, "none") == "Invalid property name 'none' for class 'CollectionsDog'.")
        #expect(await failure("text", "age") != nil)
        #expect(await failure(nil, "age") != nil)
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                try realm.write { person.dogs[0].owners.setValue(3, forKey: "id") }
            } == "Primary key can't be changed to '3' after an object is inserted.")
    }
}
