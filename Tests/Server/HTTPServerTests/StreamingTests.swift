import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Event streams over a socket")
struct StreamingTests {
    /// The streams in the order in which they were opened, each with the id that its client sent.
    private final class Streams: Sendable {
        let open = Recorder<(id: String, stream: EventStream)>()
        let closed = Recorder<(id: String, reason: EventStream.CloseReason)>()
        let drains = Recorder<String>()

        func routes(_ router: inout Router) {
            router.get("/events/:id") { _, parameters in
                let id = parameters["id"] ?? ""
                return .events(headers: ["X-Id": id]) { stream in
                    stream.onClose { self.closed.append((id, $0)) }
                    stream.onDrain { self.drains.append(id) }
                    stream.send(.event(data: Array("hello \(id)".utf8)))
                    self.open.append((id, stream))
                }
            }
            router.get("/later/:id") { _, parameters in
                let id = parameters["id"] ?? ""
                return .later { responder in
                    onAnotherThread {
                        responder.openEvents { stream in
                            stream.send(.event(data: Array("late \(id)".utf8)))
                            self.open.append((id, stream))
                        }
                    }
                }
            }
            router.get("/now") { _, _ in .now(.text("now")) }
        }
    }

    private func connect(
        _ port: UInt16, _ id: String, over wire: Wire, receiveBuffer: Int32? = nil
    ) throws -> LoopbackClient {
        let client = try LoopbackClient(port: port, over: wire, receiveBuffer: receiveBuffer)
        try client.write("GET /events/\(id) HTTP/1.1\r\nHost: t\r\n\r\n")
        return client
    }

    @Test("the head and the first event arrive at once, with the headers that streams need", arguments: Wire.allCases)
    func head(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { server, port in
            let client = try connect(port, "a", over: wire)
            let head = try client.head()
            #expect(head[0] == "HTTP/1.1 200 OK")
            for line in [
                "Content-Type: text/event-stream", "Cache-Control: no-store, no-transform", "X-Accel-Buffering: no",
                "X-Id: a",
            ] {
                #expect(head.contains(line), "\(head)")
            }
            #expect(head.contains("Transfer-Encoding: chunked") && !head.contains { $0.hasPrefix("Content-Length") })
            #expect(try client.event().data == "hello a")
            #expect(server.counters.openStreams == 1)
        }
    }

    @Test("every subscriber gets every event in order", arguments: Wire.allCases)
    func ordering(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { server, port in
            // Each client over TLS is a process.
            let count = wire == .plain ? 400 : 20
            let clients = try (0..<count).map { try connect(port, "\($0)", over: wire) }
            #expect(eventually { streams.open.values.count == count })
            let all = streams.open.values.map(\.stream)
            let rounds = 50
            onAnotherThread {
                for round in 0..<rounds {
                    let event = SharedBytes.event(data: Array("event \(round)".utf8))
                    for stream in all { stream.send(event) }
                }
            }
            for (index, client) in clients.enumerated() {
                _ = try client.head()
                #expect(try client.event().data == "hello \(index)")
                for round in 0..<rounds { #expect(try client.event().data == "event \(round)") }
            }
            #expect(server.counters.openStreams == count)
        }
    }

    @Test(
        "a slow reader loses nothing that was accepted, holds up nobody, and its producer learns of it",
        arguments: Wire.allCases)
    func slowReader(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.streamQueueLimit = 100_000 }, routes: streams.routes) { _, port in
            let slow = try connect(port, "slow", over: wire, receiveBuffer: 4_096)
            let quick = try connect(port, "quick", over: wire)
            #expect(eventually { streams.open.values.count == 2 })
            let stream = try #require(streams.open.values.first { $0.id == "slow" }?.stream)
            let other = try #require(streams.open.values.first { $0.id == "quick" }?.stream)
            _ = try quick.head()
            #expect(try quick.event().data == "hello quick")
            // Fill all buffers between here and the client until the stream rejects events.
            let padding = String(repeating: "x", count: 5_000)
            var accepted = 0
            // How often the stream went from accepting to rejecting.
            var congestions = 0
            func fill() {
                var wasQueued = false
                while stream.send(.event(data: Array("\(accepted) \(padding)".utf8))) == .queued {
                    accepted += 1
                    wasQueued = true
                }
                if wasQueued { congestions += 1 }
            }
            fill()
            // The kernel may still accept some, also later.
            for _ in 0..<20 {
                usleep(5_000)
                fill()
            }
            let drains = streams.drains.values.count
            fill()
            #expect(other.send(.event(data: Array("quick".utf8))) == .queued)
            #expect(try quick.event().data == "quick")
            _ = try slow.head()
            #expect(try slow.event().data == "hello slow")
            for index in 0..<accepted { #expect(try slow.event().data == "\(index) \(padding)") }
            // The last event was rejected, so the producer learns of its room, and at most once for each congestion.
            #expect(eventually { streams.drains.values.count > drains })
            #expect(streams.drains.values.count <= congestions)
            #expect(streams.drains.values.allSatisfy { $0 == "slow" })
            #expect(!stream.isCongested)
            #expect(stream.send(.event(data: Array("again".utf8))) == .queued)
            #expect(try slow.event().data == "again")
        }
    }

