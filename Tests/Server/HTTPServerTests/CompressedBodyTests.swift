import Compression
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import Synchronization
import Testing

@Suite("Compressed bodies")
struct CompressedBodyTests {
    static let text = String(repeating: "{\"name\":\"Rex\",\"age\":7}\n", count: 400)
    static let long = String(repeating: text, count: 40)

    /// Echoes the conditions of the request, and responds with tags as the gateway's handlers do.
    private func router() -> Router {
        var router = Router()
        router.use(compressResponses())
        func page(_ path: String, _ type: String, _ body: @escaping @Sendable () -> Response.Body, _ tag: String) {
            router.get(path) { request, _ in
                var response = Response(headers: ["Content-Type": type, "ETag": tag], body: body())
                if request.header("If-None-Match")?.contains(tag) == true {
                    response.status = 304
                    response.body = .empty
                }
                return .now(response)
            }
        }
        page("/text", "application/json", { .bytes(Array(Self.text.utf8)) }, "\"41\"")
        page("/weak", "text/csv; charset=utf-8", { .bytes(Array(Self.text.utf8)) }, "W/\"41\"")
        page("/long", "application/x-ndjson", { .bytes(Array(Self.long.utf8)) }, "\"41\"")
        page("/shared", "text/plain", { .shared(SharedBytes(Self.long)) }, "\"41\"")
        page("/pieces", "text/plain", { .pieces(Pieces(40)) }, "\"41\"")
        page("/short", "application/json", { .bytes([0x7b, 0x7d]) }, "\"41\"")
        page("/image", "image/png", { .bytes(Array(Self.text.utf8)) }, "\"41\"")
        router.get("/coded") { _, _ in
            .now(
                Response(
                    headers: ["Content-Type": "text/plain", "Content-Encoding": "br"],
                    body: .bytes([UInt8](repeating: 1, count: 5_000))))
        }
        router.get("/late") { _, _ in .later { $0.send(.text(Self.text)) } }
        router.get("/events") { _, _ in .events { _ in } }
        router.put("/text") { request, _ in .now(.text(request.header("If-Match") ?? "none")) }
        return router
    }

    private func expanded(_ response: Response) throws -> String {
        let bytes = response.bodyBytes
        guard let coding = response.headers["Content-Encoding"].flatMap({ Coding(name: $0) }) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        return String(
            decoding: try bytes.withUnsafeBytes { try Decoder.expand($0, coding, limit: 1 << 30) }, as: UTF8.self)
    }

    @Test(
        "are what the bodies were, whatever form those had",
        arguments: ["/text", "/long", "/shared", "/pieces", "/late", "/weak"], Coding.allCases)
    func bodies(target: String, coding: Coding) throws {
        let plain = try router().answer(try Request(.get, target))
        #expect(plain.headers["Content-Encoding"] == nil)
        #expect(plain.headers["Vary"] == "Accept-Encoding")
        let answer = try router().answer(try Request(.get, target, headers: ["Accept-Encoding": coding.rawValue]))
        #expect(answer.headers["Content-Encoding"] == coding.rawValue)
        #expect(answer.headers["Vary"] == "Accept-Encoding")
        let body = try expanded(answer)
        #expect(body == String(decoding: plain.bodyBytes, as: UTF8.self))
        #expect(body.utf8.count > 1024)
    }

    @Test("are not made of what is short, an image, coded already or an event stream")
    func exceptions() throws {
        for target in ["/short", "/image", "/coded", "/events", "/nothing"] {
            let answer = try router().answer(try Request(.get, target, headers: ["Accept-Encoding": "gzip"]))
            #expect(answer.headers["Content-Encoding"] == (target == "/coded" ? "br" : nil), "\(target)")
        }
        // Only gzip is accepted.
        let forced = try router().answer(
            try Request(.get, "/short", headers: ["Accept-Encoding": "gzip, identity;q=0"]))
        #expect(try expanded(forced) == "{}")
        #expect(forced.headers["Content-Encoding"] == "gzip")
        let impossible = try router().answer(try Request(.get, "/text", headers: ["Accept-Encoding": "identity;q=0"]))
        #expect(impossible.status == 406)
    }

