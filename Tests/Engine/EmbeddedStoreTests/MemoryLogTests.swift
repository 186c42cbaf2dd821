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
}
