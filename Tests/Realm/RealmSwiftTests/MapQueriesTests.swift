import Foundation
import RealmSwift
import StoreTesting
import Testing
import TestBasics

class MapKennel: Object {
    @Persisted var dogs: Map<String, MapDog?>
    @Persisted var boxes: Map<String, MapBox?>
    @Persisted var ints: Map<String, Int>
    @Persisted var maybe: Map<String, Int?>
    @Persisted var floats: Map<String, Float>
    @Persisted var doubles: Map<String, Double?>
    @Persisted var decimals: Map<String, Decimal128>
    @Persisted var dates: Map<String, Date>
    @Persisted var texts: Map<String, String?>
    @Persisted var mixed: Map<String, AnyRealmValue>
    @Persisted var flags: Map<String, Bool>
}

class MapDog: Object {
    @Persisted var name = ""
    @Persisted var age = 0
    @Persisted var weight: Double?
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var worth: Decimal128 = 0
    @Persisted var friend: MapDog?
    @Persisted var toys: List<String>

    convenience init(_ name: String, _ age: Int, _ weight: Double? = nil) {
        self.init()
        self.name = name
        self.age = age
        self.weight = weight
        born = Date(timeIntervalSince1970: Double(age) * 10)
        worth = Decimal128(integerLiteral: Int64(age))
    }
}

class MapBox: EmbeddedObject {
    @Persisted var size = 0
    @Persisted var items: List<MapItem>

    convenience init(_ size: Int) {
        self.init()
        self.size = size
    }
}

class MapItem: EmbeddedObject {
    @Persisted var name = ""
}

