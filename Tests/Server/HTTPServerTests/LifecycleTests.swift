import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Starting, stopping, and waiting no longer than configured")
struct LifecycleTests {
    private func server(_ configure: (inout ServerConfiguration) -> Void = { _ in }) -> HTTPServer {
        var configuration = ServerConfiguration()
        configuration.loops = 1
        configure(&configuration)
        var router = Router()
        router.get("/now") { _, _ in .now(.text("now")) }
        router.post("/echo") { request, _ in .now(.json(request.body)) }
        return HTTPServer(configuration: configuration, router: router)
    }

    @Test("a port in use is refused, also by another server of this process")
    func addressInUse() throws {
        let first = server()
        let port = try first.start()
        let second = server { $0.port = port }
        #expect(throws: ServerError.addressInUse(host: "127.0.0.1", port: port)) { try second.start() }
        #expect(ServerError.addressInUse(host: "127.0.0.1", port: port).description.contains("\(port)"))
        first.stop()
        #expect(throws: ServerError.alreadyStarted) { try first.start() }
        let third = server { $0.port = port }
        #expect(try third.start() == port)
        #expect(try LoopbackClient(port: port).get("/now").text == "now")
        third.stop()
    }

    @Test("every loop answers the roll call but one that is stuck, and none after the server stopped")
    func rollCall() throws {
        let gate = DispatchSemaphore(value: 0)
        let begun = DispatchSemaphore(value: 0)
        var configuration = ServerConfiguration()
        configuration.loops = 2
        var router = Router()
        router.get("/stuck") { _, _ in
            begun.signal()
            gate.wait()
            return .now(.text("free"))
        }
        let server = HTTPServer(configuration: configuration, router: router)
        #expect(server.probeLoops {} == 0)
        let port = try server.start()
        let all = Recorder<Int>()
        #expect(server.probeLoops { all.append(1) } == 2)
        #expect(eventually { all.values.count == 2 })

        let client = try LoopbackClient(port: port)
        try client.write("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
        begun.wait()
        let some = Recorder<Int>()
        #expect(server.probeLoops { some.append(1) } == 2)
        #expect(eventually { some.values.count == 1 })
        usleep(50_000)
        #expect(some.values.count == 1, "a loop that is stuck in a handler")
        gate.signal()
        #expect(eventually { some.values.count == 2 })
        server.stop()
        #expect(server.probeLoops {} == 0)
    }

    @Test("a host that is not ours is refused", arguments: ["", "not a host", "203.0.113.7", "1.2.3.4.5"])
    func badHost(host: String) {
        #expect(throws: ServerError.badHost(host)) { try server { $0.host = host }.start() }
    }

    @Test("IPv6 works where the machine has it")
    func ipv6() throws {
        let server = server { $0.host = "::1" }
        do {
            _ = try server.start()
        } catch ServerError.badHost, ServerError.system {
            return
        }
        server.stop()
    }

    @Test("localhost is both loopback addresses, on one port", arguments: [1, 3])
    func localhost(loops: Int) throws {
        for _ in 0..<3 {
            let counters = ServerCounters()
            var router = Router()
            router.get("/now") { request, _ in .now(.text("\(request.remoteAddress)")) }
            var configuration = ServerConfiguration()
            (configuration.host, configuration.loops) = ("localhost", loops)
            let server = HTTPServer(configuration: configuration, router: router, counters: counters)
            let port = try server.start()
            defer { server.stop() }
            for _ in 0..<10 {
                let client = try LoopbackClient(port: port)
                #expect(try client.get("/now").text.contains("127.0.0.1"))
            }
            guard LoopbackSocket.hasIPv6 else { continue }
            let clients = try (0..<20).map { _ in try LoopbackClient(port: port, address: "::1") }
            for client in clients {
                #expect(try client.get("/now").text.contains("[0:0:0:0:0:0:0:1]"))
                #expect(try client.get("/now").status == 200)
            }
            #expect(counters.openConnections >= 20)
            server.stop()
            for client in clients { #expect(client.isClosed) }
            #expect(throws: (any Error).self) { try LoopbackClient(port: port, address: "::1") }
        }
    }

    @Test("stopping waits for answers under way, ends streams, and closes idle connections")
    func gracefulStop() throws {
        let waiting = Recorder<Responder>()
        let reasons = Recorder<EventStream.CloseReason>()
        var configuration = ServerConfiguration()
        configuration.loops = 2
        var router = Router()
        router.get("/now") { _, _ in .now(.text("now")) }
        router.get("/wait") { _, _ in .later { waiting.append($0) } }
        router.get("/events") { _, _ in
            .events { stream in
                stream.onClose { reasons.append($0) }
                stream.send(.event(data: Array("first".utf8)))
            }
        }
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        let idle = try LoopbackClient(port: port)
        #expect(try idle.get("/now").text == "now")
        let busy = try (0..<10).map { _ in try LoopbackClient(port: port) }
        for client in busy { try client.write("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n") }
        let streaming = try (0..<10).map { _ in try LoopbackClient(port: port) }
        for client in streaming {
            try client.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
            _ = try client.head()
            #expect(try client.event().data == "first")
        }
        #expect(eventually { waiting.values.count == 10 })
        let stopped = Recorder<Bool>()
        onAnotherThread {
            server.stop(within: .seconds(TestRun.patience))
            stopped.append(true)
        }
        for client in streaming { #expect(client.toEnd() != nil) }
        #expect(eventually { reasons.values.count == 10 })
        #expect(reasons.values.allSatisfy { $0 == .serverStopping })
        #expect(idle.isClosed)
        #expect(stopped.values.isEmpty)
        for responder in waiting.takeAll() { responder.send(.text("done")) }
        for client in busy {
            let answer = try client.receive()
            #expect(answer.text == "done")
            #expect(answer["Connection"] == "close")
        }
        #expect(eventually { !stopped.values.isEmpty })
        #expect(throws: LoopbackSocket.Failure.self) { try LoopbackClient(port: port).get("/now") }
        #expect(server.counters.openConnections == 0)
        #expect(server.counters.openStreams == 0)
    }

    @Test("stopping does not wait forever: what is left then gets a 503, and late answers go nowhere")
    func boundedStop() throws {
        let waiting = Recorder<Responder>()
        let streams = Recorder<EventStream>()
        var router = Router()
        router.get("/wait") { _, _ in .later { waiting.append($0) } }
        router.get("/events") { _, _ in .events { streams.append($0) } }
        var configuration = ServerConfiguration()
        configuration.loops = 1
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        let client = try LoopbackClient(port: port)
        try client.write("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
        // A client that reads nothing would delay a graceful end.
        let stuck = try LoopbackClient(port: port, receiveBuffer: 4_096)
        try stuck.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
        let half = try LoopbackClient(port: port)
        try half.write("POST /wait HTTP/1.1\r\nHost: t\r\nContent-Le")
        #expect(eventually { waiting.values.count == 1 && streams.values.count == 1 })
        let stream = try #require(streams.values.first)
        let event = SharedBytes.event(data: [UInt8](repeating: 0x78, count: 100_000))
        for _ in 0..<100 {
            if stream.send(event) == .full { usleep(2_000) }
        }
        server.stop(within: .milliseconds(200))
        #expect(try client.receive().status == 503)
        #expect(half.isClosed)
        waiting.takeAll().first?.send(.text("late"))
        #expect(stream.send(event) == .closed)
        #expect(server.counters.openConnections == 0)
        withExtendedLifetime(stuck) {}
    }

    @Test("connections that send no request, half a request, or half a body are closed in time")
    func timeouts() throws {
        let server = server {
            $0.firstRequestTimeout = 200
            $0.receiveTimeout = 200
        }
        let port = try server.start()
        defer { server.stop() }
        let silent = try LoopbackClient(port: port)
        let line = try LoopbackClient(port: port)
        try line.write("GET /no")
        let header = try LoopbackClient(port: port)
        try header.write("GET /now HTTP/1.1\r\nHost: t\r\nX-A")
        for client in [silent, line, header] { #expect(client.isClosed) }
        #expect(eventually { server.counters.openConnections == 0 })
    }

    @Test("a connection that sends no further request is closed in time")
    func idleTimeout() throws {
        let server = server { $0.idleTimeout = 200 }
        let port = try server.start()
        defer { server.stop() }
        let idle = try LoopbackClient(port: port)
        #expect(try idle.get("/now").text == "now")
        #expect(idle.isClosed)
        #expect(eventually { server.counters.openConnections == 0 })
    }

    @Test("a client that feeds its header byte by byte is cut all the same")
    func dripping() throws {
        let server = server { $0.receiveTimeout = 300 }
        let port = try server.start()
        defer { server.stop() }
        let client = try LoopbackClient(port: port)
        try client.write("GET /now HTTP/1.1\r\nHost: t\r\nX-A: ")
        // Each byte counts as activity for the library; only the total time ends this.
        #expect(
            eventually {
                usleep(20_000)
                return (try? client.write("a")) == nil
            })
    }

    @Test("at the limit of connections idle ones give way to new ones, those that never asked anything first")
    func idleGiveWay() throws {
        let server = server {
            $0.connectionLimit = 3
            $0.loops = 1
        }
        let port = try server.start()
        defer { server.stop() }
        let kept = try LoopbackClient(port: port)
        #expect(try kept.get("/now").text == "now")
        let silent = try LoopbackClient(port: port)
        let later = try LoopbackClient(port: port)
        #expect(try later.get("/now").text == "now")
        // A new connection is given time for its first request. That it has had more changes nothing.
        usleep(1_100_000)
        let first = try LoopbackClient(port: port)
        #expect(try first.get("/now").text == "now")
        #expect(silent.isClosed)
        #expect(try kept.get("/now").text == "now")
        // Of the connections that have sent a request, the one that has waited longest.
        let second = try LoopbackClient(port: port)
        #expect(try second.get("/now").text == "now")
        #expect(later.isClosed)
        for client in [kept, first, second] { #expect(try client.get("/now").text == "now") }
        #expect(server.counters.displacedConnections == 2 && server.counters.refusedConnections == 0)
        #expect(eventually { server.counters.openConnections == 3 })
    }

    @Test("where no connection is idle a new one is refused at once, with a reason, and let in when one ends")
    func noRoom() throws {
        let server = server {
            $0.connectionLimit = 2
            $0.loops = 1
        }
        let port = try server.start()
        defer { server.stop() }
        // Connections whose requests are still arriving are not idle.
        let busy = try (0..<2).map { _ in try LoopbackClient(port: port) }
        for client in busy {
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n")
            #expect(try client.receive().status == 100)
        }
        #expect(server.counters.openConnections == 2)
        var refusals: [Int] = []
        for _ in 0..<10 {
            let client = try LoopbackClient(port: port)
            // Beyond the number of connections that get a 503, the server closes without a response.
            guard let answer = try? client.get("/now") else { continue }
            refusals.append(answer.status)
            #expect(answer["Retry-After"] == "1" && answer.text.contains("too_many_connections"))
            #expect(client.isClosed)
        }
        #expect(!refusals.isEmpty && refusals.allSatisfy { $0 == 503 })
        #expect(server.counters.refusedConnections == 10)
        busy[0].hangUp()
        #expect(
            eventually {
                guard let client = try? LoopbackClient(port: port) else { return false }
                return (try? client.get("/now").text) == "now"
            })
    }

    @Test("while thousands of idle connections hold all places, every new client is answered")
    func manyIdle() throws {
        let server = server {
            $0.connectionLimit = 64
            $0.loops = 2
        }
        let port = try server.start()
        defer { server.stop() }
        var idle: [LoopbackClient] = []
        for round in 0..<300 {
            idle.append(try LoopbackClient(port: port))
            if round % 10 == 9 { #expect(try LoopbackClient(port: port).get("/now").text == "now", "after \(round)") }
        }
        #expect(eventually { server.counters.openConnections <= 64 })
    }

    @Test("a server that is dropped stops")
    func dropped() throws {
        var port: UInt16 = 0
        do {
            let server = server()
            port = try server.start()
            #expect(try LoopbackClient(port: port).get("/now").text == "now")
        }
        #expect(throws: LoopbackSocket.Failure.self) { try LoopbackClient(port: port) }
    }
}
