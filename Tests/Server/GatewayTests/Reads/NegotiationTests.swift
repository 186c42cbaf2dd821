import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import Testing

@Suite("Content negotiation")
struct NegotiationTests {
    static let resources: [(HTTPMethod, String, String)] = [
        (.get, "/v1/objects/Dog", "application/json"), (.get, "/v1/objects/Dog/1", "application/json"),
        (.head, "/v1/objects/Dog", "application/json"), (.get, "/v1/schema", "application/json"),
        (.get, "/v1/values/objects/Dog?key=age", "application/json"), (.post, "/v1/snapshots", "application/json"),
        (.delete, "/v1/objects/Dog/1", "application/json"), (.post, "/v1/query/objects/Dog", "application/json"),
        (.get, "/v1/observe/objects/Dog", "text/event-stream"),
    ]

    @Test("what a client does not take is not given, and nothing is done", arguments: resources)
    func notAcceptable(method: HTTPMethod, target: String, type: String) throws {
        let wire = try DogOwnersGatewayFixture(.model).wire
        let answer = try wire.send(method, target, headers: ["Accept": "image/png"])
        #expect(answer.status == 406 && answer.code == "not_acceptable", "\(answer)")
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(answer["detail"]?.asString?.contains(type) == true)
        #expect(try wire.version() == 3)
    }

    @Test("files and health are given as they are")
    func files() throws {
        #expect(
            try DogOwnersGatewayFixture(.model).wire.send(.get, "/healthz", headers: ["Accept": "text/html"]).status
                == 200)
    }

    @Test("HEAD has the headers of GET, with the length, and no body; OPTIONS tells the methods")
    func headAndOptions() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        try gateway.serve { port in
            for path in [
                "/v1/schema", "/v1/objects/Dog", "/v1/objects/Dog/1", "/v1/objects/Person/ada/dogs",
                "/v1/aggregates/objects/Dog?sum=age", "/v1/sections/objects/Dog?by=breed", "/v1/index/objects/Dog?of=3",
                "/v1/values/objects/Dog?key=age", "/v1/snapshots", "/healthz", "/v1/objects/Nope",
            ] {
                let client = try LoopbackClient(port: port)
                try client.send("GET \(path)")
                let get = try client.fullAnswer()
                try client.send("HEAD \(path)")
                let head = try client.fullAnswer(hasBody: false)
                #expect(head.status == get.status)
                #expect(head.headers.filter { $0 != "date" } == get.headers.filter { $0 != "date" }, "\(path)")
                #expect(head.headers.contains("content-length: \(get.length)"), "\(path) \(head.headers)")
                // The connection is still synchronised.
                try client.send("GET /healthz")
                #expect(try client.answer().body == #"{"status":"ok"}"#)
                let bare = String(path.prefix { $0 != "?" })
                try client.send("OPTIONS \(bare)")
                let options = try client.fullAnswer()
                #expect(
                    options.status == 204 && options.headers.contains { $0.hasPrefix("allow: ") && $0.contains("get") })
            }
        }
    }
}

extension LoopbackClient {
    /// Returns the status, the headers in lower case without those that vary between responses, and the body's length.
    fileprivate func fullAnswer(hasBody: Bool = true) throws -> (status: Int, headers: [String], length: Int) {
        let answer = try receive(hasBody: hasBody)
        let lines = answer.headers.map { "\($0.name): \($0.value)".lowercased() }.filter { line in
            !["date:", "x-request-id:"].contains { line.hasPrefix($0) }
        }
        return (answer.status, lines.sorted(), answer.body.count)
    }
}
