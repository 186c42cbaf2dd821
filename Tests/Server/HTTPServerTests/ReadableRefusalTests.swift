import HTTPMessages
@testable import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("What pages can read of refusals that no handler sees")
struct ReadableRefusalTests {
    private static let page = "https://a.example"

    private static func long(_ count: Int) -> String { String(repeating: "a", count: count) }

    private static let origin = "Origin: \(page)\r\n"

    /// Requests with an origin, and the status of their refusals.
    private static let requests: [(request: String, status: Int)] = [
        ("POST /small HTTP/1.1\r\nHost: t\r\n\(origin)Content-Length: 5000\r\nExpect: 100-continue\r\n\r\n", 413),
        ("POST /small HTTP/1.1\r\nHost: t\r\n\(origin)Content-Length: 5000\r\n\r\n", 413),
        ("POST /small HTTP/1.1\r\nHost: t\r\n\(origin)Transfer-Encoding: chunked\r\n\r\n1000\r\n\(long(4096))", 413),
        ("GET /\(long(9_000)) HTTP/1.1\r\nHost: t\r\n\(origin)\r\n", 414),
        ("GET /\(long(20_000)) HTTP/1.1\r\nHost: t\r\n\(origin)\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: t\r\n\(origin)X: \(long(17_000))\r\n\r\n", 431),
        ("GET / HTTP/1.1\r\nHost: t\r\n\(origin)Expect: a miracle\r\n\r\n", 417),
    ]

    private func answer(to request: String, _ policy: CrossOriginPolicy) throws -> LoopbackClient.Answer {
        var found: LoopbackClient.Answer?
        try withServer(
            { ($0.loops, $0.bodyLimit) = (1, 1_000) },
            routes: { router in
                router.changeRefusals { policy.allowReading(&$1, to: $0) }
                router.post("/small") { _, _ in .now(.text("no")) }
            }
        ) { _, port in
            let client = try LoopbackClient(port: port)
            try? client.write(request)
            found = try client.receive()
        }
        return try #require(found)
    }

    @Test("a page of an allowed origin can read each of them", arguments: requests.indices)
    func allowed(index: Int) throws {
        let (request, status) = Self.requests[index]
        let named = try answer(to: request, CrossOriginPolicy(origins: [Self.page, "https://b.example"]))
        #expect(named.status == status)
        #expect(named["Access-Control-Allow-Origin"] == Self.page)
        #expect(named["Vary"] == "Origin")
        let every = try answer(to: request, CrossOriginPolicy(origins: ["*"]))
        #expect(every.status == status)
        #expect(every["Access-Control-Allow-Origin"] == "*" && every["Vary"] == nil)
    }

    @Test("a page of another origin cannot", arguments: requests.indices)
    func foreign(index: Int) throws {
        let (request, status) = Self.requests[index]
        let refusal = try answer(to: request, CrossOriginPolicy(origins: ["https://b.example", "https://c.example"]))
        #expect(refusal.status == status)
        #expect(refusal["Access-Control-Allow-Origin"] == nil && refusal["Vary"] == "Origin")
    }

    @Test("a preflight request of a target that is too long is granted, so that the page learns what is wrong")
    func preflight() throws {
        let asked = "Access-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: authorization\r\n"
        let request = "OPTIONS /\(Self.long(9_000)) HTTP/1.1\r\nHost: t\r\n\(Self.origin)\(asked)\r\n"
        let granted = try answer(to: request, CrossOriginPolicy(origins: [Self.page]))
        #expect(granted.status == 204)
        #expect(granted["Access-Control-Allow-Origin"] == Self.page)
        #expect(granted["Access-Control-Allow-Methods"] == "GET")
        #expect(granted["Access-Control-Allow-Headers"] == "authorization")
        let refused = try answer(to: request, CrossOriginPolicy(origins: ["https://b.example"]))
        #expect(refused.status == 414 && refused["Access-Control-Allow-Origin"] == nil)
    }
}
