import EmbeddedTesting
import ObjectModel
import StoreContract
import StoreTesting
import Testing

@Suite("The contract of a log, in memory")
struct MemoryLogTests {
    /// It does not share turns evenly.
    private static let topics = CommitLogConformance.topics.filter { !$0.description.contains("turns of two logs") }

    @Test("holds", arguments: topics)
    func topic(_ topic: CommitLogConformance.Topic) throws {
        let log = MemoryLog()
        try topic.check { log.connect() }
    }

    @Test("an append whose connection was lost arrives after the turn that another store has by then")
    func lateInTurn() throws {
        let (log, faults) = (MemoryLog(), LogFaults())
        faults.plan(.append, .unknownLater)
        let (first, second) = (log.connect(faults), log.connect())
        #expect(code { _ = try first.append([[1]], after: .start, tag: .another()) } == .logOutcomeUnknown)
        let turn = try second.takeTurn()
        log.deliver()
        #expect(try first.newest() == turn.position)
        turn.end()
        #expect(log.entries.map(\.body) == [[1]])
    }

    @Test("a turn whose connection is lost as it begins keeps nobody away, and its append is superseded")
    func lostTurn() throws {
        let (log, faults) = (MemoryLog(), LogFaults())
        faults.plan(.turn, .lost)
        let turn = try log.connect(faults).takeTurn()
        #expect(try log.connect().append([[1]], after: .start, tag: .another()) == .appended)
        #expect(try turn.append([[2]], tag: .another()) == .superseded)
        #expect(log.entries.map(\.body) == [[1]])
    }
}
