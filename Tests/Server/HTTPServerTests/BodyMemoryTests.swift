import HTTPMessages
import Foundation
import HTTPTesting
import TestBasics
import Testing

@testable import HTTPServer

@Suite("Memory of bodies")
struct BodyMemoryTests {
    @Test(
        "a body alone may take more than all memory, others meanwhile get a 503, and what was released can be had again"
    )
    func leases() {
        let memory = BodyMemory(limit: 100)
        var first: BodyMemory.Lease? = memory.lease()
        #expect(first?.grow(to: 60) == true && first?.grow(to: 150) == true)
        let second = memory.lease()
        #expect(!memory.isShort(monotonicMilliseconds()))
        #expect(!second.grow(to: 1) && memory.isShort(monotonicMilliseconds()))
        #expect(first?.grow(to: 40) == true && memory.bytes == 150)
        first = nil
        #expect(memory.bytes == 0 && second.grow(to: 100) && !memory.lease().grow(to: 1))
    }

    @Test("while one client holds back the rest of a long body, others get a 503, until it is let go of")
    func stalled() throws {
        try withServer(
            {
                $0.loops = 1
                $0.responseMemory = 200_000
                $0.responseStallTimeoutUnderPressure = 300
            },
            routes: { router in
                router.changeRefusals { $1.headers.vary("Origin") }
                router.on(.post, "/") { request, _ in .now(.text("\(request.body.count)")) }
            }
        ) { _, port in
            func post(_ count: Int) throws -> LoopbackClient.Answer {
                let client = try LoopbackClient(port: port)
                try client.write(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(count)\r\n\r\n"
                        + String(repeating: "b", count: count))
                return try client.receive()
            }
            // The server receives one of two bodies first. When that is not the slow one, all begins again.
            var slow: LoopbackClient?
            let isRefused = try eventually {
                slow?.hangUp()
                guard try post(60_000).status == 200 else { return false }
                let client = try LoopbackClient(port: port)
                try client.write(
                    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n"
                        + String(repeating: "s", count: 95_000))
                slow = client
                let answer = try post(60_000)
                guard answer.status == 503, answer.text.contains("body.no_memory") else { return false }
                // As every refusal that no middleware sees, pages can read it.
                #expect(answer["Vary"] == "Origin")
                return true
            }
            #expect(isRefused)
            // Short ones need no memory.
            #expect(try post(100).text == "100")
            let isTaken = try eventually { try post(60_000).text == "60000" }
            #expect(isTaken)
            // The slow one was disconnected, and gets no response.
            #expect((try? slow?.receive()) == nil)
            #expect(try post(60_000).text == "60000")
        }
    }
}
