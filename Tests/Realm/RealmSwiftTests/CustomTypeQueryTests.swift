import Foundation
import RealmSwift
import Testing

// Conditions on types that are stored as other types, alone and in collections.

enum CustomGrade: String, PersistableEnum {
    case low = "a1"
    case high = "b2"
}

struct CustomCoord: CustomPersistable, Hashable {
    typealias PersistedType = CustomCoordObject
    var lat = 0.0
    var lon = 0.0
    init(lat: Double, lon: Double) { (self.lat, self.lon) = (lat, lon) }
    init(persistedValue: CustomCoordObject) { (lat, lon) = (persistedValue.lat, persistedValue.lon) }
    var persistableValue: CustomCoordObject { CustomCoordObject(value: [lat, lon]) }
}

class CustomCoordObject: EmbeddedObject {
    @Persisted var lat: Double
    @Persisted var lon: Double
}

struct CustomAmount: CustomPersistable, Hashable {
    var cents: Int
    init(_ cents: Int) { self.cents = cents }
    init(persistedValue: Int) { cents = persistedValue }
    var persistableValue: Int { cents }
}

class CustomSpot: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var coord: CustomCoord
    @Persisted var maybe: CustomCoord?
    @Persisted var coords: List<CustomCoord>
    @Persisted var coordsByName: Map<String, CustomCoord?>
    @Persisted var grade: CustomGrade
    @Persisted var maybeGrade: CustomGrade?
    @Persisted var grades: List<CustomGrade>
    @Persisted var maybeGrades: MutableSet<CustomGrade?>
    @Persisted var gradesByName: Map<String, CustomGrade>
    @Persisted var amount: CustomAmount
    @Persisted var maybeAmount: CustomAmount?
    @Persisted var amounts: List<CustomAmount>
    @Persisted var maybeAmounts: List<CustomAmount?>
    @Persisted var amountSet: MutableSet<CustomAmount>
    @Persisted var amountsByName: Map<String, CustomAmount>
    @Persisted var next: CustomSpot?
    @Persisted var others: List<CustomSpot>
}

@Suite("Queries of custom types and enums")
struct CustomTypeQueryTests {
    /// Returns three spots, each with larger values than the one before.
    private func spots() throws -> Results<CustomSpot> {
        let realm = try Realm(
            configuration: Realm.Configuration(
                inMemoryIdentifier: UUID().uuidString, objectTypes: [CustomSpot.self, CustomCoordObject.self]))
        try realm.write {
            var last: CustomSpot?
            for i in 0..<3 {
                let spot = CustomSpot()
                spot.id = i
                spot.coord = CustomCoord(lat: Double(i), lon: 2)
                spot.maybe = i == 0 ? nil : CustomCoord(lat: 5, lon: Double(i))
                spot.coords.append(objectsIn: (0..<i).map { CustomCoord(lat: Double($0), lon: Double(i)) })
                if i > 0 { spot.coordsByName["a"] = CustomCoord(lat: Double(i), lon: 0) }
                spot.grade = i == 2 ? .high : .low
                spot.maybeGrade = i == 0 ? nil : .high
                spot.grades.append(objectsIn: i == 0 ? [] : [.low, .high])
                spot.maybeGrades.insert(objectsIn: i == 0 ? [nil] : [nil, .low])
                spot.gradesByName["g"] = i == 2 ? .high : .low
                spot.amount = CustomAmount(i * 10)
                spot.maybeAmount = i == 0 ? nil : CustomAmount(i)
                spot.amounts.append(objectsIn: (0...i).map { CustomAmount($0) })
                spot.maybeAmounts.append(objectsIn: [nil, CustomAmount(i)])
                spot.amountSet.insert(objectsIn: (0...i).map { CustomAmount($0) })
                spot.amountsByName["x"] = CustomAmount(i)
                spot.next = last
                if let last { spot.others.append(last) }
                realm.add(spot)
                last = spot
            }
        }
        return realm.objects(CustomSpot.self)
    }

    private func ids(_ condition: (Query<CustomSpot>) -> Query<Bool>) throws -> [Int] {
        try spots().where(condition).map(\.id)
    }

