import EmbeddedTesting
import EmbeddedStore
import ObjectModel
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Random migrations")
struct MigrationHistoryTests {
    @Test("the embedded store and the model agree on random migrations of random data, and on those that fail")
    func agreement() throws {
        var random = SeededRandom.ofTest()
        var succeeded = 0
        var failed = 0
        for _ in 0..<3 * TestRun.length {
            let first = RandomSchemas.schema(&random, kinds: .all)
            let embedded = try MigrationStore(first)
            let model = try ModelStore(first)
            let stores: [any Store] = [embedded.store, model]
            for round in 0..<3 {
                let schema = try embedded.store.snapshot().schema
                var history = RandomHistory(schema, firstKey: Int64(round + 1) * 1000)
                for _ in 0..<12 {
                    let operations = history.commit(count: 0, target: 100, &random)
                    for store in stores {
                        _ = try? store.write { transaction in
                            for operation in operations { try transaction.perform(operation) }
                        }
                    }
                }
                let before = try dump(embedded.store)
                try check(before, try dump(model), "seed \(random.seed), round \(round), before migrating")
                let migration = RandomMigration(from: schema, &random)
                let errors = stores.map { store -> StoreError? in
                    do {
                        try store.replaceSchema(
                            with: migration.schema,
                            migration: Migration(steps: migration.steps, block: { try migration.run($0) }))
                        return nil
                    } catch {
                        return error as? StoreError ?? StoreError(.inputOutput, "\(error)")
                    }
                }
                #expect(errors[0]?.code == errors[1]?.code, "seed \(random.seed): \(errors), \(migration.steps)")
                #expect(errors.allSatisfy { $0?.code != .inputOutput }, "seed \(random.seed): \(errors)")
                let after = try dump(embedded.store)
                if errors[0] == nil {
                    succeeded += 1
                    try check(after, try dump(model), "seed \(random.seed), round \(round), \(migration.steps)")
                } else {
                    failed += 1
                    try check(after, before, "seed \(random.seed), round \(round), after \(errors)")
                }
                try checkIntegrity(embedded.store, "seed \(random.seed), round \(round), \(migration.steps)")
            }
        }
        if TestRun.hasFixedSeeds { #expect(succeeded > 0 && failed > 0, "\(succeeded) succeeded, \(failed) failed") }
    }
}

private func check(_ left: [String], _ right: [String], _ context: String) throws {
    if let lines = difference(left, right) { throw ConformanceFailure("\(lines)\n\(context)") }
}

/// The first lines that differ, with those around them.
private func difference(_ left: [String], _ right: [String]) -> String? {
    func part(_ lines: [String], _ index: Int) -> String {
        lines[max(0, min(index - 2, lines.count))..<min(lines.count, index + 4)].joined(separator: "\n")
    }
    let same = zip(left, right).prefix { $0 == $1 }.count
    guard same < max(left.count, right.count) else { return nil }
    return "\(part(left, same))\n≠\n\(part(right, same))"
}
