import Foundation
import RealmSwift
import Testing

enum ParityColour: Int, RealmEnum { case red = 1, blue = 5 }

class ParityBare: Object {
    let colour = RealmProperty<ParityColour?>()
    let count = RealmProperty<Int?>()
}

/// Declares its key and indexes in the older syntax.
class ParityKeyed: Object {
    @Persisted var id: Int
    @Persisted var name: String
    @Persisted var age: Int
    @Persisted(indexed: true) var tag: String

    override class func primaryKey() -> String? { "id" }
    override class func indexedProperties() -> [String] { ["name", "age"] }
    override class func propertiesMapping() -> [String: String] { ["id": "stored_id"] }
}

class ParityNamed: Object {
    @Persisted var name: String
    override class func primaryKey() -> String? { "absent" }
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

class ParityCoded: Object, Codable {
    @Persisted var at: Date
    @Persisted var maybe: Date?
    @Persisted var bytes: Data
    @Persisted var maybeBytes: Data?
    @Persisted var dates: List<Date>
    @Persisted var byName: Map<String, Data>
    @Persisted var number: Int
}

class ParityPerson: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
    @Persisted var age: Int?
    @Persisted var any: AnyRealmValue
    @Persisted var friend: ParityPerson?
    @Persisted var friends: List<ParityPerson>
    @Persisted var group: MutableSet<ParityPerson>
    @Persisted var byName: Map<String, ParityPerson?>
    @Persisted var home: ParityHome?
    @Persisted var homes: List<ParityHome>
    @Persisted var homesByName: Map<String, ParityHome?>
    @Persisted var numbers: List<Int>
    @Persisted var optionals: List<Int?>
    @Persisted var digits: MutableSet<Int>
    @Persisted var scores: Map<String, Int?>
    @Persisted(originProperty: "friend") var admirers: LinkingObjects<ParityPerson>

    convenience init(_ id: Int, _ name: String = "", _ age: Int? = nil) {
        self.init()
        (self.id, self.name, self.age) = (id, name, age)
    }
}

class ParityHome: EmbeddedObject {
    @Persisted var street: String
    @Persisted var rooms: Int
}

enum ParityRealm {
    static func configuration(_ types: [ObjectBase.Type] = [ParityPerson.self, ParityHome.self]) -> Realm.Configuration
    {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: types)
    }

    static func open(_ types: [ObjectBase.Type] = [ParityPerson.self, ParityHome.self]) throws -> Realm {
        try open(configuration(types))
    }

    /// Opens it for the calling thread, also where an asynchronous open could be meant.
    static func open(_ configuration: Realm.Configuration) throws -> Realm { try Realm(configuration: configuration) }
}

class ParitySpaced: Object {
    @Persisted var name: String
    @Persisted(originProperty: "dogs") var owners: LinkingObjects<ParitySpacedOwner>
    override class func _realmObjectName() -> String? { "Dog with spaces" }
}

class ParitySpacedOwner: Object {
    @Persisted var dogs: List<ParitySpaced>
    @Persisted var first: ParitySpaced?
    override class func _realmObjectName() -> String? { "An owner" }
}

@Suite("Parity with Realm: models and values by name")
struct ParityModelTests {
    @Test("RealmEnum is an enum that RealmProperty and queries accept")
    func realmEnum() throws {
        let realm = try ParityRealm.open([ParityBare.self])
        let bare = ParityBare()
        bare.colour.value = .blue
        try realm.write { realm.add(bare) }
        #expect(bare.colour.value == .blue && realm.objects(ParityBare.self).filter("colour == 5").count == 1)
        #expect(ParityColour.red < .blue && ParityColour.allCases.count == 2)
    }

