import Foundation
import HTTPTesting
import Synchronization
import TestBasics
import Testing

@testable import HTTPMessages
@testable import HTTPServer

/// A number of pieces of one size.
private final class Pieces: BodySource {
    private let left: Atomic<Int>
    private let size: Int

    init(_ count: Int, size: Int) {
        left = Atomic(count)
        self.size = size
    }

    func next() -> [UInt8]? {
        guard left.subtract(1, ordering: .relaxed).newValue >= 0 else { return nil }
        return [UInt8](repeating: 65, count: size)
    }

    var bytesAtHand: Int { 0 }
}

@Suite("Memory of large answers")
struct ResponseMemoryTests {
    @Test("room is given in turn, and one answer alone may be larger than all room")
    func turns() {
        let memory = ResponseMemory(limit: 100, counters: ServerCounters())
        #expect(memory.reserve(150))
        #expect(!memory.reserve(1))
        memory.move(by: -150)
        #expect(memory.reserve(60) && memory.reserve(40) && !memory.reserve(1))
        let begun = Recorder<Int>()
        memory.await(50) { begun.append(1) }
        memory.await(10) { begun.append(2) }
        memory.move(by: -30)
        // The first has to wait for more memory, and no other overtakes it.
        #expect(begun.takeAll() == [])
        #expect(memory.shortage(monotonicMilliseconds()) > 0)
        memory.move(by: -30)
        #expect(begun.takeAll() == [1, 2])
    }

    @Test("clients that do not read are let go of, others get everything, and nothing stays counted")
    func silentClients() throws {
        let size = 200_000
        try withServer(
            {
                $0.loops = 2
                $0.responseMemory = 2_000_000
                $0.responseStallTimeout = 60_000
                $0.responseStallTimeoutUnderPressure = 300
            },
            routes: { router in
                router.get("/whole") { _, _ in
                    .now(Response(contentType: "text/plain", body: [UInt8](repeating: 66, count: 1_000_000)))
                }
                router.get("/pieces") { _, _ in .now(Response(body: .pieces(Pieces(60, size: size)))) }
                router.get("/small") { _, _ in .now(.text("small")) }
            }
        ) { server, port in
            var silent: [LoopbackClient] = []
            for index in 0..<40 {
                let client = try LoopbackClient(port: port, receiveBuffer: 4096)
                try client.write("GET /\(index % 2 == 0 ? "pieces" : "whole") HTTP/1.1\r\nHost: x\r\n\r\n")
                silent.append(client)
            }
            // The kernel accepts some of each, and the counted bytes stay within the limit and a piece or two.
            for _ in 0..<20 {
                #expect(server.counters.answerBytes <= 2_000_000 + 3 * size)
                usleep(20_000)
            }
            #expect(try LoopbackClient(port: port).get("/small").text == "small")
            var got = 0
            #expect(
                eventually {
                    guard let client = try? LoopbackClient(port: port), let answer = try? client.get("/whole") else {
                        return false
                    }
                    if answer.status == 200 { got = answer.body.count }
                    return answer.status == 200
                })
            #expect(got == 1_000_000)
            // Also this one is let go of if it pauses for too long, as a process of a busy machine does.
            #expect(eventually { (try? LoopbackClient(port: port).get("/pieces").body.count) == 60 * size })
            #expect(server.counters.stalledResponses > 0)
            for client in silent { client.hangUp() }
            #expect(eventually { server.counters.answerBytes == 0 })
        }
    }

    @Test("a client that reads nothing of an answer is cut")
    func silentClient() throws {
        try withServer(
            { $0.responseStallTimeout = 500 },
            routes: { router in
                router.get("/pieces") { _, _ in .now(Response(body: .pieces(Pieces(200, size: 100_000)))) }
            }
        ) { server, port in
            let silent = try LoopbackClient(port: port, receiveBuffer: 4096)
            try silent.write("GET /pieces HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(eventually { server.counters.stalledResponses == 1 })
            #expect(eventually { server.counters.answerBytes == 0 })
        }
    }

    @Test("the head of a large answer is told without holding anything")
    func head() throws {
        try withServer(
            { $0.responseMemory = 100_000 },
            routes: { router in
                router.get("/whole") { _, _ in
                    .now(Response(contentType: "text/plain", body: [UInt8](repeating: 66, count: 1_000_000)))
                }
            }
        ) { server, port in
            let client = try LoopbackClient(port: port)
            for _ in 0..<5 {
                try client.write("HEAD /whole HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receive(hasBody: false).status == 200)
            }
            #expect(eventually { server.counters.answerBytes == 0 })
        }
    }
}
