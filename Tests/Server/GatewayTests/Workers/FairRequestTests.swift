import Dispatch
import FairScheduling
import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import JSONCoding
import RequestHandling
import StoreContract
import Synchronization
import TestBasics
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

    @Test("queries are answered while dozens of others' requests run without an end", arguments: [1, 10])
    func short(attackers: Int) throws {
        let home = try home(letters: 20) { $0.inlineRows = 0 }
        let workers = home.gateway.context.workers
        let isOver = Atomic(false)
        let (begun, ended) = (DispatchSemaphore(value: 0), DispatchGroup())
        for number in 0..<Self.attacks {
            ended.enter()
            workers.run(for: .caller("attacker \(number % attackers)")) {
                begun.signal()
                while !isOver.load(ordering: .relaxed), let work = RequestPace.current {
                    if work.mustPause { work.pause() }
                }
                ended.leave()
            }
        }
        defer {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
        }
        // As many as may run at a time, and one of those that take turns with them.
        for _ in 0..<3 { begun.wait() }
        // A query passes checkpoints, at which it gives up its turn, and uses one thread while others wait.
        let budgets = Recorded<Bool>()
        let isKnown = DispatchSemaphore(value: 0)
        let request = try Request(.get, Self.short)
        workers.run(for: .caller("budget")) {
            budgets.add(home.gateway.context.queryBudget(for: request).mayUseOtherThreads)
            isKnown.signal()
        }
        isKnown.wait()
        #expect(budgets.takeAll() == [false])
        try serve(home) { port in
            let moved = home.gateway.context.requestCounters.movedReads.load(ordering: .relaxed)
            for target in [Self.short, Self.long, Self.short, Self.short] {
                let answer = try Self.ask(port, target, from: "10.0.1.1")
                #expect(answer.status == 200, "\(answer.body)")
            }
            // In order of arrival, each would wait for all of the others' requests, which are all there still.
            #expect(home.gateway.context.requestCounters.movedReads.load(ordering: .relaxed) == moved + 4)
            #expect(workers.length >= Self.attacks)
        }
    }

    /// The number of simultaneous long requests.
    private static let attacks = 24

    @Test("beyond a caller's own queries it is told so, and others are not; the queue of all says 503")
    func refusals() throws {
        let home = try home {
            $0.inlineRows = 0
            $0.workers = 1
            $0.workerThreads = 2
            $0.queriesPerCaller = 6
            $0.workerQueue = 8
        }
        // Two requests without checkpoints take both threads, so that all others wait to begin.
        let (began, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        for number in 0..<2 {
            home.gateway.context.workers.run(for: .caller("holder \(number)")) {
                began.signal()
                gate.wait()
            }
        }
        for _ in 0..<2 { began.wait() }
        let answers = Mutex<[(address: String, status: Int, body: String)]>([])
        let group = DispatchGroup()
        func ask(_ port: UInt16, _ count: Int, from address: (Int) -> String) {
            for number in 0..<count {
                let address = address(number)
                group.enter()
                Thread {
                    let answer = (try? Self.ask(port, Self.long, from: address)) ?? (status: 0, body: "nothing")
                    answers.withLock { $0.append((address, answer.status, answer.body)) }
                    group.leave()
                }.start()
            }
        }
        func count(_ status: Int) -> Int { answers.withLock { $0.count { $0.status == status } } }
        try serve(home) { port in
            defer {
                for _ in 0..<2 { gate.signal() }
                group.wait()
            }
            // Six wait, which is one caller's limit.
            ask(port, 10) { _ in "10.0.0.0" }
            #expect(eventually { count(429) == 4 })
            // There is room for two more; then the first caller, who has most, loses places to the others.
            ask(port, 30) { "10.0.0.\(1 + $0 % 3)" }
            #expect(eventually { answers.withLock { $0.count } == 32 })
        }
        let all = answers.withLock { $0 }
        #expect(all.count == 40)
        #expect(count(200) == 8 && count(429) == 4 && count(503) == 28, "\(all)")
        for answer in all where answer.status == 429 {
            #expect(answer.body.contains("queries.limited") && answer.address == "10.0.0.0")
        }
        for answer in all where answer.status == 503 { #expect(answer.body.contains("gateway.busy")) }
        // A response may come a moment before its worker is free.
        #expect(
            eventually { home.gateway.context.workers.length == 0 && home.gateway.context.workers.quota.count == 0 })
    }
}