    @Test("primaryKey() and indexedProperties() count for classes with @Persisted, too")
    func overrides() async throws {
        let schema = try #require(ParityKeyed.sharedSchema())
        #expect(schema.primaryKeyProperty?.name == "id")
        #expect(schema.properties.filter(\.isIndexed).map(\.name) == ["id", "name", "age", "tag"])
        let realm = try ParityRealm.open([ParityKeyed.self])
        try realm.write { realm.create(ParityKeyed.self, value: ["id": 1, "name": "a"]) }
        try realm.write { realm.create(ParityKeyed.self, value: ["id": 1, "name": "b"], update: .modified) }
        #expect(realm.objects(ParityKeyed.self).count == 1)
        #expect(realm.object(ofType: ParityKeyed.self, forPrimaryKey: 1)?.name == "b")
        #expect(
            await exception {
                let realm = try ParityRealm.open([ParityKeyed.self])
                try realm.write { for _ in 0..<2 { realm.add(ParityKeyed(value: ["id": 4])) } }
            } == "Attempting to create an object of type 'ParityKeyed' with an existing primary key value '4'.")
        #expect(
            await exception { _ = try ParityRealm.open([ParityNamed.self]) }
                == "Primary key property 'absent' does not exist on object 'ParityNamed'")
    }

    @Test("Codable @Persisted follows the strategies of encoders and decoders for dates and data")
    func coding() throws {
        let object = ParityCoded()
        object.at = Date(timeIntervalSince1970: 0)
        object.bytes = Data("abc".utf8)
        object.maybeBytes = Data("de".utf8)
        object.dates.append(Date(timeIntervalSince1970: 60))
        object.byName["k"] = Data("f".utf8)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let text = String(decoding: try encoder.encode(object), as: UTF8.self)
        #expect(
            text == """
                {"at":"1970-01-01T00:00:00Z","byName":{"k":"Zg=="},"bytes":"YWJj","dates":["1970-01-01T00:01:00Z"],\
                "maybe":null,"maybeBytes":"ZGU=","number":0}
                """)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let copy = try decoder.decode(ParityCoded.self, from: Data(text.utf8))
        #expect(copy.at == object.at && copy.maybe == nil && copy.bytes == object.bytes)
        #expect(copy.maybeBytes == object.maybeBytes && Array(copy.dates) == Array(object.dates))
        #expect(copy.byName["k"] == object.byName["k"])
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(data.count)
        }
        object.maybe = Date(timeIntervalSince1970: 5)
        let seconds = String(decoding: try encoder.encode(object), as: UTF8.self)
        #expect(seconds.contains(#""at":0"#) && seconds.contains(#""maybe":5"#) && seconds.contains(#""bytes":3"#))
    }

    @Test("null by name is NSNull and the nil of every optional", arguments: [false, true])
    func nulls(_ isManaged: Bool) throws {
        let realm = try ParityRealm.open()
        let person = ParityPerson(1, "top")
        person.friends.append(objectsIn: [ParityPerson(2, "a", 7), ParityPerson(3, "b")])
        person.friends[0].friend = ParityPerson(4, "deep")
        person.friends[1].any = .string("x")
        person.optionals.append(objectsIn: [1, nil])
        person.scores["a"] = 3
        person.scores["none"] = .some(nil)
        if isManaged { try realm.write { realm.add(person) } }
        let friends = AnyRealmCollection(person.friends)
        #expect(friends.value(forKey: "age") as? [Int?] == [7, nil])
        #expect(person.friends.value(forKey: "age") as? [Int?] == [7, nil])
        #expect(friends.value(forKey: "any") as? [String?] == [nil, "x"])
        #expect(friends.value(forKeyPath: "friend.name") as? [String?] == ["deep", nil])
        #expect((friends.value(forKey: "friend") as? [ParityPerson?])?.map { $0?.id } == [4, nil])
        #expect((friends.value(forKey: "age") as? [Any])?.last is NSNull)
        #expect(AnyRealmCollection(person.optionals).value(forKey: "self") as? [Int?] == [1, nil])
        #expect(friends.value(forKeyPath: "@unionOfObjects.name") as? [String] == ["a", "b"])
        #expect(person["any"] == nil && person.value(forKey: "any") == nil && person.value(forKey: "friend") == nil)
        #expect(person.friends.value(forKey: "name") as? [String] == ["a", "b"])
        if isManaged {
            #expect(
                realm.objects(ParityPerson.self).filter("id < 4").value(forKey: "age") as? [Int?] == [nil, 7, nil])
        }
        let objects: [AnyObject] = person.friends.value(forKey: "name")
        let paths: [AnyObject] = person.friends.value(forKeyPath: "friend.name")
        #expect(objects as? [String] == ["a", "b"] && paths as? [String?] == ["deep", nil])
    }

    @Test("values by name of maps and sets are objects, and arrays of objects", arguments: [false, true])
    func objects(_ isManaged: Bool) throws {
        let realm = try ParityRealm.open()
        let person = ParityPerson(1)
        person.group.insert(ParityPerson(2, "a"))
        person.digits.insert(objectsIn: [3, 5])
        person.scores["a"] = 3
        person.scores["none"] = .some(nil)
        person.byName["f"] = ParityPerson(6, "f")
        if isManaged { try realm.write { realm.add(person) } }
        let names: [AnyObject] = person.group.value(forKey: "name")
        #expect(names as? [String] == ["a"] && person.group.value(forKey: "name") as? [String] == ["a"])
        #expect(AnyRealmCollection(person.digits).value(forKey: "self") as? Set<Int> == [3, 5])
        let score: AnyObject? = person.scores.value(forKey: "a")
        #expect(
            score as? Int == 3 && person.scores.value(forKey: "none") is NSNull
                && person.scores.value(forKey: "x") == nil)
        #expect(
            person.scores.object(forKey: "a") as? Int == 3
                && person.scores.object(forKey: "a" as AnyObject) as? Int == 3)
        #expect(person.scores.object(forKey: "x") == nil && person.scores.object(forKey: 5) == nil)
        #expect((person.byName.object(forKey: "f") as? ParityPerson)?.name == "f")
        let path: AnyObject? = person.byName.value(forKeyPath: "f.name")
        #expect(path as? String == "f")
    }

    @Test(
        "value(forUndefinedKey:) and setValue(_:forUndefinedKey:) are asked for names that the class does not have")
    func undefinedKeys() async throws {
        let realm = try ParityRealm.open()
        try realm.write { realm.create(ParityPerson.self, value: ["id": 1, "name": "x"]) }
        let dynamic = try #require(realm.dynamicObjects("ParityPerson").first)
        #expect(dynamic.value(forUndefinedKey: "name") as? String == "x")
        try realm.write { dynamic.setValue("y", forUndefinedKey: "name") }
        #expect(dynamic.name as? String == "y")
        let open = ParityOpen(value: ["name": "n"])
        open.setValue(5, forKey: "extra")
        #expect(open.value(forKey: "extra") as? Int == 5 && open.value(forKeyPath: "extra") as? Int == 5)
        #expect(open.value(forKey: "name") as? String == "n")
        #expect(
            await exception { ParityPerson().setValue(1, forKey: "none") }
                == "Invalid property name 'none' for class 'ParityPerson'.")
        #expect(await exception { _ = ParityPerson().value(forKey: "none") } != nil)
    }

    @Test("linking objects are in neither the description nor the properties of the schema")
    func computed() throws {
        let realm = try ParityRealm.open()
        let person = ParityPerson(1, "a")
        #expect(!person.description.contains("admirers") && person.description.contains("\tname = a;"))
        try realm.write { realm.add(person) }
        #expect(!person.description.contains("admirers"))
        #expect(realm.dynamicObjects("ParityPerson").first?.description.contains("admirers") == false)
        #expect(!person.objectSchema.properties.contains { $0.type == .linkingObjects })
        #expect(person.objectSchema["admirers"]?.type == .linkingObjects)
        #expect(realm.schema["ParityPerson"]?.properties.contains { $0.name == "admirers" } == false)
        #expect(!person.objectSchema.description.contains("admirers"))
    }

    @Test("Decimal128 is written as Realm does")
    func decimals() {
        #expect(Decimal128(11.11111).description == "11.11111" && Decimal128(-1.0).description == "-1")
        #expect(
            Decimal128(1.23456789e132).description == "1.23456789E132" && Decimal128("1E-30").description == "1E-30")
        #expect(Decimal128(value: 11.11111 as Float).description == "11.11111")
        #expect(Decimal128(value: -1.0 as Float).description == "-1" && Decimal128(value: 2.0).description == "2")
        #expect(Decimal128("1.10").stringValue == "1.10" && Decimal128(number: -1.0).stringValue == "-1")
        #expect(Decimal128("1.23456789E132") == Decimal128("1.23456789E+132"))
    }

    @Test("two reads of linking objects are not equal, copies of one are")
    func linking() throws {
        let realm = try ParityRealm.open()
        let person = ParityPerson(1)
        try realm.write { realm.add(person) }
        let admirers = person.admirers
        let copy = admirers
        #expect(admirers == copy && person.admirers != person.admirers)
    }

    @Test("Object names of classes may have spaces")
    func namesWithSpaces() throws {
        let realm = try ParityRealm.open([ParitySpaced.self, ParitySpacedOwner.self])
        try realm.write {
            let owner = realm.create(ParitySpacedOwner.self, value: ["dogs": [["name": "a"], ["name": "b"]]])
            owner.first = owner.dogs.first
            realm.dynamicCreate("Dog with spaces", value: ["name": "c"])
        }
        let dogs = realm.objects(ParitySpaced.self)
        #expect(dogs.where { $0.owners.first.name == "a" }.map(\.name) == ["a", "b"])
        #expect(realm.dynamicObjects("Dog with spaces").filter("name > 'a'").count == 2)
        #expect(realm.schema["Dog with spaces"]?.properties.map(\.name) == ["name"])
        #expect(realm.schema["An owner"]?["dogs"]?.objectClassName == "Dog with spaces")
        #expect(dogs[0].description.hasPrefix("Dog with spaces {"))
    }

    @Test("Configuration.objectTypes may name a class twice")
    func twice() throws {
        let realm = try ParityRealm.open([ParityPerson.self, ParityHome.self, ParityPerson.self, ParityHome.self])
        #expect(realm.schema.objectSchema.map(\.className).sorted() == ["ParityHome", "ParityPerson"])
    }
}

