import EmbeddedStore
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import ObjectModel
import RequestHandling
import StoreContract
import StoreTesting
import Testing

@Suite("The front over a store on disk")
struct EmbeddedEdgeTests {
    /// A gateway over a file with class Dog.
    private func withGateway(
        _ configure: (inout GatewayConfiguration) -> Void = { _ in },
        _ body: (EmbeddedStore, @escaping (HTTPMethod, String, [UInt8], HeaderFields) throws -> Response) throws -> Void
    ) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("front-\(UUID().uuidString)").path
        defer {
            for name in [path, path + "-lock"] { try? FileManager.default.removeItem(atPath: name) }
        }
        let schema = try SchemaCoding.decode(try JSONValue.parse(TestGateway.schema))
        let store = try EmbeddedStore.open(path: path, schema: schema)
        defer { store.close() }
        var configuration = GatewayConfiguration.untimed
        configure(&configuration)
        let router = try Gateway(store: store, configuration: configuration).router
        try body(store) { method, target, body, headers in
            try router.answer(try Request(method, target, headers: headers, body: body))
        }
    }

    @Test("commits, their work and the versions that are held are counted")
    func statistics() throws {
        try withGateway { store, send in
            let json: HeaderFields = ["Content-Type": "application/json"]
            for number in 0..<3 {
                #expect(try send(.post, "/v1/objects/Dog", Array(#"{"_id":\#(number)}"#.utf8), json).status == 201)
            }
            #expect(try send(.post, "/v1/objects/Dog", Array(#"{"_id":1}"#.utf8), json).status == 409)
            let held = try store.snapshot()
            _ = try send(.post, "/v1/objects/Dog", Array(#"{"_id":9}"#.utf8), json)
            let numbers = try Exposition(try send(.get, "/metrics", [], [:]).text)
            #expect(numbers["realmgate_store_works_total"] == 4)
            #expect(numbers["realmgate_store_works_failed_total"] == 1)
            #expect((numbers["realmgate_store_commits_total"] ?? 0) >= 4)
            #expect(
                numbers["realmgate_store_commit_duration_seconds_count"] == numbers["realmgate_store_commits_total"])
            #expect(numbers["realmgate_store_version"] == Double(held.version.rawValue + 1))
            #expect((numbers["realmgate_store_versions_pinned"] ?? 0) >= 1)
            #expect((numbers["realmgate_store_oldest_pinned_seconds"] ?? 0) > 0)
            #expect((numbers["realmgate_store_file_bytes"] ?? 0) > 4096)
            #expect((numbers["realmgate_store_used_bytes"] ?? 0) > 4096)
            #expect((numbers["realmgate_store_disk_free_bytes"] ?? 0) > 0)
            #expect(numbers["realmgate_store_stopped"] == 0)
            #expect(numbers["realmgate_store_works_waiting"] == 0)
            withExtendedLifetime(held) {}
        }
    }

    @Test("a disk without room makes the gateway unready, which says so")
    func disk() throws {
        try withGateway({ $0.minimumFreeDisk = .max }) { _, send in
            let answer = try send(.get, "/readyz", [], [:])
            #expect(answer.status == 503)
            #expect(answer.member("code") == .string("store.disk_nearly_full"))
        }
    }

    @Test("conditional requests work with the tags of compressed bodies")
    func conditions() throws {
        try withGateway { _, send in
            let name = String(repeating: "Rex", count: 1_000)
            let json: HeaderFields = ["Content-Type": "application/json"]
            _ = try send(.post, "/v1/objects/Dog", Array(#"{"_id":1,"name":"\#(name)"}"#.utf8), json)
            for target in ["/v1/objects/Dog/1", "/v1/objects/Dog", "/v1/objects/Dog/1?fields=name,fans"] {
                let plain = try send(.get, target, [], [:])
                let coded = try send(.get, target, [], ["Accept-Encoding": "gzip"])
                #expect(coded.headers["Content-Encoding"] == "gzip")
                let tag = try #require(coded.headers["ETag"])
                #expect(tag != plain.headers["ETag"] && tag.hasSuffix("-gzip\""))
                let again = try send(.get, target, [], ["Accept-Encoding": "gzip", "If-None-Match": tag])
                #expect(again.status == 304)
                #expect(again.headers["ETag"] == tag)
                #expect(try send(.get, target, [], ["If-None-Match": tag]).status == 200)
            }
            let tag = try #require(
                try send(.get, "/v1/objects/Dog/1", [], ["Accept-Encoding": "zstd"]).headers["ETag"])
            var conditional = json
            conditional.add("If-Match", tag)
            #expect(try send(.patch, "/v1/objects/Dog/1", Array(#"{"age":3}"#.utf8), conditional).status == 200)
            #expect(try send(.patch, "/v1/objects/Dog/1", Array(#"{"age":4}"#.utf8), conditional).status == 412)
        }
    }

    @Test("a problem names its request, whoever made it")
    func problems() throws {
        try withGateway { _, send in
            for (method, target) in [
                (HTTPMethod.get, "/v1/objects/Cat"), (.get, "/nothing"), (.delete, "/v1/objects/Dog/9"),
                (.get, "/v1/objects/Dog?filter=("),
            ] {
                let answer = try send(method, target, [], ["X-Request-Id": "mine"])
                #expect(answer.status >= 400)
                #expect(answer.headers["X-Request-Id"] == "mine")
                #expect(answer.member("requestId") == .string("mine"))
                #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            }
        }
    }

    @Test("who asks too often hears it in a problem that a page may read")
    func rates() throws {
        var configuration = GatewayConfiguration.untimed
        configuration.addressRate = RateLimit(perSecond: 0.001, burst: 1)
        let store = try ModelStore(try SchemaCoding.decode(try JSONValue.parse(TestGateway.schema)))
        let router = try Gateway(store: store, configuration: configuration).router
        let request = try Request(
            .get, "/v1/schema", headers: ["Origin": "https://a.example"], remoteAddress: .v4(1, port: 1))
        #expect(try router.answer(request).status == 200)
        let answer = try router.answer(request)
        #expect(answer.status == 429)
        #expect(answer.member("code") == .string("rate.limited"))
        // Seconds until the next request: a thousand, less the time that this test takes.
        #expect(answer.headers["Retry-After"].flatMap(Int.init).map { (1...1000).contains($0) } == true)
        #expect(answer.headers["Access-Control-Allow-Origin"] == "*")
        let numbers = try Exposition(try router.answer(try Request(.get, "/metrics")).text)
        #expect(numbers[#"realmgate_limited_total{limit="address_rate"}"#] == 1)
    }
}
