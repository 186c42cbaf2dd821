import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import Testing

@testable import ViewMaintenance
@testable import LiveQueries
import TestBasics

/// Observers that resume from the version that they saw last.
struct ResumingTests {
    /// The events of an observer, with the changes themselves.
    private final class Received: Sendable {
        private let state = Mutex<(names: [String], changes: [LiveChange])>(([], []))

        var names: [String] { state.withLock { $0.names } }
        var changes: [LiveChange] { state.withLock { $0.changes } }

        @Sendable func receive(_ event: LiveQueryEvent) {
            state.withLock { state in
                switch event {
                case .initial: state.names.append("initial")
                case .resumed: state.names.append("resumed")
                case .deleted: state.names.append("deleted")
                case .failed: state.names.append("failed")
                case .update(let change):
                    state.names.append("update")
                    state.changes.append(change)
                }
            }
        }
    }

    private static func query(_ steps: [ResultStep] = []) -> BoundQuery {
        BoundQuery(classID: TaskStore.task, steps: steps)
    }

    @Test("all observers that resume from the same version get the same change, as one object")
    func oneChangeForAll() throws {
        let tasks = try TaskStore()
        try tasks.write { for id in 0..<10 { try $0.task(Int64(id), Int64(id)) } }
        let version = try tasks.store.snapshot().version
        let query = Self.query([.sort([SortKey(TaskStore.path(TaskStore.score, .int))])])
        try tasks.write { try $0.setScore(3, 100) }
        try tasks.write { try $0.deleteTask(5) }
        let all = (0..<20).map { _ in Received() }
        let tokens = all.map { tasks.live.observe(query, since: version, deliver: $0.receive) }
        tasks.live.settle()
        let first = try #require(all[0].changes.first)
        #expect(first.indices == IndexChanges(deletions: [3, 5], insertions: [8]))
        for reported in all {
            #expect(reported.names == ["resumed", "update"])
            #expect(reported.changes.first === first)
        }
        for token in tokens { token.cancel() }
        tasks.store.close()
    }

    @Test("resuming at the present version reports no change; resuming at a later one starts from scratch")
    func presentAndAhead() throws {
        let tasks = try TaskStore()
        try tasks.write { try $0.task(1, 1) }
        let version = try tasks.store.snapshot().version
        let (present, ahead) = (Received(), Received())
        let tokens = [
            tasks.live.observe(Self.query(), since: version, deliver: present.receive),
            tasks.live.observe(Self.query(), since: version.next, deliver: ahead.receive),
        ]
        tasks.live.settle()
        #expect(present.names == ["resumed"])
        #expect(ahead.names == ["initial"])
        try tasks.write { try $0.task(2, 2) }
        #expect(present.names == ["resumed", "update"])
        for token in tokens { token.cancel() }
        tasks.store.close()
    }

    @Test("the cached differences equal those reconstructed from the store")
    func recentAndPast() throws {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        let tasks = try TaskStore()
        try tasks.write { for id in 0..<30 { try $0.task(Int64(id), Int64(id)) } }
        let query = Self.query([.sort([SortKey(TaskStore.path(TaskStore.score, .int))]), .limit(20)])
        // A permanent observer makes the result keep recent changes.
        let listener = Received()
        let listening = tasks.live.observe(query, deliver: listener.receive)
        tasks.live.settle()
        var versions = [try tasks.store.snapshot().version]
        for _ in 0..<30 {
            let (id, score) = (Int64(random.below(30)), Int64(random.below(40)))
            try tasks.write { try $0.setScore(id, score) }
            versions.append(try tasks.store.snapshot().version)
        }
        let snapshot = try tasks.store.snapshot()
        let present = try snapshot.select(query, .all)
        let fresh = try LiveQueries(tasks.store)
        for version in versions {
            let (remembered, lookedUp) = (Received(), Received())
            let first = tasks.live.observe(query, since: version, deliver: remembered.receive)
            let second = fresh.observe(query, since: version, deliver: lookedUp.receive)
            tasks.live.settle()
            fresh.settle()
            let context: Comment = "seed \(seed), since \(version)"
            #expect(remembered.names.first == "resumed", context)
            #expect(lookedUp.names.first == "resumed", context)
            let past = try #require(try tasks.store.asOf(version, before: snapshot), context)
            let old = try past.reads.select(query, .all)
            for reported in [remembered, lookedUp] {
                let indices = reported.changes.first?.indices ?? IndexChanges()
                #expect(indices.faults(from: old, to: present) == [], context)
            }
            first.cancel()
            second.cancel()
        }
        listening.cancel()
        tasks.store.close()
    }

    @Test("the cached differences are bounded, and none is returned for a version within a step")
    func bounds() {
        var recent = RecentChanges(after: Version(1))
        for number in 1...100 {
            recent.add(
                IndexChanges(insertions: [number - 1]), from: Version(UInt64(number * 2 - 1)),
                to: Version(UInt64(number * 2 + 1)), keyCount: number)
        }
        let present = Version(201)
        #expect(recent.changes(since: Version(1), at: present) == nil)
        #expect(recent.changes(since: Version(202), at: present) == nil)
        #expect(recent.changes(since: Version(199), at: present) == IndexChanges(insertions: [99]))
        #expect(recent.changes(since: Version(197), at: present) == IndexChanges(insertions: [98, 99]))
        #expect(recent.changes(since: Version(200), at: present) == nil)
        #expect(recent.changes(since: Version(201), at: present) == IndexChanges())
    }