@Suite("Maps: removal, queries and aggregates")
struct MapQueriesTests {
    static func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [MapKennel.self, MapDog.self, MapBox.self, MapItem.self]))
    }

    /// A kennel with dogs by key: b Rex 3 (1.5), a Ann 7 (null), d Bo 3 (0.5), c null.
    static func kennel() throws -> (Realm, MapKennel) {
        let realm = try open()
        let kennel = MapKennel()
        try realm.write {
            realm.add(kennel)
            kennel.dogs["b"] = MapDog("Rex", 3, 1.5)
            kennel.dogs["a"] = MapDog("Ann", 7)
            kennel.dogs["d"] = MapDog("Bo", 3, 0.5)
            kennel.dogs["c"] = .some(nil)
        }
        return (realm, kennel)
    }

    private static func names(_ results: Results<MapDog?>) -> [String] { results.map { $0?.name ?? "null" } }

    // MARK: Removing

    @Test("removeObject(for:) takes an entry out; what is embedded is deleted, other objects stay")
    func removal() async throws {
        do {
            let (realm, kennel) = try Self.kennel()
            try realm.write {
                kennel.boxes["x"] = MapBox(1)
                kennel.boxes["y"] = MapBox(2)
                kennel.boxes["x"]??.items.append(MapItem())
            }
            let (dog, box) = (try #require(kennel.dogs["b"] ?? nil), try #require(kennel.boxes["x"] ?? nil))
            #expect(realm.objects(MapItem.self).count == 1)
            try realm.write {
                kennel.dogs.removeObject(for: "b")
                kennel.dogs.removeObject(for: "absent")
                kennel.boxes.removeObject(for: "x")
            }
            #expect(kennel.dogs.keys == ["a", "c", "d"] && kennel.dogs["b"] == nil)
            #expect(!dog.isInvalidated && realm.objects(MapDog.self).count == 3)
            #expect(box.isInvalidated && kennel.boxes.keys == ["y"] && realm.objects(MapBox.self).count == 1)
            #expect(realm.objects(MapItem.self).isEmpty)
            let unmanaged = Map<String, Int>()
            unmanaged["a"] = 1
            unmanaged.removeObject(for: "absent")
            #expect(unmanaged.count == 1)
            unmanaged.removeObject(for: "a")
            #expect(unmanaged.count == 0)
        }
        #expect(
            await exception { try Self.kennel().1.dogs.removeObject(for: "b") }
                == "Cannot modify managed RLMDictionary outside of a write transaction.")
    }

    @Test("removeAll takes all entries out; what is embedded is deleted, other objects stay")
    func removalOfAll() async throws {
        do {
            let (realm, kennel) = try Self.kennel()
            try realm.write {
                kennel.boxes["x"] = MapBox(1)
                kennel.ints["a"] = 1
            }
            try realm.write {
                kennel.dogs.removeAll()
                kennel.boxes.removeAll()
                kennel.ints.removeAll()
                kennel.ints.removeAll()
            }
            #expect(kennel.dogs.count == 0 && kennel.ints.keys.isEmpty && kennel.boxes.values.isEmpty)
            #expect(realm.objects(MapDog.self).count == 3 && realm.objects(MapBox.self).isEmpty)
            realm.beginWrite()
            kennel.ints["b"] = 2
            kennel.ints.removeAll()
            realm.cancelWrite()
            #expect(kennel.ints.count == 0)
            let unmanaged = Map<String, MapDog?>()
            unmanaged["a"] = MapDog("Ann", 1)
            unmanaged.removeAll()
            #expect(unmanaged.count == 0)
        }
        #expect(
            await exception { try Self.kennel().1.dogs.removeAll() }
                == "Cannot modify managed RLMDictionary outside of a write transaction.")
    }

    // MARK: Keys and values

    @Test("keys and values are copies, ascending by the keys' bytes")
    func keysAndValues() throws {
        let (realm, kennel) = try Self.kennel()
        #expect(kennel.dogs.keys == ["a", "b", "c", "d"])
        #expect(kennel.dogs.values.map { $0?.age } == [7, 3, nil, 3])
        try realm.write { for key in ["é", "z", "Z", "", "a", "aa"] { kennel.maybe[key] = key.count } }
        let (keys, values) = (kennel.maybe.keys, kennel.maybe.values)
        #expect(keys == ["", "Z", "a", "aa", "z", "é"] && values == [0, 1, 1, 2, 1, 1])
        try realm.write { kennel.maybe.removeAll() }
        #expect(keys.count == 6 && values.count == 6 && kennel.maybe.keys.isEmpty && kennel.maybe.values.isEmpty)
        let unmanaged = Map<String, String?>()
        for key in ["b", "", "a"] { unmanaged[key] = key }
        #expect(unmanaged.keys == ["", "a", "b"] && unmanaged.values == ["", "a", "b"])
    }

    // MARK: Filters and orders

    @Test("filter(_:) gives the values that match, in the order of their keys, live")
    func filter() async throws {
        do {
            let (realm, kennel) = try Self.kennel()
            let three = kennel.dogs.filter(NSPredicate(format: "age == %@", 3))
            #expect(Self.names(three) == ["Rex", "Bo"] && three.realm == realm)
            #expect(Self.names(kennel.dogs.filter("age == %@", 3)) == ["Rex", "Bo"])
            #expect(Self.names(kennel.dogs.where { $0.age == 3 && $0.name.starts(with: "B") }) == ["Bo"])
            #expect(kennel.dogs.filter("age > 100").isEmpty)
            try realm.write {
                kennel.dogs["aa"] = MapDog("New", 3)
                kennel.dogs["b"]??.age = 4
            }
            #expect(Self.names(three) == ["New", "Bo"])
            try realm.write {
                kennel.boxes["x"] = MapBox(1)
                kennel.boxes["y"] = MapBox(2)
            }
            #expect(kennel.boxes.filter("size > 1").map { $0?.size } == [2])
            #expect(kennel.boxes.where { $0.size < 2 }.map { $0?.size } == [1])
        }
        #expect(
            await exception { _ = Map<String, MapDog?>().filter("age > 1") }
                == "This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
        #expect(await exception { _ = try Self.kennel().1.dogs.filter("tail == 1") }?.contains("tail") == true)
    }

    @Test("sorted(ascending:) gives the values in their order, live and stable")
    func sorted() throws {
        let (realm, kennel) = try Self.kennel()
        try realm.write {
            kennel.maybe["x"] = 2
            kennel.maybe["a"] = 5
            kennel.maybe["n"] = .some(nil)
            kennel.maybe["b"] = -1
            kennel.texts["x"] = "b"
            kennel.texts["y"] = "a"
        }
        let (up, down) = (kennel.maybe.sorted(), kennel.maybe.sorted(ascending: false))
        #expect(Array(up) == [nil, -1, 2, 5] && Array(down) == [5, 2, -1, nil])
        #expect(Array(kennel.maybe.sorted(ascending: true)) == Array(up))
        #expect(Array(kennel.texts.sorted()) == ["a", "b"])
        try realm.write {
            kennel.maybe["n"] = 3
            kennel.maybe["q"] = 3
        }
        #expect(Array(up) == [-1, 2, 3, 3, 5] && up.count == 5)
        #expect(Array(kennel.maybe.distinct().sorted(ascending: false)) == [5, 3, 2, -1])
        func viaProtocol<M: RealmKeyedCollection>(_ map: M) -> Results<M.Value>
        where M.Value: _HasPersistedType, M.Value.PersistedType: SortableType { map.sorted(ascending: false) }
        #expect(Array(viaProtocol(kennel.maybe)) == [5, 3, 3, 2, -1])
    }

    @Test("values are sorted by their properties, by descriptors and by key paths")
    func sortedByPaths() async throws {
        do {
            let (realm, kennel) = try Self.kennel()
            #expect(Self.names(kennel.dogs.sorted(byKeyPath: "name")) == ["Ann", "Bo", "Rex"])
            #expect(Self.names(kennel.dogs.sorted(byKeyPath: "name", ascending: false)) == ["Rex", "Bo", "Ann"])
            // Ties keep the order of the keys.
            #expect(Self.names(kennel.dogs.sorted(byKeyPath: "age", ascending: true)) == ["Rex", "Bo", "Ann"])
            #expect(Self.names(kennel.dogs.sorted(byKeyPath: "weight")) == ["Ann", "Bo", "Rex"])
            let descriptors = [SortDescriptor(keyPath: "age"), SortDescriptor(keyPath: "name", ascending: true)]
            let sorted = kennel.dogs.sorted(by: descriptors)
            #expect(Self.names(sorted) == ["Bo", "Rex", "Ann"])
            #expect(Self.names(kennel.dogs.sorted(by: ["name"])) == ["Ann", "Bo", "Rex"])
            #expect(Self.names(kennel.dogs.sorted(by: \.age)) == ["Rex", "Bo", "Ann"])
            #expect(Self.names(kennel.dogs.sorted(by: \.name, ascending: false)) == ["Rex", "Bo", "Ann"])
            #expect(Self.names(kennel.dogs.sorted(by: \.born, ascending: false)) == ["Ann", "Rex", "Bo"])
            try realm.write { kennel.dogs["d"]??.name = "Zoe" }
            #expect(Self.names(sorted) == ["Rex", "Zoe", "Ann"])
            try realm.write {
                kennel.ints["b"] = 1
                kennel.ints["a"] = 2
            }
            #expect(Array(kennel.ints.sorted(byKeyPath: "self")) == [1, 2])
            #expect(Array(kennel.ints.sorted(byKeyPath: "self", ascending: false)) == [2, 1])
        }
        #expect(
            await exception { _ = try Self.kennel().1.dogs.sorted(byKeyPath: "tail") }
                == "Cannot sort on key path 'tail': property 'MapDog.tail' does not exist.")
        #expect(
            await exception { _ = try Self.kennel().1.ints.sorted(byKeyPath: "x") }
                == "Cannot sort on key path 'x': dictionaries of 'int' can only be sorted on 'self'")
        #expect(
            await exception {
                _ = try Self.kennel().1.ints.sorted(by: ["self", "self"] as [RealmSwift.SortDescriptor])
            }
                == "Cannot sort dictionary of 'int' on more than one key path")
        #expect(
            await exception { _ = Map<String, Int>().sorted() }
                == "This method may only be called on RLMDictionary instances retrieved from an RLMRealm")
    }

    // MARK: Aggregates

    @Test(
        "aggregates of the values' properties, managed and not",
        arguments: [true, false])
    func aggregatesOfObjects(_ isManaged: Bool) throws {
        let (realm, managed) = try Self.kennel()
        let kennel = isManaged ? managed : MapKennel()
        if !isManaged { kennel.dogs.merge(managed.dogs.map { ($0.key, $0.value.map { MapDog(value: $0) }) }) { $1 } }
        let dogs = kennel.dogs
        #expect(dogs.count == 4 && (dogs.realm == nil) != isManaged)
        #expect(dogs.min(ofProperty: "age") == 3 as Int? && dogs.max(ofProperty: "age") == 7 as Int?)
        #expect(dogs.sum(ofProperty: "age") == 13 && dogs.average(ofProperty: "age") == 13.0 / 3)
        #expect(dogs.min(of: \.age) == 3 && dogs.max(of: \.age) == 7 && dogs.sum(of: \.age) == 13)
        // Nulls are ignored.
        #expect(dogs.min(of: \.weight) == 0.5 && dogs.max(of: \.weight) == 1.5 && dogs.sum(of: \.weight) == 2)
        #expect(dogs.average(of: \.weight) == 1 as Double??)
        #expect(dogs.average(ofProperty: "weight") == 1 as Double?)
        let born: Date? = dogs.max(ofProperty: "born")
        #expect(born == Date(timeIntervalSince1970: 70) && dogs.min(of: \.born) == Date(timeIntervalSince1970: 30))
        #expect(dogs.sum(of: \.worth) == 13 && dogs.max(of: \.worth) == 7)
        if isManaged {
            try realm.write { dogs["b"]??.age = 100 }
            #expect(dogs.max(of: \.age) == 100)
            realm.beginWrite()
            dogs["z"] = MapDog("Old", 1000)
            #expect(dogs.sum(of: \.age) == 1110)
            realm.cancelWrite()
        }
        // An object with two keys counts twice.
        if isManaged { try realm.write { dogs["e"] = dogs["a"] } } else { dogs["e"] = dogs["a"] }
        #expect(dogs.sum(of: \.age) == (isManaged ? 117 : 20))
        // Empty.
        if isManaged { try realm.write { dogs.removeAll() } } else { dogs.removeAll() }
        #expect(dogs.min(of: \.age) == nil && dogs.max(ofProperty: "age") == nil as Int?)
        #expect(dogs.sum(of: \.age) == 0 && dogs.average(of: \.age) == nil as Int?)
        #expect(dogs.sum(ofProperty: "weight") == 0.0 && dogs.average(ofProperty: "age") == nil as Double?)
    }

    @Test("aggregates of what is unknown or has none", arguments: [true, false])
    func faultsOfAggregates(_ isManaged: Bool) async throws {
        @Sendable func kennel() throws -> MapKennel { isManaged ? try Self.kennel().1 : MapKennel() }
        #expect(
            await exception { let _: Int = try kennel().dogs.sum(ofProperty: "tail") }
                == "Invalid property name: property 'tail' not found in object of type 'MapDog'")
        #expect(
            await exception { let _: Int? = try kennel().dogs.min(ofProperty: "name") }
                == "Operation 'min' not supported for string property 'MapDog.name'")
        #expect(
            await exception { let _: Double? = try kennel().dogs.average(ofProperty: "born") }
                == "Operation 'average' not supported for date property 'MapDog.born'")
        #expect(
            await exception { let _: Int? = try kennel().ints.max(ofProperty: "age") }
                == "Dictionaries of 'int' can only be aggregated on \"self\"")
    }

    @Test("values are compared and added up by themselves", arguments: [true, false])
    func aggregatesOfValues(_ isManaged: Bool) throws {
        let realm = try Self.open()
        let kennel = MapKennel()
        if isManaged { realm.beginWrite() }
        if isManaged { realm.add(kennel) }
        #expect(kennel.ints.min() == nil && kennel.ints.max() == nil && kennel.ints.sum() == 0)
        #expect(kennel.ints.average() == nil as Double? && kennel.maybe.sum() == 0)
        for (key, value) in [("a", 4), ("b", -2), ("c", 1)] {
            kennel.ints[key] = value
            kennel.maybe[key] = value
            kennel.floats[key] = Float(value) / 2
            kennel.decimals[key] = Decimal128(integerLiteral: Int64(value))
            kennel.dates[key] = Date(timeIntervalSince1970: Double(value))
        }
        kennel.maybe["n"] = .some(nil)
        kennel.doubles.merge([("a", .nan), ("b", 2.5), ("c", nil)]) { $1 }
        kennel.mixed.merge([("a", .int(2)), ("b", .string("x")), ("c", .double(0.5)), ("d", .none)]) { $1 }
        #expect(kennel.ints.min() == -2 && kennel.ints.max() == 4 && kennel.ints.sum() == 3)
        #expect(kennel.ints.average() == 1.0)
        #expect(kennel.maybe.min() == -2 && kennel.maybe.max() == 4 && kennel.maybe.sum() == 3)
        #expect(kennel.maybe.average() == 1.0 as Double?)
        #expect(kennel.floats.min() == -1 && kennel.floats.sum() == 1.5 && kennel.floats.average() == 0.5)
        #expect(kennel.doubles.min() == 2.5 && kennel.doubles.max() == 2.5 && kennel.doubles.sum() == 2.5)
        #expect(kennel.decimals.max() == 4 && kennel.decimals.sum() == 3)
        #expect(kennel.decimals.average() == 1 as Decimal128?)
        #expect(kennel.dates.min() == Date(timeIntervalSince1970: -2))
        #expect(kennel.mixed.sum() == .decimal128(2.5) && kennel.mixed.max() == .string("x"))
        #expect(kennel.ints.min(ofProperty: "self") == -2 as Int? && kennel.ints.sum(ofProperty: "self") == 3)
        if isManaged { realm.cancelWrite() }
    }

    @Test("random maps give what plain dictionaries give", arguments: 0..<3 * TestRun.length)
    func random(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let seed = random.seed
        let realm = try Self.open()
        let kennel = MapKennel()
        realm.beginWrite()
        realm.add(kennel)
        var dogs: [String: MapDog] = [:]
        var ints: [String: Int] = [:]
        for step in 0..<300 {
            let key = "k\(random.below(12))"
            switch random.below(6) {
            case 0:
                kennel.dogs.removeObject(for: key)
                dogs[key] = nil
            case 1:
                kennel.ints.removeObject(for: key)
                ints[key] = nil
            case 2:
                let dog = MapDog("d\(step)", random.below(5))
                kennel.dogs[key] = dog
                dogs[key] = dog
            case 3:
                let value = random.below(9) - 4
                kennel.ints[key] = value
                ints[key] = value
            case 4:
                // The order of a dictionary differs from process to process.
                if let dog = dogs.keys.sorted().randomElement(using: &random).flatMap({ dogs[$0] }) {
                    dog.age = random.below(5)
                }
            default:
                realm.beginWriteAgain()
            }
            guard step % 7 == 0 else { continue }
            let ordered = dogs.sorted { $0.key < $1.key }.map(\.value)
            #expect(kennel.dogs.keys == dogs.keys.sorted(), "seed \(seed), step \(step)")
            #expect(Self.names(kennel.dogs.filter("age > 2")) == ordered.filter { $0.age > 2 }.map(\.name))
            #expect(
                Self.names(kennel.dogs.sorted(byKeyPath: "age"))
                    == ordered.enumerated().sorted {
                        ($0.element.age, $0.offset) < ($1.element.age, $1.offset)
                    }.map(\.element.name), "seed \(seed), step \(step)")
            #expect(kennel.dogs.sum(of: \.age) == ordered.reduce(0) { $0 + $1.age })
            #expect(Array(kennel.ints.sorted()) == ints.values.sorted() && kennel.ints.max() == ints.values.max())
        }
        realm.cancelWrite()
    }
}

extension Realm {
    /// Commits, and begins another write.
    fileprivate func beginWriteAgain() {
        try? commitWrite()
        beginWrite()
    }
}
