import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Synchronization
import TestBasics
import Testing

/// The memory for large responses, measured from outside of the process.
///
/// Sizes and limits are a quarter of what they are by default, because that is as true and takes a quarter of the time.
/// The bound is not: it is a fifth of what the answers would take without the limit, at the least, and leaves room for what
/// threads that wait for a processor hold meanwhile.
@Suite("Memory of answers", .serialized)
struct ResponseMemoryTests {
    /// Each of these links to all of them.
    private static let webs = 120

    private static let schema = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Web","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"all","type":"Web[]"}]},
          {"name":"Blob","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"text","type":"string"}]}]}
        """#

    /// The resident memory of a process in MiB: the present or the maximum value.
    private static func memory(_ name: String, of server: RunningServer) throws -> Int {
        let status = try String(contentsOfFile: "/proc/\(server.process.pid)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        guard
            let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                Int($0)
            })
        else { throw TestFailure("no \(name)") }
        return kilobytes / 1024
    }

    @Test("deep expansions, large pages and clients that do not read take little memory, and all get an answer")
    func attacks() throws {
        let directory = try TestDirectory()
        let arguments = [
            "--data", directory.file("data"), "--schema", try directory.write(Self.schema, to: "schema.json"),
            "--set", "limits.memory=16m", "--set", "limits.answerBytes=2m",
            // A debug build on a busy machine needs seconds for the expansion; the size limit must end it, not the time
            // limit.
            "--set", "limits.queryMilliseconds=100000",
        ]
        do {
            let server = try RunningServer(arguments, in: directory)
            let client = try server.client()
            #expect(
                try client.send(
                    "POST", "/v1/objects/Web",
                    body: "[" + (0..<Self.webs).map { #"{"id":\#($0)}"# }.joined(separator: ",") + "]"
                ).status == 201)
            let all = (0..<Self.webs).map(String.init).joined(separator: ",")
            #expect(
                try client.send("PATCH", "/v1/objects/Web?all=true", body: #"{"all":[\#(all)]}"#).status == 200)
            let text = String(repeating: "x", count: 1 << 18)
            for start in stride(from: 0, to: 48, by: 6) {
                let rows = (start..<start + 6).map { #"{"id":\#($0),"text":"\#(text)"}"# }.joined(separator: ",")
                #expect(try client.send("POST", "/v1/objects/Blob", body: "[\(rows)]").status == 201)
            }
            #expect(try server.stop() == 0)
        }
        let server = try RunningServer(arguments, in: directory)
        let client = try server.client()
        #expect(try client.send("GET", "/v1/objects/Web/1").status == 200)
        let resting = try Self.memory("VmRSS", of: server)
        let deep = try client.send("GET", "/v1/objects/Web/1?expand=all.all")
        #expect(deep.status == 400 && deep.text.contains("answer.too_large"))
        var silent: [LoopbackSocket] = []
        for _ in 0..<100 {
            let socket = try LoopbackSocket(port: UInt16(server.port), receiveBuffer: 4096)
            try socket.send("GET /v1/objects/Blob?limit=48 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
            silent.append(socket)
        }
        // A client that reads gets everything, as soon as the stuck clients have been disconnected. Also this one is if it
        // pauses for too long, as a process of a busy machine does: then it asks for the same page again.
        var ids = 0
        var after = ""
        let isComplete = eventually {
            guard let page = try? Self.whole("/v1/objects/Blob?limit=48" + after, of: server) else { return false }
            guard let items = page["items"] as? [[String: Any]] else {
                #expect(page["code"] as? String == "answer.no_memory")
                return false
            }
            ids += items.count
            #expect(items.count < 48)
            after = (page["next"] as? String).map { "&after=\($0)" } ?? ""
            return after.isEmpty
        }
        #expect(isComplete && ids == 48)
        #expect(try client.send("GET", "/healthz").status == 200)
        let peak = try Self.memory("VmHWM", of: server)
        #expect(peak - resting <= 256, "from \(resting) to \(peak) MiB")
        withExtendedLifetime(silent) {}
        #expect(try server.stop() == 0)
    }

    @Test("writes with long answers, and streams of large objects that nobody reads, take little memory")
    func streams() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(
            [
                "--data", directory.file("data"), "--schema", try directory.write(Self.schema, to: "schema.json"),
                "--set", "limits.memory=16m",
            ], in: directory)
        let client = try server.client()
        let text = String(repeating: "x", count: 1 << 18)
        for id in 0..<100 {
            let answer = try client.send("POST", "/v1/objects/Blob", body: #"{"id":\#(id),"text":"\#(text)"}"#)
            #expect(answer.status == 201)
        }
        func anonymous() throws -> Int {
            let status = try String(contentsOfFile: "/proc/\(server.process.pid)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0
        }
        let resting = try anonymous()
        var most = resting
        var silent: [LoopbackSocket] = []
        for number in 0..<200 {
            let socket = try LoopbackSocket(port: UInt16(server.port), receiveBuffer: 4096)
            // Forty different results.
            let shape = "sort=id&limit=\(100 + number % 40)"
            try socket.send("GET /v1/observe/objects/Blob?\(shape) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
            silent.append(socket)
            most = max(most, try anonymous())
        }
        for id in 0..<100 {
            let body = #"{"text":"\#(id)\#(text)"}"#
            #expect(try client.send("PATCH", "/v1/objects/Blob/\(id)", body: body).status == 200)
            most = max(most, try anonymous())
        }
        // One commit that changes all objects, and one response that contains all.
        #expect(try client.send("PATCH", "/v1/objects/Blob?all=true", body: #"{"text":"short"}"#).status == 200)
        for _ in 0..<50 {
            most = max(most, try anonymous())
            usleep(10_000)
        }
        #expect(most - resting <= 256 << 10, "from \(resting) to \(most) kB")
        #expect(try client.send("GET", "/healthz").status == 200)
        withExtendedLifetime(silent) {}
        #expect(try server.stop() == 0)
    }

    /// Starts threads with one request each, and returns the statuses and the most anonymous memory meanwhile, in MiB, over
    /// that before.
    private static func flood(
        _ count: Int, of server: RunningServer, _ request: @escaping @Sendable (Int, LoopbackSocket) throws -> Void
    ) throws -> (answers: [String], over: Int) {
        let resting = try memory("RssAnon", of: server)
        let answers = Mutex<[String]>([])
        let left = Atomic(count)
        for number in 0..<count {
            Thread.detachNewThread {
                var received = Data()
                if let socket = try? LoopbackSocket(port: UInt16(server.port)), (try? request(number, socket)) != nil {
                    while let bytes = try? socket.receive(), !bytes.isEmpty, received.count < 4096 {
                        received.append(contentsOf: bytes)
                    }
                }
                answers.withLock { $0.append(String(decoding: received.prefix(4096), as: UTF8.self)) }
                left.subtract(1, ordering: .sequentiallyConsistent)
            }
        }
        var most = resting
        let isOver = try eventually {
            most = max(most, try memory("RssAnon", of: server))
            return left.load(ordering: .sequentiallyConsistent) == 0
        }
        #expect(isOver)
        return (answers.withLock { $0 }, most - resting)
    }

    @Test(
        "many long bodies, long responses and long rows of events at once take little memory, and go when their clients do"
    )
    func floods() throws {
        let directory = try TestDirectory()
        let schema = Self.schema.replacingOccurrences(
            of: #"{"name":"all","type":"Web[]"}"#,
            with: #"{"name":"text","type":"string"},{"name":"numbers","type":"int[]"},{"name":"all","type":"Web[]"}"#)
        let server = try RunningServer(
            [
                "--data", directory.file("data"), "--schema", try directory.write(schema, to: "schema.json"),
                "--set", "limits.memory=32m", "--set", "limits.answerBytes=4m", "--set", "limits.eventBytes=1m",
                "--set", "limits.queryMilliseconds=100000", "--set", "limits.body=4m",
            ], in: directory)
        let client = try server.client()
        let text = String(repeating: "x", count: 6_000)
        let rows = (0..<100).map { #"{"id":\#($0),"text":"\#(text)"}"# }.joined(separator: ",")
        #expect(try client.send("POST", "/v1/objects/Web", body: "[\(rows)]").status == 201)
        let all = (0..<100).map(String.init).joined(separator: ",")
        #expect(try client.send("PATCH", "/v1/objects/Web?all=true", body: #"{"all":[\#(all)]}"#).status == 200)
        #expect(try client.send("GET", "/v1/objects/Web/1").status == 200)

        // Each of these rows would have 60 MB.
        let reads = try Self.flood(20, of: server) { _, socket in
            try socket.send("GET /v1/objects/Web/1?expand=all.all HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        }
        #expect(reads.answers.allSatisfy { $0.contains("answer.too_large") })
        #expect(reads.over <= 64, "\(reads.over) MiB")

        let events = try Self.flood(20, of: server) { number, socket in
            let target = "/v1/observe/objects/Web?expand=all.all&limit=\(1 + number % 10)"
            try socket.send("GET \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        }
        #expect(events.answers.allSatisfy { $0.contains("observe.too_large") })
        #expect(events.over <= 64, "\(events.over) MiB")

        // A million numbers each, which once took 155 MB.
        let body = #""numbers":[\#(Array(repeating: "7", count: 1_000_000).joined(separator: ","))]}"#
        let bodies = try Self.flood(6, of: server) { number, socket in
            let whole = #"{"id":\#(1_000 + number),"# + body
            try socket.send(
                "POST /v1/objects/Web HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \(whole.utf8.count)\r\n\r\n\(whole)"
                    .utf8)
        }
        #expect(bodies.answers.allSatisfy { $0.contains(" 201 ") || $0.contains("body.no_memory") })
        #expect(bodies.answers.contains { $0.contains(" 201 ") })
        #expect(bodies.over <= 128, "\(bodies.over) MiB")
        // On a new connection: the first has been idle for as long as the floods took.
        #expect(try server.client().send("GET", "/healthz").status == 200)
        #expect(try server.stop() == 0)
    }

    @Test("what writes replace or delete takes little memory until they are committed, and so do long lines of files")
    func replacements() throws {
        let directory = try TestDirectory()
        let schema = Self.schema.replacingOccurrences(
            of: #"{"name":"all","type":"Web[]"}"#,
            with: #"{"name":"numbers","type":"int[]"},{"name":"marks","type":"int<>"},"#
                + #"{"name":"scores","type":"int{}"},{"name":"all","type":"Web[]"}"#
        )
        let server = try RunningServer(
            [
                "--data", directory.file("data"), "--schema", try directory.write(schema, to: "schema.json"),
                "--set", "limits.memory=32m", "--set", "limits.body=4m", "--set", "limits.queryMilliseconds=100000",
            ], in: directory)
        func numbers(_ number: Int) -> String {
            #""numbers":[\#(Array(repeating: String(number), count: 1_000_000).joined(separator: ","))]"#
        }
        @Sendable func request(_ method: String, _ target: String, _ type: String, _ body: String) -> [UInt8] {
            Array(
                "\(method) \(target) HTTP/1.0\r\nHost: 127.0.0.1\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                    .utf8)
        }
        // Lines of files are counted as bodies are.
        let row = numbers(7)
        let lines = try Self.flood(4, of: server) { number, socket in
            let file = (0..<2).map { #"{"id":\#(number * 2 + $0),\#(row)}"# }.joined(separator: "\n")
            try socket.send(request("POST", "/v1/import/Web", "application/x-ndjson", file))
        }
        #expect(lines.answers.allSatisfy { $0.contains(#""created":2"#) }, "\(lines.answers)")
        #expect(lines.over <= 64, "\(lines.over) MiB")
        // Each of the old lists would take 24 MB as values.
        let other = numbers(8)
        let puts = try Self.flood(6, of: server) { number, socket in
            try socket.send(request("PUT", "/v1/objects/Web/\(number)", "application/json", "{\(other)}"))
        }
        #expect(puts.answers.allSatisfy { $0.contains(" 200 ") || $0.contains("body.no_memory") })
        #expect(puts.answers.contains { $0.contains(" 200 ") })
        #expect(puts.over <= 64, "\(puts.over) MiB")
        let deletion = try Self.flood(1, of: server) { _, socket in
            try socket.send(request("DELETE", "/v1/objects/Web?all=true", "application/json", ""))
        }
        #expect(deletion.answers.allSatisfy { $0.contains(#""deleted":8"#) }, "\(deletion.answers)")
        #expect(deletion.over <= 48, "\(deletion.over) MiB")
        // Many objects that exist, each with an edit of its list.
        func rows(_ content: String) -> String {
            "[" + (0..<50_000).map { #"{"id":\#($0),"numbers":[\#(content)]}"# }.joined(separator: ",") + "]"
        }
        #expect(try server.client().send("POST", "/v1/objects/Web", body: rows("1,2")).status == 201)
        let updates = rows("3,4")
        let updated = try Self.flood(1, of: server) { _, socket in
            try socket.send(request("POST", "/v1/objects/Web?update=modified", "application/json", updates))
        }
        #expect(updated.answers.allSatisfy { $0.contains(" 200 ") })
        #expect(updated.over <= 40, "\(updated.over) MiB")
        // What the members of one commit have changed counts together: each of these edits takes 13 MB.
        func marks(from first: Int) -> String {
            #""marks":[\#((first..<first + 200_000).map(String.init).joined(separator: ","))]"#
        }
        func scores(from first: Int) -> String {
            #""scores":{\#((first..<first + 80_000).map { #""k\#($0)":\#($0 + first)"# }.joined(separator: ","))}"#
        }
        for content in [marks, scores] {
            for number in 0..<10 {
                let body = "{\(content(0))}"
                #expect(try server.client().send("PUT", "/v1/objects/Web/\(number)", body: body).status == 200)
            }
            for first in [100_000, 500_000] {
                let others = content(first)
                let edits = try Self.flood(10, of: server) { number, socket in
                    try socket.send(request("PUT", "/v1/objects/Web/\(number)", "application/json", "{\(others)}"))
                }
                #expect(edits.answers.allSatisfy { $0.contains(" 200 ") }, "\(edits.answers)")
                #expect(edits.over <= 160, "\(edits.over) MiB")
            }
        }
        #expect(try server.client().send("GET", "/healthz").status == 200)
        #expect(try server.stop() == 0)
    }

    /// Parses a JSON response in any encoding.
    private static func whole(_ target: String, of server: RunningServer) throws -> [String: Any] {
        let socket = try LoopbackSocket(port: UInt16(server.port))
        try socket.send("GET \(target) HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n".utf8)
        var received = Data()
        while true {
            let bytes = try socket.receive()
            if bytes.isEmpty { break }
            received.append(contentsOf: bytes)
        }
        guard let end = received.range(of: Data("\r\n\r\n".utf8)),
            let object = try JSONSerialization.jsonObject(with: received[end.upperBound...]) as? [String: Any]
        else { throw TestFailure("no JSON object of \(received.count) bytes") }
        return object
    }
}
