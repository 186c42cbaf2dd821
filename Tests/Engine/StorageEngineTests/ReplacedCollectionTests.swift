import EmbeddedTesting
import Dispatch
import EmbeddedStore
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

/// Long collections are kept in their stored form while a write that replaces or deletes them may be taken back.
///
/// Invariant: whatever happens to the write, contents, links to objects, earlier versions and edits are those of values
/// that are kept as such. Oracle: the values in memory.
@Suite("Collections that are replaced")
struct ReplacedCollectionTests {
    private static let schema = Schema(
        version: 1,
        classes: [
            ClassSchema(
                "Box",
                properties: [
                    PropertySchema("list", PropertyType(.int, collection: .list)),
                    PropertySchema("links", PropertyType(.link("Box"), collection: .list)),
                    PropertySchema("any", PropertyType(.mixed, collection: .list)),
                    PropertySchema("set", PropertyType(.int, collection: .set)),
                    PropertySchema("map", PropertyType(.int, isOptional: true, collection: .map)),
                ])
        ])
    private static let box = ClassID(1)
    private static let properties = (1...5).map { PropertyID(UInt16($0)) }
    private static let boxes = 4

    private typealias Row = [PropertyID: Value]

    /// A value for the property: mostly short or longer than a block, sometimes like the old one.
    private static func value(_ property: PropertyID, like old: Value?, _ random: inout SeededRandom) -> Value {
        if case .list(var elements)? = old, !elements.isEmpty, random.oneIn(3) {
            // Few edits.
            for _ in 0..<random.below(4) {
                let position = random.below(elements.count)
                switch random.below(3) {
                case 0 where elements.count > 1: elements.remove(at: position)
                case 1: elements.insert(elements[random.below(elements.count)], at: position)
                default: elements[position] = elements[random.below(elements.count)]
                }
            }
            return .list(elements)
        }
        // Of a long set or map many change and many stay.
        if case .set(let elements)? = old, random.oneIn(3) {
            let changed = elements.map { random.oneIn(2) ? $0 : .int(Int64(random.below(1 << 20))) }
            return ValueRules.normalised(.set(changed))
        }
        if case .dictionary(let map)? = old, random.oneIn(3) {
            var entries: [(String, Value)] = []
            for entry in map.entries {
                switch random.below(4) {
                case 0: entries.append((entry.key + "'", entry.value))
                case 1: entries.append((entry.key, .int(Int64(random.below(1 << 20)))))
                default: entries.append((entry.key, entry.value))
                }
            }
            return .dictionary(ValueMap(entries))
        }
        let count = random.pick([0, 3, 700, 4_097, 9_000]) ?? 0
        var elements: [Value] = []
        for index in 0..<count {
            let target = ObjectKey(Int64(random.below(boxes)))
            switch property.rawValue {
            case 2: elements.append(.link(target))
            case 3 where index % 50 == 0: elements.append(.reference(ObjectReference(box, target)))
            case 3 where index % 3 == 0: elements.append(.string("text \(index)"))
            default: elements.append(.int(Int64(random.below(1 << 20))))
            }
        }
        switch property.rawValue {
        case 4: return ValueRules.normalised(.set(elements))
        case 5: return .dictionary(ValueMap(elements.enumerated().map { ("key \($0)", $1) }))
        default: return .list(elements)
        }
    }

    private struct Refused: Error {}

    @Test(
        "contents, links, earlier versions and edits are right, whether the write is kept, taken back or too large for it",
        arguments: 0..<3 * TestRun.length)
    func histories(round: Int) throws {
        var random = SeededRandom.ofTest(round)
        let comment: Comment = "seed \(random.seed)"
        let directory = try TestDirectory()
        var options = smallClusters()
        options.undoLimit = 1 << 20
        if round % 3 == 1 { options.journalLimit = 20_000 }
        try history(directory, options, &random, comment)
        #expect(try EmbeddedStore.check(path: directory.store).faults == [], comment)
    }

