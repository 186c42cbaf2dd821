import HTTPMessages
import HTTPServer
import HTTPTesting
import Testing

@Suite("Requests over a socket")
struct ConnectionTests {
    private func routes(_ router: inout Router) {
        router.get("/hello") { _, _ in .now(.text("hello")) }
        router.get("/items/:id") { _, parameters in .now(.text(parameters["id"] ?? "")) }
        router.post("/echo") { request, _ in .now(.json(request.body)) }
        router.patch("/echo") { request, _ in .now(.json(request.body)) }
        router.get("/large") { _, _ in .now(.text(String(repeating: "0123456789", count: 100_000))) }
        router.get("/header") { request, _ in .now(.text(request.header("x-test") ?? "-")) }
        router.get("/query") { request, _ in .now(.text(request.query("q") ?? "-")) }
        router.get("/peer") { request, _ in .now(.text(request.remoteAddress.host)) }
    }

    @Test("a connection carries one request after the other")
    func keepAlive() throws {
        try withServer(routes: routes) { server, port in
            let client = try LoopbackClient(port: port)
            for _ in 0..<3 {
                let answer = try client.get("/hello")
                #expect(answer.status == 200)
                #expect(answer.text == "hello")
                #expect(answer["Content-Length"] == "5")
                #expect(answer["Content-Type"] == "text/plain; charset=utf-8")
            }
            #expect(server.counters.requests == 3)
            #expect(server.counters.openConnections == 1)
        }
    }

    @Test("Connection: close and HTTP/1.0 end the connection after the answer", arguments: [true, false])
    func closing(old: Bool) throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write(
                old ? "GET /hello HTTP/1.0\r\n\r\n" : "GET /hello HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            let all = String(decoding: client.toEnd() ?? [], as: UTF8.self)
            #expect(all.contains(" 200 "))
            #expect(all.hasSuffix("\r\n\r\nhello"))
        }
    }

    @Test("pipelined requests are answered in order, bodies included")
    func pipelining() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            var bytes = ""
            for index in 0..<50 {
                bytes += "GET /items/\(index) HTTP/1.1\r\nHost: t\r\n\r\n"
                bytes += "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\n\(100 + index)"
            }
            try client.write(bytes)
            for index in 0..<50 {
                #expect(try client.receive().text == "\(index)")
                #expect(try client.receive().text == "\(100 + index)")
            }
        }
    }

    @Test("a request that arrives byte by byte is understood")
    func trickle() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            for byte in "POST /echo HTTP/1.1\r\nHost: t\r\nX-A: b\r\nContent-Length: 2\r\n\r\nab".utf8 {
                try client.write([byte])
            }
            #expect(try client.receive().text == "ab")
        }
    }

    @Test("a chunked body arrives whole, in one packet or in many", arguments: [false, true])
    func chunked(inPieces: Bool) throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            let pieces = [
                "PATCH /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n", "5\r\nhello\r\n",
                "7\r\n, world\r\n", "0\r\n", "X-Trailer: 1\r\n", "\r\n",
            ]
            if inPieces {
                for piece in pieces { try client.write(piece) }
            } else {
                try client.write(pieces.joined())
            }
            #expect(try client.receive().text == "hello, world")
            if HTTPServer.libraryIsStrict { #expect(try client.get("/hello").text == "hello") }
        }
    }

    @Test("HEAD has the headers of GET and no body")
    func head() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write("HEAD /hello HTTP/1.1\r\nHost: t\r\n\r\n")
            let answer = try client.receive(hasBody: false)
            #expect(answer.status == 200)
            #expect(answer["Content-Length"] == "5")
            #expect(try client.get("/items/7").text == "7")
        }
    }

    @Test("a large answer and a large body arrive whole")
    func large() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            let answer = try client.get("/large")
            #expect(answer.body.count == 1_000_000)
            #expect(answer.body.enumerated().allSatisfy { $1 == UInt8(48 + $0 % 10) })
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n")
            try client.write(answer.body)
            #expect(try client.receive().body == answer.body)
        }
    }

    @Test("unknown paths are 404, known paths with another method 405 with Allow")
    func refusals() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            let missing = try client.get("/nothing")
            #expect(missing.status == 404)
            #expect(missing["Content-Type"] == "application/problem+json")
            try client.write("DELETE /hello HTTP/1.1\r\nHost: t\r\n\r\n")
            let method = try client.receive()
            #expect(method.status == 405)
            #expect(method["Allow"] == "GET, HEAD, OPTIONS")
            try client.write("OPTIONS /echo HTTP/1.1\r\nHost: t\r\n\r\n")
            let options = try client.receive()
            #expect(options.status == 204)
            #expect(options["Allow"] == "POST, PATCH, OPTIONS")
            #expect(try client.get("/hello").status == 200)
        }
    }

    @Test("headers, query and peer reach the handler")
    func parts() throws {
        try withServer(routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            #expect(try client.get("/header", headers: "X-TEST:  a b \t\r\n").text == "a b")
            #expect(try client.get("/query?x=1&q=a%26b+%C3%A9%3D").text == "a&b é=")
            #expect(try client.get("/items/a%2Fb%20c").text == "a/b c")
            #expect(try client.get("/peer").text == "127.0.0.1")
        }
    }

    @Test("a body beyond the limit is refused before it is read, and the connection ends")
    func tooLargeByLength() throws {
        try withServer({ $0.bodyLimit = 1_000 }, routes: routes) { server, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n\r\n")
            let answer = try client.receive()
            #expect(answer.status == 413)
            #expect(answer["Connection"] == "close")
            #expect(answer.text.contains("1000 bytes"))
            try? client.write([UInt8](repeating: 0x61, count: 1001))
            #expect(client.isClosed)
            let other = try LoopbackClient(port: port)
            try other.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n")
            try other.write([UInt8](repeating: 0x61, count: 1000))
            #expect(try other.receive().body.count == 1000)
            #expect(server.counters.refusals == 1)
            #expect(server.counters.requests == 1)
        }
    }

    @Test("a chunked body is refused once it passes the limit, although more is coming")
    func tooLargeWhileStreaming() throws {
        try withServer({ $0.bodyLimit = 1_000 }, routes: routes) { server, port in
            let client = try LoopbackClient(port: port)
            try client.write("PATCH /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<4 {
                try client.write("190\r\n" + String(repeating: "a", count: 400) + "\r\n")
            }
            let answer = try client.receive()
            #expect(answer.status == 413)
            try? client.write("0\r\n\r\nGET /hello HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(client.isClosed)
            #expect(server.counters.requests == 0)
        }
    }

    @Test("Expect: 100-continue is met, or refused without the body")
    func expectContinue() throws {
        try withServer({ $0.bodyLimit = 1_000 }, routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.receive().status == 100)
            try client.write("ab")
            #expect(try client.receive().text == "ab")
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 2000\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.receive().status == 413)
            #expect(client.isClosed)
        }
    }

    @Test("a shared body is sent as it is, to everybody")
    func sharedBody() throws {
        let shared = SharedBytes(String(repeating: "x", count: 200_000))
        try withServer(routes: { $0.get("/") { _, _ in .now(Response(body: .shared(shared))) } }) { _, port in
            let clients = try (0..<10).map { _ in try LoopbackClient(port: port) }
            for client in clients { try client.write("GET / HTTP/1.1\r\nHost: t\r\n\r\n") }
            for client in clients { #expect(try client.receive().body == shared.bytes) }
        }
    }
}
