import Dispatch
import Foundation
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import PostgresLog

/// A connection that is cut at every byte of an append: the entries are in the log once, and the caller knows it.
@Suite("Appends over connections that break", .enabled(if: PostgresServer.isThere))
struct CutConnectionTests {
    private static func body(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The bytes that an append sends and receives, over a connection that is open already.
    private static func size(_ log: PostgresLog, _ faults: SocketFaults, inTurn: Bool) throws -> (
        sent: Int, received: Int
    ) {
        let turn = inTurn ? try log.takeTurn() : nil
        faults.lift()
        faults.plan(.cutAfterSent(.max))
        let position = try turn?.position ?? log.newest()
        let before = (faults.sent, faults.received)
        let outcome =
            try turn?.append([body("x")], tag: .another()) ?? log.append([body("x")], after: position, tag: .another())
        #expect(outcome == .appended)
        faults.lift()
        return (faults.sent - before.0, faults.received - before.1)
    }

    @Test("an append is done once, wherever the connection is cut", arguments: [false, true])
    func everyPlace(inTurn: Bool) throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address) { $0.usesHints = false }
        defer { log.close() }
        let size = try Self.size(log, faults, inTurn: inTurn)
        #expect(size.sent > 100 && size.received > 20)
        var expected = [Self.body("x")]
        var random = SeededRandom.ofTest(inTurn)
        var plans: [SocketFaults.Fault] = []
        for position in stride(from: 0, through: size.sent, by: max(1, size.sent / 16)) {
            plans.append(.cutAfterSent(position))
            plans.append(.cutAndDeliverLate(after: position, milliseconds: UInt32.random(in: 0...60, using: &random)))
        }
        for position in stride(from: 0, through: size.received, by: max(1, size.received / 10)) {
            plans.append(.cutAfterReceived(position))
        }
        for (index, plan) in plans.enumerated() {
            let body = Self.body("append \(index)")
            let turn = inTurn ? try log.takeTurn() : nil
            let position = try turn?.position ?? log.newest()
            faults.plan(plan)
            let tag = HistoryTag.another()
            let outcome = try turn?.append([body, []], tag: tag) ?? log.append([body, []], after: position, tag: tag)
            faults.lift()
            #expect(outcome == .appended, "\(plan)")
            expected += [body, []]
            #expect(try log.newest() == LogPosition(Version(position.version.rawValue + 2), tag), "\(plan)")
        }
        #expect(faults.cuts > plans.count / 2)
        let found = try CommitLogConformance.history(log)
        #expect(found.map(\.body) == expected)
    }

    @Test(
        "a fetch and the beginning of a turn bring everything, wherever the connection is cut",
        arguments: [false, true])
    func reading(inTurn: Bool) throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address) { $0.usesHints = false }
        defer { log.close() }
        let bodies = (0..<20).map { Self.body("entry \($0)") }
        let tag = HistoryTag.another()
        #expect(try log.append(bodies, after: TestRealm.start, tag: tag) == .appended)
        func read() throws -> [[UInt8]] {
            guard inTurn else { return try log.entries(after: TestRealm.start.version).map(\.body) }
            let turn = try log.takeTurn(after: TestRealm.start.version)
            faults.lift()
            defer { turn.end() }
            #expect(turn.position == LogPosition(Version(21), tag))
            return turn.newEntries.map(\.body)
        }
        faults.plan(.cutAfterSent(.max))
        #expect(try read() == bodies)
        let size = (sent: faults.sent, received: faults.received)
        #expect(size.sent > 100 && size.received > 500)
        var plans: [SocketFaults.Fault] = []
        for position in stride(from: 0, to: size.sent, by: max(1, size.sent / 10)) {
            plans += [.cutAfterSent(position), .cutAndDeliverLate(after: position, milliseconds: 20)]
        }
        for position in stride(from: 0, to: size.received, by: max(1, size.received / 10)) {
            plans.append(.cutAfterReceived(position))
        }
        let before = faults.cuts
        for plan in plans {
            faults.plan(plan)
            #expect(try read() == bodies, "\(plan)")
            faults.lift()
        }
        #expect(faults.cuts - before > plans.count / 2)
        #expect(try log.newest() == LogPosition(Version(21), tag))
    }

    @Test("a slow server is waited for: each entry is there once")
    func slow() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address) { $0.usesHints = false }
        defer { log.close() }
        faults.plan(.slow(milliseconds: 150))
        var position = TestRealm.start
        for number in 0..<4 {
            let tag = HistoryTag.another()
            let body = Self.body("slow \(number)")
            let outcome =
                number % 2 == 0
                ? try log.append([body], after: position, tag: tag)
                : try log.takeTurn(after: position.version).append([body], tag: tag)
            #expect(outcome == .appended)
            position = LogPosition(position.version.next, tag)
        }
        #expect(try log.entries(after: TestRealm.start.version).map(\.body) == (0..<4).map { Self.body("slow \($0)") })
        faults.lift()
        #expect(try log.newest() == position)
    }

    @Test("two writers whose connections are cut at random have each entry once", arguments: 0..<TestRun.length)
    func random(round: Int) throws {
        let realm = try TestRealm()
        let faults = [try SocketFaults(to: realm.server), try SocketFaults(to: realm.server)]
        let logs = try faults.map { faults in try realm.log(at: faults.address) { $0.usesHints = false } }
        defer {
            for log in logs { log.close() }
            for fault in faults { fault.close() }
        }
        let acknowledged = Mutex<[[UInt8]]>([])
        let refuted = Mutex<[[UInt8]]>([])
        let errors = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 2) { writer in
            var random = SeededRandom.ofTest("\(round) \(writer)")
            let (log, faults) = (logs[writer], faults[writer])
            for index in 0..<40 {
                let body = Self.body("\(writer) \(index)")
                do {
                    if Int.random(in: 0..<3, using: &random) > 0 {
                        let position = Int.random(in: 0..<900, using: &random)
                        switch Int.random(in: 0..<3, using: &random) {
                        case 0: faults.plan(.cutAfterSent(position))
                        case 1: faults.plan(.cutAfterReceived(position / 4))
                        default: faults.plan(.cutAndDeliverLate(after: position, milliseconds: UInt32(position % 40)))
                        }
                    }
                    let isTurn = Bool.random(using: &random)
                    let outcome =
                        isTurn
                        ? try log.takeTurn().append([body], tag: .another())
                        : try log.append([body], after: try log.newest(), tag: .another())
                    if outcome == .appended {
                        acknowledged.withLock { $0.append(body) }
                    } else {
                        refuted.withLock { $0.append(body) }
                    }
                } catch {
                    errors.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(errors.withLock { $0 } == [], "round \(round)")
        let found = try CommitLogConformance.history(try realm.log()).map(\.body)
        #expect(Set(found).count == found.count, "round \(round)")
        let (yes, no) = (acknowledged.withLock { Set($0) }, refuted.withLock { Set($0) })
        #expect(Set(found) == yes, "round \(round)")
        #expect(no.isDisjoint(with: found), "round \(round)")
        if TestRun.hasFixedSeeds { #expect(yes.count > 20) }
    }

    @Test("an append whose answer never comes is unknown, and is found in the log later")
    func unknown() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address, patience: .seconds(1)) { $0.usesHints = false }
        defer { log.close() }
        faults.plan(.cutAfterReceived(0), thenRefusing: true)
        #expect(code { try log.append([[7]], after: TestRealm.start, tag: .another()) } == .logOutcomeUnknown)
        // The patience may have ended before a slow server's answer was cut.
        faults.refuse(true)
        faults.cutAll()
        faults.lift()
        #expect(eventually { code { try log.newest() } == .logUnavailable })
        faults.refuse(false)
        #expect(eventually { (try? CommitLogConformance.history(log).map(\.body)) == [[7]] })
    }

    @Test("an append that was not sent is unavailable and not unknown")
    func unavailable() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address, patience: .milliseconds(500)) { $0.usesHints = false }
        defer { log.close() }
        faults.refuse(true)
        faults.cutAll()
        // From here on the log has no connection.
        #expect(eventually { code { try log.newest() } == .logUnavailable })
        #expect(code { try log.append([[7]], after: TestRealm.start, tag: .another()) } == .logUnavailable)
        #expect(code { try log.takeTurn() } == .logUnavailable)
        #expect(code { try log.entries(after: TestRealm.start.version) } == .logUnavailable)
        faults.refuse(false)
        #expect(eventually { (try? log.newest()) == TestRealm.start })
        // A slow disk may take longer than the patience. With the same tag it is the same append.
        let tag = HistoryTag.another()
        #expect(eventually { (try? log.append([[8]], after: TestRealm.start, tag: tag)) != nil })
        #expect(eventually { (try? CommitLogConformance.history(log).map(\.body)) == [[8]] })
    }

    @Test("a server that does not answer is given up after the patience, and closing ends every wait")
    func stalled() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address, patience: .milliseconds(500)) { $0.usesHints = false }
        defer { log.close() }
        faults.plan(.stall)
        #expect(code { try log.newest() } == .logUnavailable)
        faults.lift()
        #expect(eventually { (try? log.newest()) == TestRealm.start })

        let patient = try realm.log(at: faults.address, patience: .seconds(600)) { $0.usesHints = false }
        faults.plan(.stall)
        let ended = DispatchSemaphore(value: 0)
        let end = Mutex<StoreError.Code?>(nil)
        DispatchQueue.global().async {
            let thrown = code { try patient.newest() }
            end.withLock { $0 = thrown }
            ended.signal()
        }
        // Whether it waits already or begins to afterwards.
        usleep(100_000)
        patient.close()
        #expect(ended.wait(timeout: .now() + .seconds(TestRun.patience)) == .success)
        #expect(end.withLock { $0 } == .closed)
        faults.lift()
    }

    @Test("hosts that refuse and hosts that do not answer are passed over")
    func hosts() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        faults.plan(.stall)
        var options = PostgresLog.Options()
        options.patience = .seconds(TestRun.patience)
        for first in [try SocketFaults.deadAddress(), faults.address] {
            let url = realm.server.url(at: "\(first),\(realm.server.address)") + "?target_session_attrs=read-write"
            let log = try PostgresLog(try PostgresAddress(url), realm: realm.name, options: options)
            defer { log.close() }
            #expect(try log.newest() == TestRealm.start)
        }
        faults.lift()
    }
}
