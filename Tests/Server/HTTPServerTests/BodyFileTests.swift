import Foundation
import HTTPTesting
import TestBasics
import Testing

@testable import HTTPMessages
@testable import HTTPServer

@Suite("Bodies in files")
struct BodyFileTests {
    private func routes(_ router: inout Router) {
        router.on(.post, "/import", body: .file(limit: 300 << 20)) { request, _ in
            let file = try #require(request.bodyFile)
            let head = try file.read(at: 0, upTo: 10)
            let tail = try file.read(at: max(file.count - 10, 0), upTo: 10)
            let size = lseek(file.descriptor, 0, SEEK_END)
            lseek(file.descriptor, 0, SEEK_SET)
            let parts = "\(request.body.count) \(file.count) \(size)"
            return .now(.text("\(parts) \(String(decoding: head + tail, as: UTF8.self))"))
        }
        router.on(.put, "/small", body: .file(limit: 1_000)) { request, _ in
            .now(.text("\(request.bodyFile?.count ?? -1)"))
        }
        router.post("/memory") { request, _ in
            .now(.text("\(request.body.count) \(request.bodyFile == nil)"))
        }
        router.beforeFile { request in
            if request.header("X-Refuse") != nil {
                throw HTTPError(.originForeign, detail: "Not you. \(request.body.count)")
            }
        }
    }

    @Test("a body of any size arrives in a file, also an empty one and one in chunks")
    func sizes() throws {
        try withServer(routes: routes) { server, port in
            let client = try LoopbackClient(port: port)
            for size in [0, 1, 10, 65_536, 65_537, 1_000_000] {
                try client.write("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: \(size)\r\n\r\n")
                try client.write([UInt8](repeating: 0x61, count: size))
                let ends = String(repeating: "a", count: 2 * min(size, 10))
                #expect(try client.receive().text == "0 \(size) \(size) \(ends)")
            }
            try client.write("POST /import HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try client.receive().text == "0 0 0 ")
            try client.write("POST /memory HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try client.receive().text == "3 true")
            try client.write("POST /import HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<10 { try client.write("5\r\nhello\r\n") }
            try client.write("0\r\n\r\n")
            #expect(try client.receive().text == "0 50 50 hellohellohellohello")
            #expect(server.counters.refusals == 0)
        }
    }

    @Test("a body beyond the route's limit is refused, by its announced length before it comes")
    func limit() throws {
        try withServer({ $0.bodyLimit = 10 }, routes: routes) { _, port in
            let announced = try LoopbackClient(port: port)
            try announced.write("PUT /small HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n\r\n")
            let answer = try announced.receive()
            #expect(answer.status == 413)
            #expect(answer.text.contains("1000 bytes"))
            let polite = try LoopbackClient(port: port)
            try polite.write("PUT /small HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
            #expect(try polite.receive().status == 413)
            let chunked = try LoopbackClient(port: port)
            try chunked.write("PUT /small HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<3 { try chunked.write("190\r\n" + String(repeating: "a", count: 400) + "\r\n") }
            #expect(try chunked.receive().status == 413)
            let most = try LoopbackClient(port: port)
            try most.write("PUT /small HTTP/1.1\r\nHost: t\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
            #expect(try most.receive().status == 100)
            try most.write([UInt8](repeating: 0x61, count: 1_000))
            #expect(try most.receive().text == "1000")
            try most.write("POST /memory HTTP/1.1\r\nHost: t\r\nContent-Length: 11\r\n\r\n")
            #expect(try most.receive().status == 413)
        }
    }

    @Test("a check before the file answers before the body comes")
    func refusedEarly() throws {
        try withServer(routes: routes) { server, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST /import HTTP/1.1\r\nHost: t\r\nX-Refuse: 1\r\nContent-Length: 100000000\r\n\r\n")
            let answer = try client.receive()
            #expect(answer.status == 403)
            #expect(answer.text.contains("Not you. 0"))
            #expect(server.counters.requests == 0)
            #expect(server.counters.refusals == 1)
            let other = try LoopbackClient(port: port)
            try other.write("POST /memory HTTP/1.1\r\nHost: t\r\nX-Refuse: 1\r\nContent-Length: 3\r\n\r\nabc")
            #expect(try other.receive().status == 200)
        }
    }

    @Test("a place for files that is not there is a 500 whose cause is in the log alone")
    func missingDirectory() throws {
        try withServer({ $0.temporaryDirectory = "/nowhere" }, routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST /import HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n0123456789")
            let answer = try client.receive()
            #expect(answer.status == 500)
            #expect(!answer.text.contains("nowhere"))
            #expect(try LoopbackClient(port: port).get("/memory").status == 405)
        }
    }

    @Test("a full disk is told from other faults, and becomes a 507")
    func fullDisk() throws {
        let writer = BodyFileWriter(adopting: open("/dev/full", O_WRONLY | O_CLOEXEC))
        let failure = #expect(throws: BodyFileWriter.Failure.self) { try writer.append([1, 2, 3]) }
        #expect(failure?.isFull == true)
        #expect(BodyFileWriter.Failure(call: "write", errno: EDQUOT).isFull)
        #expect(!BodyFileWriter.Failure(call: "write", errno: EIO).isFull)
        #expect(HTTPError.storageFull.httpResponse.status == 507)
    }

    @Test("the file's space is free once the request is over")
    func noTraces() throws {
        let directory = NSTemporaryDirectory() + "bodies-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let files = Recorder<BodyFile>()
        func routes(_ router: inout Router) {
            router.on(.post, "/", body: .file(limit: 1_000_000)) { request, _ in
                if let file = request.bodyFile { files.append(file) }
                return .now(.text("ok"))
            }
        }
        try withServer({ $0.temporaryDirectory = directory }, routes: routes) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 10\r\n\r\n0123456789")
            #expect(try client.receive().text == "ok")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
            let descriptor = try #require(files.values.first?.descriptor)
            #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
            #expect(try files.takeAll().first?.read(at: 5, upTo: 100) == Array("56789".utf8))
            #expect(eventually { fcntl(descriptor, F_GETFD) == -1 })
        }
        // A client that disconnects midway leaves no file either.
        try withServer(
            {
                $0.temporaryDirectory = directory
                $0.receiveTimeout = 100
            }, routes: routes
        ) { server, port in
            let client = try LoopbackClient(port: port)
            try client.write("POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 100000\r\n\r\n0123456789")
            client.hangUp()
            #expect(eventually { server.counters.openConnections == 0 })
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory).isEmpty)
        }
    }

    @Test("a request made in memory finds its body in a file")
    func inMemory() throws {
        var router = Router()
        routes(&router)
        guard case .now(let answer) = router.respond(to: try Request(.post, "/import", body: Array("0123456789".utf8)))
        else {
            Issue.record("not answered at once")
            return
        }
        #expect(String(decoding: answer.bodyBytes, as: UTF8.self) == "0 10 10 01234567890123456789")
        var request = try Request(.put, "/small")
        request.bodyFile = try BodyFile(Array("abc".utf8))
        guard case .now(let other) = router.respond(to: request) else { return }
        #expect(String(decoding: other.bodyBytes, as: UTF8.self) == "3")
    }
}
