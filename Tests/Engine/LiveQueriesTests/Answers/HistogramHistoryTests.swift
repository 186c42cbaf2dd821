import EmbeddedStore
import Foundation
import LiveTesting
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing
import ViewMaintenance

@testable import LiveQueries

/// Histograms of random queries through random histories: after every commit an observer has what a scan of the columns
/// counts, and was told nothing when that stayed the same.
@Suite("Histograms that are kept current")
struct HistogramHistoryTests {
    private struct Counts: LiveValueSource {
        let query: BoundQuery
        let path: BoundPath

        /// Two intervals whose common bound moves with the values, but not with each of them.
        @Sendable static func bounds(_ range: ClosedRange<Double>) -> [Double] {
            let middle = (range.lowerBound / 2 + range.upperBound / 2) / 16
            // Not -0, which is equal to 0 and is written in another way.
            return [-.infinity, middle.rounded() * 16 + 0, .infinity]
        }

        @Sendable static func text(_ found: ValueDistribution) -> [UInt8] {
            let others = found.others.map { "\($0)" }.sorted()
            return Array("\(found.bounds) \(found.counts) \(others) \(found.otherCount)".utf8)
        }

        func read(_ reads: any ObjectReads) throws -> [UInt8] {
            Self.text(try DistributionTally.read(query, of: path, reads, bounds: Self.bounds))
        }

        /// What a scan counts.
        func scanned(_ snapshot: any Snapshot) throws -> String {
            String(
                decoding: Self.text(try snapshot.distribution(query, of: path, bounds: Self.bounds)), as: UTF8.self)
        }

        var histogram: LiveHistogram? { LiveHistogram(of: path, bounds: Self.bounds, write: Self.text) }

        var answer: LiveValue {
            LiveValue(
                AnyValueSource(self),
                dependingOn: [.init(.query(query)), .init(.aggregate(LiveAggregate(query, by: [path])))])
        }
    }

    private final class ReceivedValue: Sendable {
        struct State {
            var answer = ""
            var updates = 0
            var faults: [String] = []
            var hasResumed = false
        }

        private let state: Mutex<State>

        init(_ answer: String = "") { state = Mutex(State(answer: answer)) }

        var value: State { state.withLock { $0 } }

        @Sendable func receive(_ event: LiveValueEvent) {
            state.withLock { state in
                switch event {
                case .initial(_, let answer): state.answer = String(decoding: answer, as: UTF8.self)
                case .resumed: state.hasResumed = true
                case .update(let change):
                    let text = String(decoding: change.bytes, as: UTF8.self)
                    if text == state.answer { state.faults.append("told twice: \(text)") }
                    state.answer = text
                    state.updates += 1
                case .deleted: state.faults.append("deleted")
                case .failed(let error): state.faults.append("\(error)")
                }
            }
        }
    }

    @Test("a live histogram equals that of a scan", arguments: 0..<4 * TestRun.length)
    func staysCurrent(_ round: Int) throws {
        var random = SeededRandom.ofTest("\(round)")
        let seed = random.seed
        let schema = RandomSchemas.schema(&random, kinds: .all)
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("bins-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try EmbeddedStore.open(path: directory.path + "/store", schema: schema)
        defer { store.close() }
        let live = try LiveQueries(store)
        let queries = RandomQueries(schema, forms: .all)
        var history = RandomHistory(schema)
        var observed: [(counts: Counts, received: ReceivedValue, token: LiveToken)] = []
        for _ in 0..<200 where observed.count < 25 {
            var query = queries.query(&random)
            if random.oneIn(2) { query = BoundQuery(classID: query.classID) }
            // What one object holds is followed in the tests of the gateway: here the object may be gone.
            query.scope = .all
            guard let path = queries.singlePaths(from: query.classID, &random).first, Self.isMeasurable(path) else {
                continue
            }
            let counts = Counts(query: query, path: path)
            let received = ReceivedValue()
            observed.append((counts, received, live.observeValue(counts.answer, deliver: received.receive)))
        }
        var known: (version: Version, answers: [String])?
        var resumed = 0
        for step in 0..<40 {
            for _ in 0..<1 + random.below(2) { try commit(&history, to: store, &random) }
            live.settle()
            let snapshot = try store.snapshot()
            for (counts, received, _) in observed {
                let context: Comment = "seed \(seed), step \(step), \(counts)"
                try #require(received.value.faults == [], context)
                try #require(received.value.answer == (try counts.scanned(snapshot)), context)
                try #require(
                    received.value.answer == String(decoding: try counts.read(snapshot), as: UTF8.self), context)
            }
            if let known {
                for (entry, answer) in zip(observed, known.answers) {
                    let received = ReceivedValue(answer)
                    let token = live.observeValue(entry.counts.answer, since: known.version, deliver: received.receive)
                    live.settle()
                    try #require(received.value.faults == [], "seed \(seed), step \(step), \(entry.counts)")
                    try #require(received.value.answer == (try entry.counts.scanned(snapshot)))
                    if received.value.hasResumed { resumed += 1 }
                    token.cancel()
                }
            }
            if step % 5 == 0 { known = (snapshot.version, observed.map(\.received.value.answer)) }
        }
        // Otherwise the histories would prove little.
        if TestRun.hasFixedSeeds {
            let changed = observed.filter { $0.received.value.updates > 2 }
            #expect(changed.count * 4 > observed.count && resumed > 20, "seed \(seed): \(changed.count), \(resumed)")
        }
        for entry in observed { entry.token.cancel() }
    }

    private static func isMeasurable(_ path: BoundPath) -> Bool {
        guard !path.givesMixed else { return false }
        return [.int, .float, .double, .decimal128, .date].contains(path.valueType.base)
    }

    private func commit(_ history: inout RandomHistory, to store: any Store, _ random: inout SeededRandom) throws {
        let before = try store.snapshot()
        let count = before.schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
        let operations = history.commit(count: count, target: 60, &random)
        try store.write { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
    }
}
