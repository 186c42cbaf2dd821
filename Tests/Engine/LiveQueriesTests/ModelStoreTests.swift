import StoreTesting
import Testing
import TestBasics

/// The model store keeps the contract itself, so that it is a valid reference for comparisons.
struct ModelStoreTests {
    static let topics: [(name: String, run: @Sendable (StoreConformance.Maker) throws -> Void)] = [
        ("object keys", { try StoreConformance.objectKeys($0) }),
        ("primary keys", { try StoreConformance.primaryKeys($0) }),
        ("values", { try StoreConformance.values($0) }),
        ("links", { try StoreConformance.links($0) }),
        ("rollback", { try StoreConformance.rollback($0) }),
        ("snapshot isolation", { try StoreConformance.snapshotIsolation($0) }),
        ("versions", { try StoreConformance.versions($0) }),
        ("change sets", { try StoreConformance.changeSets($0) }),
        ("concurrent submitters", { try StoreConformance.concurrentSubmitters($0) }),
        ("rows", { try StoreConformance.rows($0, seed: 3) }),
        ("schemas", { try StoreConformance.replaceSchema($0) }),
        ("closing", { try StoreConformance.closing($0) }),
        ("random history", { try StoreConformance.randomHistory($0, seed: 5, steps: 60) }),
        (
            "random history of every kind of data",
            {
                for run in 0..<TestRun.length {
                    try StoreConformance.randomHistory(
                        $0, seed: seed("history \(run)"), steps: 100, kinds: .all, compareEvery: 5)
                }
            }
        ),
        ("random queries", { try StoreConformance.randomQueries($0, seed: 7, steps: 10) }),
    ]

    private static func seed(_ purpose: String) -> UInt64 {
        let seed = TestSeed.of(purpose)
        print("model store \(purpose) seed \(seed)")
        return seed
    }

    @Test(
        "the model store keeps the contract for every kind of data",
        arguments: StoreConformance.dataModelTopics { seed($0) } + StoreConformance.interactiveTopics { seed($0) }
            + StoreConformance.versionTopics { seed($0) })
    func dataModel(_ topic: StoreConformance.Topic) throws {
        try topic.run { try ModelStore($0) }
    }

    @Test("the model store keeps the contract of stores", arguments: topics.indices)
    func conformance(_ topic: Int) throws {
        try Self.topics[topic].run { try ModelStore($0) }
    }
}
