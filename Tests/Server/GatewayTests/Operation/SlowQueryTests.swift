import Gateway
import HTTPMessages
import JSONCoding
import ObjectModel
import RequestHandling
import Synchronization
import TestBasics
import Testing

/// The forms of query that took the most time. Here every query counts, however quick it is.
@Suite("Slow queries")
struct SlowQueryTests {
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_000_000_000)

        @Sendable func now() -> Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }

        func advance(_ more: Int64) { seconds.withLock { $0 += more } }
    }

    private let clock = Clock()
    private let wire: Wire

    init() throws {
        let clock = clock
        wire = try DogOwnersFixture.embedded().noting { $0.clock = clock.now }
    }

    private func forms() throws -> [JSONValue] { try wire.slowQueries() }

    private func read(_ target: String) throws { try wire.read(target) }

    @Test(
        "requests that differ in keys and constants alone are one form",
        arguments: [
            (
                ["objects/Dog?filter=age > 3&limit=2", "objects/Dog?limit=20&filter=age > 4"],
                "/v1/objects/Dog?filter=age > ?&limit=?"
            ),
            (
                ["objects/Dog?filter=name == 'it\\'s' OR id == 2", "objects/Dog?filter=name == \"x\" OR id == 7"],
                "/v1/objects/Dog?filter=name == ? OR id == ?"
            ),
            (
                [
                    "objects/Dog?filter=breed == 'a' OR age IN {1, 2,3}",
                    "objects/Dog?filter=breed == \"x, y\" OR age IN {-7}",
                ], "/v1/objects/Dog?filter=breed == ? OR age IN {?}"
            ),
            (
                [
                    "objects/Person?filter=born > 2001-01-01@00:00:00 AND height < 1.5e3",
                    "objects/Person?filter=born > 2002-01-01@00:00:00 AND height < -2",
                ], "/v1/objects/Person?filter=born > ? AND height < ?"
            ),
            (
                [
                    "objects/Person?filter=extra == uuid(a0000000-0000-0000-0000-000000000000)",
                    "objects/Person?filter=extra == uuid(b0000000-0000-0000-0000-000000000000)",
                ], "/v1/objects/Person?filter=extra == uuid(?)"
            ),
            (
                ["objects/Dog?filter=age > $0&args=[3]", "objects/Dog?args=[4]&filter=age > $0"],
                "/v1/objects/Dog?args=?&filter=age > $0"
            ),
            (
                ["objects/Person/ada/dogs?sort=-age", "objects/Person/bob/dogs?sort=-age"],
                "/v1/objects/Person/:key/dogs?sort=-age"
            ),
            (
                [
                    "aggregates/objects/Dog?by=breed&sum=age&having=count > 1",
                    "aggregates/objects/Dog?by=breed&sum=age&having=count > 2",
                ], "/v1/aggregates/objects/Dog?by=breed&having=count > ?&sum=age"
            ),
            (
                ["aggregates/objects/Person/ada/dogs?max=age", "aggregates/objects/Person/bob/dogs?max=age"],
                "/v1/aggregates/objects/Person/:key/dogs?max=age"
            ), (["values/objects/Dog?key=age"], "/v1/values/objects/Dog?key=age"),
            (["index/objects/Dog?of=1", "index/objects/Dog?of=2"], "/v1/index/objects/Dog?of=?"),
            (["sections/objects/Dog?by=breed"], "/v1/sections/objects/Dog?by=breed"),
        ] as [([String], String)])
    func form(targets: [String], form: String) throws {
        for target in targets { try read(target) }
        let found = try forms()
        #expect(found.map { $0["form"] } == [.string(form)])
        #expect(found.first?["count"] == .int(Int64(targets.count)))
        let slowest = try #require(found.first?["slowest"])
        #expect(slowest["target"].map { targets.map { .string("/v1/\($0)") }.contains($0) } == true, "\(slowest)")
        #expect(found.first?["plan"]?["words"]?.asString?.isEmpty == false)
    }

    @Test("a query in a form counts as the resource that it reads")
    func postedForm() throws {
        let answer = try wire.send(
            .post, "/v1/query/objects/Dog", "filter=age+%3E+3",
            headers: ["Content-Type": "application/x-www-form-urlencoded"])
        #expect(answer.status == 200, "\(answer)")
        #expect(try forms().map { $0["form"] } == ["/v1/objects/Dog?filter=age > ?"])
    }

    @Test("requests count for an hour, and of many forms those are kept that took the most time")
    func bounded() throws {
        try read("objects/Dog?filter=age > 3")
        clock.advance(1800)
        try read("objects/Dog?filter=age > 4")
        #expect(try forms().map { $0["count"] } == [2])
        clock.advance(2100)
        #expect(try forms().map { $0["count"] } == [1])
        clock.advance(1800)
        #expect(try forms().isEmpty)
        for number in 0..<130 {
            let parts = (0..<8).map { number >> $0 & 1 == 0 ? "age > 3" : "id > 3" }
            try read("objects/Dog?filter=\(parts.joined(separator: " OR "))")
        }
        let kept = try forms()
        #expect(kept.count == 100)
        let times = kept.compactMap { $0["seconds"]?.asDouble }
        #expect(times.count == 100 && times == times.sorted(by: >))
        #expect(try wire.get("/v1/slow-queries?limit=3")["queries"]?.asArray?.count == 3)
        #expect(try wire.get("/v1/slow-queries?limit=101").status == 400)
        let metrics = try wire.get("/metrics").text
        #expect(metrics.contains("realmgate_slow_queries_total 132\n"))
        #expect(metrics.contains("realmgate_slow_query_forms 100\n"))
    }

    @Test("of a long query only its beginning is kept")
    func long() throws {
        let list = (0..<2000).map(String.init).joined(separator: ",")
        try read("objects/Dog?filter=age IN {\(list)}")
        let found = try #require(try forms().first)
        #expect(found["form"] == "/v1/objects/Dog?filter=age IN {?")
        #expect(found["slowest"]?["target"]?.asString?.count == 1001, "\(found)")
        #expect(found["plan"] == .null && found["advice"] == [])
    }

    @Test("a query of a schema that is gone stays, without a plan")
    func replacedSchema() throws {
        try read("objects/Dog?filter=breed == 'x'")
        #expect(try forms().first?["plan"]?["words"] != nil)
        let schema = try wire.get("/v1/schema").text
        let without = schema.replacing(
            #"{"name":"breed","type":"string?"},"#, with: ""
        ).replacing(#""schemaVersion":1"#, with: #""schemaVersion":2"#)
        try #require(without != schema && without.contains(#""schemaVersion":2"#))
        let answer = try wire.send(.put, "/v1/schema", without)
        #expect(answer.status == 200, "\(answer)")
        let found = try #require(try forms().first)
        #expect(found["form"] == "/v1/objects/Dog?filter=breed == ?")
        #expect(found["plan"] == .null && found["advice"] == [], "\(found)")
    }

    @Test("no query counts that takes less than the least time")
    func fast() throws {
        let quick = try DogOwnersFixture.embedded().noting { $0.slowQueryNanoseconds = .max }
        try quick.read("objects/Dog?filter=age > 3")
        #expect(try quick.slowQueries().isEmpty)
        #expect(try quick.get("/metrics").text.contains("realmgate_slow_queries_total 0\n"))
    }
}

extension Wire {
    /// The same store behind another gateway, which notes every query.
    func noting(_ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws -> Wire {
        var configuration = GatewayConfiguration.untimed
        configuration.slowQueryNanoseconds = 0
        configure(&configuration)
        return with(try Gateway(store: store, configuration: configuration).router)
    }

    func slowQueries() throws -> [JSONValue] {
        let answer = try get("/v1/slow-queries?limit=100")
        guard answer.status == 200, let all = answer["queries"]?.asArray else { throw WireFailure("\(answer)") }
        return all
    }

    /// Reads a target whose parameters are not encoded.
    @discardableResult
    func read(_ target: String, mayFail: Bool = false) throws -> WireResponse {
        let parts = target.split(separator: "?", maxSplits: 1)
        let items = parts[1].split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1)
            return "\(pair[0])=\(Wire.encoded(String(pair[1])))"
        }
        let answer = try get("/v1/\(parts[0])?\(items.joined(separator: "&"))")
        guard answer.status == 200 || mayFail else { throw WireFailure("\(target): \(answer)") }
        return answer
    }
}

extension JSONValue {
    var asDouble: Double? {
        switch self {
        case .double(let value): value
        case .int(let value): Double(value)
        default: nil
        }
    }
}
