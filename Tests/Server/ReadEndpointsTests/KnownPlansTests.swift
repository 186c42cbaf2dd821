import ObjectCoding
import ObjectModel
import Testing

@testable import ReadEndpoints

@Suite("How objects are written, remembered")
struct KnownPlansTests {
    private func schema(_ names: [String]) -> Schema {
        Schema(
            version: 1,
            classes: ["Dog", "Cat"].map {
                ClassSchema($0, properties: names.map { PropertySchema($0, PropertyType(.string)) })
            })
    }

    @Test("is remembered as long as the schema is the same, also one that lies elsewhere, and no longer")
    func changes() throws {
        let plans = PlanCache()
        let (old, same, new) = (schema(["a"]), schema(["a"]), schema(["a", "b"]))
        func plan(_ name: String, _ schema: Schema) throws -> RowPlan {
            plans.plan(try #require(schema[name]), of: schema)
        }
        let dog = try plan("Dog", old)
        #expect(try plan("Dog", old) === dog)
        #expect(try plan("Dog", same) === dog)
        #expect(try plan("Cat", same).classID == same["Cat"]?.id)
        #expect(try plan("Dog", new).columns.count == 2)
        #expect(try plan("Dog", old).columns.count == 1)
    }
}
