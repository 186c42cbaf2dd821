import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreContract
import Synchronization
import Testing

@Suite("Query budgets")
struct BudgetTests {
    @Test("work beyond the rows is refused, and so is all that follows")
    func rows() throws {
        let budget = QueryBudget(rows: 10, milliseconds: nil)
        try budget.spend(10)
        for _ in 0..<2 {
            #expect(throws: StoreError.self) { try budget.spend(1) }
        }
        let free = QueryBudget(rows: nil, milliseconds: nil)
        try free.spend(1 << 40)
        #expect(free.usedRows == 1 << 40)
    }

    @Test("the time is looked at while rows are counted")
    func time() throws {
        let clock = Mutex<Int64>(7)
        let budget = QueryBudget(rows: nil, milliseconds: 50) { clock.withLock { $0 } }
        // The time begins with the first row.
        clock.withLock { $0 += 3_600_000_000_000 }
        for _ in 0..<10_000 { try budget.spend(1) }
        clock.withLock { $0 += 50_000_000 }
        let error = #expect(throws: StoreError.self) { for _ in 0..<5_000 { try budget.spend(1) } }
        #expect(error?.code == .tooExpensive && error?.message.contains("50 milliseconds") == true)
    }

    @Test("a small budget pays for a scan by its cost, and refuses one that it does not pay for before it begins")
    func scans() throws {
        func small(rows: Int? = nil) -> QueryBudget {
            QueryBudget(rows: rows, effort: 100, bytes: 1 << 20, milliseconds: nil)
        }
        // Sixty-four nanoseconds are one lookup.
        let cheap = small()
        try cheap.checkScan(of: 6000, nanoseconds: 1)
        try cheap.spend(scanned: 6000, nanoseconds: 1)
        #expect(cheap.usedRows == 6000 && cheap.usedEffort == 94)
        #expect(throws: StoreError.self) { try cheap.spend(handled: 7) }
        #expect(throws: StoreError.self) { try small().checkScan(of: 7000, nanoseconds: 1) }
        #expect(throws: StoreError.self) { try small().spend(scanned: 101, nanoseconds: 500) }
        // The rows of a request are counted whatever they cost.
        #expect(throws: StoreError.self) { try small(rows: 50).spend(scanned: 51, nanoseconds: 0) }
        let large = QueryBudget(rows: nil, milliseconds: nil)
        try large.checkScan(of: 1 << 40, nanoseconds: 500)
        try large.spend(handled: 1 << 40)
        #expect(large.usedRows == 0)
    }

    /// Reads that scan all dogs.
    static let costly = [
        "objects/Dog?filter=age%20%3E%203&count=true", "objects/Dog?sort=name&limit=1", "objects/Dog?distinct=name",
        "objects/Dog?filter=name%20CONTAINS%20'x'&count=true", "objects/Person?filter=ANY%20dogs.age%20%3E%201000",
        "objects/Dog?filter=owners.%40count%20%3E%207",
        "aggregates/objects/Dog?sum=age", "aggregates/objects/Dog?by=name",
        "aggregates/objects/Dog?filter=age%20%3E%203",
        "sections/objects/Dog?by=name", "index/objects/Dog?matching=age%20%3E%201000", "values/objects/Dog?key=name",
        "values/objects/Dog?keyPath=%40max.age", "objects/Dog?filter=age%20%3E%203&explain=true&limit=500",
        "objects/Person/ada/dogs?sort=age", "aggregates/objects/Person/ada/nums?sum",
    ]

    private func home(rows: Int?) throws -> DogOwnersGatewayFixture {
        let home = try DogOwnersGatewayFixture(.embedded) { $0.queryRows = rows }
        let dogs = (100..<600).map { #"{"id":\#($0),"name":"d\#($0 % 50)","age":\#($0 % 20)}"# }.joined(separator: ",")
        guard try home.wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201 else { throw WireFailure("dogs") }
        let keys = (100..<600).map(String.init).joined(separator: ",")
        let change = #"{"dogs":[\#(keys)],"nums":[\#(keys)]}"#
        guard try home.wire.send(.patch, "/v1/objects/Person/ada", change).status == 200 else {
            throw WireFailure("ada")
        }
        return home
    }

    @Test("a read that looks at more than it may is refused with what to do")
    func refused() throws {
        let wire = try home(rows: 400).wire
        for read in Self.costly {
            let answer = try wire.send(.get, "/v1/\(read)")
            #expect(answer.status == 400 && answer.code == "query.too_expensive", "\(read) \(answer.text.prefix(200))")
            #expect(answer["detail"]?.asString?.contains("400 rows") == true)
        }
        // Each request has a budget of its own, and small ones succeed.
        for read in [
            "objects/Dog/100", "objects/Dog?limit=10", "objects/Dog?filter=id%20%3D%3D%20333", "aggregates/objects/Dog",
        ] {
            let answer = try wire.send(.get, "/v1/\(read)")
            #expect(answer.status == 200, "\(read) \(answer.text.prefix(200))")
        }
    }

    @Test("the same reads answer the same with a budget that is large enough")
    func enough() throws {
        let (limited, free) = (try home(rows: 1_000_000).wire, try home(rows: nil).wire)
        for read in Self.costly where !read.contains("explain") {
            let answer = try limited.send(.get, "/v1/\(read)")
            #expect(answer.status == 200, "\(read) \(answer.text.prefix(200))")
            #expect(try Unmarked.text(answer.text) == Unmarked.text(free.send(.get, "/v1/\(read)").text))
        }
    }

    @Test("a stream's first result counts as well, and what follows does not")
    func streams() throws {
        let wire = try home(rows: 400).wire
        let refused = try wire.observe("/v1/observe/objects/Dog", ["filter": "name CONTAINS 'x'"])
        #expect(try refused.next("error")["code"] == "query.too_expensive")
        #expect(refused.ends())
        let sections = try wire.observe("/v1/observe/sections/Dog", ["by": "name"])
        #expect(try sections.next("error")["code"] == "query.too_expensive")
        let small = try wire.observe("/v1/observe/objects/Person", ["filter": "age > 5"])
        #expect(try small.next("initial")["items"]?.asArray?.count == 3)
        #expect(try wire.send(.put, "/v1/values/objects/Dog?key=age&all", "3").status == 200)
        #expect(try wire.send(.patch, "/v1/objects/Person/ada", #"{"age":4}"#).status == 200)
        // The people can reach the dogs through links, and their result is reported first.
        #expect(try small.next("update")["modifications"]?.asArray?.isEmpty == false)
        #expect(try small.next("update")["deletions"] == [0])
    }

    @Test("a time of nothing ends everything but what costs nothing")
    func noTime() throws {
        let home = try DogOwnersGatewayFixture(.embedded) { $0.queryMilliseconds = 0 }
        let dogs = (100..<6000).map { #"{"id":\#($0),"name":"d","age":\#($0 % 20)}"# }.joined(separator: ",")
        #expect(try home.wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201)
        let answer = try home.wire.get("/v1/objects/Dog", ["filter": "age > 50"])
        #expect(answer.code == "query.too_expensive" && answer["detail"]?.asString?.contains("milliseconds") == true)
        #expect(try home.wire.get("/v1/objects/Dog/100").status == 200)
    }
}
