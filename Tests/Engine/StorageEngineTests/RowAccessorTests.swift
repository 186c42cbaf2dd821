import EmbeddedTesting
import EmbeddedStore
import Foundation
import ObjectModel
import QueryLanguage
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing
import TestBasics

@Suite("Values in place")
struct RowAccessorTests {
    let directory: TestDirectory

    init() throws { directory = try TestDirectory() }

    private func filled(_ count: Int) throws -> (EmbeddedStore, Pets, [PropertyID]) {
        let (store, pets) = try openPets(directory.store)
        try store.write { transaction in
            for number in 0..<count {
                _ = try transaction.create(
                    pets.dog.id,
                    [
                        pets.dog("name"): .string("dog \(number)"), pets.dog("age"): .int(Int64(number % 20)),
                        pets.dog("weight"): .double(Double(number)),
                    ])
            }
        }
        return (store, pets, pets.dog.storedProperties.map(\.id))
    }

    @Test("a snapshot's cells have its values, none for dead rows, and reject assignments")
    func reading() throws {
        let (store, pets, properties) = try filled(200)
        try store.write { try $0.delete(pets.dog.id, ObjectKey(70)) }
        let snapshot = try store.snapshot()
        var seen = 0
        for number in 0..<200 {
            let key = ObjectKey(Int64(number))
            let cells = try #require(try snapshot.cells(of: pets.dog.id, around: key, properties))
            let row = number - Int(cells.firstKey)
            #expect(cells.isCurrent && cells.rowCount == 64 && (0..<64).contains(row))
            #expect(try cells.contains(row) == snapshot.exists(pets.dog.id, key))
            guard cells.contains(row) else { continue }
            seen += 1
            for (column, property) in properties.enumerated() {
                #expect(try cells.value(row, column) == snapshot.value(pets.dog.id, key, property))
            }
            #expect(try !cells.assign(.double(1), row, 2))
        }
        #expect(seen == 199)
        #expect(try snapshot.cells(of: pets.dog.id, around: ObjectKey(1000), properties) == nil)
    }

