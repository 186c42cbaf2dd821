import Foundation
import RealmSwift
import Testing

/// Tests the common interface of all collections.
@Suite("Collections: reading")
struct CollectionsReadingTests {
    @Test("a collection is one whatever it is, and managed ones are equal when they are the same")
    func identity() throws {
        let (realm, person) = try CollectionsRealm.person()
        func check<C: RealmCollection>(_ collection: C) -> Int where C.Element == CollectionsDog { collection.count }
        #expect(check(person.dogs) == 3 && check(person.pack) == 0 && check(realm.objects(CollectionsDog.self)) == 3)
        #expect(check(AnyRealmCollection(person.dogs)) == 3)
        #expect(person.dogs == person.dogs && AnyRealmCollection(person.dogs) == AnyRealmCollection(person.dogs))
        let other = CollectionsPerson(2)
        try realm.write {
            realm.add(other)
            other.dogs.append(objectsIn: person.dogs)
        }
        #expect(person.dogs != other.dogs && Array(person.dogs).count == 3)
        let results = realm.objects(CollectionsDog.self)
        #expect(results == results && results != realm.objects(CollectionsDog.self))
        let dog = person.dogs[0]
        #expect(dog.owners != dog.owners && dog.owners != person.dogs[1].owners)
        // Unmanaged collections compare their elements.
        let (a, b) = (CollectionsPerson(), CollectionsPerson())
        a.numbers.append(objectsIn: [1, 2])
        b.numbers.append(objectsIn: [1, 2])
        a.numberSet.insert(objectsIn: [1, 2])
        b.numberSet.insert(objectsIn: [2, 1])
        a.scores["x"] = 1
        b.scores["x"] = 1
        #expect(a.numbers == b.numbers && a.numberSet == b.numberSet && a.scores == b.scores)
        b.numbers.removeLast()
        b.numberSet.remove(1)
        b.scores["x"] = .some(nil)
        #expect(a.numbers != b.numbers && a.numberSet != b.numberSet && a.scores != b.scores)
    }

    @Test("realm, invalidation and count of every kind")
    func states() throws {
        let (realm, person) = try CollectionsRealm.person()
        let (dogs, pack, named) = (person.dogs, person.pack, person.named)
        let owners = person.dogs[0].owners
        #expect(dogs.realm == realm && pack.realm == realm && named.realm == realm && owners.realm == realm)
        #expect(!dogs.isInvalidated && !pack.isInvalidated && !named.isInvalidated && !owners.isInvalidated)
        try realm.write { person.dogs.append(person.dogs[0]) }
        #expect(dogs.count == 4 && owners.count == 2)
        let results = realm.objects(CollectionsDog.self)
        try realm.write { realm.delete(person) }
        #expect(dogs.isInvalidated && pack.isInvalidated && named.isInvalidated)
        #expect(!owners.isInvalidated && owners.isEmpty && !results.isInvalidated && results.count == 3)
        realm.invalidate()
        #expect(owners.isInvalidated && results.isInvalidated)
        let plain = CollectionsPerson()
        #expect(plain.dogs.realm == nil && plain.pack.realm == nil && plain.named.realm == nil)
        #expect(!plain.dogs.isInvalidated && !plain.named.isInvalidated)
        #expect(CollectionsDog().owners.realm == nil && CollectionsDog().owners.isEmpty)
    }

