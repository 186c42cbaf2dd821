import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Requests that the library cannot parse")
struct UnparsedRequestTests {
    /// The second status is that of other versions, which is as right.
    private static let cases: [(request: String, statuses: [Int])] = [
        ("GET / HTTP/1.1\r\nHost: t\r\nContent-Length: ten\r\n\r\n", [400]),
        ("GET / HTTP/1.1\r\nHost: t\r\nno colon here\r\n\r\n", [400]),
        ("GET /\r\n\r\n", [400]),
        ("GET / HTTP/2.0\r\nHost: t\r\n\r\n", [505]),
        ("GET / HTTP/0.9\r\nHost: t\r\n\r\n", [505]),
        ("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 99999999999999999999999\r\n\r\n", [413, 400]),
        ("GET /\(String(repeating: "a", count: 200_000)) HTTP/1.1\r\nHost: t\r\n\r\n", [414]),
        (
            "GET / HTTP/1.1\r\nHost: t\r\nX: \(String(repeating: "a", count: 200_000))\r\n\r\n", [431]
        ),
        ("POST / HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\nnot a chunk\r\n", [400]),
    ]

    /// The library also closes connections without a response whose first line has no space.
    @Test(
        "each is refused, and the connection ends", arguments: cases.indices,
        Wire.allCases)
    func refused(index: Int, wire: Wire) throws {
        let (request, statuses) = Self.cases[index]
        // `openssl` stops if it cannot write all of a request that is rejected midway.
        guard wire == .plain || request.utf8.count < 20_000 else { return }
        try withServer(over: wire, { $0.loops = 1 }, routes: { $0.post("/") { _, _ in .now(.text("no")) } }) {
            server, port in
            let bystander = try LoopbackClient(port: port, over: wire)
            #expect(try bystander.get("/").status == 405)
            let client = try LoopbackClient(port: port, over: wire)
            try? client.write(request)
            let answer = try client.receive()
            #expect(statuses.contains(answer.status))
            #expect(client.toEnd() != nil)
            #expect(try bystander.get("/").status == 405)
            #expect(eventually { server.counters.openConnections == 1 })
        }
    }
}

@Suite("Queries of many parameters")
struct ManyParametersTests {
    @Test("reach the handler whole, or are refused for their length", arguments: [1, 200, 600, 1000, 1500, 2500])
    func many(count: Int) throws {
        let query = (0..<count).map { "a\($0)=1" }.joined(separator: "&")
        let routes: (inout Router) -> Void = { router in
            router.get("/count") { request, _ in .now(.text("\(request.query.count) \(request.target.utf8.count)")) }
        }
        try withServer({ $0.loops = 1 }, routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            let answer = try client.get("/count?\(query)")
            if count > 250 && HTTPServer.libraryIsStrict {
                // The library keeps every parameter, for which its memory of a connection has room in some hundreds.
                #expect([200, 414, 431].contains(answer.status))
            } else if query.utf8.count < 8000 {
                #expect(answer.status == 200)
                #expect(answer.text.hasSuffix("\(count) \(query.utf8.count + 7)"))
            } else {
                #expect(answer.status == 414)
            }
            #expect(try LoopbackClient(port: port).get("/count").status == 200)
        }
    }
}
