import HTTPMessages
import Glibc
import HTTPServer
import HTTPTesting
import Testing

/// Valid and invalid chunks of RFC 9112, section 7.1, as a whole and byte by byte.
@Suite("Bodies in chunks")
struct ChunkTests {
    private static let head = "POST /x HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"

    private func serve(_ received: Recorder<String>, _ body: (UInt16) throws -> Void) throws {
        try withServer(
            { $0.loops = 1 },
            routes: { router in
                router.on(.post, "/*any") { request, _ in
                    received.append(request.target + " " + String(decoding: request.body, as: UTF8.self))
                    return .now(.text("ok"))
                }
                router.on(.post, "/file", body: .file(limit: 64)) { request, _ in
                    let text = try String(decoding: request.bodyFile?.read(at: 0, upTo: 100) ?? [], as: UTF8.self)
                    received.append(request.target + " " + text)
                    return .now(.text("ok"))
                }
            }
        ) { _, port in try body(port) }
    }

    private func send(_ text: String, _ client: LoopbackClient, inPieces: Bool) throws {
        guard inPieces else { return try client.write(text) }
        for scalar in text.unicodeScalars {
            try client.write(String(scalar))
            usleep(200)
        }
    }

    static let refusedBodies = [
        // Line feeds and carriage returns alone.
        "7\nlimit=1\n0\n\n", "7\r\nlimit=1\n0\r\n\r\n", "7\nlimit=1\r\n0\r\n\r\n", "7\r\nlimit=1\r\n0\n\r\n",
        "7\r\nlimit=1\r\n0\r\n\n", "7\rlimit=1\r\n0\r\n\r\n", "7\r\nlimit=1\r0\r\n\r\n", "7\r\r\nlimit=1\r\n0\r\n\r\n",
        "0\n\n", "0\r\n\n", "0\r\nX: y\n\r\n", "0\r\nX: y\r\n\n", "0\r\nX: a\rb\r\n\r\n", "\n0\r\n\r\n",
        // Sizes.
        "+3\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "3h\r\nabc\r\n0\r\n\r\n",
        " 3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n0\r\n\r\n", "3\t\r\nabc\r\n0\r\n\r\n", "\r\n\r\n",
        "3,3\r\nabc\r\n0\r\n\r\n",
        "3\0\r\nabc\r\n0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nab\r\n0\r\n\r\n", "3\r\nabc0\r\n\r\n",
        "\u{ff13}\r\nabc\r\n0\r\n\r\n",
        // Extensions.
        ";a\r\n0\r\n\r\n", "3;a\nabc\r\n0\r\n\r\n", "3;a\rb\r\nabc\r\n0\r\n\r\n",
        // Trailers.
        "0\r\nX\r\n\r\n", "0\r\nX : y\r\n\r\n", "0\r\n X: y\r\n\r\n", "0\r\nX: y\r\n z\r\n\r\n", "0\r\n: y\r\n\r\n",
        "0\r\nX: \0\r\n\r\n", "0\r\nX(: y\r\n\r\n",
    ]

