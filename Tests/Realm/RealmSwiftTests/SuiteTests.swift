import Foundation
import RealmSwift
import Testing

class SuiteMeal: Object {
    @Persisted(primaryKey: true) var number: ObjectId
    @Persisted var eaten: Date
    @Persisted var price: Decimal128
    @Persisted var table: UUID
    @Persisted var portions: Map<String, Int>
    @Persisted var spot: SuitePlace?
}

class SuitePlace: EmbeddedObject {
    @Persisted var type = "Point"
    @Persisted var coordinates: List<Double>
}

@Suite("What Realm's own tests ask for")
struct SuiteTests {
    static func realm() throws -> Realm {
        try Realm(
            configuration: .init(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [SuiteMeal.self, SuitePlace.self]))
    }

    @Test("the names of the codes in Realm.Error are the codes, for comparing and for catch")
    func codes() {
        let missing = Realm.Error.fileNotFound
        #expect(missing == Realm.Error.Code.fileNotFound && missing.rawValue == 5)
        #expect(throws: Never.self) {
            do { throw Realm.Error(missing) } catch Realm.Error.fileAccess {
                Issue.record("another code")
            } catch Realm.Error.fileNotFound {}
        }
    }

    @Test("index(of:) of a map is the place of the first equal value in the order of the keys")
    func mapIndex() throws {
        let realm = try Self.realm()
        let meal = SuiteMeal()
        meal.portions.merge(["soup": 2, "bread": 5, "water": 5]) { $1 }
        for _ in 0..<2 {
            #expect(meal.portions.index(of: 5)?.offset == 0 && meal.portions.index(of: 2)?.offset == 1)
            #expect(meal.portions.index(of: 9) == nil)
            let entry = try #require(meal.portions.index(of: 2).map { meal.portions[$0] })
            #expect(entry.key == "soup" && entry.value == 2)
            if meal.realm == nil { try realm.write { realm.add(meal) } }
        }
    }

    @Test("isEqual compares as ==, and with what is not an object")
    func isEqual() throws {
        let realm = try Self.realm()
        let meal = SuiteMeal()
        #expect(meal.isEqual(meal) && !meal.isEqual(SuiteMeal()) && !meal.isEqual(nil) && !meal.isEqual("meal"))
        try realm.write { realm.add(meal) }
        #expect(meal.isEqual(realm.objects(SuiteMeal.self).first))
    }

    @Test("arguments of formats may be written as CVarArg, as on iOS")
    func arguments() throws {
        let realm = try Self.realm()
        let (time, id, table) = (Date(timeIntervalSince1970: 60), ObjectId.generate(), UUID())
        let meal = SuiteMeal(value: ["number": id, "eaten": time, "price": 4.5, "table": table] as [String: Any])
        meal.spot = SuitePlace(value: ["coordinates": [7.0, 50.0]])
        try realm.write { realm.add(meal) }
        let box = try #require(GeoBox(bottomLeft: (49, 6), topRight: (51, 8)))
        let formats: [(String, any CVarArg)] = [
            ("eaten == %@", time as any CVarArg), ("number == %@", id as any CVarArg),
            ("table == %@", table as any CVarArg),
            ("price == %@", Decimal128("4.5") as any CVarArg),
            ("spot IN %@", box as any CVarArg),
        ]
        for (format, argument) in formats {
            #expect(realm.objects(SuiteMeal.self).filter(format, argument).count == 1, "\(format)")
            #expect(realm.objects(SuiteMeal.self).filter(NSPredicate(format: format, argument)).count == 1, "\(format)")
        }
        #expect(
            String(format: "%@ %@", table as any CVarArg, id as any CVarArg) == "\(table.uuidString) \(id.stringValue)")
    }
}

struct SuitePoint: CustomPersistable {
    typealias PersistedType = SuitePlace
    var east = 0.0
    init(persistedValue: SuitePlace) { east = persistedValue.coordinates.first ?? 0 }
    init(east: Double) { self.east = east }
    var persistableValue: SuitePlace { SuitePlace(value: ["coordinates": [east, 0]]) }
}

struct SuiteEven: FailableCustomPersistable {
    let persistableValue: Int
    init?(persistedValue: Int) {
        guard persistedValue % 2 == 0 else { return nil }
        persistableValue = persistedValue
    }
}

