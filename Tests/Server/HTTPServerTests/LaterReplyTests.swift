import HTTPMessages
import Glibc
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Replies that come later")
struct LaterReplyTests {
    /// The library's own event loop loses all responses if exactly 128 or 256 connections become ready at once.
    @Test("every one of n simultaneous requests is answered", arguments: [1, 127, 128, 129, 256, 300])
    func manyAtOnce(count: Int) throws {
        let waiting = Recorder<(String, Responder)>()
        try withServer(
            { $0.loops = 1 },
            routes: { router in
                router.get("/wait/:id") { _, parameters in
                    let id = parameters["id"] ?? ""
                    return .later { waiting.append((id, $0)) }
                }
                router.get("/now/:id") { _, parameters in .now(.text(parameters["id"] ?? "")) }
            }
        ) { _, port in
            let clients = try (0..<count).map { _ in try LoopbackClient(port: port) }
            for round in 0..<3 {
                for (index, client) in clients.enumerated() {
                    try client.write("GET /wait/\(round)-\(index) HTTP/1.1\r\nHost: t\r\n\r\n")
                }
                #expect(eventually { waiting.values.count == count })
                let batch = waiting.takeAll()
                onAnotherThread {
                    for (id, responder) in batch { responder.send(.text(id)) }
                }
                for (index, client) in clients.enumerated() {
                    #expect(try client.receive().text == "\(round)-\(index)")
                }
                for (index, client) in clients.enumerated() {
                    try client.write("GET /now/\(index) HTTP/1.1\r\nHost: t\r\n\r\n")
                }
                for (index, client) in clients.enumerated() {
                    #expect(try client.receive().text == "\(index)")
                }
            }
        }
    }

    @Test("answers from many threads reach the requests they belong to")
    func manyThreads() throws {
        try withServer(routes: { router in
            router.post("/double") { request, _ in
                .later { responder in
                    onAnotherThread { responder.send(.json(request.body + request.body)) }
                }
            }
        }) { _, port in
            let clients = try (0..<64).map { _ in try LoopbackClient(port: port) }
            for round in 0..<5 {
                for (index, client) in clients.enumerated() {
                    let body = "\(round):\(index);"
                    try client.write(
                        "POST /double HTTP/1.1\r\nHost: t\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
                }
                for (index, client) in clients.enumerated() {
                    #expect(try client.receive().text == "\(round):\(index);\(round):\(index);")
                }
            }
        }
    }

    @Test("an answer given before the handler returns is sent, and a pipelined request waits for it")
    func synchronous() throws {
        let held = Recorder<Responder>()
        try withServer(routes: { router in
            router.get("/inside") { _, _ in .later { $0.send(.text("inside")) } }
            router.get("/held") { _, _ in .later { held.append($0) } }
        }) { _, port in
            let client = try LoopbackClient(port: port)
            try client.write(
                "GET /held HTTP/1.1\r\nHost: t\r\n\r\nGET /inside HTTP/1.1\r\nHost: t\r\n\r\n"
                    + "GET /inside HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(eventually { held.values.count == 1 })
            held.takeAll().first?.send(.text("held"))
            #expect(try client.receive().text == "held")
            #expect(try client.receive().text == "inside")
            #expect(try client.receive().text == "inside")
        }
    }

    @Test("a responder that is dropped sends a 500, and one that answers twice sends the first answer")
    func dropped() throws {
        try withServer(routes: { router in
            router.get("/dropped") { _, _ in .later { _ in } }
            router.get("/twice") { _, _ in
                .later { responder in
                    onAnotherThread {
                        responder.send(.text("first"))
                        responder.send(.text("second"))
                    }
                }
            }
        }) { _, port in
            let client = try LoopbackClient(port: port)
            let answer = try client.get("/dropped")
            #expect(answer.status == 500)
            #expect(answer.text.contains("internal_error"))
            #expect(try client.get("/twice").text == "first")
            #expect(try client.get("/twice").text == "first")
        }
    }

    @Test("an answer for a client that has gone harms nobody")
    func gone() throws {
        let waiting = Recorder<Responder>()
        try withServer(
            { $0.loops = 1 },
            routes: { router in
                router.get("/wait") { _, _ in .later { waiting.append($0) } }
                router.get("/now") { _, _ in .now(.text("now")) }
            }
        ) { server, port in
            for _ in 0..<20 {
                let client = try LoopbackClient(port: port)
                try client.write("GET /wait HTTP/1.1\r\nHost: t\r\n\r\n")
            }
            #expect(eventually { waiting.values.count == 20 })
            for responder in waiting.takeAll() { responder.send(.text("late")) }
            #expect(eventually { server.counters.openConnections == 0 })
            #expect(try LoopbackClient(port: port).get("/now").text == "now")
        }
    }

    @Test("waiting for an answer is not idling")
    func longWait() throws {
        // The library counts idle time in whole seconds. An answer that comes later still is the same case.
        try withServer(
            {
                $0.idleTimeout = 1_000
                $0.receiveTimeout = 1_000
            },
            routes: { router in
                router.get("/wait") { _, _ in
                    .later { responder in
                        onAnotherThread {
                            usleep(2_300_000)
                            responder.send(.text("at last"))
                        }
                    }
                }
            }
        ) { _, port in
            let client = try LoopbackClient(port: port)
            #expect(try client.get("/wait").text == "at last")
            #expect(client.isClosed)
        }
    }
}