    @Test("nothing behind what is not a chunk is read", arguments: refusedBodies, [false, true])
    func refused(body: String, inPieces: Bool) throws {
        let received = Recorder<String>()
        try serve(received) { port in
            let client = try LoopbackClient(port: port)
            try client.write(Self.head)
            try? send(body, client, inPieces: inPieces && body.utf8.count < 100)
            try? client.write("POST /smuggled HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")
            client.finishSending()
            let all = client.toEnd().map { String(decoding: $0, as: UTF8.self) } ?? "left open"
            #expect(all.isEmpty || all.hasPrefix("HTTP/1.1 4") || all.hasPrefix("HTTP/1.1 200 "), "\(all)")
            #expect(all.split(separator: "HTTP/1.1 ").count { Int($0.prefix(3)) != nil } <= 1, "\(all)")
            #expect(!received.values.contains { $0.contains("smuggled") })
            if HTTPServer.libraryIsStrict { #expect(received.values.isEmpty) }
        }
    }

    /// Extensions that end with CRLF, and have no CR or LF before, so that all readers see the same chunks.
    static let oddExtensions = ["", "a=\"b", "a\0", "=a", "a", "a=b;c=\"d\"", String(repeating: "a", count: 2000)]

    /// libmicrohttpd 1.0.1 refuses all extensions, 1.0.10 ignores what is in them, as HTTP asks of a recipient that does
    /// not know them.
    @Test("an extension is refused, or ignored", arguments: oddExtensions)
    func extensions(text: String) throws {
        let received = Recorder<String>()
        try serve(received) { port in
            let client = try LoopbackClient(port: port)
            try client.write(Self.head + "3;\(text)\r\nabc\r\n0\r\n\r\n")
            try? client.write("POST /next HTTP/1.1\r\nHost: t\r\nContent-Length: 0\r\n\r\n")
            client.finishSending()
            let all = client.toEnd().map { String(decoding: $0, as: UTF8.self) } ?? "left open"
            #expect(all.isEmpty || all.hasPrefix("HTTP/1.1 4") || all.hasPrefix("HTTP/1.1 200 "), "\(all)")
            #expect([[], ["/x abc"], ["/x abc", "/next "]].contains(received.values))
        }
    }

    static let takenBodies: [(body: String, content: String)] = [
        ("0\r\n\r\n", ""), ("3\r\nabc\r\n0\r\n\r\n", "abc"), ("003\r\nabc\r\n000\r\n\r\n", "abc"),
        ("1\r\na\r\n2\r\nbc\r\n0\r\n\r\n", "abc"),
        ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
        ("4\r\na\r\nb\r\n0\r\n\r\n", "a\r\nb"), ("5\r\n0\r\n\r\n\r\n0\r\n\r\n", "0\r\n\r\n"),
        ("3\r\nabc\r\n0\r\nX: y\r\nZ:\r\n\r\n", "abc"),
        ("3\r\nabc\r\n0\r\nContent-Length: 7\r\n\r\n", "abc"),
    ]

    /// A library that reads chunks too leniently makes the end of the request uncertain, so its connection ends there.
    @Test("what is one is taken, and so is the request behind it", arguments: takenBodies.indices, [false, true])
    func taken(index: Int, inPieces: Bool) throws {
        let (body, content) = Self.takenBodies[index]
        let received = Recorder<String>()
        try serve(received) { port in
            for path in ["/x", "/file"] {
                let client = try LoopbackClient(port: port)
                let head = "POST \(path) HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                let next = "POST /next HTTP/1.1\r\nHost: t\r\nContent-Length: 1\r\n\r\n!"
                guard HTTPServer.libraryIsStrict else {
                    try send(head + body, client, inPieces: inPieces)
                    try? client.write(next)
                    let answer = try client.receive()
                    #expect(answer.text == "ok" && answer["Connection"] == "close" && client.ends())
                    #expect(received.values.last == "\(path) \(content)")
                    continue
                }
                try send(head + body + head + body + next, client, inPieces: inPieces)
                for _ in 0..<3 { #expect(try client.receive().text == "ok") }
                #expect(received.values.suffix(3) == ["\(path) \(content)", "\(path) \(content)", "/next !"])
            }
        }
    }

    @Test(
        "an extension, or a size of many zeros, changes nothing or is refused",
        arguments: [
            "3;a\r\nabc\r\n0;b=c\r\n\r\n", "3;a=\"b;\\\"c\"\r\nabc\r\n0\r\n\r\n", "3 ; a = b ;c\r\nabc\r\n0\r\n\r\n",
            String(repeating: "1;\(String(repeating: "a", count: 900))\r\nb\r\n", count: 3) + "0\r\n\r\n",
            String(repeating: "0", count: 2000) + "3\r\nabc\r\n0\r\n\r\n",
        ])
    func extensions(body: String) throws {
        let received = Recorder<String>()
        try serve(received) { port in
            let client = try LoopbackClient(port: port)
            try? client.write(Self.head + body)
            let status = try client.receive().status
            #expect(status == 400 || (status == 200 && ["/x abc", "/x bbb"].contains(received.values.last)))
        }
    }

    @Test(
        "a chunk larger than any body may be is refused",
        arguments: [
            "fffffffffffffffff\r\n", "7fffffffffffffff\r\n", "8000000000000000\r\n", "FFFFFFFFFFFFFFFF\r\n", "41\r\n",
        ])
    func large(size: String) throws {
        let received = Recorder<String>()
        try serve(received) { port in
            let client = try LoopbackClient(port: port)
            try client.write("POST /file HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n" + size)
            try? client.write(String(repeating: "a", count: 65))
            #expect([400, 413].contains(try client.receive().status))
            #expect(received.values.isEmpty)
        }
    }

    @Test("trailers beyond the limits of a header are refused")
    func endless() throws {
        for part in ["X: y\r\n", "X: \(String(repeating: "a", count: 1000))\r\n"] {
            let received = Recorder<String>()
            try serve(received) { port in
                let client = try LoopbackClient(port: port)
                try? client.write(Self.head + "0\r\n" + String(repeating: part, count: 2000))
                #expect([413, 431].contains(try client.receive().status))
                #expect(received.values.isEmpty)
            }
        }
    }

    @Test("a body in many chunks arrives as it was sent, in memory and in a file", arguments: [1, 2, 7, 1000, 70_000])
    func many(size: Int) throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let digest = bytes.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }
        try withServer(
            { $0.loops = 1 },
            routes: { router in
                for (path, handling) in [("/memory", Router.BodyHandling.memory), ("/file", .file(limit: 1 << 20))] {
                    router.on(.post, path, body: handling) { request, _ in
                        let body = try request.bodyFile?.read(at: 0, upTo: 1 << 20) ?? request.body
                        return .now(.text("\(body.count) \(body.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) })"))
                    }
                }
            }
        ) { _, port in
            for path in ["/memory", "/file"] {
                let client = try LoopbackClient(port: port)
                var text = "POST \(path) HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n".utf8.map { $0 }
                for start in stride(from: 0, to: bytes.count, by: size) {
                    let part = bytes[start..<min(start + size, bytes.count)]
                    text += Array((String(part.count, radix: 16) + "\r\n").utf8)
                    text += Array(part)
                    text += Array("\r\n".utf8)
                }
                text += Array("0\r\n\r\n".utf8)
                try client.write(text)
                #expect(try client.receive().text == "\(bytes.count) \(digest)")
            }
        }
    }
}