    @Test("a client that takes nothing for too long is cut", arguments: Wire.allCases)
    func stuckReader(wire: Wire) throws {
        let streams = Streams()
        try withServer(
            over: wire,
            {
                $0.streamStuckTimeout = 300
                $0.loops = 1
            }, routes: streams.routes
        ) { server, port in
            let stuck = try connect(port, "stuck", over: wire, receiveBuffer: 4_096)
            let idle = try connect(port, "idle", over: wire)
            #expect(eventually { streams.open.values.count == 2 })
            let stream = try #require(streams.open.values.first { $0.id == "stuck" }?.stream)
            let event = SharedBytes.event(data: [UInt8](repeating: 0x78, count: 10_000))
            #expect(
                eventually {
                    while stream.send(event) == .queued {}
                    return stream.isClosed
                })
            #expect(eventually { streams.closed.values.map(\.reason) == [.stuck] })
            #expect(server.counters.stuckStreams == 1)
            #expect(server.counters.openStreams == 1)
            // A stream without pending events is not stuck.
            _ = try idle.head()
            #expect(try idle.event().data == "hello idle")
            withExtendedLifetime(stuck) {}
        }
    }

    @Test("a client that leaves is noticed, also when nothing is sent to it", arguments: Wire.allCases)
    func vanished(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { server, port in
            let clients = try (0..<50).map { try connect(port, "\($0)", over: wire) }
            for client in clients {
                _ = try client.head()
                _ = try client.event().data
            }
            for client in clients.dropFirst(10) { client.hangUp() }
            #expect(eventually { streams.closed.values.count == 40 })
            #expect(streams.closed.values.allSatisfy { $0.reason == .clientLeft })
            #expect(Set(streams.closed.values.map(\.id)) == Set((10..<50).map { "\($0)" }))
            #expect(eventually { server.counters.openStreams == 10 && server.counters.openConnections == 0 })
            for (_, stream) in streams.open.values { stream.send(.event(data: Array("still".utf8))) }
            for client in clients.prefix(10) { #expect(try client.event().data == "still") }
        }
    }

    /// The library releases a connection that ends inside its body callback only if no older one is idle.
    @Test(
        "an ended stream frees its connection, also while an older connection idles", arguments: [true, false],
        Wire.allCases)
    func ended(byClient: Bool, wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.loops = 1 }, routes: streams.routes) { server, port in
            let clients = try (0..<5).map { try connect(port, "\($0)", over: wire) }
            for client in clients {
                _ = try client.head()
                _ = try client.event().data
            }
            let idle = try LoopbackClient(port: port, over: wire)
            #expect(try idle.get("/now").text == "now")
            if byClient {
                for client in clients { client.hangUp() }
            } else {
                for (_, stream) in streams.open.values { stream.close() }
                for client in clients { #expect(client.isClosed) }
            }
            #expect(eventually { server.counters.openConnections == 1 && server.counters.openStreams == 0 })
            #expect(streams.closed.values.map(\.reason).allSatisfy { $0 == (byClient ? .clientLeft : .finished) })
            #expect(try idle.get("/now").text == "now")
        }
    }

    @Test("a stream that its owner closes ends after what was queued", arguments: Wire.allCases)
    func closing(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { server, port in
            let client = try connect(port, "a", over: wire)
            #expect(eventually { streams.open.values.count == 1 })
            let stream = try #require(streams.open.values.first?.stream)
            for index in 0..<100 { stream.send(.event(data: Array("\(index)".utf8))) }
            stream.close()
            _ = try client.head()
            let text = String(decoding: client.toEnd() ?? [], as: UTF8.self)
            #expect(text.hasSuffix("data: 98\n\ndata: 99\n\n"))
            #expect(client.chunks?.hasEnded == true)
            #expect(eventually { streams.closed.values.map(\.reason) == [.finished] })
            #expect(server.counters.openStreams == 0)
        }
    }

    @Test(
        "an event that is sent alone is a chunk, and a stream that is cut lacks the last one", arguments: Wire.allCases)
    func chunks(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.streamHeartbeat = 3_600_000 }, routes: streams.routes) { server, port in
            let client = try connect(port, "a", over: wire)
            _ = try client.head()
            #expect(try client.event().data == "hello a")
            #expect(eventually { streams.open.values.count == 1 })
            let stream = try #require(streams.open.values.first?.stream)
            for index in 0..<20 {
                let data = [UInt8](repeating: 0x78, count: index * 977)
                #expect(stream.send(.event(data: data)) == .queued)
                #expect(try client.event().data.utf8.count == data.count)
                #expect(try #require(client.chunks) == (index + 2, false))
            }
            server.stop(within: .zero)
            #expect(client.toEnd()?.isEmpty == true)
        }
    }

    @Test("a client of HTTP/1.0 gets no chunks: its stream ends with the connection", arguments: Wire.allCases)
    func withoutChunks(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { _, port in
            let client = try LoopbackClient(port: port, over: wire)
            try client.write("GET /events/a HTTP/1.0\r\nHost: t\r\n\r\n")
            let head = try client.head()
            #expect(head.contains("Connection: close") && !head.contains { $0.hasPrefix("Transfer-Encoding") })
            #expect(try client.event().data == "hello a")
            #expect(eventually { streams.open.values.count == 1 })
            let stream = try #require(streams.open.values.first?.stream)
            stream.send(.event(data: Array("more".utf8)))
            stream.close()
            #expect(client.toEnd().map { String(decoding: $0, as: UTF8.self) } == "data: more\n\n")
        }
    }

    @Test("a silent stream gets heartbeats, which are not events: no empty line follows", arguments: Wire.allCases)
    func heartbeat(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.streamHeartbeat = 50 }, routes: streams.routes) { _, port in
            let client = try connect(port, "a", over: wire)
            _ = try client.head()
            #expect(try client.event().data == "hello a")
            for _ in 0..<3 {
                #expect(try client.line() == ":")
            }
            streams.open.values.first?.stream.send(.event(data: Array("more".utf8)))
            #expect(try client.event().data == "more")
        }
    }

    @Test("a stream may be opened later, from another thread", arguments: Wire.allCases)
    func opensLater(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { _, port in
            let client = try LoopbackClient(port: port, over: wire)
            try client.write("GET /later/a HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try client.head()[0] == "HTTP/1.1 200 OK")
            #expect(try client.event().data == "late a")
            streams.open.values.first?.stream.send(.event(data: Array("more".utf8)))
            #expect(try client.event().data == "more")
        }
    }

    @Test("a large event passes whole through a small buffer", arguments: Wire.allCases)
    func largeEvent(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.streamQueueLimit = 1_000 }, routes: streams.routes) { _, port in
            let client = try connect(port, "a", over: wire, receiveBuffer: 4_096)
            #expect(eventually { streams.open.values.count == 1 })
            let stream = try #require(streams.open.values.first?.stream)
            let data = (0..<3_000_000).map { UInt8(65 + $0 % 26) }
            #expect(eventually { stream.send(.event(data: data)) == .queued })
            _ = try client.head()
            #expect(try client.event().data == "hello a")
            #expect(try client.event().data == String(decoding: data, as: UTF8.self))
        }
    }

    @Test("HEAD on a stream has its headers and ends", arguments: Wire.allCases)
    func headRequest(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, routes: streams.routes) { _, port in
            let client = try LoopbackClient(port: port, over: wire)
            try client.write("HEAD /events/a HTTP/1.1\r\nHost: t\r\n\r\n")
            let answer = try client.receive(hasBody: false)
            #expect(answer["Content-Type"] == "text/event-stream")
            #expect(answer["Content-Length"] == nil)
            #expect(client.isClosed)
            #expect(streams.open.values.isEmpty)
        }
    }

    @Test("streams beyond the limit are refused with 503, and a closed one makes room", arguments: Wire.allCases)
    func limit(wire: Wire) throws {
        let streams = Streams()
        try withServer(over: wire, { $0.streamLimit = 2 }, routes: streams.routes) { server, port in
            let first = try connect(port, "1", over: wire)
            let second = try connect(port, "2", over: wire)
            _ = try first.head()
            _ = try second.head()
            let third = try LoopbackClient(port: port, over: wire)
            let refused = try third.get("/events/3")
            #expect(refused.status == 503)
            #expect(refused["Retry-After"] != nil)
            first.hangUp()
            #expect(eventually { server.counters.openStreams == 1 })
            let fourth = try connect(port, "4", over: wire)
            #expect(try fourth.head()[0] == "HTTP/1.1 200 OK")
        }
    }
}
