import Foundation
import RealmSwift
import StoreTesting
import Testing
import TestBasics

@Suite("Collections: editing")
struct CollectionsEditingTests {
    @Test("positions that do not exist fail with the position and the count", arguments: [true, false])
    func positions(_ isManaged: Bool) async {
        @Sendable func failure(_ edit: @escaping @Sendable (List<Int>) -> Void) async -> String? {
            await exception {
                let realm = try CollectionsRealm.open()
                let person = CollectionsPerson()
                if isManaged {
                    realm.beginWrite()
                    realm.add(person)
                }
                person.numbers.append(objectsIn: [1, 2])
                edit(person.numbers)
            }
        }
        let beyond = "Index 2 is out of bounds (must be less than 2)."
        let negative = "Cannot pass a negative value for 'index'."
        #expect(await failure { _ = $0[2] } == beyond)
        #expect(await failure { _ = $0[-1] } == negative)
        #expect(await failure { $0[2] = 1 } == beyond)
        #expect(await failure { $0.remove(at: 2) } == beyond)
        #expect(await failure { $0.remove(at: -1) } == negative)
        #expect(await failure { $0.replace(index: 2, object: 1) } == beyond)
        #expect(await failure { $0.insert(1, at: 3) } == "Index 3 is out of bounds (must be less than 3).")
        #expect(await failure { $0.insert(1, at: -1) } == negative)
        #expect(await failure { $0.move(from: 0, to: 2) } == beyond)
        #expect(await failure { $0.move(from: 2, to: 0) } == beyond)
        #expect(await failure { $0.swapAt(2, 0) } == beyond)
        #expect(await failure { $0.remove(atOffsets: [0, 2]) } == beyond)
        #expect(await failure { $0.removeSubrange(1..<3) } == beyond)
        let tooMany = "It is not possible to remove more objects (3) from a list than it already contains ("
        #expect(await failure { $0.removeFirst(3) }?.hasPrefix(tooMany) == true)
        #expect(await failure { $0.removeLast(3) }?.hasPrefix(tooMany) == true)
        #expect(await failure { $0.removeLast(-1) } == negative)
        #expect(
            await failure {
                $0.insert(1, at: 2); $0.removeLast(3)
            } == nil)
    }

    @Test("managed collections change within writes only")
    func writes() async {
        @Sendable func failure(_ edit: @escaping @Sendable (CollectionsPerson) -> Void) async -> String? {
            await exception { edit(try CollectionsRealm.person().1) }
        }
        let list = "Cannot modify managed RLMArray outside of a write transaction."
        let set = "Cannot modify managed RLMSet outside of a write transaction."
        let map = "Cannot modify managed RLMDictionary outside of a write transaction."
        #expect(await failure { $0.numbers.append(1) } == list)
        #expect(await failure { $0.numbers.append(objectsIn: []) } == list)
        #expect(await failure { $0.dogs.removeAll() } == list)
        #expect(await failure { $0.dogs.remove(at: 0) } == list)
        #expect(await failure { $0.dogs.move(from: 0, to: 1) } == list)
        #expect(await failure { $0.numberSet.insert(1) } == set)
        #expect(await failure { $0.numberSet.remove(1) } == set)
        #expect(await failure { $0.scores["a"] = 1 } == map)
        #expect(await failure { $0.scores["a"] = nil } == map)
        #expect(await failure { $0.scores.removeAll() } == map)
        #expect(await failure { $0.numbers = List() } == list)
        #expect(await failure { $0.dogs.setValue(1, forKey: "age") } == list)
        #expect(
            await failure { $0.dogs[0].owners.setValue(1, forKey: "id") }
                == "Cannot modify managed RLMResults outside of a write transaction.")
    }

    @Test("unmanaged objects become managed in collections; deleted ones disappear, in maps they become null")
    func objects() throws {
        let (realm, person) = try CollectionsRealm.person()
        let dog = CollectionsDog("d")
        try realm.write {
            person.dogs.insert(dog, at: 0)
            person.pack.insert(dog)
            person.pack.insert(dog)
            person.pack.insert(person.dogs[1])
            person.named["d"] = dog
            person.named["new"] = CollectionsDog("e")
            person.dogs.append(dog)
        }
        #expect(dog.realm == realm && person.dogs.map(\.name) == ["d", "a", "b", "c", "d"])
        #expect(person.pack.map(\.name) == ["a", "d"] && person.pack.contains(dog) && dog.owners.count == 2)
        #expect(person.named["new"]??.name == "e" && realm.objects(CollectionsDog.self).count == 5)
        try realm.write { realm.delete(dog) }
        #expect(person.dogs.map(\.name) == ["a", "b", "c"] && person.pack.map(\.name) == ["a"])
        #expect(person.named["d"] == .some(nil) && person.named.count == 2)
        #expect(!person.pack.contains(CollectionsDog()))
        // A removed object stays in the realm.
        try realm.write {
            person.dogs.removeAll()
            person.named.removeObject(for: "new")
        }
        #expect(realm.objects(CollectionsDog.self).count == 4)
    }

    @Test("objects of another realm are refused")
    func foreign() async {
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                let (_, other) = try CollectionsRealm.person()
                try realm.write { person.dogs.append(other.dogs[0]) }
            } == "Object is already managed by another Realm. Use create instead to copy it into this Realm.")
    }

    @Test("List a list that is held becomes the managed one, as its object does")
    func promotion() throws {
        let realm = try CollectionsRealm.open()
        let person = CollectionsPerson(1)
        let (numbers, set, scores) = (person.numbers, person.numberSet, person.scores)
        numbers.append(1)
        set.insert(objectsIn: [3, 1, 2])
        scores["a"] = 1
        #expect(Array(set) == [3, 1, 2])
        try realm.write { realm.add(person) }
        #expect(numbers.realm == realm && numbers == person.numbers && Array(set) == [1, 2, 3] && scores["a"] == 1)
        try realm.write {
            numbers.append(2)
            set.remove(3)
        }
        #expect(Array(person.numbers) == [1, 2] && Array(person.numberSet) == [1, 2])
    }

    @Test("assigning a collection copies what it holds; to itself it changes nothing")
    func assignment() throws {
        let (realm, person) = try CollectionsRealm.person()
        let other = CollectionsPerson(2)
        try realm.write {
            realm.add(other)
            person.numbers.append(objectsIn: [1, 2])
            person.numberSet.insert(objectsIn: [1, 2])
            person.scores["a"] = 1
            person.placesByName["x"] = CollectionsPlace("x")
            other.dogs = person.dogs
            other.numbers = person.numbers
            other.numberSet = person.numberSet
            other.scores = person.scores
            person.dogs = person.dogs
            person.numbers = person.numbers
            person.placesByName = person.placesByName
            other.numbers.append(3)
        }
        #expect(other.dogs.map(\.name) == ["a", "b", "c"] && Array(other.numbers) == [1, 2, 3])
        #expect(Array(person.numbers) == [1, 2] && Array(other.numberSet) == [1, 2] && other.scores["a"] == 1)
        #expect(person.dogs.count == 3 && person.placesByName["x"]??.street == "x")
        let plain = List<Int>()
        plain.append(9)
        try realm.write {
            person.numbers = plain
            person["numbers"] = [4, 5]
            person["scores"] = ["k": 3, "n": nil] as [String: Int?]
            person["dogs"] = [CollectionsDog("new"), ["name": "built", "age": 2]] as [Any]
            person["numberSet"] = NSNull()
        }
        #expect(Array(person.numbers) == [4, 5] && plain.realm == nil && person.scores["n"] == .some(nil))
        #expect(person.dogs.map(\.name) == ["new", "built"] && person.dogs[1].age == 2 && person.numberSet.isEmpty)
    }

    @Test("collections of new objects are filled from arrays, dictionaries and other collections")
    func filling() async throws {
        do {
            let (_, person) = try CollectionsRealm.person()
            let value: [String: Any] = [
                "numbers": Set([7]), "numberSet": [1, 1], "scores": ["a": 1], "dogs": person.dogs,
                "any": ["list": [1, "x"] as [Any]], "places": [["street": "s"]],
            ]
            let plain = CollectionsPerson(value: value)
            #expect(Array(plain.numbers) == [7] && Array(plain.numberSet) == [1] && plain.scores["a"] == 1)
            #expect(plain.dogs.realm == nil && plain.dogs.map(\.name) == ["a", "b", "c"])
            #expect(plain.places[0].street == "s")
            #expect(plain.any.dictionaryValue?["list"]?.listValue.map { Array($0) } == [.int(1), .string("x")])
        }
        #expect(
            await exception { _ = CollectionsPerson(value: ["numbers": "no"]) }
                == "Invalid value 'no' of type 'String' for 'int list' property 'CollectionsPerson.numbers'.")
        #expect(await exception { _ = CollectionsPerson(value: ["numbers": ["no"]]) } != nil)
        #expect(await exception { _ = CollectionsPerson(value: ["scores": [1]]) } != nil)
    }

    @Test("an embedded object that is put somewhere is the one that is stored there")
    func embedded() throws {
        let (realm, person) = try CollectionsRealm.person()
        let home = CollectionsPlace("home")
        home.rooms.append(CollectionsRoom(value: ["area": 4]))
        let (first, second, third) = (CollectionsPlace("1"), CollectionsPlace("2"), CollectionsPlace("3"))
        let (put, assigned) = (CollectionsPlace("put"), CollectionsPlace("assigned"))
        let room = home.rooms[0]
        try realm.write {
            person.home = home
            person.places.append(first)
            person.places.insert(second, at: 0)
            person.places[1] = third
            person.placesByName["put"] = put
            let places = List<CollectionsPlace>()
            places.append(assigned)
            home.street = "moved"
            room.area = 5
            third.street = "three"
            put.street = "there"
            #expect(person.places.map(\.street) == ["2", "three"] && first.isInvalidated)
        }
        #expect(home.realm == realm && person.home?.street == "moved" && person.home?.rooms[0].area == 5)
        #expect(second.realm == realm && third.realm == realm && person.placesByName["put"]??.street == "there")
        try realm.write {
            let places = List<CollectionsPlace>()
            places.append(assigned)
            person.places = places
            assigned.street = "as"
        }
        #expect(second.isInvalidated && third.isInvalidated && person.places.map(\.street) == ["as"])
        try realm.write {
            person.placesByName.removeObject(for: "put")
            person.home = nil
            person.places.append(CollectionsPlace("z"))
            person.places.swapAt(0, 1)
        }
        #expect(put.isInvalidated && home.isInvalidated && room.isInvalidated)
        #expect(person.places.map(\.street) == ["z", "as"])
        #expect(realm.objects(CollectionsPlace.self).count == 2)
    }

    @Test("an embedded object has one owner")
    func embeddedTwice() async {
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                let place = CollectionsPlace("x")
                try realm.write {
                    person.home = place
                    person.places.append(place)
                }
            }?.hasPrefix("Cannot add an existing managed embedded object to a List") == true)
        #expect(
            await exception {
                let (realm, person) = try CollectionsRealm.person()
                let place = CollectionsPlace("x")
                try realm.write {
                    person.places.append(place)
                    person.home = place
                }
            }?.hasPrefix("Can't set link to existing managed embedded object") == true)
    }

    @Test("MutableSet: algebra of two managed sets, and of two unmanaged ones", arguments: [true, false])
    func algebra(_ isManaged: Bool) throws {
        let realm = try CollectionsRealm.open()
        let person = CollectionsPerson(1)
        if isManaged { try realm.write { realm.add(person) } }
        func write(_ edit: () -> Void) throws { if isManaged { try realm.write { edit() } } else { edit() } }
        var random = SeededRandom.ofTest(isManaged)
        let seed = random.seed
        for _ in 0..<40 {
            let a = Set((0..<random.below(6)).map { _ in random.below(6) })
            let b = Set((0..<random.below(6)).map { _ in random.below(6) })
            let operation = random.below(4)
            try write {
                person.numberSet.removeAll()
                person.others.removeAll()
                person.numberSet.insert(objectsIn: a.sorted())
                person.others.insert(objectsIn: b.sorted())
            }
            #expect(person.numberSet.isSubset(of: person.others) == a.isSubset(of: b))
            #expect(person.numberSet.intersects(person.others) == !a.isDisjoint(with: b))
            var expected = a
            try write {
                switch operation {
                case 0:
                    person.numberSet.formUnion(person.others)
                    expected.formUnion(b)
                case 1:
                    person.numberSet.formIntersection(person.others)
                    expected.formIntersection(b)
                case 2:
                    person.numberSet.subtract(person.others)
                    expected.subtract(b)
                default:
                    person.numberSet.subtract(person.numberSet)
                    expected = []
                }
            }
            #expect(
                Set(person.numberSet) == expected && Set(person.others) == b, "seed \(seed): \(a) \(operation) \(b)")
            if isManaged { #expect(Array(person.numberSet) == expected.sorted()) }
        }
    }

    @Test("MutableSet: algebra with objects, and of a managed with an unmanaged set")
    func algebraOfObjects() async throws {
        do {
            let (realm, person) = try CollectionsRealm.person()
            let other = CollectionsPerson(2)
            try realm.write {
                realm.add(other)
                person.pack.insert(objectsIn: person.dogs.prefix(2))
                other.pack.insert(objectsIn: person.dogs.suffix(2))
                person.pack.formUnion(other.pack)
                #expect(person.pack.map(\.name) == ["a", "b", "c"] && other.pack.isSubset(of: person.pack))
                person.pack.subtract(other.pack)
                #expect(person.pack.map(\.name) == ["a"] && !person.pack.intersects(other.pack))
            }
        }
        #expect(
            await exception { _ = try CollectionsRealm.person().1.numberSet.isSubset(of: MutableSet<Int>()) }
                == "Right hand side value must be a managed Set.")
        #expect(
            await exception { MutableSet<Int>().formUnion(try CollectionsRealm.person().1.numberSet) }
                == "Right hand side value must be an unmanaged Set.")
    }

    @Test("MutableSet: mixed numbers of equal value are one element, and null is there once")
    func equality() throws {
        let realm = try CollectionsRealm.open()
        let all = CollectionsAll()
        try realm.write {
            realm.add(all)
            all.mixedSet.insert(objectsIn: [.int(1), .double(1), .decimal128(1), .none, .none, .string("1")])
            all.intOptionalSet.insert(objectsIn: [nil, 2, nil, 1])
        }
        #expect(all.mixedSet.count == 3 && all.mixedSet.contains(.float(1)))
        #expect(Array(all.intOptionalSet) == [nil, 1, 2])
    }

    @Test("projectTo is for the key paths of projections")
    func projectTo() async {
        #expect(_name(for: \CollectionsPerson.dogs) == "dogs")
        #expect(_name(for: \CollectionsPerson.dogs.projectTo.name) == "dogs.name")
        #expect(_name(for: \CollectionsPerson.dogs[0].name) == "dogs.name")
        #expect(_name(for: \CollectionsPerson.pack[1].age) == "pack.age")
        #expect(_name(for: \CollectionsPerson.named[""]??.name) == "named.name")
        #expect(_name(for: \CollectionsDog.owners[0].home?.street) == "owners.home.street")
        #expect(_name(for: \CollectionsPerson.pack.projectTo.age) == "pack.age")
        #expect(_name(for: \CollectionsPerson.named.projectTo.name) == "named.name")
        #expect(_name(for: \CollectionsDog.owners.projectTo.home?.street) == "owners.home.street")
        #expect(await exception { _ = CollectionsPerson().dogs.projectTo } != nil)
    }

    @Test("the managed objects of unmanaged collections are deleted, unmanaged objects are not the realm's")
    func deletedThroughUnmanaged() async throws {
        let realm = try CollectionsRealm.open()
        let dogs = (0..<5).map { CollectionsDog("\($0)") }
        try realm.write { realm.add(dogs) }
        let (list, set) = (List<CollectionsDog>(), MutableSet<CollectionsDog>())
        let map = Map<String, CollectionsDog?>()
        list.append(objectsIn: [dogs[0], dogs[1]])
        set.insert(dogs[2])
        (map["a"], map["b"]) = (dogs[3], .some(nil))
        try realm.write {
            realm.delete(list)
            realm.delete(set)
            realm.delete(map)
            realm.delete(List<CollectionsDog>())
        }
        #expect(realm.objects(CollectionsDog.self).map(\.name) == ["4"])
        #expect(dogs.map(\.isInvalidated) == [true, true, true, true, false] && map.isEmpty)
        let foreign = await exception {
            let realm = try CollectionsRealm.open()
            let list = List<CollectionsDog>()
            list.append(CollectionsDog("unmanaged"))
            realm.beginWrite()
            realm.delete(list)
        }
        #expect(foreign == "Can only delete an object from the Realm it belongs to.")
    }
}
