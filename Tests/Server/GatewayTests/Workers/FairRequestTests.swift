import Dispatch
import Foundation
import FairScheduling
import HTTPServer
import HTTPTesting
import JSONCoding
import Synchronization
import Testing

@testable import Gateway

/// Checks over sockets that one client cannot block the others.
@Suite("one client beside others")
struct FairRequestTests {
    /// Dogs whose friends of friends take long to query; every read of the class goes to the workers.
    private func home(letters: Int = 0, _ configure: (inout GatewayConfiguration) -> Void = { _ in }) throws
        -> DogOwnersGatewayFixture
    {
        let home = try DogOwnersGatewayFixture(.embedded) {
            $0.inlineObjects = 0
            var proxies = TrustedProxies()
            _ = proxies.insert("127.0.0.1")
            $0.trustedProxies = proxies
            configure(&$0)
        }
        let tail = String(repeating: "w", count: letters)
        let dogs = (100..<500).map { #"{"id":\#($0),"name":"d\#($0)\#(tail)","age":\#($0 % 20)}"# }.joined(
            separator: ",")
        guard try home.wire.send(.post, "/v1/objects/Dog", "[\(dogs)]").status == 201 else { throw WireFailure("dogs") }
        let keys = (100..<500).map(String.init).joined(separator: ",")
        for person in 0..<30 {
            let body = #"{"handle":"p\#(person)","dogs":[\#(keys)]}"#
            guard try home.wire.send(.post, "/v1/objects/Person", body).status == 201 else {
                throw WireFailure("people")
            }
        }
        return home
    }

    /// Scans 400 dogs several times; the longer their names, the longer it takes.
    private static let long: String = {
        let parts = "abcefghi".map { "$d.name LIKE '*\($0)*'" }.joined(separator: " OR ")
        let filter = "SUBQUERY(dogs, $d, $d.age > 100 OR \(parts)).@count > 3"
        return "/v1/objects/Person?limit=1&filter="
            + (filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }()
    private static let short = "/v1/objects/Dog?limit=1&filter=age%20%3D%3D%207"

    private func serve(_ home: DogOwnersGatewayFixture, _ body: (UInt16) throws -> Void) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 2
        let server = HTTPServer(configuration: configuration, router: home.gateway.router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(port)
    }

    private static func ask(_ port: UInt16, _ target: String, from address: String) throws -> (
        status: Int, body: String
    ) {
        let client = try LoopbackClient(port: port)
        try client.send("GET \(target)", headers: "X-Forwarded-For: \(address)\r\n")
        return try client.answer()
    }

    @Test("short queries are answered while dozens of long ones are under way", arguments: [1, 10])
    func short(attackers: Int) throws {
        let home = try home(letters: 2000) { $0.inlineRows = 300 }
        try serve(home) { port in
            let finished = Mutex(0)
            let isOver = Atomic(false)
            let group = DispatchGroup()
            for number in 0..<Self.attacks {
                group.enter()
                Thread {
                    while !isOver.load(ordering: .relaxed) {
                        let answer = try? Self.ask(port, Self.long, from: "10.0.0.\(number % attackers)")
                        finished.withLock { $0 += 1 }
                        if answer?.status != 200 { usleep(20_000) }
                    }
                    group.leave()
                }.start()
            }
            defer {
                isOver.store(true, ordering: .relaxed)
                group.wait()
            }
            var wait = 0
            while home.gateway.workers.length < Self.attacks / 2, wait < 3000 {
                usleep(10_000)
                wait += 1
            }
            try #require(home.gateway.workers.length >= Self.attacks / 4)
            var rounds: [Int] = []
            for _ in 0..<9 {
                let before = finished.withLock { $0 }
                let answer = try Self.ask(port, Self.short, from: "10.0.1.1")
                #expect(answer.status == 200, "\(answer.body)")
                rounds.append(finished.withLock { $0 } - before)
            }
            // In order of arrival, each short request would wait for nearly all of the long ones.
            #expect(rounds.sorted()[4] < Self.attacks / 3, "the short ones waited for the long ones: \(rounds)")
        }
    }

    /// The number of simultaneous long queries.
    private static let attacks = 24

    @Test("waiting takes nothing from a query's time")
    func deadlines() throws {
        let home = try home {
            $0.workers = 1
            $0.queryMilliseconds = 20_000
        }
        // The maximum time of one query alone.
        let start = ContinuousClock.now
        #expect(try home.wire.send(.get, Self.long).status == 200)
        let alone = max(Int((ContinuousClock.now - start) / .milliseconds(1)), 20)
        let present = try self.home {
            $0.workers = 1
            $0.queryMilliseconds = alone * 8
        }
        try serve(present) { port in
            let failures = Mutex<[String]>([])
            let group = DispatchGroup()
            for number in 0..<16 {
                group.enter()
                Thread {
                    let answer = try? Self.ask(port, Self.long, from: "10.0.0.\(number)")
                    if answer?.status != 200 { failures.withLock { $0.append(answer?.body ?? "nothing") } }
                    group.leave()
                }.start()
            }
            group.wait()
            #expect(failures.withLock { $0 }.isEmpty)
        }
    }

    @Test("beyond a caller's own queries it is told so, and others are not; the queue of all says 503")
    func refusals() throws {
        // So long that they arrive while the first are under way, however busy the machine is.
        let home = try home(letters: 2000) {
            $0.workers = 1
            $0.workerThreads = 2
            $0.queriesPerCaller = 6
            $0.workerQueue = 8
        }
        try serve(home) { port in
            let answers = Mutex<[(address: String, status: Int, body: String)]>([])
            let group = DispatchGroup()
            for number in 0..<40 {
                group.enter()
                Thread {
                    let address = "10.0.0.\(number % 4)"
                    if let answer = try? Self.ask(port, Self.long, from: address) {
                        answers.withLock { $0.append((address, answer.status, answer.body)) }
                    }
                    group.leave()
                }.start()
            }
            group.wait()
            let all = answers.withLock { $0 }
            #expect(all.count == 40)
            #expect(all.allSatisfy { [200, 429, 503, 400].contains($0.status) })
            #expect(all.contains { $0.status == 200 })
            for answer in all where answer.status == 429 { #expect(answer.body.contains("queries.limited")) }
            for answer in all where answer.status == 503 { #expect(answer.body.contains("gateway.busy")) }
            #expect(all.contains { $0.status == 429 || $0.status == 503 })
            // A response may come a moment before its worker is free.
            var wait = 0
            while home.gateway.workers.length + home.gateway.workers.quota.count > 0, wait < 1000 {
                usleep(10_000)
                wait += 1
            }
            #expect(home.gateway.workers.length == 0 && home.gateway.workers.quota.count == 0)
        }
    }
}
