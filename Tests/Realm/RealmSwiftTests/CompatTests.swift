import Foundation
import RealmSwift
import Testing

// Language features that code written for Realm uses besides the API.

enum CompatSize: Int, PersistableEnum { case small = 1, large = 5 }

struct CompatNumber: CustomPersistable, Hashable {
    typealias PersistedType = Int
    let persistableValue: Int
    init(persistedValue: Int) { persistableValue = persistedValue }
}

class CompatByEnum: Object {
    @Persisted(primaryKey: true) var size: CompatSize
    @Persisted(indexed: true) var other: CompatSize?
    @Persisted(indexed: true) var number: CompatNumber
}

struct CompatPlace: CustomPersistable, Equatable {
    typealias PersistedType = CompatPlaceObject
    var x = 0.0
    var y = 0.0
    init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
    init(persistedValue: CompatPlaceObject) { (x, y) = (persistedValue.x, persistedValue.y) }
    var persistableValue: CompatPlaceObject { CompatPlaceObject(value: [x, y]) }
}

class CompatPlaceObject: EmbeddedObject {
    @Persisted var x: Double
    @Persisted var y: Double
}

class CompatPlaced: Object {
    @Persisted var place: CompatPlace
    @Persisted var places: List<CompatPlace>
}

class CompatByNumber: Object {
    @Persisted(primaryKey: true) var id: CompatNumber
    @Persisted var prices: Map<String, Double>
    @Persisted var counts: Map<String, Int?>
}

/// Assigns its properties before its superclass's initialiser.
class CompatNamed: Object {
    @Persisted var name: String
    @Persisted(indexed: true) var age: Int = 7

    init(name: String) {
        self.name = name
        super.init()
    }

    required init() {
        name = "nobody"
        super.init()
    }
}

final class CompatNameProjection: Projection<CompatNamed> {
    @Projected(\CompatNamed.name) var label
    @Projected(\CompatNamed.age) var age
}

