import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Orderly ends")
struct DrainTests {
    private final class Repeated: BodySource {
        private let left = Recorder<Int>()

        func next() -> [UInt8]? {
            left.append(1)
            return left.values.count > 20 ? nil : [UInt8](repeating: 0x70, count: 10_000)
        }
    }

    private func routes(_ router: inout Router) {
        router.get("/now") { _, _ in .now(.text("now")) }
        router.get("/later") { _, _ in
            .later { responder in
                onAnotherThread {
                    usleep(10_000)
                    responder.send(.text("later"))
                }
            }
        }
        router.get("/large") { _, _ in .now(.text(String(repeating: "x", count: 5_000_000))) }
        router.get("/pieces") { _, _ in .now(Response(body: .pieces(Repeated()))) }
        router.on(.post, "/file", body: .file(limit: 1_000)) { request, _ in
            .now(.text("\(request.bodyFile?.count ?? -1)"))
        }
        router.post("/echo") { request, _ in .now(.json(request.body)) }
    }

    @Test(
        "a client that is done sending still gets its answers",
        arguments: [
            ("GET /now", "", 3), ("GET /later", "", 5), ("GET /large", "", 5_000_000), ("GET /pieces", "", 200_000),
            ("POST /echo", "abc", 3), ("POST /file", "abc", 1),
        ])
    func halfClosed(request: String, body: String, count: Int) throws {
        // The library misses an end that arrives together with the last request: it must not wait for another.
        try withServer(routes: routes) { server, port in
            for repeats in 1...3 {
                let client = try LoopbackClient(port: port)
                let text = "\(request) HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
                try client.write(String(repeating: text, count: repeats))
                client.finishSending()
                for _ in 0..<repeats { #expect(try client.receive().body.count == count) }
                #expect(client.isClosed)
            }
            #expect(eventually { server.counters.openConnections == 0 })
        }
    }

    @Test("streams get what is queued, the farewell, and an orderly end", arguments: Wire.allCases)
    func closingEvent(wire: Wire) throws {
        let streams = Recorder<EventStream>()
        let reasons = Recorder<EventStream.CloseReason>()
        try withServer(
            over: wire, { $0.streamQueueLimit = 10_000 },
            routes: { router in
                router.get("/events") { _, _ in
                    .events { stream in
                        stream.onClose { reasons.append($0) }
                        streams.append(stream)
                    }
                }
            }
        ) { server, port in
            let clients = try (0..<5).map { _ in try LoopbackClient(port: port, over: wire, receiveBuffer: 4_096) }
            for client in clients { try client.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n") }
            #expect(eventually { streams.values.count == 5 })
            // Far more than the client has read, and more than the limit allows at once.
            var sent = 0
            for stream in streams.values {
                sent = 0
                while stream.send(.event(data: [UInt8](repeating: 0x78, count: 9_000))) == .queued { sent += 1 }
                stream.onDrain {}
            }
            let stopped = Recorder<Bool>()
            onAnotherThread {
                server.stop(
                    within: .seconds(TestRun.patience), closingEvent: .event(name: "bye", data: Array("soon".utf8)))
                stopped.append(true)
            }
            for client in clients {
                _ = try client.head()
                let text = String(decoding: client.toEnd() ?? [], as: UTF8.self)
                #expect(client.chunks?.hasEnded == true)
                #expect(text.hasSuffix("event: bye\ndata: soon\n\n"))
                #expect(text.components(separatedBy: "data: xxx").count > 1)
            }
            #expect(eventually { !stopped.values.isEmpty })
            #expect(reasons.values.count == 5)
            #expect(reasons.values.allSatisfy { $0 == .serverStopping })
            #expect(server.counters.openStreams == 0)
        }
    }

    @Test(
        "requests under way are answered while the server stops, and new connections are refused",
        arguments: Wire.allCases)
    func underWay(wire: Wire) throws {
        let waiting = Recorder<Responder>()
        try withServer(
            over: wire,
            routes: { router in
                router.get("/wait") { _, _ in .later { waiting.append($0) } }
            }
        ) { server, port in
            let clients = try (0..<5).map { _ in try LoopbackClient(port: port, over: wire) }
            for client in clients {
                try client.write("GET /wait HTTP/1.1\r\nHost: t\r\n\r\nGET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
            }
            #expect(eventually { waiting.values.count == 5 })
            let stopped = Recorder<Bool>()
            onAnotherThread {
                server.stop(within: .seconds(TestRun.patience))
                stopped.append(true)
            }
            #expect(eventually { (try? LoopbackClient(port: port)) == nil })
            for responder in waiting.takeAll() { responder.send(.text("done")) }
            for client in clients {
                let answer = try client.receive()
                #expect(answer.text == "done")
                // The pipelined request is not answered, and the client is told so.
                #expect(answer["Connection"] == "close")
                #expect(client.isClosed)
            }
            #expect(eventually { !stopped.values.isEmpty })
        }
    }

    @Test("a client whose stream was ended, and which comes back at once, is refused by every loop")
    func endedStream() throws {
        let (streams, blocked) = (Recorder<EventStream>(), Recorder<Bool>())
        let release = DispatchSemaphore(value: 0)
        try withServer(
            { $0.loops = 2 },
            routes: { router in
                router.get("/events") { _, _ in .events { streams.append($0) } }
                router.get("/block") { _, _ in
                    blocked.append(true)
                    release.wait()
                    return .now(.text("blocked"))
                }
            }
        ) { server, port in
            let (stopped, isRefused) = (Recorder<Bool>(), Recorder<Bool>())
            // Some are on the loop that is not blocked.
            let clients = 8
            for _ in 0..<clients {
                onAnotherThread {
                    guard let client = try? LoopbackClient(port: port) else { return }
                    try? client.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
                    _ = client.toEnd()
                    isRefused.append((try? LoopbackClient(port: port)) == nil)
                }
            }
            #expect(eventually { streams.values.count == clients })
            let blocking = try LoopbackClient(port: port)
            try blocking.write("GET /block HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(eventually { !blocked.values.isEmpty })
            onAnotherThread {
                server.stop(within: .seconds(TestRun.patience))
                stopped.append(true)
            }
            // Time for a server that ends streams while its other loop still has a listener.
            usleep(100_000)
            release.signal()
            #expect(eventually { isRefused.values.count == clients && !stopped.values.isEmpty })
            #expect(isRefused.values.allSatisfy { $0 })
        }
    }
}
