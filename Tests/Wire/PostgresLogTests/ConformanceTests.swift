import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import PostgresLog

@Suite("The contract of a log, in PostgreSQL", .enabled(if: PostgresServer.isThere))
struct ConformanceTests {
    @Test("holds", arguments: CommitLogConformance.topics)
    func topic(_ topic: CommitLogConformance.Topic) throws {
        let realm = try TestRealm()
        try topic.check { try realm.log() }
    }

    @Test("a log of one realm has nothing of another")
    func realms() throws {
        let (realm, other) = (try TestRealm(), try TestRealm())
        let (log, second) = (try realm.log(), try other.log())
        defer {
            log.close()
            second.close()
        }
        let turn = try log.takeTurn()
        #expect(try second.append([[1]], after: TestRealm.start, tag: .another()) == .appended)
        #expect(try turn.append([[2]], tag: .another()) == .appended)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[2]])
        #expect(try CommitLogConformance.history(second).map(\.body) == [[1]])
    }

    @Test("a turn that others keep for too long is busy, and so is an append that waits for it")
    func busy() throws {
        let realm = try TestRealm()
        let (log, other) = (try realm.log(), try realm.log(patience: .milliseconds(300)))
        defer {
            log.close()
            other.close()
        }
        let turn = try log.takeTurn()
        // On a busy machine the answer may come later than the log waits for it.
        #expect(eventually { code { try other.takeTurn() } == .busy })
        #expect(eventually { code { try other.append([[1]], after: TestRealm.start, tag: .another()) } == .busy })
        #expect(try turn.append([[2]], tag: .another()) == .appended)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[2]])
    }

    @Test("the server ends a turn whose store does not, and an append in it is not lost or doubled")
    func endedTurn() throws {
        let realm = try TestRealm()
        let (log, other) = (try realm.log { $0.turnLength = .milliseconds(200) }, try realm.log())
        defer {
            log.close()
            other.close()
        }
        let late = try log.takeTurn()
        let next = try other.takeTurn()
        #expect(try next.append([[1]], tag: .another()) == .appended)
        #expect(try late.append([[2]], tag: .another()) == .superseded)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[1]])
    }
}