@Suite("What code for Realm uses besides")
struct CompatTests {
    private func open() throws -> Realm {
        try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString,
                objectTypes: [
                    CompatByEnum.self, CompatByNumber.self, CompatNamed.self, CompatPlaced.self, CompatPlaceObject.self,
                ]))
    }

    @Test("PersistableEnum CustomPersistable are primary keys and indexed by what is stored for them")
    func keys() throws {
        let realm = try open()
        try realm.write {
            realm.create(CompatByEnum.self, value: ["size": CompatSize.large, "other": 1, "number": 4])
            realm.create(CompatByNumber.self, value: ["id": 3])
        }
        #expect(realm.object(ofType: CompatByEnum.self, forPrimaryKey: CompatSize.large)?.other == .small)
        #expect(realm.object(ofType: CompatByEnum.self, forPrimaryKey: 5)?.number == CompatNumber(persistedValue: 4))
        #expect(realm.object(ofType: CompatByEnum.self, forPrimaryKey: CompatSize.small) == nil)
        #expect(realm.object(ofType: CompatByNumber.self, forPrimaryKey: CompatNumber(persistedValue: 3)) != nil)
        let schema = try #require(CompatByEnum.sharedSchema())
        #expect(schema.primaryKeyProperty?.name == "size" && schema.primaryKeyProperty?.type == .int)
        #expect(schema.properties.map(\.isIndexed) == [true, true, true])
    }

    @Test("CustomPersistable custom types that are stored as embedded objects are given by name")
    func places() throws {
        let realm = try open()
        let (one, two) = (CompatPlace(x: 1, y: 2), CompatPlace(x: 3, y: 4))
        let values: [String: Any] = ["place": one, "places": [one, two]]
        let unmanaged = CompatPlaced(value: values)
        #expect(unmanaged.place == one && Array(unmanaged.places) == [one, two])
        let managed = try realm.write { realm.create(CompatPlaced.self, value: values) }
        #expect(managed.place == one && Array(managed.places) == [one, two])
    }

    @Test("ObjectSchema.className classes tell their schema, base classes have none")
    func schemas() {
        #expect(CompatNamed.sharedSchema() == CompatNamed().objectSchema)
        #expect(Object.sharedSchema() == nil && EmbeddedObject.sharedSchema() == nil)
    }

    @Test("Persisted properties can be assigned before the superclass is initialised")
    func initialisers() throws {
        let realm = try open()
        let named = CompatNamed(name: "Ada")
        #expect(named.name == "Ada" && CompatNamed().name == "nobody" && named.age == 7)
        try realm.write { realm.add(named) }
        #expect(realm.objects(CompatNamed.self).first?.name == "Ada")
    }

    @Test("aggregates come as numbers and dates of Foundation, too")
    func foundation() throws {
        let realm = try open()
        try realm.write { for age in [1, 2, 6] { realm.create(CompatNamed.self, value: ["age": age]) } }
        let named = realm.objects(CompatNamed.self)
        #expect(named.min(ofProperty: "age") as NSNumber? == 1)
        #expect(named.max(ofProperty: "age") as NSNumber? == 6)
        #expect(named.sum(ofProperty: "age") as NSNumber == 9)
        #expect(named.average(ofProperty: "age") as NSNumber? == 3)
        #expect(named.filter("age > 9").sum(ofProperty: "age") as NSNumber == 0)
        #expect(named.filter("age > 9").min(ofProperty: "age") as NSNumber? == nil)
    }

    @Test("projections are sorted, made distinct and observed by projected properties")
    func projections() throws {
        let realm = try open()
        try realm.write { for name in ["b", "a", "b"] { realm.add(CompatNamed(name: name)) } }
        let labels = realm.objects(CompatNameProjection.self)
        #expect(labels.sorted(by: \.label).map(\.label) == ["a", "b", "b"])
        #expect(labels.distinct(by: [\CompatNameProjection.label]).map(\.label) == ["b", "a"])
        let token = labels.observe(
            keyPaths: [\CompatNameProjection.label], on: DispatchQueue(label: "compat")
        ) { _ in }
        token.invalidate()
    }

    @Test("conditions on the values of maps by range")
    func ranges() throws {
        let realm = try open()
        try realm.write {
            let object = CompatByNumber()
            object.prices.merge(["a": 1.5, "b": 2]) { $1 }
            object.counts["a"] = 3
            realm.add(object)
        }
        func count(_ condition: (Query<CompatByNumber>) -> Query<Bool>) -> Int {
            realm.objects(CompatByNumber.self).where(condition).count
        }
        #expect(count { $0.prices.contains(1.5...2) } == 1)
        #expect(count { $0.prices.contains(1.5..<2) } == 0)
        #expect(count { $0.counts.contains(3...4) } == 1)
        let condition = Query<CompatByNumber>._constructForTesting().prices.contains(1...2)
        #expect(condition._constructPredicate().0 == "((prices.@min >= %@) && (prices.@max <= %@))")
    }

    @Test("errors are made and read with the user info of Foundation's errors")
    func errors() {
        let error = Realm.Error(
            .fileAccess, userInfo: [NSLocalizedDescriptionKey: "No disk", NSFilePathErrorKey: "/tmp/x.realm"])
        #expect(error.localizedDescription == "No disk" && error.fileURL?.path == "/tmp/x.realm")
        #expect((error as any Error).localizedDescription == "No disk")
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/tmp/x.realm" && error._code == 2)
        #expect(throws: Realm.Error(.fileOperationFailed)) {
            try Realm(configuration: Realm.Configuration(fileURL: URL(fileURLWithPath: "/dev/null/foo")))
        }
        #expect(Realm.Error(.fail).userInfo["Error Code"] as? Int == 1 && Realm.Error(.fail).code == Realm.Error.fail)
    }

    @Test("decimals have distances")
    func decimals() {
        let ten: Decimal128 = 10
        #expect(ten.distance(to: 5) == -5 && ten.advanced(by: 2.5) == 12.5 && Decimal128("NaN").isSignalingNaN)
        #expect(Decimal128(value: NSNull()).isNaN)
    }

    @Test("realms freeze and thaw collections")
    func thawing() throws {
        let realm = try open()
        try realm.write { realm.add(CompatNamed(name: "x")) }
        let frozen = realm.freeze(realm.objects(CompatNamed.self))
        #expect(frozen.isFrozen && realm.thaw(frozen)?.realm == realm)
    }
}
