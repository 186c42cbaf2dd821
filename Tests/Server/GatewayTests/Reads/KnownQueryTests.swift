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

@Suite("Queries that are kept parsed")
struct KnownQueryTests {
    private typealias Property = (name: String, type: String)

    private static func schema(_ version: Int, _ properties: [Property]) throws -> Schema {
        let all = ([("_id", "int")] + properties).map { #"{"name":"\#($0.0)","type":"\#($0.1)"}"# }
        return try SchemaCoding.decode(
            try JSONValue.parse(
                #"""
                {"schemaVersion":\#(version),"classes":[
                  {"name":"Item","primaryKey":"_id","properties":[\#(all.joined(separator: ","))]}]}
                """#))
    }

    private static func kept(_ gateway: TestGateway) throws -> Double? {
        let metrics = try Exposition(try gateway.get("/metrics").text)
        let cached = metrics["realmgate_queries_cached"]
        // The older name.
        #expect(metrics["realmgate_queries_kept"] == cached)
        return cached
    }

    @Test("a text is kept when it comes again, and never more than the bound")
    func bound() throws {
        let gateway = try TestGateway(as: .unrestricted)
        try gateway.fill()
        for _ in 0..<3 {
            #expect(try gateway.get("/v1/objects/Dog?filter=age%20%3E%2010&sort=-age").text.contains("Nora"))
        }
        #expect(try Self.kept(gateway) == 1)
        // Each comes once. A list is not a plain literal.
        for number in 0..<50 { _ = try gateway.get("/v1/objects/Dog?filter=age%20IN%20%7B\(100 + number)%7D") }
        #expect(try Self.kept(gateway) == 1)
        for number in 0..<2000 {
            for _ in 0..<2 { _ = try gateway.get("/v1/objects/Dog?filter=age%20IN%20%7B\(number)%7D") }
        }
        let kept = try Self.kept(gateway) ?? 0
        #expect(kept > 100)
        #expect(kept <= 256)
    }

    @Test("texts that come in turns are all kept when they come again, whatever their hashes are")
    func turns() throws {
        let gateway = try TestGateway(as: .unrestricted)
        try gateway.fill()
        for turn in 1...2 {
            for number in 0..<100 { _ = try gateway.get("/v1/objects/Dog?filter=age%20IN%20%7B\(number)%7D") }
            #expect(try Self.kept(gateway) == (turn == 1 ? 0 : 100))
        }
    }

    @Test("texts that differ by their literals alone are kept as one, and each is answered for its own")
    func templates() throws {
        let gateway = try TestGateway(as: .unrestricted)
        try gateway.fill()
        func lookUps(_ found: String) throws -> Double {
            try Exposition(try gateway.get("/metrics").text)["realmgate_query_cache_lookups_total{found=\"\(found)\"}"]
                ?? -1
        }
        let cold = try Gateway(store: gateway.store)
        for age in 0..<20 {
            for filter in ["age%20%3E%20\(age)", "age%20%3C%3D%20\(age)%20AND%20name%20!=%20%27x\(age)%27"] {
                for target in [
                    "/v1/objects/Dog?filter=\(filter)", "/v1/aggregates/objects/Dog?filter=\(filter)&sum=age",
                ] {
                    let expected = try cold.router.calling(as: .unrestricted).answer(try Request(.get, target))
                    #expect(try gateway.get(target).text == expected.text, "\(target)")
                }
            }
        }
        // Two filters, in two routes, and the key path.
        #expect(try Self.kept(gateway) == 3)
        #expect(try lookUps("template") == 76)
        #expect(try lookUps("text") == 38)
        #expect(try lookUps("none") == 6)
    }

    @Test("a longer literal than the limit allows is refused, also where the rest of the filter is known")
    func long() throws {
        let gateway = try TestGateway(as: .unrestricted)
        try gateway.fill()
        for name in ["a", "b", "c"] {
            #expect(try gateway.get("/v1/objects/Dog?filter=name%20=%20%27\(name)%27").status == 200)
        }
        var configuration = GatewayConfiguration.untimed
        configuration.filterLimit = 20
        gateway.gateway.update(configuration)
        for name in ["a", "b", "c"] {
            #expect(try gateway.get("/v1/objects/Dog?filter=name%20=%20%27\(name)%27").status == 200)
        }
        let long = String(repeating: "x", count: 20)
        let refused = try gateway.get("/v1/objects/Dog?filter=name%20=%20%27\(long)%27")
        #expect(refused.status == 400)
    }

    @Test("a limit that was lowered is kept to, also by a text that is known")
    func lowered() throws {
        let gateway = try TestGateway(as: .unrestricted)
        try gateway.fill()
        for _ in 0..<3 { #expect(try gateway.get("/v1/objects/Dog?sort=age,name").status == 200) }
        var configuration = GatewayConfiguration.untimed
        configuration.maximumOrder = 1
        gateway.gateway.update(configuration)
        #expect(try gateway.get("/v1/objects/Dog?sort=age,name").status == 400)
    }

    @Test("after changes of the schema a known text means what it means to a gateway that has never seen it")
    func changes() throws {
        let fresh = SeededRandom.ofTest()
        var random = fresh
        let shapes: [[Property]] = [
            [], [("a", "int")], [("a", "string")], [("a", "double"), ("b", "string")], [("b", "int"), ("a", "int")],
            [("b", "string?")],
        ]
        let targets =
            [
                "filter=a%20%3E%203", "filter=a%20%3E%204", "filter=a%20%3E%205", "sum=a", "maximum=b",
                "filter=a%20%3D%20%275%27", "filter=b%20%3D%205%20OR%20_id%20%3D%202",
                "filter=a%20%3D%20%240&args=[5]", "filter=b%20%3D%20%240&args=[%22b5%22]", "distinct=b",
                "filter=a%20%3D%20b",
            ].flatMap { ["/v1/objects/Item?\($0)", "/v1/aggregates/objects/Item?\($0)"] }
            + ["/v1/objects/Item?sort=-a"]
        let gateway = try TestGateway(
            schema: #"""
                {"schemaVersion":1,"classes":[
                  {"name":"Item","primaryKey":"_id","properties":[{"name":"_id","type":"int"}]}]}
                """#, as: .unrestricted)
        var answered = 0
        var version = 1
        for step in 0..<40 {
            // What has another type is another property.
            for shape in [[], random.pick(shapes) ?? []] {
                version += 1
                try gateway.store.replaceSchema(
                    with: try Self.schema(version, shape), migration: Migration(steps: []))
            }
            for _ in 0..<3 {
                let number = random.below(8)
                _ = try gateway.send(
                    .post, "/v1/objects/Item?update=modified",
                    random.pick([
                        #"{"_id":\#(number),"a":\#(number)}"#, #"{"_id":\#(number),"a":"\#(number)"}"#,
                        #"{"_id":\#(number),"b":"b\#(number)"}"#, #"{"_id":\#(number),"b":\#(number)}"#,
                    ]))
            }
            for _ in 0..<6 {
                let target = random.pick(targets) ?? ""
                let cold = try Gateway(store: gateway.store)
                let expected = try cold.router.calling(as: .unrestricted).answer(try Request(.get, target))
                for _ in 0..<3 {
                    let found = try gateway.get(target)
                    #expect(found.status == expected.status, "step \(step), \(target), seed \(fresh.seed)")
                    // The document of an error names its request.
                    #expect(
                        found.member("code") == expected.member("code")
                            && (expected.status != 200 || found.text == expected.text),
                        "step \(step), \(target), seed \(fresh.seed)")
                }
                if expected.status == 200 { answered += 1 }
            }
        }
        if TestRun.hasFixedSeeds { #expect(answered > 20) }
    }
}
