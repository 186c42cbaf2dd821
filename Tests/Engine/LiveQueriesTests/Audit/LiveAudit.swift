import EmbeddedStore
import Foundation
import LiveQueries
import ObjectModel
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics

/// A random history with everything that is observed in it, made up front, so that it can be run again with parts left
/// out.
struct LiveAudit {
    enum Step {
        case commit([RandomOperation])
        /// Checks whether every observer knows the present state. Commits without a comparison in between are processed
        /// together.
        case compare
        /// One of the subjects is observed again from an earlier version, so many comparisons ago.
        case resume(subject: Int, back: Int)
    }

    let seed: UInt64
    let schema: Schema
    var subjects: [AuditSubject]
    var steps: [Step]

    /// - Parameter length: the number of operations.
    init(seed: UInt64, length: Int) throws {
        self.seed = seed
        var random = SeededRandom(seed: seed)
        schema = RandomSchemas.schema(&random, kinds: random.oneIn(3) ? .queryable : .all)
        subjects = try AuditSubject.some(schema, &random)
        var history = RandomHistory(schema)
        steps = []
        var operations = 0
        while operations < length {
            let commit = history.commit(count: operations < length / 4 ? 0 : 40, target: 40, &random)
            operations += max(1, commit.count)
            steps.append(.commit(commit))
            if random.oneIn(4) { continue }
            steps.append(.compare)
            if random.oneIn(6) {
                steps.append(.resume(subject: random.below(subjects.count), back: 1 + random.below(12)))
            }
        }
        steps.append(.compare)
    }

    struct Outcome {
        /// The first fault, with its step and subject; nil when there was none.
        var fault: String?
        var position: (step: Int, subject: Int)?
        /// The number of observers that resumed, and of those that got everything again.
        var resumed = 0
        var restarted = 0
        var changes = 0
    }

    /// Runs the history on a store of its own.
    func run() throws -> Outcome {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("audit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var options = EmbeddedStoreOptions()
        options.clusterCapacity = 64
        let store = try EmbeddedStore.open(path: directory.path + "/store", schema: schema, options: options)
        defer { store.close() }
        let live = try LiveQueries(store)
        var outcome = Outcome()
        var observers: [AuditObserver?] = subjects.map { _ in nil }
        /// The state of each subject at each comparison, newest last.
        var past: [(version: Version, states: [AuditState?])] = []
        for (number, step) in steps.enumerated() {
            switch step {
            case .commit(let operations):
                try store.write { transaction in
                    for operation in operations { try transaction.perform(operation) }
                }
            case .compare:
                live.settle()
                let snapshot = try store.snapshot()
                for (index, subject) in subjects.enumerated() {
                    guard let observer = observers[index] else {
                        if try subject.exists(in: snapshot) { observers[index] = subject.observe(live) }
                        continue
                    }
                    if let fault = try observer.fault(comparedWith: subject, snapshot) {
                        outcome.fault = "step \(number), \(subject): \(fault)"
                        outcome.position = (number, index)
                        return outcome
                    }
                    outcome.changes += observer.takeChangeCount()
                }
                past.append((snapshot.version, observers.map { $0?.state }))
                if past.count > 16 { past.removeFirst() }
            case .resume(let index, let back):
                guard let known = past.suffix(back).first, let state = known.states[index] else { continue }
                let subject = subjects[index]
                let observer = subject.observe(live, since: known.version, knowing: state)
                live.settle()
                if observer.hasResumed { outcome.resumed += 1 } else { outcome.restarted += 1 }
                if let fault = try observer.fault(comparedWith: subject, try store.snapshot()) {
                    outcome.fault =
                        "step \(number), \(subject) resumed from version \(known.version): \(fault)"
                    outcome.position = (number, index)
                    return outcome
                }
                observer.cancel()
            }
        }
        for observer in observers { observer?.cancel() }
        return outcome
    }
}

extension LiveAudit: CustomStringConvertible {
    var description: String {
        "seed \(seed)\n\(schema.classes)\n" + steps.map { "  \($0)" }.joined(separator: "\n")
    }
}