    @Test("have a tag of their own, which is as good as the plain one to ask with")
    func tags() throws {
        let router = router()
        func get(_ accept: String?, _ tags: String? = nil, _ target: String = "/text") throws -> Response {
            var headers: HeaderFields = [:]
            headers["Accept-Encoding"] = accept
            headers["If-None-Match"] = tags
            return try router.answer(try Request(.get, target, headers: headers))
        }
        #expect(try get(nil).headers["ETag"] == "\"41\"")
        #expect(try get("gzip").headers["ETag"] == "\"41-gzip\"")
        #expect(try get("zstd, gzip").headers["ETag"] == "\"41-zstd\"")
        #expect(try get("gzip", nil, "/weak").headers["ETag"] == "W/\"41\"")
        let known = try get("gzip", "\"40-gzip\", \"41-gzip\"")
        #expect(known.status == 304)
        #expect(known.headers["ETag"] == "\"41-gzip\"")
        #expect(known.headers["Vary"] == "Accept-Encoding")
        // The client has the uncompressed body, which is still valid.
        let plain = try get("gzip", "\"41\"")
        #expect(plain.status == 304)
        #expect(plain.headers["ETag"] == "\"41\"")
        // The client has a body that it no longer accepts.
        #expect(try get(nil, "\"41-gzip\"").status == 200)
        #expect(try get("zstd", "\"41-gzip\"").status == 200)
        #expect(try get("gzip", "\"42-gzip\"").status == 200)
        let put = try router.answer(
            try Request(.put, "/text", headers: ["If-Match": "\"41-gzip\", W/\"a-b-zstd\",\"c-gzip2\", \"d\""]))
        #expect(String(decoding: put.bodyBytes, as: UTF8.self) == "\"41\", W/\"a-b\",\"c-gzip2\", \"d\"")
    }

    @Test("arrive over a socket, and HEAD tells of them what GET does", arguments: ["/text", "/long", "/pieces"])
    func socket(target: String) throws {
        try withServer(routes: { $0 = router() }) { _, port in
            func curl(_ arguments: String...) throws -> String {
                let process = Process()
                process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                process.arguments =
                    ["curl", "-sS", "-i", "--http1.1", "-H", "Accept-Encoding: gzip"] + arguments
                    + ["http://127.0.0.1:\(port)\(target)"]
                let output = Pipe()
                process.standardOutput = output
                try process.run()
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                return String(decoding: data, as: UTF8.self)
            }
            func fields(_ text: String) -> [String] {
                (text.components(separatedBy: "\r\n\r\n").first ?? "").components(separatedBy: "\r\n")
                    // A HEAD whose GET would be streamed closes its connection instead of announcing chunks.
                    .filter { field in !["Date:", "Transfer-Encoding:", "Connection:"].contains { field.hasPrefix($0) }
                    }
            }
            let got = try curl("--compressed")
            let body = got.components(separatedBy: "\r\n\r\n").dropFirst().joined(separator: "\r\n\r\n")
            #expect(body == (target == "/text" ? Self.text : Self.long))
            #expect(fields(got).contains("Content-Encoding: gzip"))
            #expect(try fields(curl("-I")) == fields(got))
        }
    }

    @Test("of requests are expanded before a handler sees them", arguments: Coding.allCases)
    func requests(coding: Coding) throws {
        var router = Router()
        router.use(expandRequests(limit: 10_000))
        router.post("/") { request, _ in
            #expect([nil, "identity"].contains(request.header("Content-Encoding")))
            #expect(request.header("Content-Length") == String(request.body.count))
            return .now(Response(contentType: "text/plain", body: request.body))
        }
        func post(_ body: [UInt8], _ name: String) throws -> Response {
            try router.answer(
                try Request(
                    .post, "/", headers: ["Content-Encoding": name, "Content-Length": "\(body.count)"], body: body))
        }
        let body = Array(Self.text.utf8.prefix(9_000))
        let encoded = try body.withUnsafeBytes { try Encoder(coding).encode($0) }
        #expect(try post(encoded, coding.rawValue).bodyBytes == body)
        #expect(try post(body, "identity").status == 200)
        #expect(try post(Array(encoded.dropLast()), coding.rawValue).status == 400)
        #expect(try post(body, coding.rawValue).status == 400)
        let large = try Array(Self.long.utf8).withUnsafeBytes { try Encoder(coding).encode($0) }
        #expect(large.count < 10_000)
        #expect(try post(large, coding.rawValue).status == 413)
        for unknown in ["br", "gzip, gzip", "deflate", "x"] {
            let refused = try post(encoded, unknown)
            #expect(refused.status == 415)
            #expect(refused.headers["Accept-Encoding"] == "zstd, gzip")
        }
    }
}

/// The text, repeated.
private final class Pieces: BodySource {
    private let left: Atomic<Int>
    init(_ count: Int) { left = Atomic(count) }

    func next() -> [UInt8]? {
        guard left.load(ordering: .relaxed) > 0 else { return nil }
        left.subtract(1, ordering: .relaxed)
        return Array(CompressedBodyTests.text.utf8)
    }
}