enum SuiteGrade: Int, PersistableEnum { case good = 1, bad = 5 }

class SuiteTrip: Object {
    @Persisted var goal: SuitePoint
    @Persisted var stops: Map<String, SuitePoint>
    @Persisted var even: SuiteEven?
    @Persisted var grade: SuiteGrade
    @Persisted var mark: SuiteGrade?
    @Persisted var names: List<String>
    @Persisted var tags: MutableSet<String>
    @Persisted var counts: Map<String, Int>
    @Persisted var any: AnyRealmValue
    @Persisted var length: Decimal128
    @Persisted(originProperty: "trip") var tickets: LinkingObjects<SuiteTicket>
    @Persisted var note: String
}

class SuiteTicket: Object { @Persisted var trip: SuiteTrip? }

@Suite("What Realm's own tests ask of models")
struct SuiteModelTests {
    static func realm() throws -> Realm {
        let types: [ObjectBase.Type] = [SuiteTrip.self, SuiteTicket.self, SuitePlace.self]
        return try Realm(configuration: .init(inMemoryIdentifier: UUID().uuidString, objectTypes: types))
    }

    /// Calls the body with an unmanaged trip, and with a managed one within a write.
    static func each(_ body: (SuiteTrip) throws -> Void) throws {
        try body(SuiteTrip())
        let realm = try realm()
        try realm.write { try body(realm.create(SuiteTrip.self)) }
    }

    @Test(
        "a map of a custom type that is stored as an embedded object is valid, and null in it reads as the default"
    )
    func customInMap() throws {
        let realm = try Self.realm()
        let trip = try realm.write { realm.create(SuiteTrip.self, value: ["stops": ["a": SuitePoint(east: 3)]]) }
        #expect(trip.stops["a"]?.east == 3)
    }

    @Test("custom types are also made from values of the type that they are stored as, and from what makes those")
    func customFromPersisted() throws {
        let place = SuitePlace(value: ["coordinates": [4.0, 0]])
        for source in [place, ["coordinates": [4.0, 0]], SuitePoint(east: 4)] as [Any] {
            #expect(SuiteTrip(value: ["goal": source, "stops": ["a": source]] as [String: Any]).goal.east == 4)
        }
        #expect(SuiteTrip(value: ["goal": NSNull()]).goal.east == 0)
    }

    @Test("what an optional enum or failable type has no value for reads as nil, once assigned by name")
    func unfitting() throws {
        try Self.each { trip in
            trip["mark"] = 5
            trip["even"] = 8
            #expect(trip.mark == .bad && trip.even?.persistableValue == 8)
            trip["mark"] = 4
            trip["even"] = 7
            #expect(trip.mark == nil && trip.even == nil && trip["mark"] == nil && trip["even"] == nil)
        }
    }

    @Test("by name, enums and custom types are what they are stored as, and mixed values what they hold")
    func namedValues() throws {
        try Self.each { trip in
            trip["grade"] = SuiteGrade.bad
            trip["even"] = 6
            trip["any"] = AnyRealmValue.string("x")
            #expect(trip["grade"] as? Int == 5 && trip.value(forKey: "grade") as? Int == 5)
            #expect(trip["even"] as? Int == 6 && trip["any"] as? String == "x")
            trip["any"] = AnyRealmValue.none
            #expect(trip["any"] == nil)
        }
    }

    @Test("an unmanaged object's collections stay the same instances, and take over what is assigned")
    func assignedCollections() throws {
        let trip = SuiteTrip()
        let (names, tags, counts) = (trip.names, trip.tags, trip.counts)
        let (other, otherTags, otherCounts) = (List<String>(), MutableSet<String>(), Map<String, Int>())
        other.append(objectsIn: ["a", "b"])
        otherTags.insert("c")
        otherCounts["d"] = 1
        trip.names = other
        trip.tags = otherTags
        trip.counts = otherCounts
        #expect(Array(names) == ["a", "b"] && Array(tags) == ["c"] && counts["d"] == 1)
        #expect(trip.names === names && trip.tags === tags && trip.counts === counts && names !== other)
        trip.names = trip.names
        trip["tags"] = trip["tags"]
        #expect(names.count == 2 && tags.count == 1)
        trip["names"] = ["z"]
        trip["counts"] = nil
        #expect(Array(names) == ["z"] && counts.count == 0)
        #expect(SuiteTrip(value: trip).names !== names)
    }