    @Test(".persistableValue leads to the properties of what a custom type is stored as")
    func embedded() throws {
        #expect(try ids { $0.coord.persistableValue.lat > 0 } == [1, 2])
        #expect(try ids { $0.maybe.persistableValue.lon == 2 } == [2])
        #expect(try ids { $0.maybe.persistableValue.lon == 2 || $0.coord.persistableValue.lat == 0 } == [0, 2])
        #expect(try ids { $0.coords.persistableValue.lat == 1 } == [2])
        #expect(try ids { $0.coords.persistableValue.lon.max == 1 } == [1])
        #expect(try ids { ($0.coords.persistableValue.lat >= 0).count == 2 } == [2])
        #expect(try ids { $0.next.coord.persistableValue.lat == 1 } == [2])
        #expect(try ids { $0.others.coord.persistableValue.lat == 0 } == [1])
        #expect(try ids { $0.coordsByName.values.persistableValue.lat == 2 } == [2])
        #expect(try ids { $0.maybe == nil } == [0])
    }

    @Test(".persistableValue of plain custom types, optional ones, and collections of them")
    func plain() throws {
        #expect(try ids { $0.amount.persistableValue > 5 } == [1, 2])
        #expect(try ids { $0.amount.persistableValue.contains(5...10) } == [1])
        #expect(try ids { $0.amount > CustomAmount(10) } == [2])
        #expect(try ids { $0.amount.in([CustomAmount(0), CustomAmount(20)]) } == [0, 2])
        #expect(try ids { $0.maybeAmount.persistableValue == nil } == [0])
        #expect(try ids { $0.maybeAmount.persistableValue >= 2 } == [2])
        #expect(try ids { $0.amounts.persistableValue > 1 } == [2])
        #expect(try ids { $0.amounts.persistableValue.sum == 1 } == [1])
        #expect(try ids { $0.amounts.persistableValue.contains(0...1) } == [0, 1])
        #expect(try ids { $0.amounts.contains(CustomAmount(2)) } == [2])
        #expect(try ids { $0.amounts.containsAny(in: [CustomAmount(1), CustomAmount(9)]) } == [1, 2])
        #expect(try ids { $0.maybeAmounts.persistableValue == 1 } == [1])
        #expect(try ids { $0.amountSet.persistableValue.max == 2 } == [2])
        #expect(try ids { $0.amountsByName.persistableValue > 0 } == [1, 2])
        #expect(try ids { $0.amountsByName.persistableValue["x"] == 1 } == [1])
        #expect(try ids { $0.amountsByName["x"] == CustomAmount(2) } == [2])
    }

    @Test(".rawValue of enums, optional ones, and collections of them")
    func enums() throws {
        #expect(try ids { $0.grade.rawValue.starts(with: "b") } == [2])
        #expect(try ids { $0.grade.persistableValue == "a1" } == [0, 1])
        #expect(try ids { $0.maybeGrade.rawValue.ends(with: "2") } == [1, 2])
        #expect(try ids { $0.maybeGrade.rawValue == nil } == [0])
        #expect(try ids { $0.grades.rawValue.contains("b2") } == [1, 2])
        #expect(try ids { $0.grades.rawValue == "b2" } == [1, 2])
        #expect(try ids { $0.grades.persistableValue.containsAny(in: ["a1", "zz"]) } == [1, 2])
        #expect(try ids { $0.maybeGrades.rawValue.contains("a1") } == [1, 2])
        #expect(try ids { $0.gradesByName.rawValue["g"] == "b2" } == [2])
        #expect(try ids { $0.gradesByName.rawValue.contains("b2") } == [2])
        #expect(try ids { $0.gradesByName.values.rawValue.starts(with: "b") } == [2])
        #expect(try ids { $0.grades.contains(.high) } == [1, 2])
    }

    @Test("a key path ends at a custom type")
    func keyPaths() throws {
        #expect(_name(for: \CustomSpot.coord) == "coord")
        #expect(_name(for: \CustomSpot.next?.maybe) == "next.maybe")
        let spots = try spots()
        #expect(spots.sorted(byKeyPath: "coord.lat", ascending: false).first?.id == 2)
        #expect(spots.sorted(by: \.amount, ascending: false).map(\.id) == [2, 1, 0])
    }
}
