import HTTPMessages
import HTTPServer
import HTTPTesting
import Synchronization
import TestBasics
import Testing

@Suite("Limits by caller and address")
struct LimitTests {
    private final class Clock: Sendable {
        let now = Atomic<Int64>(0)
        func advance(_ seconds: Double) { now.add(Int64(seconds * 1e9), ordering: .relaxed) }
    }

    @Test("a bucket lets a burst through, then as many as time fills in")
    func bucket() {
        let clock = Clock()
        let limiter = RateLimiter(RateLimit(perSecond: 2, burst: 3)) { clock.now.load(ordering: .relaxed) }
        let key = LimitKey.caller("a")
        #expect((0..<5).map { _ in limiter.acquire(key).isAllowed } == [true, true, true, false, false])
        #expect(limiter.acquire(.caller("b")).isAllowed)
        #expect(limiter.acquire(key).retryAfter == 1)
        clock.advance(0.4)
        #expect(!limiter.acquire(key).isAllowed)
        clock.advance(0.1)
        let outcome = limiter.acquire(key)
        #expect(outcome.isAllowed && outcome.remaining == 0 && outcome.reset == 2)
        clock.advance(100)
        #expect((0..<4).map { _ in limiter.acquire(key).isAllowed } == [true, true, true, false])
    }

    @Test("those who have not come for longest are forgotten, and nobody who comes all the time")
    func memory() {
        let clock = Clock()
        let limiter = RateLimiter(RateLimit(perSecond: 0.01, burst: 2), capacity: 1_600) {
            clock.now.load(ordering: .relaxed)
        }
        _ = limiter.acquire(.caller("busy"))
        _ = limiter.acquire(.caller("busy"))
        for number in 0..<20_000 {
            _ = limiter.acquire(.address(UInt32(number)))
            if number % 20 == 0 { #expect(!limiter.acquire(.caller("busy")).isAllowed) }
        }
        #expect(limiter.count <= 1_600 + 16)
    }

    @Test("addresses count by themselves, those of one IPv6 customer together, mapped ones as what they are")
    func keys() {
        #expect(LimitKey(.none) == nil)
        #expect(LimitKey(.v4(0x7f00_0001, port: 1)) == LimitKey(.v4(0x7f00_0001, port: 2)))
        #expect(LimitKey(.v6(high: 5, low: 1, port: 1)) == LimitKey(.v6(high: 5, low: 2, port: 1)))
        #expect(LimitKey(.v6(high: 5, low: 1, port: 1)) != LimitKey(.v6(high: 6, low: 1, port: 1)))
        #expect(
            LimitKey(.v6(high: 0, low: 0xffff_7f00_0001, port: 1)) == LimitKey(.v4(0x7f00_0001, port: 1)))
    }

    @Test("who asks too often is told when to come again, the others how many are left")
    func rates() throws {
        let clock = Clock()
        var router = Router()
        let limiter = RateLimiter(RateLimit(perSecond: 0.1, burst: 2)) { clock.now.load(ordering: .relaxed) }
        let counter = Counter()
        router.use(limitRates({ limiter }, refused: { counter.number.add(1, ordering: .relaxed) }))
        router.get("/") { _, _ in .now(.text("a")) }
        func get(_ address: UInt32) throws -> Response {
            try router.answer(try Request(.get, "/", remoteAddress: .v4(address, port: 1)))
        }
        #expect(try get(1).headers["RateLimit-Remaining"] == "1")
        #expect(try get(1).headers["RateLimit-Limit"] == "2")
        let answer = try get(1)
        #expect(answer.status == 429)
        #expect(answer.headers["Retry-After"] == "10")
        #expect(answer.headers["RateLimit-Remaining"] == "0")
        #expect(String(decoding: answer.bodyBytes, as: UTF8.self).contains("\"code\":\"rate.limited\""))
        #expect(try get(2).status == 200)
        #expect(try router.answer(try Request(.get, "/")).status == 200)
        #expect(counter.number.load(ordering: .relaxed) == 1)
        clock.advance(10)
        #expect(try get(1).status == 200)
    }

    private final class Counter: Sendable {
        let number = Atomic(0)
    }

    @Test("an address has only so many streams, and again when it closes one")
    func streams() throws {
        let quota = Quota(limit: 2)
        try withServer(routes: { router in
            router.use(limitStreams(quota))
            router.get("/events") { _, _ in .events { stream in stream.send(SharedBytes("data: hello\n\n")) } }
            router.get("/late") { _, _ in
                .later { responder in responder.openEvents { $0.send(SharedBytes("data: hello\n\n")) } }
            }
            router.get("/") { _, _ in .now(.text("a")) }
        }) { _, port in
            func open(_ target: String) throws -> (LoopbackClient, status: String) {
                let client = try LoopbackClient(port: port)
                try client.write("GET \(target) HTTP/1.1\r\nHost: t\r\n\r\n")
                return (client, try client.head()[0])
            }
            let first = try open("/events")
            let second = try open("/late")
            #expect(first.status.contains("200") && second.status.contains("200"))
            #expect(try first.0.event().data == "hello")
            #expect(try open("/events").status.contains("429"))
            #expect(try LoopbackClient(port: port).get("/").status == 200)
            // A response to HEAD has no stream, and must not count as one.
            second.0.hangUp()
            #expect(eventually { quota.acquire(.address(0x7f00_0001)) != nil })
            for _ in 0..<3 {
                let head = try LoopbackClient(port: port)
                try head.write("HEAD /events HTTP/1.1\r\nHost: t\r\n\r\n")
                #expect(try head.receive(hasBody: false).status == 200)
            }
            let third = try open("/events")
            #expect(third.status.contains("200"))
            _ = third
        }
    }

    @Test("an address has only so many connections")
    func connections() throws {
        try withServer(
            { $0.connectionsPerAddress = 3 }, routes: { $0.get("/") { _, _ in .now(.text("a")) } }
        ) { server, port in
            var clients = try (0..<3).map { _ in try LoopbackClient(port: port) }
            for client in clients { #expect(try client.get("/").status == 200) }
            #expect(try LoopbackClient(port: port).isClosed)
            #expect(server.counters.crowdedConnections == 1)
            clients.removeLast().hangUp()
            #expect(eventually { server.counters.openConnections == 2 })
            #expect(try LoopbackClient(port: port).get("/").status == 200)
        }
    }
}
