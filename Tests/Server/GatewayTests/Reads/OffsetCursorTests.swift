import Basics
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreTesting
import Testing
import TestBasics

@Suite("Cursors of held collections, and with distinct, while data changes")
struct OffsetCursorTests {
    private static func dogs(_ wire: Wire, _ ids: ClosedRange<Int>, _ random: inout SeededRandom) throws {
        let bodies = ids.map {
            #"{"id":\#($0),"name":"n\#(random.below(5))","age":\#(random.below(4)),"breed":"b\#(random.below(9))"}"#
        }
        guard try wire.send(.post, "/v1/objects/Dog", "[\(bodies.joined(separator: ","))]").status == 201 else {
            throw WireFailure("dogs")
        }
    }

    /// Returns all pages, and the result of the query as a whole.
    private static func walk(
        _ wire: Wire, _ collection: String, _ query: [(String, String)], limit: Int
    ) throws -> (seen: [JSONValue], all: [JSONValue]) {
        let all = try wire.send(.get, "/v1/objects/\(collection)\(CollectionPath.query(query))").rows
        var seen: [JSONValue] = []
        var after = ""
        repeat {
            let page = try wire.send(
                .get,
                "/v1/objects/\(collection)\(CollectionPath.query(query + [("limit", "\(limit)"), ("after", after)]))")
            #expect(page.status == 200, "\(page)")
            seen += page.rows
            after = page["next"]?.asString ?? ""
        } while !after.isEmpty && seen.count < 99
        return (seen, all)
    }

    private static func ids(_ rows: [JSONValue]) -> [Int] { rows.compactMap { $0["id"]?.asInt } }

    @Test(
        "an element that stays comes once and in its place", arguments: DogOwnersGatewayFixture.Kind.allCases,
        ["", "age", "-breed,age"])
    func held(kind: DogOwnersGatewayFixture.Kind, sort: String) throws {
        var random = SeededRandom.ofTest("\(kind) \(sort)")
        let seed = random.seed
        for _ in 0..<3 {
            let wire = try DogOwnersGatewayFixture(kind).wire
            try Self.dogs(wire, 100...160, &random)
            var list = Array(100...130).shuffled(using: &random)
            func store(_ list: [Int]) throws {
                let body = "[" + list.map { "\($0)" }.joined(separator: ",") + "]"
                guard try wire.send(.put, "/v1/objects/Person/cy/dogs", body).status < 300 else {
                    throw WireFailure("list")
                }
            }
            try store(list)
            let before = Self.ids(
                try wire.send(.get, "/v1/objects/Person/cy/dogs\(CollectionPath.query([("sort", sort)]))").rows)
            var touched: Set<Int> = []
            var new = 131
            var seen: [Int] = []
            var after = ""
            var pages = 0
            repeat {
                let query = CollectionPath.query([
                    ("sort", sort), ("limit", "\(1 + random.below(5))"), ("after", after),
                ])
                let page = try wire.send(.get, "/v1/objects/Person/cy/dogs\(query)")
                #expect(page.status == 200, "seed \(seed): \(page)")
                seen += Self.ids(page.rows)
                after = page["next"]?.asString ?? ""
                for _ in 0..<random.below(4) {
                    guard let id = random.oneIn(2) ? Self.ids(page.rows).last : random.pick(list) else { continue }
                    switch random.below(4) {
                    case 0:
                        touched.insert(id)
                        list.removeAll { $0 == id }
                        try store(list)
                    case 1 where new <= 160:
                        list.insert(new, at: random.below(list.count + 1))
                        touched.insert(new)
                        new += 1
                        try store(list)
                    case 2:
                        touched.insert(id)
                        list.removeAll { $0 == id }
                        _ = try wire.send(.delete, "/v1/objects/Dog/\(id)")
                    default:
                        guard !sort.isEmpty else { continue }
                        touched.insert(id)
                        _ = try wire.send(
                            .patch, "/v1/objects/Dog/\(id)",
                            #"{"age":\#(random.below(4)),"breed":"b\#(random.below(9))"}"#)
                    }
                }
                pages += 1
            } while !after.isEmpty && pages < 200
            #expect(
                seen.filter { !touched.contains($0) } == before.filter { !touched.contains($0) },
                "seed \(seed), sort '\(sort)'")
        }
    }

