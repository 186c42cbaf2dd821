import EmbeddedStore
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// A gateway to the embedded store with a class whose objects link to each other and may be large.
final class WebFixture {
    let gateway: Gateway
    let router: Router
    /// The budgets of all reads that began on a loop.
    let budgets = Recorded<QueryBudget>()
    let store: EmbeddedStore
    private let home: TestDirectory

    static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Web","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"text","type":"string?"},{"name":"photo","type":"data?"},
            {"name":"rank","type":"int","default":0},
            {"name":"next","type":"Web?"},{"name":"all","type":"Web[]"},{"name":"names","type":"string{}"},
            {"name":"words","type":"string[]"},{"name":"extra","type":"mixed"},
            {"name":"sources","type":"linkingObjects(Web.all)"}]}]}
        """#

    init(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws {
        home = try TestDirectory()
        let schema = try SchemaCoding.decode(try JSONValue.parse(Self.schema))
        store = try EmbeddedStore.open(path: home.path + "/store", schema: schema)
        var configuration = GatewayConfiguration.untimed
        configuration.watchLoop = { [budgets] in budgets.add($0) }
        configuration.inlineMilliseconds = 1_000
        configure(&configuration)
        gateway = try Gateway(store: store, configuration: configuration)
        router = gateway.router
    }

    func send(_ method: HTTPMethod, _ target: String, _ body: String? = nil, _ headers: HeaderFields = [:]) throws
        -> Response
    {
        var headers = headers
        if body != nil { headers["Content-Type"] = "application/json" }
        return try router.answer(try Request(method, target, headers: headers, body: Array((body ?? "").utf8)))
    }

    func fill(_ rows: [String]) throws {
        for start in stride(from: 0, to: rows.count, by: 50) {
            let part = rows[start..<min(start + 50, rows.count)].joined(separator: ",")
            let answer = try send(.post, "/v1/objects/Web?update=modified", "[\(part)]")
            guard answer.status < 300 else { throw WireFailure(answer.text) }
        }
    }
}

/// Records events from any thread.
final class Recorded<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    func add(_ element: Element) { elements.withLock { $0.append(element) } }
    func takeAll() -> [Element] {
        elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
    }
}

@Suite("Bounds of answers")
struct BoundedAnswerTests {
    @Test("pages joined are one fresh query, however few bytes an answer may have", arguments: 0..<4 * TestRun.length)
    func paging(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let comment: Comment = "seed \(random.seed)"
        let bytes = [1024, 3_000, 20_000, 60_000][round % 4]
        let home = try WebFixture {
            $0.answerBytes = bytes
            // So that workers continue some of the pages.
            $0.inlineBytes = 64 << 10
        }
        let whole = try WebFixture()
        let count = 30 + random.below(30)
        let rows = (0..<count).map { id -> String in
            let size = random.oneIn(8) ? random.below(90_000) : random.below(2_000)
            let links = (0..<random.below(4)).map { _ in String(random.below(id + 1)) }.joined(separator: ",")
            let text = random.oneIn(5) ? "null" : "\"\(String(repeating: "x\u{e9}", count: size / 3))\""
            let words = (0..<random.below(20)).map { "\"w\($0)\"" }.joined(separator: ",")
            return #"{"id":\#(id),"text":\#(text),"rank":\#(random.below(5)),"words":[\#(words)],"all":[\#(links)],"#
                + #""next":\#(random.oneIn(2) ? "null" : String(random.below(id + 1))),"names":{"a":"\#(id)"}}"#
        }
        try home.fill(rows)
        try whole.fill(rows)
        let all = (0..<count).map(String.init).joined(separator: ",")
        for each in [home, whole] {
            #expect(try each.send(.post, "/v1/objects/Web", #"{"id":5000,"all":[\#(all)]}"#).status == 201)
        }
        for _ in 0..<8 {
            let path = random.pick(["Web", "Web/5000/all"]) ?? "Web"
            var parameters = random.pick(["", "&sort=rank", "&sort=-rank,id", "&filter=rank%20%3E%201"]) ?? ""
            parameters +=
                random.pick([
                    "", "&fields=id,text", "&fields=id,words,names", "&fields=id&expand=next", "&fields=id,rank",
                ])
                ?? ""
            if path == "Web" {
                parameters +=
                    random.pick(
                        ["", "&filter=id%20%3C%205000&fields=id,sources"].filter {
                            $0.isEmpty || !parameters.contains("fi")
                        }) ?? ""
            }
            let limit = random.pick([1, 3, 17, 1_000]) ?? 17
            let expected = try whole.send(.get, "/v1/objects/\(path)?limit=10000\(parameters)")
            #expect(expected.status == 200)
            guard case .array(let wanted)? = try JSONValue.parse(expected.bodyBytes)["items"] else { continue }
            var found: [JSONValue] = []
            var after: String?
            repeat {
                let target = "/v1/objects/\(path)?limit=\(limit)\(parameters)" + (after.map { "&after=\($0)" } ?? "")
                let answer = try home.send(.get, target)
                // The targets of one object's links may be too large for any response.
                guard answer.status == 200 else {
                    #expect(answer.member("code") == .string("answer.too_large"), comment)
                    #expect(parameters.contains("expand") || !parameters.contains("fields"), comment)
                    break
                }
                let body = answer.bodyBytes
                let page = try JSONValue.parse(body)
                guard case .array(let items)? = page["items"], !items.isEmpty else {
                    Issue.record("an empty page of \(target) \(comment)")
                    break
                }
                found += items
                // One object may exceed the limit, but the ones before it do not.
                if items.count > 1 {
                    let last = JSONWriter()
                    last.value(items[items.count - 1])
                    #expect(body.count <= bytes + last.count + 1_000, comment)
                }
                if case .string(let next)? = page["next"] { after = next } else { after = nil }
                if after == nil { #expect(found == wanted, comment) }
            } while after != nil
            #expect(Array(wanted.prefix(found.count)) == found, comment)
        }
    }

    /// Requests for large results, one of each kind of read.
    static let hostile = [
        "objects/Web/1?expand=all.all", "objects/Web/1?expand=all.all.all.all",
        "objects/Web/1?fields=sources&expand=sources.all",
        "objects/Web/1?fields=sources", "objects/Web?expand=all.all&limit=200", "objects/Web?limit=1000",
        "objects/Web/1/all?expand=all",
        "objects/Web/1/sources?expand=sources", "objects/Web/1/all", "objects/Web/900", "objects/Web/900/text",
        "objects/Web/901/extra",
        "objects/Web/902/names", "objects/Web/903/words?limit=1000",
        "objects/Web/903/words?filter=SELF%20CONTAINS%20'zz'",
        "objects/Web/902?fields=names", "objects/Web/901", "objects/Web/903",
        "objects/Web?filter=text%20CONTAINS%20'zz'", "objects/Web?filter=ANY%20all.all.all.rank%20%3E%205",
        "objects/Web?filter=ALL%20all.all.text%20%3D%3D%20'q'&count=true", "objects/Web?sort=text&limit=1",
        "objects/Web?distinct=text&fields=id",
        "sections/objects/Web?by=rank", "sections/objects/Web?by=rank&expand=all.all",
        "sections/objects/Web?by=text&fields=id",
        "sections/objects/Web/903/words?by=self", "aggregates/objects/Web?by=text",
        "aggregates/objects/Web?max=rank&filter=text%20ENDSWITH%20'zz'",
        "values/objects/Web?key=text", "values/objects/Web?keyPath=all.all.rank",
        "values/objects/Web?keyPath=%40unionOfArrays.words",
        "values/objects/Web?keyPath=%40distinctUnionOfObjects.text",
        "index/objects/Web?matching=text%20CONTAINS%20'zz'",
        "values/objects/Web/903/words?key=self", "objects/Web?fields=id,names&limit=1000",
        "objects/Web/1/all/0/all/1/all?expand=all",
    ]

    @Test("no read writes more than a little on a loop, whatever is stored")
    func loops() throws {
        // What a worker answers may be short: only what is done on the loop counts.
        let home = try WebFixture { $0.answerBytes = 1 << 20 }
        let links = (0..<110).map(String.init).joined(separator: ",")
        try home.fill((0..<110).map { #"{"id":\#($0)}"# })
        for id in 0..<110 {
            #expect(try home.send(.patch, "/v1/objects/Web/\(id)", #"{"all":[\#(links)]}"#).status == 200)
        }
        let long = String(repeating: "abcdefgh", count: 80 << 10)
        try home.fill((900..<906).map { #"{"id":\#($0),"text":"\#(long)"}"# })
        let words = (0..<16).map { _ in "\"\(long.prefix(50_000))\"" }.joined(separator: ",")
        let names = (0..<16).map { "\"k\($0)\":\"\(long.prefix(50_000))\"" }.joined(separator: ",")
        #expect(
            try home.send(.patch, "/v1/objects/Web/901", #"{"text":null,"extra":{"deep":[\#(words)]}}"#).status == 200)
        #expect(try home.send(.patch, "/v1/objects/Web/902", #"{"text":null,"names":{\#(names)}}"#).status == 200)
        #expect(try home.send(.patch, "/v1/objects/Web/903", #"{"text":null,"words":[\#(words)]}"#).status == 200)
        _ = home.budgets.takeAll()
        for read in Self.hostile {
            let reply = home.router.respond(to: try Request(.get, "/v1/\(read)"))
            // Everything done on this thread, which acts as the loop.
            for budget in home.budgets.takeAll() {
                #expect(budget.usedEffort <= 10_000, "\(read)")
                #expect(budget.usedBytes <= 256 << 10, "\(read)")
            }
            if case .now(let response) = reply {
                #expect(response.contentLength <= 512 << 10, "\(read)")
                if case .pieces = response.body { Issue.record("\(read) goes on from a loop's snapshot") }
                #expect(response.status < 500, "\(read)")
            }
            let answer = try Self.finish(reply)
            #expect([200, 400].contains(answer.status), "\(read): \(answer.text.prefix(300))")
            if answer.status == 400 {
                let code = answer.member("code")
                #expect(
                    code == .string("answer.too_large") || code == .string("parameter.expansion_too_large")
                        || code == .string("query.too_expensive"), "\(read): \(answer.text.prefix(300))")
            }
            _ = home.budgets.takeAll()
        }
    }

    /// Waits for a response that comes later.
    private static func finish(_ reply: Reply) throws -> Response {
        var router = Router()
        router.on(.get, "/") { _, _ in reply }
        return try router.answer(try Request(.get, "/"))
    }

    @Test("a small read stays on the loop")
    func small() throws {
        let home = try WebFixture()
        try home.fill((0..<300).map { #"{"id":\#($0),"text":"t\#($0)","all":[\#($0 / 2)]}"# })
        for read in [
            "objects/Web/7", "objects/Web/7?expand=all", "objects/Web",
            "objects/Web?filter=rank%20%3D%3D%200&sort=text",
            "aggregates/objects/Web?sum=rank", "sections/objects/Web?by=rank&limit=20", "objects/Web/7/all",
        ] {
            guard case .now(let response) = home.router.respond(to: try Request(.get, "/v1/\(read)")) else {
                Issue.record("\(read) went to a worker")
                continue
            }
            #expect(response.status == 200)
        }
    }

    @Test("what cannot be continued is refused when it is too large, and an object alone is not")
    func refusals() throws {
        let home = try WebFixture { $0.answerBytes = 10_000 }
        let text = String(repeating: "x", count: 4_000)
        let links = (0..<20).map(String.init).joined(separator: ",")
        try home.fill((0..<20).map { #"{"id":\#($0),"text":"\#(text)"}"# })
        try home.fill([
            #"{"id":50,"text":"\#(text)\#(text)\#(text)","words":["\#(text)","\#(text)","\#(text)"],"all":[\#(links)]}"#
        ])
        for read in [
            "objects/Web/50?expand=all", "objects/Web?filter=id%20%3D%3D%2050&expand=all",
            "sections/objects/Web?by=rank",
            "values/objects/Web?key=text", "values/objects/Web?keyPath=%40unionOfObjects.text",
            "aggregates/objects/Web?by=text,id", "objects/Web/50/words",
            "sections/objects/Web?by=text&keys=true&filter=id%3E3&sort=id",
        ] {
            let answer = try home.send(.get, "/v1/\(read)")
            if read.contains("keys=true") { continue }
            #expect(
                answer.status == 400 && answer.member("code") == .string("answer.too_large"),
                "\(read) \(answer.text.prefix(200))")
        }
        #expect(try home.send(.get, "/v1/objects/Web/50").status == 200)
        #expect(try home.send(.get, "/v1/objects/Web/50/words?limit=1").status == 200)
        let page = try home.send(.get, "/v1/objects/Web?filter=id%20%3D%3D%2050")
        #expect(page.status == 200 && page.member("next") == nil)
        // An object that cannot be written ends the page before it; the page that begins with it is the error.
        let before = try home.send(.get, "/v1/objects/Web?filter=id%20%3E%3D%2019&expand=all")
        guard case .string(let next)? = before.member("next") else {
            Issue.record("no cursor: \(before.text.suffix(200))")
            return
        }
        let after = try home.send(.get, "/v1/objects/Web?filter=id%20%3E%3D%2019&expand=all&after=\(next)")
        #expect(after.status == 400 && after.member("code") == .string("answer.too_large"))
    }

    @Test("a large page comes in pieces, also compressed, and is the same")
    func pieces() throws {
        let home = try WebFixture()
        let text = String(repeating: "lorem ipsum ", count: 2_000)
        try home.fill((0..<100).map { #"{"id":\#($0),"text":"\#(text)\#($0)"}"# })
        let plain = try home.send(.get, "/v1/objects/Web?fields=id,text&limit=100")
        guard case .pieces = plain.body else {
            Issue.record("not in pieces")
            return
        }
        #expect(plain.headers["ETag"] != nil)
        let page = try JSONValue.parse(plain.bodyBytes)
        #expect(page["items"]?.asArray?.count == 100 && page["next"] == nil)
        let zipped = try home.send(
            .get, "/v1/objects/Web?fields=id,text&limit=100", nil, ["Accept-Encoding": "gzip"])
        #expect(zipped.headers["Content-Encoding"] == "gzip" && zipped.bodyBytes.count < 200_000)
        let same = try home.send(
            .get, "/v1/objects/Web?fields=id,text&limit=100", nil, ["If-None-Match": plain.headers["ETag"] ?? ""])
        #expect(same.status == 304)
    }
}