    @Test("a write's cells include its changes, also those made elsewhere, and detect that they became invalid")
    func writing() throws {
        let (store, pets, properties) = try filled(200)
        let (dog, weight) = (pets.dog.id, pets.dog("weight"))
        let base = try store.snapshot()
        let write = try store.beginWrite()
        let transaction = try write.transaction
        let key = ObjectKey(3)
        let before = try base.cells(of: dog, around: key, properties)
        let cells = try #require(try transaction.cells(of: dog, around: key, properties, over: before))
        #expect(cells.value(3, 2) == .double(3))
        #expect(try cells.assign(.double(4.5), 3, 2))
        #expect(cells.value(3, 2) == .double(4.5))
        #expect(try transaction.value(dog, key, weight) == .double(4.5))
        try transaction.set(dog, key, [weight: .double(6)])
        #expect(cells.value(3, 2) == .double(6))
        // A query, which also finds dog 6, writes the changes out; the decoded leaves stay.
        #expect(
            try transaction.count(QueryBinder(schema: transaction.schema).bind("weight == 6", class: pets.dog)) == 2)
        #expect(try cells.assign(.double(7), 3, 2) && cells.isCurrent)
        #expect(try transaction.value(dog, key, weight) == .double(7))
        // Keys, indexed values and links affect more than the leaf; null does not fit.
        #expect(try !cells.assign(.string("x"), 3, 0))
        #expect(try !cells.assign(.int(1), 3, 1))
        #expect(try !cells.assign(.null, 3, 2))
        #expect(try !cells.assign(.int(1), 3, 2))
        try transaction.delete(dog, key)
        #expect(cells.value(3, 2) == nil)
        #expect(try !cells.assign(.double(1), 3, 2))
        // A full cluster is written out and released.
        let last = try #require(try transaction.cells(of: dog, around: ObjectKey(199), properties, over: nil))
        for number in 0..<80 { _ = try transaction.create(dog, [pets.dog("name"): .string("more \(number)")]) }
        #expect(!last.isCurrent)
        #expect(last.value(7, 2) == nil)
        try write.commit()
        #expect(try store.snapshot().exists(dog, key) == false)
        #expect(try base.value(dog, key, weight) == .double(3))
    }

    private static let seeds = (0..<4 * TestRun.length).map { TestSeed.of($0) }

    private enum Manner: CaseIterable {
        case byName
        /// In place, by cells that are asked for each time.
        case inPlace
        /// In place, by cells that are kept as long as they are current, as objects keep them.
        case inKeptPlace
    }

    @Test("assignment in place equals assignment by name: in values, change sets and undo data")
    func sameAsByName() throws {
        for seed in Self.seeds {
            let outcomes = try Manner.allCases.map { try Self.history(seed: seed, $0) }
            #expect(outcomes.allSatisfy { $0 == outcomes[0] }, "seed \(seed)")
        }
    }

    /// Runs random writes to two classes, some rolled back, and returns everything that can be read after each.
    private static func history(seed: UInt64, _ manner: Manner) throws -> [String] {
        let directory = try TestDirectory()
        let schema = Schema(
            version: 1,
            classes: ["Thing", "Other"].map { name in
                ClassSchema(
                    name,
                    properties: [
                        PropertySchema("number", PropertyType(.int, isOptional: true)),
                        PropertySchema("note", PropertyType(.string, isOptional: true)),
                        PropertySchema("weight", PropertyType(.double, isOptional: true)),
                        PropertySchema("data", PropertyType(.data)),
                        PropertySchema("flag", PropertyType(.bool, isOptional: true)),
                        PropertySchema("rank", PropertyType(.int), isIndexed: true),
                    ])
            })
        let store = try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters())
        let things = try #require(try store.snapshot().schema["Thing"])
        let other = try #require(try store.snapshot().schema["Other"])
        let properties = things.properties.map(\.id)
        #expect(properties == other.properties.map(\.id))
        let heavy = try QueryBinder(schema: store.snapshot().schema).bind("weight > 50", class: things)
        var random = SeededRandom(seed: seed)
        var reported: [String] = []
        var snapshots = [try store.snapshot()]
        func value(_ column: Int) -> Value {
            switch column {
            case 0 where random.next() % 6 == 0, 2 where random.next() % 6 == 0: .null
            case 0, 5: .int(Int64(random.next() % 1000))
            case 1:
                switch random.next() % 4 {
                case 0: .null
                case 1: .string(String(repeating: "long ", count: 300))
                default: .string("note \(random.next() % 50)")
                }
            case 2: .double(Double(random.next() % 100))
            case 3: .data(Array(repeating: 7, count: Int(random.next() % 5)))
            default: random.next() % 3 == 0 ? .null : .bool(random.next() % 2 == 0)
            }
        }
        for _ in 0..<12 {
            let base = try store.snapshot()
            let write = try store.beginWrite()
            let transaction = try write.transaction
            var kept: [ObjectReference: any RowAccessor] = [:]
            func cells(of classID: ClassID, around key: ObjectKey) throws -> (any RowAccessor)? {
                let cluster = ObjectReference(classID, ObjectKey(key.rawValue / 64))
                if manner == .inKeptPlace, let known = kept[cluster], known.isCurrent { return known }
                let cells = try transaction.cells(
                    of: classID, around: key, properties, over: base.cells(of: classID, around: key, properties))
                kept[cluster] = cells
                return cells
            }
            // Some writes only assign, and mostly objects of one class.
            let onlyAssigns = random.next() % 3 == 0
            var thing = things
            for _ in 0..<(random.next() % 200) {
                if random.next() % 6 == 0 { thing = thing.id == other.id ? things : other }
                let count = max(1, Int64(transaction.count(of: thing.id)) + 20)
                let key = ObjectKey(Int64(random.next() % UInt64(count)))
                switch onlyAssigns ? 19 : random.next() % 20 {
                case 0...3:
                    _ = try transaction.create(thing.id, row: (0..<6).map(value))
                case 4:
                    if try transaction.exists(thing.id, key) { try transaction.delete(thing.id, key) }
                case 5:
                    reported.append(String(describing: try transaction.select(heavy, Window())))
                case 6 where try transaction.exists(thing.id, key):
                    // The same value by name and in place.
                    try transaction.set(thing.id, key, [properties[0]: .int(Int64(random.next() % 1000))])
                default:
                    guard try transaction.exists(thing.id, key) else { continue }
                    // Those that only assign do so in place.
                    let column = onlyAssigns ? Int(random.next() % 3) * 2 : Int(random.next() % 6)
                    let value = value(column)
                    let isTwice = random.next() % 2 == 0
                    var isDone = false
                    if manner != .byName, let cells = try cells(of: thing.id, around: key) {
                        let row = Int(key.rawValue - cells.firstKey)
                        if let present = cells.value(row, column) {
                            #expect(try present == transaction.value(thing.id, key, properties[column]))
                        }
                        isDone = try cells.assign(value, row, column)
                        // The second time it is already recorded.
                        if isDone, isTwice { #expect(try cells.assign(value, row, column)) }
                    }
                    if !isDone { try transaction.set(thing.id, key, [properties[column]: value]) }
                }
            }
            if random.next() % 4 == 0 { write.cancel() } else { try write.commit() }
            let snapshot = try store.snapshot()
            for objectClass in [things, other] { reported.append(try Self.dump(snapshot, objectClass)) }
            if snapshot.version > base.version {
                let changes = try store.changes(after: base.version)?.flatMap { changes in
                    [things.id, other.id].map { changes.classes[$0] ?? ClassChanges() }
                }.map { classChanges in
                    (
                        classChanges.insertions.map(\.rawValue).sorted(),
                        classChanges.deletions.map(\.rawValue).sorted(),
                        classChanges.modifications.map { "\($0.key.rawValue): \($0.value.members.map(\.rawValue))" }
                            .sorted()
                    )
                }
                reported.append(String(describing: changes))
                // The undo steps to each earlier version.
                for earlier in snapshots {
                    let past = try store.asOf(earlier.version, before: snapshot)
                    guard let reads = past?.reads else { continue }
                    for id in [things.id, other.id] {
                        for key in try earlier.select(BoundQuery(classID: id), Window()) {
                            for property in properties {
                                #expect(
                                    try reads.value(id, key, property) == earlier.value(id, key, property),
                                    "seed \(seed)")
                            }
                        }
                    }
                }
                snapshots.append(snapshot)
            }
        }
        store.close()
        return reported
    }

    @Test("more assignments in place than one run has are rolled back, and are in the undo data")
    func longRuns() throws {
        let schema = Schema(
            version: 1, classes: [ClassSchema("Thing", properties: [PropertySchema("number", PropertyType(.int))])])
        let store = try EmbeddedStore.open(path: directory.store, schema: schema, options: smallClusters())
        let thing = try #require(try store.snapshot().schema["Thing"])
        let number = thing.properties[0].id
        // A run has at most 1,024.
        let count = 2_100
        try store.write { transaction in
            for index in 0..<count { _ = try transaction.create(thing.id, row: [.int(Int64(index))]) }
        }
        let base = try store.snapshot()
        for isCommitted in [false, true] {
            let write = try store.beginWrite()
            let transaction = try write.transaction
            for index in 0..<Int64(count) {
                let cells = try #require(
                    try transaction.cells(of: thing.id, around: ObjectKey(index), [number], over: nil))
                #expect(try cells.assign(.int(-index), Int(index - cells.firstKey), 0))
            }
            if isCommitted { try write.commit() } else { write.cancel() }
            let snapshot = try store.snapshot()
            let past = try #require(try store.asOf(base.version, before: snapshot)?.reads)
            for index in 0..<Int64(count) {
                let expected = Value.int(isCommitted ? -index : index)
                #expect(try snapshot.value(thing.id, ObjectKey(index), number) == expected)
                #expect(try past.value(thing.id, ObjectKey(index), number) == .int(index))
            }
        }
        let changes = try #require(try store.changes(after: base.version))
        #expect(changes.map { $0.classes[thing.id]?.modifications.count } == [count])
    }

    private static func dump(_ snapshot: any Snapshot, _ thing: ClassSchema) throws -> String {
        try snapshot.select(BoundQuery(classID: thing.id), Window()).map { key in
            try "\(key.rawValue): \(thing.properties.map { try snapshot.value(thing.id, key, $0.id) })"
        }.joined(separator: "\n")
    }
}
