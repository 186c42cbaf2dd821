import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import Synchronization
import TestBasics
import Testing

/// A body of numbered pieces that records its progress.
private final class CountingSource: BodySource {
    struct Broken: Error {}

    let pieces: Int
    let size: Int
    let failsAt: Int?
    let gate: DispatchSemaphore?
    private let made = Atomic(0)
    private let isBusy = Atomic(false)
    private let overlaps = Atomic(0)
    private let onEnd: @Sendable () -> Void

    init(
        pieces: Int, size: Int = 65_536, failsAt: Int? = nil, gate: DispatchSemaphore? = nil,
        onEnd: @escaping @Sendable () -> Void = {}
    ) {
        self.pieces = pieces
        self.size = size
        self.failsAt = failsAt
        self.gate = gate
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    var count: Int { made.load(ordering: .acquiring) }
    var wasAskedTwiceAtOnce: Bool { overlaps.load(ordering: .acquiring) > 0 }

    func next() throws -> [UInt8]? {
        if isBusy.exchange(true, ordering: .acquiringAndReleasing) { overlaps.add(1, ordering: .relaxed) }
        defer { isBusy.store(false, ordering: .releasing) }
        gate?.wait()
        let index = count
        if index == failsAt { throw Broken() }
        guard index < pieces else { return nil }
        made.add(1, ordering: .releasing)
        return [UInt8](repeating: UInt8(truncatingIfNeeded: 65 + index % 26), count: size)
    }
}

@Suite("Bodies in pieces")
struct PiecesTests {
    private func withSource(
        _ make: @escaping @Sendable (Int) -> CountingSource,
        _ configure: (inout ServerConfiguration) -> Void = { _ in },
        _ body: (HTTPServer, UInt16, Recorder<CountingSource>) throws -> Void
    ) throws {
        let sources = Recorder<CountingSource>()
        try withServer(
            configure,
            routes: { router in
                router.get("/pieces/:count") { _, parameters in
                    let source = make(Int(parameters["count"] ?? "") ?? 0)
                    sources.append(source)
                    return .now(Response(headers: ["Content-Type": "text/plain"], body: .pieces(source)))
                }
                router.get("/later/:count") { _, parameters in
                    let count = Int(parameters["count"] ?? "") ?? 0
                    return .later { responder in
                        onAnotherThread { responder.send(Response(body: .pieces(make(count)))) }
                    }
                }
                router.get("/now") { _, _ in .now(.text("now")) }
            }
        ) { try body($0, $1, sources) }
    }

    @Test(
        "a body in pieces is chunked, whole and in order, and the connection goes on", arguments: ["pieces", "later"])
    func chunked(path: String) throws {
        try withSource({ CountingSource(pieces: $0, size: 1_000) }) { _, port, _ in
            let client = try LoopbackClient(port: port)
            for count in [0, 1, 2, 3, 50] {
                let answer = try client.get("/\(path)/\(count)")
                #expect(answer.status == 200)
                #expect(answer["Transfer-Encoding"] == "chunked")
                #expect(answer["Content-Length"] == nil)
                #expect(answer.body.count == count * 1_000)
                #expect(
                    answer.body.enumerated().allSatisfy { $1 == UInt8(65 + ($0 / 1_000) % 26) })
                #expect(try client.get("/now").text == "now")
            }
        }
    }

    @Test("empty pieces are skipped")
    func emptyPieces() throws {
        try withSource({ CountingSource(pieces: $0, size: 0) }) { _, port, _ in
            let client = try LoopbackClient(port: port)
            #expect(try client.get("/pieces/100").body.isEmpty)
            #expect(try client.get("/now").text == "now")
        }
    }

    @Test("pipelined requests are answered in order, bodies in pieces among them")
    func pipelining() throws {
        try withSource({ CountingSource(pieces: $0, size: 30_000) }) { _, port, _ in
            let client = try LoopbackClient(port: port)
            var bytes = ""
            for index in 0..<20 {
                bytes += "GET /\(index % 2 == 0 ? "pieces" : "later")/\(index) HTTP/1.1\r\nHost: t\r\n\r\n"
                bytes += "GET /now HTTP/1.1\r\nHost: t\r\n\r\n"
            }
            try client.write(bytes)
            for index in 0..<20 {
                #expect(try client.receive().body.count == index * 30_000)
                #expect(try client.receive().text == "now")
            }
        }
    }