    private func history(
        _ directory: TestDirectory, _ options: EmbeddedStoreOptions, _ random: inout SeededRandom, _ comment: Comment
    ) throws {
        let store = try EmbeddedStore.open(path: directory.store, schema: Self.schema, options: options)
        defer { store.close() }
        var rows: [Row] = []
        try store.write { for _ in 0..<Self.boxes { _ = try $0.create(Self.box, [:]) } }
        let none = try store.snapshot()
        for key in 0..<Self.boxes {
            var row: Row = [:]
            for property in Self.properties {
                row[property] = try none.value(Self.box, ObjectKey(Int64(key)), property)
            }
            rows.append(row)
        }
        for _ in 0..<12 {
            let before = rows
            var work: [(key: Int, values: Row, isPartial: Bool)] = []
            var now = rows
            for _ in 0...random.below(2) {
                let key = random.below(Self.boxes)
                var values: Row = [:]
                for property in Self.properties where random.oneIn(2) {
                    values[property] = Self.value(property, like: now[key][property], &random)
                }
                now[key].merge(values) { $1 }
                work.append((key, values, random.oneIn(2)))
            }
            let fails = random.oneIn(2)
            let deleted = fails && random.oneIn(2) ? ObjectKey(Int64(random.below(Self.boxes))) : nil
            let start = try store.snapshot()
            // Both are in one commit, so that what fails is taken back alone.
            let gate = DispatchSemaphore(value: 0)
            let done = DispatchGroup()
            let outcome = Mutex<Result<Version, any Error>?>(nil)
            store.submit({ _ in
                // It runs again if its commit fails with that of another.
                gate.wait()
                gate.signal()
            }) { _ in }
            done.enter()
            store.submit({ [work] transaction in
                for (key, values, isPartial) in work {
                    try transaction.set(
                        Self.box, ObjectKey(Int64(key)), values, onlyDifferent: isPartial, .fewestEdits)
                }
                if let deleted { try transaction.delete(Self.box, deleted) }
                if fails { throw Refused() }
            }) { result in
                outcome.withLock { $0 = result }
                done.leave()
            }
            done.enter()
            store.submit({ try $0.keep([1], under: [7], until: Timestamp.now(), at: Timestamp.now()) }) { _ in
                done.leave()
            }
            gate.signal()
            done.wait()
            rows = fails ? before : now
            let result = outcome.withLock { $0 }
            #expect((try? result?.get()) == nil ? fails : !fails, comment)
            let snapshot = try store.snapshot()
            try Self.expect(snapshot, rows, comment)
            if let past = try store.asOf(start.version, before: snapshot) {
                for key in 0..<Self.boxes {
                    for property in Self.properties {
                        let old = try past.reads.value(Self.box, ObjectKey(Int64(key)), property)
                        #expect(old == before[key][property], "\(comment) \(property) of \(key)")
                    }
                }
            }
            guard !fails, let version = try result?.get() else { continue }
            let changes = try store.changes(after: Version(version.rawValue - 1))?.first?.classes[Self.box]
            for (key, values, isPartial) in work where !isPartial && work.count == 1 {
                for (property, value) in values {
                    guard let old = before[key][property] else { continue }
                    let type = Self.schema.classes[0].properties[Int(property.rawValue) - 1].type
                    let edit = CollectionEdit(replacing: old, with: value, in: type)
                    let known = changes?.edits[ObjectKey(Int64(key))]?[property]
                    #expect(known == (edit?.isEmpty == true ? nil : edit), "\(comment) \(property) of \(key)")
                }
            }
        }
    }

    private static func expect(_ snapshot: any Snapshot, _ rows: [Row], _ comment: Comment) throws {
        for (key, row) in rows.enumerated() {
            for property in properties {
                let value = try snapshot.value(box, ObjectKey(Int64(key)), property)
                #expect(value == row[property], "\(comment) \(property) of \(key)")
            }
            let target = ObjectReference(box, ObjectKey(Int64(key)))
            for property in [PropertyID(2), PropertyID(3)] {
                var expected: [ObjectKey] = []
                for (origin, row) in rows.enumerated() {
                    guard case .list(let elements)? = row[property] else { continue }
                    for case let element in elements where element == .link(target.key) || element == .reference(target)
                    {
                        expected.append(ObjectKey(Int64(origin)))
                    }
                }
                #expect(try snapshot.backlinks(to: target, from: box, property) == expected, "\(comment) to \(key)")
            }
        }
    }
}
