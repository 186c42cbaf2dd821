import HTTPMessages
import Foundation
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Sockets of event streams")
struct StreamSocketTests {
    /// The opened streams, a group of all, and a counter of the reasons for which they ended.
    private final class Streams: Sendable {
        let group = EventStreamGroup()
        let open = Recorder<EventStream>()
        let reasons = Recorder<EventStream.CloseReason>()

        func routes(_ router: inout Router) {
            router.get("/events") { _, _ in
                .events { stream in
                    stream.onClose { self.reasons.append($0) }
                    stream.send(.event(data: Array("hello".utf8)))
                    self.group.join(stream)
                    self.open.append(stream)
                }
            }
            router.get("/now") { _, _ in .now(.text("now")) }
        }
    }

    private static let request = "GET /events HTTP/1.1\r\nHost: t\r\n\r\n"

    private func connect(_ port: UInt16, receiveBuffer: Int32? = nil) throws -> LoopbackClient {
        let client = try LoopbackClient(port: port, receiveBuffer: receiveBuffer)
        try client.write(Self.request)
        return client
    }

    private func greeted(_ port: UInt16) throws -> LoopbackClient {
        let client = try connect(port)
        _ = try client.head()
        #expect(try client.event().data == "hello")
        return client
    }

    @Test("a client process that is killed is noticed although nothing is sent")
    func killedProcess() throws {
        let streams = Streams()
        // Only the kernel can report it.
        try withServer({ $0.streamHeartbeat = 3_600_000 }, routes: streams.routes) { server, port in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = [
                "-c",
                """
                for i in {1..100}; do exec {fd}<>/dev/tcp/127.0.0.1/\(port); printf '%b' '\(Self.escapedRequest)' >&$fd; done
                read
                """,
            ]
            let input = Pipe()
            process.standardInput = input
            try process.run()
            #expect(eventually { server.counters.openStreams == 100 })
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            #expect(eventually { server.counters.openStreams == 0 })
            #expect(streams.reasons.values == Array(repeating: .clientLeft, count: 100))
            withExtendedLifetime(input) {}
        }
    }

    private static let escapedRequest = request.replacingOccurrences(of: "\r\n", with: "\\r\\n")

    @Test("a client that closes its half of the connection has left")
    func halfClosed() throws {
        let streams = Streams()
        try withServer(routes: streams.routes) { server, port in
            let client = try greeted(port)
            client.finishSending()
            #expect(eventually { streams.reasons.values == [.clientLeft] })
            #expect(client.isClosed)
            #expect(server.counters.openStreams == 0)
        }
    }

    @Test("what a client sends on an open stream is thrown away, also a lot of it")
    func inputIsDiscarded() throws {
        let streams = Streams()
        try withServer(routes: streams.routes) { server, port in
            let client = try greeted(port)
            let noise = [UInt8](repeating: 0x47, count: 1 << 20)
            for _ in 0..<20 { try client.write(noise) }
            streams.group.send(.event(data: Array("still".utf8)))
            #expect(try client.event().data == "still")
            // Unread bytes would turn the close into a reset.
            try client.write(Self.request)
            for _ in 0..<100 { streams.group.send(.event(data: noise.prefix(100))) }
            for stream in streams.open.values { stream.close() }
            let rest = try #require(client.toEnd())
            #expect(rest.count == 100 * 108)
            #expect(server.counters.openStreams == 0)
        }
    }

    @Test("a slow reader gets every byte in order across writes that block")
    func slowReader() throws {
        let streams = Streams()
        try withServer({ $0.streamQueueLimit = .max }, routes: streams.routes) { _, port in
            let client = try connect(port, receiveBuffer: 2_048)
            #expect(eventually { streams.open.values.count == 1 })
            let sizes = (0..<1_500).map { ($0 &* 7_919) % 6_000 + 1 }
            for (index, size) in sizes.enumerated() {
                let byte = UInt8(97 + index % 26)
                streams.group.send(.event(id: "\(index)", data: [UInt8](repeating: byte, count: size)))
            }
            #expect(try #require(streams.open.values.first).send(.event(data: Array("end".utf8))) == .queued)
            _ = try client.head()
            #expect(try client.event().data == "hello")
            for (index, size) in sizes.enumerated() {
                let event = try client.event().data
                #expect(event.utf8.count == size && event.utf8.allSatisfy { $0 == UInt8(97 + index % 26) }, "\(index)")
            }
            #expect(try client.event().data == "end")
        }
    }