class ParityOpen: Object {
    @Persisted var name: String
    var extra: [String: Any] = [:]

    override func value(forUndefinedKey key: String) -> Any? { extra[key] }
    override func setValue(_ value: Any?, forUndefinedKey key: String) { extra[key] = value }
}

struct ParityPoint: CustomPersistable, Equatable {
    typealias PersistedType = ParityHome
    var street: String
    init(_ street: String) { self.street = street }
    init(persistedValue: ParityHome) { street = persistedValue.street }
    var persistableValue: ParityHome { ParityHome(value: ["street": street, "rooms": 1]) }
}

/// Has no value for an empty street.
struct ParityStreet: FailableCustomPersistable, Equatable {
    typealias PersistedType = ParityHome
    var street: String
    init(_ street: String) { self.street = street }
    init?(persistedValue: ParityHome) {
        guard !persistedValue.street.isEmpty else { return nil }
        street = persistedValue.street
    }
    var persistableValue: ParityHome { ParityHome(value: ["street": street]) }
}

struct ParityEven: FailableCustomPersistable, Hashable {
    let persistableValue: Int
    init?(persistedValue: Int) {
        guard persistedValue % 2 == 0 else { return nil }
        persistableValue = persistedValue
    }
}

class ParityMapped: Object {
    @Persisted var point: ParityPoint
    @Persisted var points: List<ParityPoint>
    @Persisted var pointsByName: Map<String, ParityPoint?>
    @Persisted var street: ParityStreet?
    @Persisted var even: ParityEven
    @Persisted var maybeEven: ParityEven?
    @Persisted var evens: List<ParityEven>
    @Persisted var maybeEvens: List<ParityEven?>
    @Persisted var plain: List<ParityHome>
}