    @Test("a collection whose owner is gone fails")
    func gone() async {
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                let dogs = person.dogs
                try realm.write { realm.delete(person) }
                _ = dogs.count
            } == "Object has been deleted or invalidated.")
    }

    @Test("descriptions have the type, the address and a line for each of up to 100 elements")
    func descriptions() throws {
        let (realm, person) = try CollectionsRealm.person()
        try realm.write {
            person.numbers.append(objectsIn: 0..<103)
            person.scores["a"] = 3
            person.scores["b"] = .some(nil)
            person.optionals.append(nil)
            person.dogs[0].tags.append("x")
        }
        let lines = person.numbers.description.split(separator: "\n")
        #expect(lines[0].hasPrefix("List<int> <0x") && lines[0].hasSuffix("> ("))
        #expect(lines[1] == "\t[0] 0," && lines[100] == "\t[99] 99" && lines[101] == "\t... 3 objects skipped.")
        #expect(lines.last == ")" && lines.count == 103)
        #expect(person.scores.description.contains("\t[a]: 3,\n\t[b]: <null>\n)"))
        #expect(person.scores.description.hasPrefix("Map<string, int> <0x"))
        #expect(person.optionals.description.contains("\t[0] <null>\n"))
        let dogs = person.dogs.description
        #expect(dogs.contains("\t[0] CollectionsDog {\n\t\tname = a;\n\t\tage = 1;"))
        #expect(dogs.contains("\t\ttags = List<string> <0x") && dogs.contains("\t\t\t[0] x\n"))
        #expect(realm.objects(CollectionsDog.self).description.hasPrefix("Results<CollectionsDog> <0x"))
        #expect(AnyRealmCollection(person.numberSet).description.hasPrefix("MutableSet<int>"))
        // Linking objects have no part in it, so that the cycle through them is not followed.
        #expect(!dogs.contains("owners") && !dogs.contains("<Maximum depth exceeded>"))
    }

    @Test("first and last, also when they are null")
    func ends() throws {
        let (realm, person) = try CollectionsRealm.person()
        #expect(person.dogs.first?.name == "a" && person.dogs.last?.name == "c")
        #expect(person.numbers.first == nil && person.numberSet.last == nil)
        try realm.write { person.optionals.append(objectsIn: [nil, 1, nil]) }
        #expect(person.optionals.first == .some(nil) && person.optionals.last == .some(nil))
        #expect(person.dogs[0].owners.first?.id == 1)
    }

    @Test("index(of:) finds values, and objects by what they show")
    func indexOf() throws {
        let (realm, person) = try CollectionsRealm.person()
        let again = realm.objects(CollectionsDog.self)[1]
        #expect(person.dogs.index(of: again) == 1 && realm.objects(CollectionsDog.self).index(of: again) == 1)
        #expect(AnyRealmCollection(person.dogs).index(of: again) == 1)
        #expect(again.owners.index(of: person) == 0)
        #expect(person.dogs.index(of: CollectionsDog("b")) == nil)
        try realm.write {
            person.dogs.remove(at: 1)
            person.optionals.append(objectsIn: [3, nil, 3])
            person.anyList.append(objectsIn: [.int(1), .object(again), .string("x")])
        }
        #expect(person.dogs.index(of: again) == nil)
        #expect(person.optionals.index(of: nil) == 1 && person.optionals.index(of: 3) == 0)
        #expect(person.anyList.index(of: .object(again)) == 1 && person.anyList.index(of: .string("x")) == 2)
        #expect(person.anyList.index(of: .object(CollectionsDog())) == nil)
        let plain = CollectionsPerson()
        plain.dogs.append(objectsIn: [CollectionsDog(), again])
        #expect(plain.dogs.index(of: realm.objects(CollectionsDog.self)[1]) == 1)
        #expect(plain.dogs.index(of: CollectionsDog()) == nil)
    }

    @Test("index(of:) of deleted and foreign objects, and of sets, fails")
    func indexOfMisuse() async {
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                let dog = person.dogs[0]
                try realm.write { realm.delete(dog) }
                _ = person.dogs.index(of: dog)
            } == "Attempting to access an invalid object")
        #expect(
            await exception {
                let (_, person) = try CollectionsRealm.person()
                let (_, other) = try CollectionsRealm.person()
                _ = person.dogs.index(of: other.dogs[0])
            } == "Object of type 'CollectionsDog' does not match Results type 'CollectionsDog'")
        #expect(await exception { _ = CollectionsPerson().numberSet.index(of: 1) } != nil)
        #expect(await exception { _ = AnyRealmCollection(CollectionsPerson().numberSet).index(of: 1) } != nil)
    }

    @Test("objects(at:) gives all of them or fails")
    func objectsAt() async throws {
        do {
            let (_, person) = try CollectionsRealm.person()
            #expect(person.dogs.objects(at: [2, 0]).map(\.name) == ["a", "c"] && person.dogs.objects(at: []).isEmpty)
        }
        #expect(
            await exception {
                let (_, person) = try CollectionsRealm.person()
                _ = person.dogs.objects(at: [0, 3])
            } == "Indexes for collection are out of bounds.")
    }

    @Test("indices")
    func indices() throws {
        let (_, person) = try CollectionsRealm.person()
        #expect(person.dogs.startIndex == 0 && person.dogs.endIndex == 3 && person.dogs.indices == 0..<3)
        #expect(person.dogs.index(after: 7) == 8 && person.dogs.index(before: 0) == -1)
        #expect(person.dogs.reversed().map(\.name) == ["c", "b", "a"])
        #expect(person.dogs[1...].map(\.name) == ["b", "c"])
    }

    @Test("collections are encoded as arrays, maps as objects; what is decoded is unmanaged")
    func coding() throws {
        let realm = try CollectionsRealm.open()
        let coded = try JSONDecoder().decode(
            CollectionsCoded.self,
            from: Data(#"{"numbers":[1,2],"optionals":["a",null],"set":["x","x","y"],"map":{"b":null,"a":1.5}}"#.utf8))
        #expect(Array(coded.numbers) == [1, 2] && Array(coded.optionals) == ["a", nil])
        #expect(Set(coded.set) == ["x", "y"] && coded.map.keys == ["a", "b"] && coded.map["b"] == .some(nil))
        try realm.write { realm.add(coded) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        func text<T: Encodable>(_ value: T) throws -> String {
            String(decoding: try encoder.encode(value), as: UTF8.self)
        }
        #expect(try text(coded.numbers) == "[1,2]" && text(coded.optionals) == #"["a",null]"#)
        #expect(try text(coded.set) == #"["x","y"]"# && text(coded.map) == #"{"a":1.5,"b":null}"#)
        #expect(try text(AnyRealmCollection(coded.numbers)) == "[1,2]")
        #expect(try text(CollectionsCoded(value: ["numbers": [7]]).numbers) == "[7]")
    }

    @Test("a realm that is dropped within a write takes it back")
    func droppedWithinWrite() async {
        #expect(
            await exception {
                let realm = try CollectionsRealm.open()
                realm.beginWrite()
                realm.add(CollectionsDog("lost"))
            } == nil)
    }

    @Test("an iteration goes through what there was when it began")
    func iteration() throws {
        let (realm, person) = try CollectionsRealm.person()
        try realm.write {
            var names: [String] = []
            for dog in person.dogs {
                names.append(dog.name)
                person.dogs.removeFirst()
                person.dogs.append(CollectionsDog("new"))
            }
            #expect(names == ["a", "b", "c"] && person.dogs.count == 3)
            var valid = 0
            for dog in realm.objects(CollectionsDog.self) {
                if dog.isInvalidated { continue }
                valid += 1
                realm.delete(realm.objects(CollectionsDog.self))
            }
            #expect(valid == 1 && realm.objects(CollectionsDog.self).isEmpty)
            person.scores.merge(["a": 1, "b": 2]) { $1 }
            var keys: [String] = []
            for entry in person.scores {
                keys.append(entry.key)
                person.scores.removeAll()
            }
            #expect(keys == ["a", "b"])
            person.scores["x"] = 1
            for (key, value) in person.scores.asKeyValueSequence() { #expect(key == "x" && value == 1) }
        }
    }
}