    @Test("a group of readers, some of which take nothing: these are named, the others get everything")
    func broadcast() throws {
        let streams = Streams()
        try withServer({ $0.streamQueueLimit = 50_000 }, routes: streams.routes) { _, port in
            let quick = try (0..<40).map { _ in try greeted(port) }
            let slow = try (0..<5).map { _ in try connect(port, receiveBuffer: 2_048) }
            #expect(eventually { streams.open.values.count == 45 })
            let slowStreams = Set(streams.open.values.suffix(5).map(ObjectIdentifier.init))
            let padding = String(repeating: "x", count: 20_000)
            var behind: [EventStream] = []
            var sent = 0
            while behind.count < 5, sent < 2_000 {
                behind += streams.group.send(.event(data: Array("\(sent) \(padding)".utf8)))
                for client in quick { #expect(try client.event().data == "\(sent) \(padding)") }
                sent += 1
            }
            #expect(Set(behind.map(ObjectIdentifier.init)) == slowStreams)
            #expect(streams.group.count == 40)
            // The accepted events arrive without a gap.
            for client in slow {
                _ = try client.head()
                #expect(try client.event().data == "hello")
                #expect(try client.event().data == "0 \(padding)")
                #expect(try client.event().data == "1 \(padding)")
            }
        }
    }

    @Test("a request is answered while events for many streams still wait for their turn")
    func fairness() throws {
        let streams = Streams()
        let probe = Recorder<Int32>()
        let waiting = Recorder<Int>()
        let count = 600
        try withServer(
            {
                $0.loops = 1
                // A stream is congested until its event is sent.
                $0.streamQueueLimit = 1
            },
            routes: { router in
                streams.routes(&router)
                router.get("/flood") { _, _ in
                    // The request is there before the first of the events can be sent, because this is the loop's
                    // thread.
                    for fd in probe.values {
                        let request = Array("GET /probe HTTP/1.1\r\nHost: t\r\n\r\n".utf8)
                        _ = send(fd, request, request.count, Int32(MSG_NOSIGNAL))
                    }
                    streams.group.send(.event(data: Array("flood".utf8)))
                    return .now(.text("\(streams.open.values.count { $0.isCongested })"))
                }
                router.get("/probe") { _, _ in
                    waiting.append(streams.open.values.count { $0.isCongested })
                    return .now(.text("probe"))
                }
            }
        ) { _, port in
            // The head does not count, or the first event would not be accepted.
            let clients = try (0..<count).map { _ in try greeted(port) }
            let asking = try LoopbackClient(port: port)
            #expect(try asking.get("/now").text == "now")
            probe.append(asking.descriptor)
            let flooding = try LoopbackClient(port: port)
            #expect(try flooding.get("/flood").text == "\(count)")
            #expect(try asking.receive().text == "probe")
            let left = try #require(waiting.values.first)
            #expect(left >= count / 2, "\(left)")
            for client in clients { #expect(try client.event().data == "flood") }
        }
    }

    @Test("a server that stops sends what is queued, also to a reader that is slow about it")
    func stopFlushes() throws {
        let streams = Streams()
        var configuration = ServerConfiguration()
        configuration.loops = 1
        configuration.streamQueueLimit = .max
        var router = Router()
        streams.routes(&router)
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        let client = try connect(port, receiveBuffer: 2_048)
        #expect(eventually { streams.open.values.count == 1 })
        let data = [UInt8](repeating: 0x78, count: 50_000)
        for _ in 0..<60 { streams.group.send(.event(data: data)) }
        let stopped = Recorder<Bool>()
        onAnotherThread {
            server.stop(within: .seconds(TestRun.patience))
            stopped.append(true)
        }
        let stream = try #require(streams.open.values.first)
        #expect(eventually { stream.isClosed })
        #expect(stream.send(.comment()) == .closed)
        #expect(streams.reasons.values.isEmpty)
        _ = try client.head()
        #expect(try client.event().data == "hello")
        #expect(client.toEnd()?.count == 60 * 50_008)
        #expect(eventually { !stopped.values.isEmpty })
        #expect(streams.reasons.values == [.serverStopping])
    }
}
