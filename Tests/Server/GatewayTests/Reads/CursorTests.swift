import HTTPServer
import JSONCoding
import StoreTesting
import Testing
import TestBasics

@Suite("Cursors while data changes")
struct CursorTests {
    @Test(
        "each object that stays as it is comes once and in its place",
        arguments: DogOwnersGatewayFixture.Kind.allCases, ["", "age", "-age", "breed,-age", "-breed,name"])
    func walk(kind: DogOwnersGatewayFixture.Kind, sort: String) throws {
        var random = SeededRandom.ofTest("\(kind) \(sort)")
        let seed = random.seed
        for _ in 0..<4 {
            let wire = try DogOwnersGatewayFixture(kind).wire
            var next = 100
            func dog(_ random: inout SeededRandom) -> String {
                next += 1
                let age = random.oneIn(4) ? "null" : "\(random.below(4))"
                let breed = random.oneIn(4) ? "null" : #""b\#(random.below(3))""#
                return #"{"id":\#(next),"name":"n\#(random.below(5))","age":\#(age),"breed":\#(breed)}"#
            }
            let dogs = (0..<30).map { _ in dog(&random) }.joined(separator: ",")
            guard try wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201 else { throw WireFailure("dogs") }
            let before = try wire.send(.get, "/v1/objects/Dog\(Place.query([("sort", sort)]))").rows
            var touched: Set<Int> = []
            var seen: [JSONValue] = []
            var after = ""
            var pages = 0
            repeat {
                let limit = "\(1 + random.below(5))"
                let page = try wire.send(
                    .get, "/v1/objects/Dog\(Place.query([("sort", sort), ("limit", limit), ("after", after)]))")
                #expect(page.status == 200, "seed \(seed): \(page)")
                seen += page.rows
                after = page["next"]?.asString ?? ""
                // The object of the cursor is changed or deleted like any other; new ones are inserted everywhere.
                for _ in 0..<random.below(4) {
                    let any = random.oneIn(2) ? page.rows.last : random.pick(before)
                    guard let id = any?["id"]?.asInt else { continue }
                    switch random.below(3) {
                    case 0:
                        touched.insert(id)
                        _ = try wire.send(.delete, "/v1/objects/Dog/\(id)")
                    case 1:
                        touched.insert(id)
                        _ = try wire.send(
                            .patch, "/v1/objects/Dog/\(id)",
                            #"{"age":\#(random.below(4)),"breed":"b\#(random.below(3))"}"#)
                    default: _ = try wire.send(.post, "/v1/objects/Dog", dog(&random))
                    }
                }
                pages += 1
            } while !after.isEmpty && pages < 200
            let stayed = before.filter { !touched.contains($0["id"]?.asInt ?? 0) }
            let known = Set(stayed.compactMap { $0["id"]?.asInt })
            #expect(
                seen.filter { known.contains($0["id"]?.asInt ?? 0) } == stayed, "seed \(seed), sort '\(sort)'")
        }
    }
}
