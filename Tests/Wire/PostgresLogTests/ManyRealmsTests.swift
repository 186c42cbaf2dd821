import Dispatch
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import PostgresLog

/// Realms share tables, and the channel of hints, but nothing of what is in them.
@Suite("A hundred realms on one PostgreSQL", .enabled(if: PostgresServer.isThere))
struct ManyRealmsTests {
    /// A realm with the log of a gateway that listens.
    private final class Gateway: Sendable {
        let realm: TestRealm
        let log: PostgresLog
        let hints = Atomic(0)

        init(_ server: PostgresServer) throws {
            realm = try TestRealm(server)
            log = try realm.log()
            log.onHint { [self] in hints.add(1, ordering: .relaxed) }
        }
    }

    @Test("each keeps its own entries and its own hints, and a gateway four connections at most")
    func hundred() throws {
        // The last of two lines with one name counts.
        let server = try PostgresServer(settings: ["max_connections = 500"])
        let gateways = try (0..<100).map { _ in try Gateway(server) }
        defer { for gateway in gateways { gateway.log.close() } }
        for gateway in gateways {
            #expect(try eventually { gateway.hints.load(ordering: .relaxed) == 1 }, "it listens")
        }
        // The first ten write nothing.
        let (writers, rounds, threads) = (Array(10..<100), 5, 6)
        let faults = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: threads) { thread in
            for round in 0..<rounds {
                for number in writers where number % threads == thread {
                    let log = gateways[number].log
                    let body = [UInt8(number), UInt8(round)]
                    let outcome = Result { try log.append([body], after: try log.newest(), tag: .another()) }
                    guard case .success(.appended) = outcome else {
                        faults.withLock { $0.append("realm \(number), round \(round): \(outcome)") }
                        continue
                    }
                }
            }
        }
        #expect(faults.withLock { $0 } == [])
        let clients = "select count(*) from pg_stat_activity where backend_type = 'client backend'"
        let connections = try #require(Int(try server.sql(clients)))
        // One is of the question.
        #expect(connections <= 4 * gateways.count + 1)
        for (number, gateway) in gateways.enumerated() {
            let expected = number < 10 ? [] : (0..<rounds).map { [UInt8(number), UInt8($0)] }
            #expect(try CommitLogConformance.history(gateway.log).map(\.body) == expected, "realm \(number)")
        }
        let directory = try LogDirectory(try PostgresAddress(server.url))
        defer { directory.close() }
        let status = try directory.status()
        #expect(Set(status.map(\.name)) == Set(gateways.map(\.realm.name.text)))
        #expect(status.reduce(0) { $0 + $1.parts } == Int64(writers.count * rounds))

        // A second gateway of the last realm: only the first one of that realm hears of its entry.
        let last = gateways[99]
        let other = try last.realm.log()
        defer { other.close() }
        let before = gateways.map { $0.hints.load(ordering: .relaxed) }
        #expect(before[..<10].allSatisfy { $0 == 1 }, "hints of other realms")
        #expect(try other.append([[0]], after: try other.newest(), tag: .another()) == .appended)
        #expect(try eventually { last.hints.load(ordering: .relaxed) > before[99] }, "the hint of its realm")
        #expect(gateways[..<10].allSatisfy { $0.hints.load(ordering: .relaxed) == 1 })
    }
}
