import Compression
import Gateway
import Glibc
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreTesting
import TestBasics
import Testing

/// Malicious requests as bytes on a socket. Those that concern only the HTTP parser are in the tests of the HTTP
/// server; these go the whole way to a store.
@Suite("Hostile input")
struct HostileCorpusTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        /// The expected statuses; 0 for a connection that is closed without a response.
        var statuses: Set<Int>
        /// Whether the library rejects it before any handler sees it.
        var isAnsweredByLibrary = false
        var testDescription: String { name }

        init(_ name: String, _ bytes: [UInt8], _ statuses: Int..., byLibrary: Bool = false) {
            (self.name, self.bytes, self.statuses) = (name, bytes, Set(statuses))
            isAnsweredByLibrary = byLibrary
        }

        init(_ name: String, _ text: String, _ statuses: Int..., byLibrary: Bool = false) {
            (self.name, bytes, self.statuses) = (name, Array(text.utf8), Set(statuses))
            isAnsweredByLibrary = byLibrary
        }

        static func post(
            _ name: String, _ body: [UInt8], _ statuses: Int..., to path: String = "/v1/objects/Dog",
            headers: String = "", type: String = "application/json"
        ) -> Case {
            var made = Case(
                name,
                Array(
                    """
                    POST \(path) HTTP/1.1\r\nHost: t\r\nContent-Type: \(type)\r\n\(headers)Content-Length: \
                    \(body.count)\r\n\r\n
                    """.utf8) + body)
            made.statuses = Set(statuses)
            return made
        }
    }

    private static func text(_ part: String, _ count: Int) -> [UInt8] {
        Array(repeatElement(Array(part.utf8), count: count).joined())
    }

    static let lines: [Case] = [
        Case("HTTP/0.9", "GET /v1/schema\r\n\r\n", 0, 400, 505, byLibrary: true),
        Case("HTTP/1.2", "GET /v1/schema HTTP/1.2\r\nHost: t\r\n\r\n", 200, 400, 505, byLibrary: true),
        Case("HTTP/11.1", "GET /v1/schema HTTP/11.1\r\nHost: t\r\n\r\n", 400, 505, byLibrary: true),
        Case("lower-case version", "GET /v1/schema http/1.1\r\nHost: t\r\n\r\n", 400, 505, byLibrary: true),
        Case("HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, 505, byLibrary: true),
        Case("a TLS greeting", [0x16, 3, 1, 2, 0, 1, 0, 1, 0xfc, 3, 3] + [UInt8](repeating: 0xab, count: 300), 0, 400),
        Case("an SSH greeting", "SSH-2.0-OpenSSH_9.2\r\n", 0, 400, 505, byLibrary: true),
        Case("an SMTP greeting", "EHLO example.com\r\nMAIL FROM:<a@b>\r\n\r\n", 0, 400, 505, byLibrary: true),
        Case("nothing but line breaks", String(repeating: "\r\n", count: 5_000), 0, 400),
        Case("nothing but NUL", [UInt8](repeating: 0, count: 2_000), 0, 400, 414, byLibrary: true),
        Case("nothing but 0xff", [UInt8](repeating: 0xff, count: 2_000), 0, 400, 414, byLibrary: true),
        Case("CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n", 400, 404, 405),
        Case("TRACE", "TRACE /v1/schema HTTP/1.1\r\nHost: t\r\n\r\n", 405),
        Case("a method of our own", "BREW /v1/schema HTTP/1.1\r\nHost: t\r\n\r\n", 405),
        Case("a lower-case method", "get /v1/schema HTTP/1.1\r\nHost: t\r\n\r\n", 405),
        Case("a long method", String(repeating: "A", count: 3_000) + " / HTTP/1.1\r\nHost: t\r\n\r\n", 400, 405),
        Case("OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n", 204),
        Case("GET *", "GET * HTTP/1.1\r\nHost: t\r\n\r\n", 200, 400, 404),
        Case("absolute form", "GET http://other.example/v1/schema HTTP/1.1\r\nHost: t\r\n\r\n", 200),
        Case("a target that is a URL of a file", "GET file:///etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", 400, 404),
        Case("a path upwards", "GET /static/../../../../etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", 404),
        Case("an encoded path upwards", "GET /static/%2e%2e/%2e%2e/etc/passwd HTTP/1.1\r\nHost: t\r\n\r\n", 404),
        Case("a broken escape in the query", "GET /v1/objects/Dog?filter=%E4%ZZ HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        Case("half an escape", "GET /v1/objects/Dog?filter=% HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        Case("an escaped NUL", "GET /v1/objects/Dog%00 HTTP/1.1\r\nHost: t\r\n\r\n", 404),
        Case("an overlong escape", "GET /v1/objects/%c0%af HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        Case("an escaped surrogate", "GET /v1/objects/%ed%a0%80 HTTP/1.1\r\nHost: t\r\n\r\n", 400),
        Case(
            "bytes in the path", Array("GET /v1/".utf8) + [0xc3, 0x28] + Array(" HTTP/1.1\r\nHost: t\r\n\r\n".utf8), 400
        ),
        Case("the path as data", "GET /v1/objects/Dog/%27%20OR%201%3D1-- HTTP/1.1\r\nHost: t\r\n\r\n", 400, 404),
        Case(
            "a thousand segments", "GET " + String(repeating: "/a", count: 1_000) + " HTTP/1.1\r\nHost: t\r\n\r\n", 404),
        Case(
            "a thousand parameters",
            "GET /v1/objects/Dog?" + String(repeating: "a&", count: 1_000) + " HTTP/1.1\r\nHost: t\r\n\r\n", 0, 400,
            413, 414, 431, byLibrary: true),
        Case(
            "10,000 fields", "GET / HTTP/1.1\r\nHost: t\r\n" + String(repeating: "A: b\r\n", count: 10_000) + "\r\n",
            431, byLibrary: true),
        Case(
            "a field of a megabyte",
            "GET / HTTP/1.1\r\nHost: t\r\nA: " + String(repeating: "b", count: 1 << 20) + "\r\n\r\n", 431,
            byLibrary: true),
        Case(
            "ETags that are none", "GET /v1/schema HTTP/1.1\r\nHost: t\r\nIf-None-Match: \"a, b\", \"\r\n\r\n", 400),
        Case(
            "every coding that there is",
            "GET /v1/schema HTTP/1.1\r\nHost: t\r\nAccept-Encoding: "
                + String(repeating: "gzip;q=0.5,", count: 1_000) + "zstd\r\n\r\n", 200),
        Case(
            "no coding at all", "GET /v1/schema HTTP/1.1\r\nHost: t\r\nAccept-Encoding: *;q=0\r\n\r\n", 406),
        Case(
            "an upgrade to HTTP/2",
            "GET /v1/schema HTTP/1.1\r\nHost: t\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                + "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n", 200),
        Case(
            "a thousand ranges",
            "GET /v1/schema HTTP/1.1\r\nHost: t\r\nRange: bytes=" + String(repeating: "0-,", count: 1_000)
                + "0-\r\n\r\n", 200),
        Case(
            "a request id that is a page",
            "GET /nothing HTTP/1.1\r\nHost: t\r\nX-Request-Id: \"}<html>\r\n\r\n", 404),
        Case(
            "an origin that is a page",
            "GET /v1/schema HTTP/1.1\r\nHost: t\r\nOrigin: <script>alert(1)</script>\r\n\r\n", 200),
    ]

    static let bodies: [Case] = [
        .post("100,000 brackets", text("[", 100_000), 400),
        .post("100,000 brackets, closed", text("[", 100_000) + text("]", 100_000), 400),
        .post("100,000 objects in each other", text("{\"a\":", 100_000) + text("}", 100_000), 400),
        .post("an integer of 100,000 digits", Array("{\"_id\":".utf8) + text("9", 100_000) + [0x7d], 400, 422),
        .post("an integer beyond 64 bits", Array("{\"_id\":18446744073709551616}".utf8), 400, 422),
        .post("a number beyond doubles", Array("{\"_id\":1,\"weight\":1e999}".utf8), 400, 422),
        .post(
            "a fraction of 100,000 digits", Array("{\"_id\":1,\"weight\":0.".utf8) + text("1", 100_000) + [0x7d], 201),
        .post("members twice", Array("{\"_id\":1,\"_id\":2}".utf8), 400),
        .post(
            "a string of a megabyte", Array("{\"_id\":2,\"name\":\"".utf8) + text("a", 1 << 20) + [0x22, 0x7d], 201,
            413, 422),
        .post(
            "100,000 members",
            [0x7b] + Array((0..<100_000).map { "\"m\($0)\":0" }.joined(separator: ",").utf8) + [0x7d], 422),
        .post("half a surrogate", Array(#"{"_id":3,"name":"\ud800"}"#.utf8), 400),
        .post("the wrong half", Array(#"{"_id":3,"name":"\udc00\ud800"}"#.utf8), 400),
        .post("a raw NUL", Array("{\"_id\":3,\"name\":\"".utf8) + [0, 0x22, 0x7d], 400),
        .post("bytes that are not UTF-8", Array("{\"_id\":3,\"name\":\"".utf8) + [0xff, 0xfe, 0x22, 0x7d], 400),
        .post("an overlong slash", Array("{\"_id\":3,\"name\":\"".utf8) + [0xc0, 0xaf, 0x22, 0x7d], 400),
        .post("UTF-16", [0xff, 0xfe, 0x7b, 0, 0x7d, 0], 400),
        .post("a byte order mark", [0xef, 0xbb, 0xbf] + Array("{\"_id\":3}".utf8), 201, 400),
        .post("nothing", [], 400),
        .post("blanks", text(" ", 100_000), 400),
        .post("half an object", Array("{\"_id\":".utf8), 400),
        .post("two values", Array("{\"_id\":4} {\"_id\":5}".utf8), 400),
        .post("a comment", Array("{/**/\"_id\":4}".utf8), 400),
        .post("NaN", Array("{\"_id\":4,\"weight\":NaN}".utf8), 400),
        .post("a prototype", Array("{\"__proto__\":{\"_id\":4}}".utf8), 422),
        .post("XML", Array("<!DOCTYPE a [<!ENTITY b \"c\">]><a>&b;</a>".utf8), 415, type: "application/xml"),
        .post("a form", Array("_id=1".utf8), 415, type: "application/x-www-form-urlencoded"),
        .post("UTF-7", Array("{\"_id\":6}".utf8), 415, type: "application/json; charset=utf-7"),
        .post("a coding that there is not", Array("{}".utf8), 415, headers: "Content-Encoding: br\r\n"),
        .post("two codings", Array("{}".utf8), 415, headers: "Content-Encoding: gzip, gzip\r\n"),
        .post("no gzip", Array("{}".utf8), 400, headers: "Content-Encoding: gzip\r\n"),
        .post("no zstd", Array("{}".utf8), 400, headers: "Content-Encoding: zstd\r\n"),
        .post("half a gzip header", [0x1f, 0x8b, 8], 400, headers: "Content-Encoding: gzip\r\n"),
        .post(
            "a filter of 100,000 brackets", Array("filter=".utf8) + text("(", 100_000), 400,
            to: "/v1/query/objects/Dog", type: "application/x-www-form-urlencoded"),
        .post(
            "a filter of 50,000 NOTs", Array("filter=".utf8) + text("NOT ", 50_000) + Array("age > 1".utf8), 400,
            to: "/v1/query/objects/Dog", type: "application/x-www-form-urlencoded"),
        .post(
            "100,000 sort keys", Array("sort=".utf8) + text("age,", 100_000) + Array("age".utf8), 400,
            to: "/v1/query/objects/Dog", type: "application/x-www-form-urlencoded"),
    ]

    @Test("has a status of its own or ends the connection, and the next request is answered", arguments: lines + bodies)
    func answered(request: Case) throws {
        try withEdge { port in
            let socket = try RawSocket(port: port)
            socket.send(request.bytes)
            // Whatever this was, it is the last request of the connection.
            socket.finishSending()
            let all = try #require(socket.readToEnd(), "left open")
            let answer = String(decoding: all, as: UTF8.self)
            let status = answer.isEmpty ? 0 : Int(answer.dropFirst("HTTP/1.1 ".count).prefix(3)) ?? -1
            #expect(request.statuses.contains(status), "\(status): \(answer.prefix(600))")
            if !request.isAnsweredByLibrary {
                #expect(!answer.contains("text/html") && !answer.contains("<html>"), "\(answer.prefix(600))")
                if status >= 400 {
                    #expect(answer.contains("application/problem+json"), "\(answer.prefix(600))")
                    #expect(answer.contains("\"code\":"))
                }
            }
            let after = try LoopbackClient(port: port).request("GET", "/v1/schema")
            #expect(after.status == 200)
        }
    }

    @Test("a body that expands without end is refused at the limit", arguments: Coding.allCases)
    func bombs(coding: Coding) throws {
        // A gigabyte of zeros: 64 concatenated streams of 16 MiB, which count as one.
        let bomb = Array(repeatElement(try Self.bomb(coding), count: 64).joined())
        try withEdge { port in
            let request = Case.post("", bomb, 413, headers: "Content-Encoding: \(coding.rawValue)\r\n")
            let socket = try RawSocket(port: port)
            socket.send(request.bytes)
            socket.finishSending()
            let answer = String(decoding: try #require(socket.readToEnd()), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(300))")
            #expect(try LoopbackClient(port: port).request("GET", "/v1/schema").status == 200)
        }
    }

    private static let halves = [
        "GET", "GET /v1/schema HTTP/1.1\r\nHost", "GET /v1/schema HTTP/1.1\r\nHost: t\r\n",
        "POST /v1/objects/Dog HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{",
        "POST /v1/objects/Dog HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ]

    @Test("a client that has no more to say still gets its answer, one that stopped in the middle gets none")
    func halfClosed() throws {
        try withEdge { port in
            let done = try RawSocket(port: port)
            done.send(Array("GET /v1/schema HTTP/1.1\r\nHost: t\r\n\r\n".utf8))
            done.finishSending()
            #expect(String(decoding: try #require(done.readToEnd()), as: UTF8.self).hasPrefix("HTTP/1.1 200 "))
            for part in Self.halves {
                let half = try RawSocket(port: port)
                half.send(Array(part.utf8))
                half.finishSending()
                let answer = String(decoding: try #require(half.readToEnd()), as: UTF8.self)
                #expect(!answer.contains(" 200 ") && !answer.contains(" 201 "), "\(part): \(answer)")
            }
            let count = try LoopbackClient(port: port).request("GET", "/v1/objects/Dog?count=true")
            #expect(count.json?["count"] == .int(0))
        }
    }

    /// What a connection carried before half a request.
    enum Before: CaseIterable, Sendable {
        case nothing
        /// A whole request that is answered, so that the server knows the connection.
        case request
        /// A whole request in the same segment.
        case requestAtOnce
    }

    @Test(
        "a client that ends in the middle of a request is noticed, also when its end comes with the last bytes",
        arguments: Before.allCases)
    func halfClosedAtOnce(before: Before) throws {
        let request = "OPTIONS * HTTP/1.1\r\nHost: t\r\n\r\n"
        try withEdge({
            // The loop's ticks are a quarter of the shortest time apart.
            $0.streamHeartbeat = 40
            // Longer than the test's patience: no deadline ends a connection.
            $0.firstRequestTimeout = 3_600_000
            $0.receiveTimeout = 3_600_000
            $0.idleTimeout = 3_600_000
        }) { port in
            for part in Self.halves + [""] {
                let half = try RawSocket(port: port)
                if before == .request {
                    half.send(Array(request.utf8))
                    #expect(try half.readHead().hasPrefix("HTTP/1.1 204 "))
                }
                try half.sendLast(Array(((before == .requestAtOnce ? request : "") + part).utf8))
                let answer = String(decoding: try #require(half.readToEnd(), "\(part)"), as: UTF8.self)
                #expect(!answer.contains(" 200 ") && !answer.contains(" 201 "), "\(part): \(answer)")
                #expect(answer.contains(" 204 ") == (before == .requestAtOnce), "\(part): \(answer)")
            }
            let whole = try RawSocket(port: port)
            try whole.sendLast(
                Array(
                    "POST /v1/objects/Dog HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
                        .utf8))
            let answer = String(decoding: try #require(whole.readToEnd()), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 "), "\(answer)")
        }
    }

    @Test("clients that send a byte now and then are cut, wherever they are", arguments: [0, 1, 2])
    func slow(phase: Int) throws {
        let starts = [
            "GET /v1/schema HTTP/1.1\r\nA: ",
            "POST /v1/objects/Dog HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\n\r\n",
            "POST /v1/objects/Dog HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n100\r\n",
        ]
        try withEdge({
            $0.firstRequestTimeout = 300
            $0.receiveTimeout = 500
        }) { port in
            let slow = try RawSocket(port: port)
            slow.send(Array(starts[phase].utf8))
            // Sends bytes until the server has had enough; it must not wait for the last of them.
            let isCut = eventually {
                usleep(25_000)
                return !slow.send([0x61])
            }
            #expect(isCut)
            // The small limits are this client's, too: on a busy machine it may need more than one attempt.
            #expect(eventually { (try? LoopbackClient(port: port).request("GET", "/v1/schema").status) == 200 })
        }
    }

    @Test("hundreds of connections that say nothing keep nobody else from being answered")
    func idle() throws {
        try withEdge { port in
            var sockets: [RawSocket] = []
            for number in 0..<Self.idleConnections {
                let socket = try RawSocket(port: port)
                if number % 3 == 0 { socket.send(Array("GET /v1/sch".utf8)) }
                sockets.append(socket)
            }
            for _ in 0..<20 {
                let client = try LoopbackClient(port: port)
                for _ in 0..<5 { #expect(try client.request("GET", "/v1/schema").status == 200) }
            }
            #expect(sockets.count == Self.idleConnections)
        }
    }

    /// Both ends of each are in this process, which has few descriptors.
    private static let idleConnections = 300

    /// 16 MiB of zeros.
    private static func bomb(_ coding: Coding) throws -> [UInt8] {
        try [UInt8](repeating: 0, count: 16 << 20).withUnsafeBytes { try Encoder(coding).encode($0) }
    }

    private func withEdge(
        _ configure: (inout ServerConfiguration) -> Void = { _ in }, _ body: (UInt16) throws -> Void
    ) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        configure(&configuration)
        let gateway = try TestGateway()
        configuration.bodyLimit = 16 << 20
        let server = HTTPServer(configuration: configuration, router: gateway.router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(port)
    }
}