    @Test("a float that is given for a decimal is the number that it prints as")
    func floatAsDecimal() throws {
        try Self.each { trip in
            trip["length"] = 2.2 as Float
            #expect(trip.length == Decimal128("2.2"))
        }
    }

    @Test("an array with a value for every property of the schema has null for linking objects")
    func wholeArray() throws {
        let schema = try #require(SuiteTrip.sharedSchema())
        let given: [String: Any] = [
            "note": "end", "names": ["n"], "goal": SuitePoint(east: 1), "grade": 5, "length": 1,
        ]
        let trip = SuiteTrip(
            value: schema.properties.map { given[$0.name] ?? SuiteTrip()[$0.name] }.enumerated().map { place, value in
                schema.properties[place].type == .linkingObjects ? nil : value
            } as [Any?])
        #expect(trip.note == "end" && Array(trip.names) == ["n"] && trip.grade == .bad)
    }

    @Test("a property's description says whether it is the primary key, and what linking objects come from")
    func description() {
        let text = SuiteTrip().objectSchema["tickets"]?.description
        #expect(text?.contains("objectClassName = SuiteTicket;\n\tlinkOriginPropertyName = trip;") == true)
        #expect(SuiteMeal().objectSchema["number"]?.description.contains("isPrimary = YES;") == true)
        #expect(SuiteMeal().objectSchema["spot"]?.description.contains("linkOriginPropertyName = (null);") == true)
    }
}

class SuiteLink: Object {
    @Persisted var next: SuiteLink?
    @Persisted var name: String
    @Persisted var rest: List<SuiteLink>
    @Persisted var any: AnyRealmValue
    var shout: String { "\(name.count)\(name)" }
}

class SuiteChain: Projection<SuiteLink> {
    @Projected(\SuiteLink.rest.projectTo.shout) var shouts: ProjectedCollection<String>
    @Projected(\SuiteLink.rest.projectTo.name) var names: ProjectedCollection<String>
    @Projected(\SuiteLink.shout) var shout
}

@Suite("What Realm's own tests ask of writes, links and projections")
struct SuiteWriteTests {
    static func configuration() -> Realm.Configuration {
        Realm.Configuration(inMemoryIdentifier: UUID().uuidString, objectTypes: [SuiteLink.self])
    }

    @Test("objects that linked to each other are released once they are managed")
    func cycle() throws {
        weak var first: SuiteLink?
        weak var second: SuiteLink?
        do {
            let realm = try Realm(configuration: Self.configuration())
            let (a, b) = (SuiteLink(), SuiteLink())
            (a.next, b.next) = (b, a)
            a.rest.append(b)
            b.any = .object(a)
            try realm.write { realm.add(a) }
            #expect(a.next?.next?.isSameObject(as: a) == true && b.any.object(SuiteLink.self)?.rest.count == 1)
            (first, second) = (a, b)
        }
        #expect(first == nil && second == nil)
    }

    @Test("a projected collection follows its whole path, and projects what is computed")
    func computedProjection() throws {
        let realm = try Realm(configuration: Self.configuration())
        let link = SuiteLink(value: ["name": "top", "rest": [["name": "ab"], ["name": "xyz"]]] as [String: Any])
        #expect(Array(SuiteChain(projecting: link).shouts) == ["2ab", "3xyz"])
        try realm.write { realm.add(link) }
        let chain = try #require(realm.objects(SuiteChain.self).first)
        #expect(Array(chain.shouts) == ["2ab", "3xyz"] && chain.shout == "3top")
        #expect(chain.names.description == "ProjectedCollection<String> {\n\t[0] ab\n\t[1] xyz\n}")
        #expect(Array(chain.freeze().shouts) == ["2ab", "3xyz"])
        #expect(_name(for: \SuiteChain.names) == "rest.name" && _name(for: \SuiteChain.shouts) == "rest.name")
        #expect(_name(for: \SuiteChain.shout) == "name")
    }
}
