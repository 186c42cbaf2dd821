import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import TestBasics
import Testing

@Suite("Collections over HTTP")
struct CollectionTests {
    static let examples: [(String, String)] = [
        ("/v1/objects/Dog?fields=_id", #"{"version":4,"items":[{"_id":1},{"_id":2},{"_id":3},{"_id":4}]}"#),
        (
            "/v1/objects/Dog?fields=_id&sort=breed,-weight",
            #"{"version":4,"items":[{"_id":1},{"_id":3},{"_id":2},{"_id":4}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&filter=age+%3E+10&count=true",
            #"{"version":4,"count":2,"items":[{"_id":2},{"_id":4}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&filter=owner.city+%3D%3D+%240&args=%5B%22Turin%22%5D",
            #"{"version":4,"items":[{"_id":1},{"_id":4}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&filter=born+%3E+%240&args=%5B%7B%22%24date%22%3A%222000-01-01%22%7D%5D",
            #"{"version":4,"items":[{"_id":1}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&filter=age+IN+%240&args=%5B%5B7%2C14%5D%5D",
            #"{"version":4,"items":[{"_id":1},{"_id":4}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&filter=owner+%3D%3D+%240&args=%5B%7B%22%24link%22%3A%7B%22class%22%3A%22Person%22%2C%22key%22%3A%22bob%22%7D%7D%5D",
            #"{"version":4,"items":[{"_id":2}]}"#
        ),
        ("/v1/objects/Dog?fields=_id&distinct=breed&sort=-_id", #"{"version":4,"items":[{"_id":4},{"_id":3}]}"#),
        (
            "/v1/objects/Dog?fields=_id&filter=TRUEPREDICATE+SORT(age+DESC)+LIMIT(2)&sort=_id",
            #"{"version":4,"items":[{"_id":2},{"_id":4}]}"#
        ),
        (
            "/v1/objects/Dog?fields=_id&offset=1&limit=1&filter=TRUEPREDICATE+LIMIT(3)",
            #"{"version":4,"items":[{"_id":2}],"next":"WzQsIjQtMGExYjJjM2QiLDEsLTM3NTA3NjMwMzQzNjI4OTU1NzksMSxbXV0"}"#
        ),
        ("/v1/objects/Dog?limit=0&count=true", #"{"version":4,"count":4,"items":[]}"#),
        (
            "/v1/objects/Person?fields=handle&expand=dogs&filter=handle+%3D%3D+'bob'",
            #"{"version":4,"items":[{"handle":"bob","dogs":[{"_id":2,"name":"Fido","breed":"Whippet","age":12,"weight":13.0,"good":true,"born":"1970-01-01T00:00:00Z","owner":"bob","friend":1}]}]}"#
        ),
        ("/v1/objects/Note?count=true", #"{"version":4,"count":0,"items":[]}"#),
        ("/v1/aggregates/objects/Dog", #"{"version":4,"count":4}"#),
        ("/v1/aggregates/objects/Dog?count", #"{"version":4,"count":4}"#),
        ("/v1/aggregates/objects/Dog?count=true&filter=FALSEPREDICATE", #"{"version":4,"count":0}"#),
        (
            "/v1/aggregates/objects/Dog?min=age&max=age&sum=weight&sum=age&average=age&max=born&filter=breed%3D%3D'Whippet'",
            #"{"version":4,"count":2,"min":{"age":12},"max":{"age":14,"born":"1970-01-01T00:00:00Z"},"sum":{"weight":25.25,"age":26},"average":{"age":13.0}}"#
        ),
        (
            "/v1/aggregates/objects/Dog?min=age&sum=age&average=weight&filter=FALSEPREDICATE",
            #"{"version":4,"count":0,"min":{"age":null},"sum":{"age":0},"average":{"weight":null}}"#
        ),
        (
            "/v1/aggregates/objects/Dog?max=born&types=typed",
            #"{"version":4,"count":4,"max":{"born":{"$date":"2019-03-02T08:30:00Z"}}}"#
        ),
    ]

    @Test("a query gives the objects asked for", arguments: examples)
    func answers(target: String, expected: String) throws {
        let gateway = try TestGateway()
        try gateway.fill()
        let response = try gateway.get(target)
        #expect(Unmarked.text(response.text) == Unmarked.text(expected))
        #expect(response.status == 200)
        let tag = "\"\(try gateway.mark(4))\""
        #expect(response.headers["ETag"] == tag)
        #expect(try gateway.get(target, headers: ["If-None-Match": tag]).status == 304)
        #expect(try gateway.get(target, headers: ["If-None-Match": "\"4\""]).status == 200)
        #expect(try gateway.get(target, headers: ["If-None-Match": "\"\(try gateway.mark(3))\""]).status == 200)
    }

    @Test("a class with many objects is read by a worker with the same answer")
    func workers() throws {
        let gateway = try TestGateway { $0.inlineObjects = 1 }
        try gateway.fill()
        let request = try Request(.get, "/v1/objects/Dog?fields=_id&limit=1")
        guard case .later = gateway.router.respond(to: request) else {
            Issue.record("answered on the loop")
            return
        }
        #expect(try gateway.get("/v1/objects/Dog?fields=_id&offset=3").text == #"{"version":4,"items":[{"_id":4}]}"#)
    }

    @Test("a large body is read by a worker with the same answer")
    func largeBody() throws {
        let gateway = try TestGateway { $0.inlineBody = 10 }
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"[{"_id":1},{"_id":2}]"#).status == 201)
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"{"_id":1,"name":"x"}"#).status == 409)
        #expect(try gateway.send(.post, "/v1/objects/Dog", #"{"_id":3,"name":"#).status == 400)
        #expect(try gateway.get("/v1/objects/Dog?limit=0&count=true").text == #"{"version":2,"count":2,"items":[]}"#)
    }

    @Test("reads beyond what may wait are refused")
    func busy() throws {
        let gateway = try TestGateway {
            $0.inlineObjects = -1
            $0.workerQueue = 0
        }
        let response = try gateway.get("/v1/objects/Dog")
        #expect(response.status == 503)
        #expect(response.headers["Retry-After"] == "1")
    }

    @Test("pages joined are the whole, also while objects come and go", arguments: 0..<6)
    func paging(round: Int) throws {
        let seed = TestSeed.of(round)
        var random = SeededRandom(seed: seed)
        let gateway = try TestGateway()
        let sorts = [
            "", "&sort=age", "&sort=-age,weight", "&sort=friend.age,-breed", "&sort=born", "&sort=-owner.city",
        ]
        let sort = sorts[round]
        func insert(_ id: Int) throws {
            let age =
                Int.random(in: 0..<6, using: &random) == 0 ? "null" : String(Int.random(in: 0..<4, using: &random))
            let weight =
                Int.random(in: 0..<5, using: &random) == 0 ? "\"NaN\"" : String(Int.random(in: 0..<3, using: &random))
            let friend =
                id > 0 && Bool.random(using: &random) ? String(Int.random(in: 0..<min(id, 30), using: &random)) : "null"
            let owner =
                Bool.random(using: &random)
                ? "null" : #"{"handle":"h\#(id % 3)","city":\#(id % 3 == 0 ? "null" : "\"c\"")}"#
            let body = #"{"_id":\#(id),"age":\#(age),"weight":\#(weight),"friend":\#(friend),"owner":\#(owner)}"#
            let response = try gateway.send(.post, "/v1/objects/Dog?update=modified", body)
            #expect(response.status == 201, "\(response.text), seed \(seed)")
        }
        for id in 0..<60 { try insert(id) }
        let whole = try ids(gateway.get("/v1/objects/Dog?fields=_id&limit=1000" + sort))
        #expect(whole.items.count == 60)
        #expect(whole.next == nil)

        // Without changes the pages are exactly the whole result.
        var paged: [Int64] = []
        var next: String?
        repeat {
            let limit = Int.random(in: 1...9, using: &random)
            let page = try ids(
                gateway.get("/v1/objects/Dog?fields=_id&limit=\(limit)\(sort)" + (next.map { "&after=\($0)" } ?? "")))
            #expect(page.items.count == limit || page.next == nil, "seed \(seed)")
            paged += page.items
            next = page.next
        } while next != nil
        #expect(paged == whole.items, "seed \(seed)")

        // Objects are created and deleted meanwhile: those that remain occur once and in order.
        paged = []
        var deleted: Set<Int64> = []
        var id = 60
        repeat {
            let page = try ids(
                gateway.get("/v1/objects/Dog?fields=_id&limit=7\(sort)" + (next.map { "&after=\($0)" } ?? "")))
            paged += page.items
            next = page.next
            for _ in 0..<3 {
                try insert(id)
                id += 1
            }
            // Objects that others link to are not deleted, so that no object's sort position changes.
            let victim = Int64.random(in: 30..<60, using: &random)
            if deleted.insert(victim).inserted { _ = try gateway.send(.delete, "/v1/objects/Dog/\(victim)") }
            #expect(paged.count < 1000, "paging does not end, seed \(seed)")
        } while next != nil && paged.count < 1000
        #expect(Set(paged).count == paged.count, "an object came twice, seed \(seed)")
        let stayed = whole.items.filter { !deleted.contains($0) }
        let kept = Set(stayed)
        #expect(paged.filter { kept.contains($0) } == stayed, "seed \(seed)")
    }

    private func ids(_ response: Response) throws -> (items: [Int64], next: String?) {
        #expect(response.status == 200, "\(response.text)")
        guard case .array(let items)? = response.member("items") else { return ([], nil) }
        var next: String?
        if case .string(let text)? = response.member("next") { next = text }
        return (
            items.compactMap { item in
                guard case .int(let id)? = item["_id"] else { return nil }
                return id
            }, next
        )
    }

    @Test("an expansion that grows beyond all measure is refused")
    func expansionLimit() throws {
        let gateway = try TestGateway()
        try gateway.store.write { transaction in
            let schema = transaction.schema
            guard let dog = schema["Dog"], let person = schema["Person"], let id = dog["_id"]?.id,
                let owner = dog["owner"]?.id,
                let handle = person["handle"]?.id
            else { return }
            let ada = try transaction.create(person.id, [handle: .string("ada")])
            for number in 0..<400 {
                _ = try transaction.create(dog.id, [id: .int(Int64(number)), owner: .link(ada)])
            }
        }
        let response = try gateway.get("/v1/objects/Dog?limit=400&expand=owner.dogs")
        #expect(response.status == 400)
        #expect(response.member("code") == .string("parameter.expansion_too_large"))
        #expect(try gateway.get("/v1/objects/Dog?limit=10&expand=owner.dogs").status == 200)
    }
}