    @Test("one element that moves is the only one that comes twice or not at all")
    func moved() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        var random = SeededRandom.ofTest()
        try Self.dogs(wire, 100...109, &random)
        #expect(try wire.send(.put, "/v1/objects/Person/cy/dogs", "[100,101,102,103,104,105]").status < 300)
        let page = try wire.get("/v1/objects/Person/cy/dogs", ["limit": "3"])
        #expect(Self.ids(page.rows) == [100, 101, 102])
        let after = try #require(page["next"]?.asString)
        // Moves the element that the cursor follows to the end.
        #expect(try wire.send(.post, "/v1/objects/Person/cy/dogs/move", #"{"from":2,"to":5}"#).status < 300)
        let rest = try wire.get("/v1/objects/Person/cy/dogs", ["limit": "9", "after": after])
        #expect(Self.ids(rest.rows) == [103, 104, 105, 102])
        #expect(rest["next"] == nil)
    }

    static let paths = ["Person/ada/dogs", "Person/ada/pets", "Person/dee/friends", "Dog/2/owners"]

    @Test(
        "page by page is all of it, of every kind of collection", arguments: DogOwnersGatewayFixture.Kind.allCases,
        paths)
    func pages(kind: DogOwnersGatewayFixture.Kind, collection: String) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        for (name, value) in [
            ("", ""), ("sort", "-age"), ("distinct", "age"), ("filter", "age > 2 SORT(age DESC) LIMIT(2)"),
        ] {
            let (seen, all) = try Self.walk(wire, collection, [(name, value)], limit: 1)
            #expect(seen == all, "\(collection) \(name) \(value)")
        }
    }

    @Test(
        "with distinct, a page is what the whole result has behind the cursor now",
        arguments: DogOwnersGatewayFixture.Kind.allCases)
    func distinct(kind: DogOwnersGatewayFixture.Kind) throws {
        var random = SeededRandom.ofTest(kind)
        let seed = random.seed
        for sort in ["id", "-id", ""] {
            let wire = try DogOwnersGatewayFixture(kind).wire
            try Self.dogs(wire, 100...140, &random)
            var last: Int?
            var after = ""
            var pages = 0
            repeat {
                let query = [("sort", sort), ("distinct", "breed")]
                let all = Self.ids(try wire.send(.get, "/v1/objects/Dog\(CollectionPath.query(query))").rows)
                let limit = 1 + random.below(3)
                let page = try wire.send(
                    .get, "/v1/objects/Dog\(CollectionPath.query(query + [("limit", "\(limit)"), ("after", after)]))")
                // Objects are created in the order of their ids.
                let rest = all.filter { id in last.map { sort == "-id" ? id < $0 : id > $0 } ?? true }
                #expect(Self.ids(page.rows) == Array(rest.prefix(limit)), "seed \(seed), sort '\(sort)'")
                last = Self.ids(page.rows).last ?? last
                after = page["next"]?.asString ?? ""
                for _ in 0..<random.below(4) {
                    guard let id = random.pick(all) else { continue }
                    _ =
                        try random.oneIn(2)
                        ? wire.send(.delete, "/v1/objects/Dog/\(id)")
                        : wire.send(.patch, "/v1/objects/Dog/\(id)", #"{"breed":"b\#(random.below(9))"}"#)
                }
                pages += 1
            } while !after.isEmpty && pages < 60
            if TestRun.hasFixedSeeds { #expect(pages > 1, "seed \(seed)") }
        }
    }

    @Test("several sorts and limits have cursors, too", arguments: DogOwnersGatewayFixture.Kind.allCases)
    func steps(kind: DogOwnersGatewayFixture.Kind) throws {
        let wire = try DogOwnersGatewayFixture(kind).wire
        var random = SeededRandom.ofTest(kind)
        try Self.dogs(wire, 100...140, &random)
        for filter in [
            "TRUEPREDICATE SORT(age ASC) SORT(breed DESC)", "TRUEPREDICATE SORT(age DESC) LIMIT(17) SORT(name ASC)",
            "TRUEPREDICATE SORT(age DESC) DISTINCT(breed) SORT(name ASC)", "age > 0 DISTINCT(name, age) LIMIT(9)",
        ] {
            let (seen, all) = try Self.walk(wire, "Dog", [("filter", filter)], limit: 4)
            #expect(seen == all, "seed \(random.seed): \(filter)")
        }
    }

    @Test("a cursor of another collection or query is refused, and one of a version that is not known")
    func refused() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let after = try #require(try wire.get("/v1/objects/Person/ada/dogs", ["limit": "1"])["next"]?.asString)
        for target in ["Person/bob/dogs?after=", "Person/ada/dogs?sort=age&after=", "Dog?after="] {
            let answer = try wire.send(.get, "/v1/objects/\(target)\(after)")
            #expect(answer.status == 400 && answer.code == "cursor.mismatch", "\(target): \(answer)")
        }
        let ofClass = try #require(try wire.get("/v1/objects/Dog", ["limit": "1"])["next"]?.asString)
        #expect(try wire.get("/v1/objects/Person/ada/dogs", ["after": ofClass]).code == "cursor.mismatch")
        let json = try JSONValue.parse(try #require(Base64.url.decode(after)))
        guard case .array(let parts) = json else { throw WireFailure("\(json)") }
        let mark = try #require(parts[1].asString)
        #expect(mark == (try wire.mark()))
        let (later, other) = (try wire.mark(99999), mark.dropLast(8) + "00000000")
        for unknown in ["\"\(later)\"", "\"\(other)\""] {
            let made = Base64.url.encode(Array("[\(parts[0].asInt ?? 0),\(unknown),1,\(parts[3].asInt ?? 0)]".utf8))
            // Also for another path: in another history, the same numbers identify other objects.
            for target in ["Person/ada/dogs", "Person/bob/dogs", "Dog"] {
                let gone = try wire.get("/v1/objects/\(target)", ["after": made])
                #expect(gone.status == 410 && gone.code == "cursor.gone", "\(gone)")
            }
        }
        // Without a mark, as in earlier releases.
        let unmarked = Base64.url.encode(Array("[3,3,1,\(parts[3].asInt ?? 0)]".utf8))
        #expect(try wire.get("/v1/objects/Person/ada/dogs", ["after": unmarked]).code == "cursor.gone")
        let damaged = Base64.url.encode(Array("[\(parts[0].asInt ?? 0),3,1,\(parts[3].asInt ?? 0)]".utf8))
        #expect(try wire.get("/v1/objects/Person/ada/dogs", ["after": damaged]).code == "cursor.invalid")
    }

    @Test("in a snapshot cursors go on as if nothing happened")
    func frozen() throws {
        let wire = try DogOwnersGatewayFixture(.embedded).wire
        let id = try #require(try wire.send(.post, "/v1/snapshots")["snapshot"]?.asString)
        let first = try wire.get("/v1/objects/Person/ada/dogs", ["limit": "1", "snapshot": id])
        #expect(try wire.send(.put, "/v1/objects/Person/ada/dogs", "[3]").status < 300)
        let after = try #require(first["next"]?.asString)
        let rest = try wire.get("/v1/objects/Person/ada/dogs", ["after": after, "snapshot": id])
        #expect(Self.ids(rest.rows) == [2, 1])
    }
}
