import EmbeddedStore
import Foundation
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting

@testable import ViewMaintenance
@testable import LiveQueries
import TestBasics

/// A store of either kind with a random schema, and the steps of a random history in it.
final class RandomSteps {
    enum Kind: String, CaseIterable, Sendable {
        case model, embedded
    }

    let schema: Schema
    var random: SeededRandom
    private let store: any Store
    private let directory: URL
    private var history: RandomHistory

    init(_ kind: Kind, seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        schema = RandomSchemas.schema(&random, kinds: .all)
        history = RandomHistory(schema)
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("steps-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        switch kind {
        case .model: store = try ModelStore(schema)
        case .embedded:
            var options = EmbeddedStoreOptions()
            options.clusterCapacity = 64
            store = try EmbeddedStore.open(path: directory.path + "/store", schema: schema, options: options)
        }
        for _ in 0..<20 { try commit() }
    }

    deinit {
        store.close()
        try? FileManager.default.removeItem(at: directory)
    }

    func snapshot() throws -> any Snapshot { try store.snapshot() }

    private func commit() throws {
        let before = try store.snapshot()
        let count = schema.classes.reduce(0) { $0 + before.count(of: $1.id) }
        let operations = history.commit(count: count, target: 60, &random)
        try store.write { transaction in
            for operation in operations { try transaction.perform(operation) }
        }
    }

    /// The changes of one to three commits: forwards, backwards, and both ways with the earlier version reconstructed.
    func step() throws -> [VersionDelta] {
        let before = try store.snapshot()
        for _ in 0..<1 + random.below(3) { try commit() }
        let after = try store.snapshot()
        var merged = ChangeSet(version: before.version)
        for changes in try store.changes(after: before.version) ?? [] { merged.merge(changes) }
        let step = VersionDelta(merged, from: before, to: after)
        guard let past = try store.asOf(before.version, before: after) else { return [step, step.reversed] }
        let seen = VersionDelta(past.changes, from: past.reads, to: after)
        return [step, step.reversed, seen, seen.reversed]
    }
}

extension Snapshot {
    /// All objects of a class.
    func all(of classID: ClassID) throws -> [ObjectKey] { try select(BoundQuery(classID: classID), .all) }
}

extension VersionDelta {
    /// The objects of a class that exist before and after.
    func lasting(of classID: ClassID) throws -> [ObjectKey] {
        try after.select(BoundQuery(classID: classID), .all).filter { try before.exists(classID, $0) }
    }
}