    @Test("a client that knows no chunks gets the bytes as they are, and the end of the connection at once")
    func http10() throws {
        try withSource({ CountingSource(pieces: $0, size: 10_000) }, { $0.loops = 1 }) { server, port, _ in
            // An older idle connection must not delay the end of a younger one.
            let idle = try LoopbackClient(port: port)
            #expect(try idle.get("/now").text == "now")
            let client = try LoopbackClient(port: port)
            try client.write("GET /pieces/30 HTTP/1.0\r\n\r\n")
            let text = String(decoding: client.toEnd() ?? [], as: UTF8.self)
            #expect(!text.lowercased().contains("transfer-encoding"))
            let body = text.components(separatedBy: "\r\n\r\n").dropFirst().joined()
            #expect(body.utf8.count == 300_000)
            #expect(eventually { server.counters.openConnections == 1 })
        }
    }

    @Test("HEAD has the headers alone, and the source is dropped unasked")
    func head() throws {
        let ended = Recorder<Bool>()
        try withSource({ CountingSource(pieces: $0, onEnd: { ended.append(true) }) }) { _, port, sources in
            let client = try LoopbackClient(port: port)
            try client.write("HEAD /pieces/3 HTTP/1.1\r\nHost: t\r\n\r\n")
            let answer = try client.receive(hasBody: false)
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["Content-Length"] == nil)
            #expect(sources.takeAll().map(\.count) == [0])
            #expect(eventually { ended.values.count == 1 })
            // The library cannot omit a chunked body, so this is the same as with HTTP/1.0.
            #expect(client.isClosed)
        }
    }

    @Test("an error of the source cuts the connection, so that the client sees that the body is not whole")
    func failing() throws {
        try withSource({ CountingSource(pieces: 10, size: 1_000, failsAt: $0) }, { $0.loops = 1 }) { server, port, _ in
            let idle = try LoopbackClient(port: port)
            #expect(try idle.get("/now").text == "now")
            for failsAt in [0, 1, 5] {
                let client = try LoopbackClient(port: port)
                #expect(throws: (any Error).self) { try client.get("/pieces/\(failsAt)") }
                #expect(client.toEnd() != nil)
            }
            #expect(eventually { server.counters.openConnections == 1 })
            #expect(try idle.get("/now").text == "now")
        }
    }

    @Test("a client that leaves midway drops the source", arguments: [false, true])
    func leaving(whileWaiting: Bool) throws {
        let ended = Recorder<Bool>()
        let gate = DispatchSemaphore(value: 0)
        if !whileWaiting { for _ in 0..<1_000 { gate.signal() } }
        try withSource({ CountingSource(pieces: $0, gate: gate, onEnd: { ended.append(true) }) }) {
            server, port, sources in
            let client = try LoopbackClient(port: port, receiveBuffer: 4_096)
            try client.write("GET /pieces/100000 HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(eventually { sources.values.count == 1 })
            if !whileWaiting { _ = try client.head() }
            client.hangUp()
            _ = sources.takeAll()
            for _ in 0..<1_000 { gate.signal() }
            #expect(eventually { ended.values.count == 1 })
            #expect(eventually { server.counters.openConnections == 0 })
        }
    }

    @Test("a slow reader holds up the source, and holds no thread")
    func slowReader() throws {
        try withSource(
            { CountingSource(pieces: $0) },
            {
                $0.bodyThreads = 1
                $0.loops = 1
            }
        ) { _, port, sources in
            let slow = try (0..<5).map { _ in try LoopbackClient(port: port, receiveBuffer: 4_096) }
            for client in slow { try client.write("GET /pieces/3200 HTTP/1.1\r\nHost: t\r\n\r\n") }
            #expect(eventually { sources.values.count == 5 && sources.values.allSatisfy { $0.count > 0 } })
            // The only producer thread is free meanwhile.
            #expect(try LoopbackClient(port: port).get("/pieces/40").body.count == 40 * 65_536)
            // The data in the kernel and two pieces; not the whole 200 MB.
            #expect(sources.values.prefix(5).allSatisfy { $0.count < 200 })
            for client in slow { client.hangUp() }
        }
    }

    @Test("a reader that takes nothing for too long is cut")
    func stuckReader() throws {
        try withSource({ CountingSource(pieces: $0) }, { $0.idleTimeout = 300 }) { server, port, sources in
            let stuck = try (0..<5).map { _ in try LoopbackClient(port: port, receiveBuffer: 4_096) }
            for client in stuck { try client.write("GET /pieces/3200 HTTP/1.1\r\nHost: t\r\n\r\n") }
            #expect(eventually { sources.values.count == 5 && server.counters.openConnections == 0 })
            withExtendedLifetime(stuck) {}
        }
    }

    @Test("of 200 MB that go out little is held at any moment")
    func constantMemory() throws {
        try withSource({ CountingSource(pieces: $0) }) { _, port, sources in
            let client = try LoopbackClient(port: port)
            try client.write("GET /pieces/3200 HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
            _ = try client.head()
            let source = try #require(sources.values.last)
            var most = 0
            let count = client.countToEnd { most = max(most, source.count * source.size - $0) }
            #expect(count.map { $0 > 3_200 * 65_536 } == true)
            // Most of it is in the kernel, between the sockets.
            #expect(most < 40 << 20)
            #expect(source.count == 3_200)
            #expect(sources.values.allSatisfy { !$0.wasAskedTwiceAtOnce })
        }
    }

    @Test("many bodies at once come whole with few threads")
    func many() throws {
        try withSource({ CountingSource(pieces: $0, size: 20_000) }, { $0.bodyThreads = 2 }) { _, port, sources in
            let clients = try (0..<60).map { _ in try LoopbackClient(port: port) }
            for client in clients { try client.write("GET /pieces/20 HTTP/1.1\r\nHost: t\r\n\r\n") }
            for client in clients { #expect(try client.receive().body.count == 400_000) }
            #expect(sources.values.allSatisfy { !$0.wasAskedTwiceAtOnce })
        }
    }

    @Test("stopping lets a body under way finish")
    func stopping() throws {
        let gate = DispatchSemaphore(value: 0)
        try withSource({ CountingSource(pieces: $0, size: 1_000, gate: gate) }) { server, port, _ in
            let client = try LoopbackClient(port: port)
            try client.write("GET /pieces/10 HTTP/1.1\r\nHost: t\r\n\r\n")
            _ = try client.head()
            let stopped = Recorder<Bool>()
            onAnotherThread {
                server.stop(within: .seconds(TestRun.patience))
                stopped.append(true)
            }
            #expect(eventually { (try? LoopbackClient(port: port)) == nil })
            #expect(stopped.values.isEmpty)
            for _ in 0..<11 { gate.signal() }
            #expect(client.toEnd().map { String(decoding: $0, as: UTF8.self).hasSuffix("0\r\n\r\n") } == true)
            #expect(eventually { !stopped.values.isEmpty })
        }
    }

    @Test("stopping does not wait forever for a body")
    func boundedStop() throws {
        let gate = DispatchSemaphore(value: 0)
        let ended = Recorder<Bool>()
        try withSource({ CountingSource(pieces: $0, gate: gate, onEnd: { ended.append(true) }) }) {
            server, port, sources in
            let waiting = try LoopbackClient(port: port)
            try waiting.write("GET /pieces/10 HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(eventually { sources.values.count == 1 })
            _ = sources.takeAll()
            server.stop(within: .milliseconds(100))
            #expect(waiting.toEnd() != nil)
            #expect(server.counters.openConnections == 0)
            gate.signal()
            #expect(eventually { ended.values.count == 1 })
        }
    }
}
