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

    @Test("§2.1 the names of the codes in Realm.Error are the codes, for comparing and for catch")
    func codes() {
        let missing = Realm.Error.fileNotFound
        #expect(missing == Realm.Error.Code.fileNotFound && missing.rawValue == 5)
        #expect(throws: Never.self) {
            do { throw Realm.Error(missing) } catch Realm.Error.fileAccess {
                Issue.record("another code")
            } catch Realm.Error.fileNotFound {}
        }
    }

    @Test("§2.4 index(of:) of a map is the place of the first equal value in the order of the keys")
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

    @Test("O01 isEqual compares as ==, and with what is no object")
    func isEqual() throws {
        let realm = try Self.realm()
        let meal = SuiteMeal()
        #expect(meal.isEqual(meal) && !meal.isEqual(SuiteMeal()) && !meal.isEqual(nil) && !meal.isEqual("meal"))
        try realm.write { realm.add(meal) }
        #expect(meal.isEqual(realm.objects(SuiteMeal.self).first))
    }

    @Test("C12 arguments of formats may be written as any CVarArg, as on iOS")
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
