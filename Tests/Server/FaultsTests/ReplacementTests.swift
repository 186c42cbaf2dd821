import Foundation
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// What an operator does to gateways in the middle of the day: the clients of a gateway that is stopped go on at another
/// one, and nobody else notices.
@Suite("Gateways that are started, stopped and replaced under load", .serialized, .enabled(if: PostgresServer.isThere))
struct ReplacementTests {
    /// The gateways behind a proxy that does not look whether they are ready: it sends a client to the same one twice,
    /// and then to the next.
    private final class Proxy: Sendable {
        private struct State {
            var ports: [Int]
            /// For each client, where it was sent last, and how often one after the other.
            var last: [(port: Int, times: Int)]
        }
        private let state: Mutex<State>

        init(_ ports: [Int], clients: Int) {
            let first = (0..<clients).map { (port: ports[$0 % ports.count], times: 0) }
            state = Mutex(State(ports: ports, last: first))
        }

        func port(for client: Int) -> Int {
            state.withLock { state in
                var (port, times) = state.last[client]
                let index = state.ports.firstIndex(of: port)
                if index == nil || times == 2 {
                    (port, times) = (state.ports[((index ?? -1) + 1) % state.ports.count], 0)
                }
                state.last[client] = (port, times + 1)
                return port
            }
        }

        /// The clients that were sent to a gateway last.
        func clients(of port: Int) -> Set<Int> {
            state.withLock { state in Set(state.last.indices.filter { state.last[$0].port == port }) }
        }

        func add(_ port: Int) { state.withLock { $0.ports.append(port) } }

        func remove(_ port: Int) { state.withLock { $0.ports.removeAll { $0 == port } } }
    }

    @Test("a client comes back once when its gateway is stopped, goes on from where it was, and notices nothing else")
    func replacement() throws {
        let postgres = try PostgresServer.shared.get()
        let directory = try TestDirectory()
        #expect(try Program.run(["setup", "--store", postgres.url], in: directory).status == 0)
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let realm = "replace-\(PostgresServer.number())"
        func host(_ name: String) throws -> SharedHost { try SharedHost(name, realm, postgres, directory) }
        func port(_ host: SharedHost) throws -> Int { try #require(host.server?.port) }
        var hosts = try [host("a"), host("b")]
        let queries = [
            "sort=-weight,id", "filter=weight%20%3E%2050&sort=id", "sort=weight,id&limit=7", "", "sort=text,id",
        ]
        let proxy = Proxy(try hosts.map(port), clients: queries.count)
        let over = ChangingAddress()
        let clients = queries.enumerated().map { number, query in
            ChaosClient(query, "objects/Note", .collection, TestSeed.of("client \(number)"), isSteady: true)
        }
        for (number, client) in clients.enumerated() {
            client.start(while: { !over.over }, port: { proxy.port(for: number) })
        }
        let addresses = hosts.map(\.address)
        let writers = addresses.enumerated().map { NoteWriter($0 + 1, to: $1, every: 4_000) }
        #expect(eventually { clients.allSatisfy { $0.connections == 1 } }, "streams begin")

        /// Does something to the gateways; the streams of these clients alone begin anew, once.
        func replacing(_ what: String, affects affected: Set<Int>, _ body: () throws -> Void) throws {
            NoteWriter.wait(for: Int.random(in: 20...60, using: &random), of: writers)
            let before = clients.map(\.connections)
            try body()
            #expect(
                eventually { affected.allSatisfy { clients[$0].connections > before[$0] || clients[$0].fault != nil } },
                "\(what): streams go on")
            NoteWriter.wait(for: Int.random(in: 20...60, using: &random), of: writers)
            for (number, client) in clients.enumerated() {
                let more = client.connections - before[number]
                #expect(more == (affected.contains(number) ? 1 : 0), "seed \(seed), \(what), \(client.query)")
            }
        }

        /// Adds a gateway, and stops another one, which its clients still ask first.
        func replace(_ old: Int, by name: String) throws {
            let new = try host(name)
            try replacing("\(name) is started", affects: []) { proxy.add(try port(new)) }
            let (stopped, gone) = (hosts[old], try port(hosts[old]))
            try replacing("the one before \(name) is stopped", affects: proxy.clients(of: gone)) {
                try stopped.stop()
            }
            proxy.remove(gone)
            // The writers of the stopped gateway go on at the new one.
            addresses[old].port = new.address.port
            hosts[old] = new
        }

        for round in 0..<TestRun.length {
            // With a new replica, and then with those that are there.
            try replace(0, by: "c\(round)")
            try replace(1, by: "a")
            try replace(0, by: "b")
        }
        NoteWriter.wait(for: 40, of: writers)
        for address in addresses { address.over = true }
        for writer in writers { writer.wait() }
        try ChaosClient.settle(clients, until: over, on: hosts, seed: seed)
        try NoteWriter.check(writers, on: hosts[0], seed: seed)
        for client in clients {
            #expect(client.initials == 1, "seed \(seed), \(client.query): it goes on from where it was")
            #expect(client.closings == client.connections - 1, "seed \(seed), \(client.query): each end is in order")
        }
        for host in hosts { try host.stop() }
    }
}