    /// The differences, of one position each, that are known after 100 of them.
    private static func known(_ recent: inout RecentChanges, after start: UInt64, keyCount: Int = 0) -> Int {
        let versions = start..<start + 100
        for version in versions {
            recent.add(
                IndexChanges(insertions: [0]), from: Version(version), to: Version(version + 1), keyCount: keyCount)
        }
        return versions.count { recent.changes(since: Version($0), at: Version(start + 100)) != nil }
    }

    @Test(
        "a result keeps more differences the more often an observer came too late for what it had",
        arguments: [(0, 15), (1, 30), (2, 60), (3, 64), (100, 64)])
    func growth(_ misses: Int, expected: Int) {
        var recent = RecentChanges(after: Version(10))
        #expect(Self.known(&recent, after: 10) == 15)
        // It never had the first one, and has the others.
        for version: UInt64 in [9, 100, 110, 120] { recent.record(resumptionFrom: Version(version)) }
        for _ in 0..<misses { recent.record(resumptionFrom: Version(10)) }
        #expect(Self.known(&recent, after: 110, keyCount: 100_000) == expected)
    }

    @Test(
        "a large difference is kept until the next one when it is no larger than the result, and never beyond 64 KiB",
        arguments: [
            (0, 240, true), (0, 242, false), (300, 284, true), (300, 286, false), (10_000, 8_176, true),
            (10_000, 8_178, false),
        ])
    func large(_ keyCount: Int, positions: Int, isKept: Bool) {
        for isModification in [false, true] {
            var recent = RecentChanges(after: Version(0))
            _ = Self.known(&recent, after: 0)
            let half = Array(0..<positions / 2)
            let change =
                isModification
                ? IndexChanges(modifications: half, modificationsNew: half)
                : IndexChanges(deletions: half, insertions: half)
            recent.add(change, from: Version(100), to: Version(101), keyCount: keyCount)
            #expect(recent.changes(since: Version(100), at: Version(101)) == (isKept ? change : nil))
            #expect(recent.changes(since: Version(101), at: Version(101)) == IndexChanges())
            #expect(Self.known(&recent, after: 101, keyCount: keyCount) == 15)
        }
    }

    @Test("a result continues when the store releases its version")
    func versionGone() throws {
        let tasks = try TaskStore()
        try tasks.write { for id in 0..<10 { try $0.task(Int64(id), Int64(id)) } }
        let before = try tasks.store.snapshot()
        let query = Self.query([.sort([SortKey(TaskStore.path(TaskStore.score, .int))])])
        let route = try QueryDependencies(query, schema: before.schema)
        var state = try ResultState(query, isOrdered: true, before)
        try tasks.write { try $0.setScore(0, 100) }
        let after = try tasks.store.snapshot()
        let changes = try #require(try tasks.store.changes(after: before.version)?.first)
        let step = VersionDelta(changes, from: ExpiredReads(before), to: after)
        let outcome = try state.advance(
            by: step, of: query, along: route, classCount: 1_000_000, learns: true,
            affectedKeys: { try route.affectedKeys(in: step) }
        ) { [ObjectKey(0)] }
        #expect(try Array(state.keys) == after.select(query, .all))
        #expect(outcome.indices == IndexChanges(deletions: [0], insertions: [9]))
        tasks.store.close()
    }

    /// A version that was released: nothing of it can be read but its number.
    private final class ExpiredReads: ObjectReads {
        let version: Version
        let tag: HistoryTag
        let schema: Schema
        private let error = StoreError(.versionGone, "The version is gone.")

        init(_ reads: any ObjectReads) { (version, tag, schema) = (reads.version, reads.tag, reads.schema) }

        func count(of classID: ClassID) -> Int { 0 }
        func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool { throw error }
        func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? { throw error }
        func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value { throw error }
        func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int { throw error }
        func elements(
            _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
        ) throws -> [Value] { throw error }
        func backlinks(
            to target: ObjectReference, from origin: ClassID, _ property: PropertyID
        ) throws -> [ObjectKey] { throw error }
        func select(_ query: BoundQuery, _ window: Window) throws -> [ObjectKey] { throw error }
        func count(_ query: BoundQuery) throws -> Int { throw error }
        func matches(_ query: BoundQuery, _ key: ObjectKey) throws -> Bool { throw error }
        func aggregate(_ query: BoundQuery, _ requests: [AggregateRequest]) throws -> [Value] { throw error }
        func sections(_ query: BoundQuery, by key: SectionKey) throws -> SectionedKeys { throw error }
        func sortValues(_ keys: [SortKey], of key: ObjectKey, in classID: ClassID) throws -> [Value?] { throw error }
    }
}
