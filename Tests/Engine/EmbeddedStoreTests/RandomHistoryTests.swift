import EmbeddedTesting
import Dispatch
import EmbeddedStore
import Foundation
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import Testing
import TestBasics

/// Long random histories on one file: groups of many commits, some of which are rolled back, changes of the schema, and
/// the file opened again and again. A model runs the same commits and must end in the same state.
@Suite("Random histories")
struct RandomHistoryTests {
    @Test("the file agrees with the model after any grouping, rollback and reopening", arguments: 0..<TestRun.length)
    func history(_ round: Int) throws {
        var random = SeededRandom.ofTest(round)
        do {
            try run(&random, steps: 15)
        } catch {
            throw ConformanceFailure("seed \(random.seed): \(error)")
        }
    }

    private func run(_ random: inout SeededRandom, steps: Int) throws {
        let directory = try TestDirectory()
        let history = DurableHistory(seed: random.seed, target: 40 + random.below(150))
        let audit = try DurabilityAudit(history)
        func open() throws -> EmbeddedStore {
            try EmbeddedStore.open(path: directory.store, schema: history.schema, options: smallClusters())
        }
        var said: [WorkerLine] = []
        var step = 0
        while step < steps {
            let store = try open()
            defer { store.close() }
            repeat {
                let count = random.oneIn(3) ? 1 : random.below(60)
                said += commit(count, round: step, history, to: store)
                step += 1
                if random.oneIn(6) || step == steps {
                    try audit.check(store, said: said, burst: 0)
                    said = []
                }
            } while step < steps && !random.oneIn(4)
        }
    }

    /// Submits that many commits at once and waits for all; returns the outcome of each.
    private func commit(
        _ count: Int, round: Int, _ history: DurableHistory, to store: EmbeddedStore
    ) -> [WorkerLine] {
        let lines = Mutex<[WorkerLine]>([])
        let group = DispatchGroup()
        for number in 0..<count {
            let id = DurableHistory.CommitID(round: round, thread: 0, number: number)
            group.enter()
            let completion: @Sendable (Result<Version, any Error>) -> Void = { result in
                lines.withLock { $0.append(WorkerLine(id, result)) }
                group.leave()
            }
            guard history.isSchemaChange(id) else {
                store.submit({ try history.perform(id, in: $0) }, completion: completion)
                continue
            }
            do {
                // The new schema is derived from the one that the preceding commits lead to.
                struct Drained: Error {}
                do { try store.write { _ in throw Drained() } } catch is Drained {}
                let (schema, migration) = history.schemaChange(after: try store.snapshot().schema, by: id)
                store.replaceSchema(with: schema, migration: migration, completion: completion)
            } catch {
                completion(.failure(error))
            }
        }
        group.wait()
        return lines.withLock { $0 }
    }
}