@Suite("Parity with Realm: custom types")
struct ParityMappedTests {
    /// The object made in memory, and the one made in a realm.
    private func made(_ value: [String: Any]) throws -> [ParityMapped] {
        let realm = try ParityRealm.open([ParityMapped.self, ParityHome.self])
        return [ParityMapped(value: value), try realm.write { realm.create(ParityMapped.self, value: value) }]
    }

    @Test("FailableCustomPersistable in init(value:): its values, stored values, and those that it refuses")
    func failable() async throws {
        let even = try #require(ParityEven(persistedValue: 4))
        for object in try made(["even": even, "maybeEven": 6, "evens": [even, 2], "maybeEvens": [2, 3, NSNull()]]) {
            #expect(object.even == even && object.maybeEven?.persistableValue == 6 && object.evens.count == 2)
            #expect(object.maybeEvens.map { $0?.persistableValue } == [2, nil, nil])
        }
        for object in try made(["maybeEven": 7, "street": ["street": ""]]) {
            #expect(object.maybeEven == nil && object.street == nil)
        }
        for source in [ParityStreet("s"), ["street": "s"], ParityHome(value: ["street": "s"])] as [Any] {
            for object in try made(["street": source]) { #expect(object.street?.street == "s") }
        }
        #expect(await exception { _ = ParityMapped(value: ["even": 7]) } != nil)
        #expect(await exception { _ = ParityMapped(value: ["evens": [2, 7]]) } != nil)
    }

    @Test("CustomPersistable null is the default element of a list of mapped embedded objects")
    func nulls() async throws {
        for object in try made([
            "points": [ParityPoint("a"), NSNull(), ["street": "b"]], "pointsByName": ["n": NSNull()],
        ]) {
            #expect(object.points.map(\.street) == ["a", "", "b"])
            #expect(object.pointsByName["n"] != nil && object.pointsByName["n"] == .some(nil))
        }
        #expect(await exception { _ = ParityMapped(value: ["plain": [NSNull()]]) } != nil)
    }

    @Test("Query.== of custom types that are stored as embedded objects compares their properties")
    func equality() throws {
        let realm = try ParityRealm.open([ParityMapped.self, ParityHome.self])
        try realm.write {
            for street in ["a", "b", "c"] {
                let object = ParityMapped()
                object.point = ParityPoint(street)
                object.points.append(objectsIn: [ParityPoint("x"), ParityPoint(street)])
                object.pointsByName["k"] = street == "c" ? .some(nil) : ParityPoint(street)
                object.street = street == "c" ? nil : ParityStreet(street)
                realm.add(object)
            }
        }
        func streets(_ condition: (Query<ParityMapped>) -> Query<Bool>) -> [String] {
            realm.objects(ParityMapped.self).where(condition).map(\.point.street)
        }
        #expect(streets { $0.point == ParityPoint("b") } == ["b"])
        #expect(streets { $0.point != ParityPoint("b") } == ["a", "c"])
        #expect(streets { $0.street == nil } == ["c"])
        #expect(streets { $0.points == ParityPoint("a") } == ["a"])
        #expect(streets { $0.points.contains(ParityPoint("c")) } == ["c"])
        #expect(streets { $0.points.contains(ParityPoint("x")) } == ["a", "b", "c"])
        #expect(streets { $0.points.containsAny(in: [ParityPoint("a"), ParityPoint("c")]) } == ["a", "c"])
        #expect(streets { $0.point.in([ParityPoint("a"), ParityPoint("c")]) } == ["a", "c"])
        #expect(streets { $0.pointsByName["k"] == ParityPoint("a") } == ["a"])
        #expect(streets { $0.pointsByName.values == ParityPoint("b") } == ["b"])
        #expect(
            streets { $0.pointsByName == ParityPoint("b") || $0.pointsByName.contains(ParityPoint("a")) } == ["a", "b"])
        #expect(streets { $0.pointsByName.values != ParityPoint("b") } == ["a"])
        let condition = (Query<ParityMapped>._constructForTesting().point == ParityPoint("b"))._constructPredicate()
        #expect(condition.0 == "((point.street == %@) && (point.rooms == %@))" && condition.1.count == 2)
    }
}
