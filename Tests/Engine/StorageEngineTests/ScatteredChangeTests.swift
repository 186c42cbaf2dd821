import EmbeddedStore
import EmbeddedTesting
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import TestBasics
import Testing

@Suite("Changes all over a class")
struct ScatteredChangeTests {
    /// Why a write releases what it has decoded before it ends.
    enum Cause: CaseIterable {
        /// It decodes more clusters than may stay decoded.
        case clusters
        /// Its texts take more memory than decoded clusters may.
        case texts

        var objectCount: Int { self == .clusters ? 64 * 1100 : 64 * 20 }
        var stepCount: Int { self == .clusters ? 5000 : 100_000 }
    }

    private struct Thing: Equatable {
        var number: Int64
        var text: String
    }

    private struct Cancelled: Error {}

    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Thing", primaryKey: "id",
                properties: [
                    PropertySchema("id", PropertyType(.int)), PropertySchema("number", PropertyType(.int)),
                    PropertySchema("text", PropertyType(.string)),
                ])
        ])
    private static let thing = ClassID(1)
    private static let (id, number, text) = (PropertyID(1), PropertyID(2), PropertyID(3))

    private let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func open() throws -> EmbeddedStore {
        try EmbeddedStore.open(path: directory.store, schema: Self.schema, options: smallClusters())
    }

    @Test(
        "a write that cannot keep all that it changed reads it, commits it and rolls it back", arguments: Cause.allCases
    )
    func releases(_ cause: Cause) throws {
        var random = SeededRandom.ofTest(cause)
        var store = try open()
        var model: [Int64: Thing] = [:]
        for key in 0..<Int64(cause.objectCount) { model[key] = Thing(number: key % 100, text: "thing \(key)") }
        for start in stride(from: 0, to: cause.objectCount, by: 10_000) {
            try store.write { transaction in
                for key in Int64(start)..<Int64(min(start + 10_000, cause.objectCount)) {
                    _ = try transaction.create(
                        Self.thing, row: [.int(key), .int(key % 100), .string("thing \(key)")])
                }
            }
        }
        let (started, seed) = (model, random.next())
        #expect(throws: Cancelled.self) {
            try store.write { transaction in
                var discarded = started
                _ = try Self.change(&discarded, in: transaction, cause, seed)
                throw Cancelled()
            }
        }
        try expect(started, in: store.snapshot(), "rolled back, seed \(random.seed)")
        let (changed, hasReleased) = try store.write { transaction in
            var changed = started
            let hasReleased = try Self.change(&changed, in: transaction, cause, seed)
            return (changed, hasReleased)
        }
        #expect(hasReleased, "The test must do more than fits.")
        try expect(changed, in: store.snapshot(), "committed, seed \(random.seed)")
        store.close()
        store = try open()
        try expect(changed, in: store.snapshot(), "opened again, seed \(random.seed)")
        store.close()
    }

    /// Makes random changes, checks what the transaction reads meanwhile, and returns whether it released what it had
    /// decoded first.
    private static func change(
        _ model: inout [Int64: Thing], in transaction: any WriteTransaction, _ cause: Cause, _ seed: UInt64
    ) throws -> Bool {
        var random = SeededRandom(seed: seed)
        let first = try #require(try transaction.cells(of: thing, around: ObjectKey(0), [number], over: nil))
        var next = Int64(cause.objectCount)
        for step in 0..<cause.stepCount {
            let key = ObjectKey(Int64(random.below(cause.objectCount)))
            guard let present = model[key.rawValue] else {
                #expect(try !transaction.exists(thing, key), "seed \(seed), step \(step)")
                // Deleted: an object with the same primary key takes its place.
                let key = try transaction.create(thing, row: [.int(key.rawValue), .int(7), .string("")])
                try transaction.delete(thing, key)
                next += 1
                continue
            }
            #expect(try transaction.value(thing, key, number) == .int(present.number), "seed \(seed), step \(step)")
            switch random.below(cause == .texts ? 200 : 6) {
            case 0:
                try transaction.delete(thing, key)
                model[key.rawValue] = nil
            case 1:
                let new = try transaction.create(thing, row: [.int(next + 1_000_000), .int(1), .string("new")])
                #expect(new.rawValue == next, "seed \(seed), step \(step)")
                model[next] = Thing(number: 1, text: "new")
                next += 1
            case 2, 3:
                let value = Int64(random.below(100))
                try transaction.set(thing, key, [number: .int(value)])
                model[key.rawValue]?.number = value
            default:
                let value = String(repeating: "text \(step) ", count: cause == .texts ? 90 : 1)
                try transaction.set(thing, key, [text: .string(value)])
                model[key.rawValue]?.text = value
                #expect(try transaction.value(thing, key, text) == .string(value), "seed \(seed), step \(step)")
            }
        }
        return !first.isCurrent
    }

    private func expect(_ model: [Int64: Thing], in snapshot: any Snapshot, _ label: String) throws {
        let keys = try snapshot.select(BoundQuery(classID: Self.thing), Window())
        #expect(keys.map(\.rawValue) == model.keys.sorted(), "\(label)")
        var wrong: [Int64] = []
        for key in keys {
            guard case .int(let number) = try snapshot.value(Self.thing, key, Self.number),
                case .string(let text) = try snapshot.value(Self.thing, key, Self.text),
                case .int(let id) = try snapshot.value(Self.thing, key, Self.id),
                try snapshot.key(of: Self.thing, primaryKey: .int(id)) == key,
                model[key.rawValue] == Thing(number: number, text: text)
            else {
                wrong.append(key.rawValue)
                continue
            }
        }
        #expect(wrong.isEmpty, "\(label)")
    }
}
