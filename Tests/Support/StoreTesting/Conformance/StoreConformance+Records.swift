package import ObjectModel
import QueryLanguage
package import StoreContract
import TestBasics

extension StoreConformance {
    /// Side records are kept and rolled back with the commit, can be read until they expire, and are not reported to
    /// observers.
    package static func records(_ make: (Schema) throws -> any Store) throws {
        try with(make) { store in
            let (now, later) = (Timestamp(seconds: 1_000), Timestamp(seconds: 2_000))
            let key: [UInt8] = [7, 0, 255]
            func kept(_ key: [UInt8], at time: Timestamp) throws -> [UInt8]? {
                try store.write { try $0.sideRecord(key, at: time) }
            }
            try requireEqual(try kept(key, at: now), nil, "a record before it is kept")
            let before = try store.snapshot().version
            try store.write { transaction in
                try transaction.keep([1, 2], under: key, until: later, at: now)
                try requireEqual(try transaction.sideRecord(key, at: now), [1, 2], "a record in its own write")
                try transaction.author("Ann")
            }
            try requireEqual(try store.changes(after: before)?.count, 1, "change sets of a write with a record")
            try requireEqual(try kept(key, at: now), [1, 2], "a record")
            try requireEqual(try kept(key, at: Timestamp(seconds: 1_999)), [1, 2], "a record in its last second")
            try requireEqual(try kept(key, at: later), nil, "a record when it expires")
            try requireEqual(try kept([7], at: now), nil, "the beginning of a key")

            // A rejected write leaves the records unchanged.
            try requireError(.notFound, "a write that fails") {
                try store.write { transaction in
                    try transaction.keep([3], under: key, until: later, at: now)
                    try transaction.keep([4], under: [8], until: later, at: now)
                    try transaction.delete(BooksFixture.writer, ObjectKey(99))
                }
            }
            try requireEqual(try kept(key, at: now), [1, 2], "a record after a write that failed")
            try requireEqual(try kept([8], at: now), nil, "a new record after a write that failed")
            try store.write { try $0.keep([], under: key, until: later, at: now) }
            try requireEqual(try kept(key, at: now), [], "a record that was replaced")

            // Expired records are deleted, in the end all of them, and a failed write restores them.
            for number in 0..<20 {
                try store.write { try $0.keep([9], under: [20, UInt8(number)], until: later, at: now) }
            }
            try requireError(.notFound, "a write that fails") {
                try store.write { transaction in
                    try transaction.keep(
                        [4], under: [8], until: Timestamp(seconds: 9_000), at: Timestamp(seconds: 5_000))
                    try transaction.delete(BooksFixture.writer, ObjectKey(99))
                }
            }
            try requireEqual(try kept([20, 0], at: now), [9], "an expired record after a write that failed")
            for number in 0..<20 {
                try store.write {
                    try $0.keep(
                        [5], under: [30, UInt8(number)], until: Timestamp(seconds: 9_000), at: Timestamp(seconds: 5_000)
                    )
                }
            }
            for number in 0..<20 {
                try requireEqual(try kept([20, UInt8(number)], at: now), nil, "a forgotten record")
                try requireEqual(try kept([30, UInt8(number)], at: Timestamp(seconds: 5_000)), [5], "a newer record")
            }
            for bad in [[], [UInt8](repeating: 1, count: maximumRecordKeyLength + 1)] {
                try requireError(.invalidValue, "a key of \(bad.count) bytes") {
                    try store.write { try $0.keep([1], under: bad, until: later, at: now) }
                }
            }
            let long = [UInt8](repeating: 1, count: maximumRecordKeyLength)
            let large = [UInt8](repeating: 5, count: 100_000)
            try store.write { try $0.keep(large, under: long, until: later, at: now) }
            try requireEqual(try kept(long, at: now), large, "a long record")
        }
    }

    /// Deleting many objects at once has the same result and change set as deleting them one by one.
    package static func deletingMany(_ make: (Schema) throws -> any Store, seed: UInt64) throws {
        let schema = Schema(
            version: 1,
            classes: [
                ClassSchema(
                    "Node",
                    properties: [
                        PropertySchema("number", PropertyType(.int)),
                        PropertySchema("next", PropertyType(.link("Node"), isOptional: true)),
                        PropertySchema("list", PropertyType(.link("Node"), collection: .list)),
                        PropertySchema("set", PropertyType(.link("Node"), collection: .set)),
                        PropertySchema("map", PropertyType(.link("Node"), isOptional: true, collection: .map)),
                        PropertySchema("any", PropertyType(.mixed)),
                        PropertySchema("anys", PropertyType(.mixed, collection: .list)),
                        PropertySchema("part", PropertyType(.link("Part"), isOptional: true)),
                    ]),
                ClassSchema(
                    "Part", isEmbedded: true,
                    properties: [PropertySchema("of", PropertyType(.link("Node"), isOptional: true))]),
            ])
        let node = ClassID(1)
        let part = ClassID(2)
        try seeded(seed) { random in
            try with(make, schema) { one in
                try with(make, schema) { other in
                    let count = 120
                    var rows: [[PropertyID: Value]] = []
                    for number in 0..<count {
                        func key() -> ObjectKey { ObjectKey(Int64(random.next() % UInt64(count))) }
                        func keys(_ most: UInt64) -> [ObjectKey] { (0..<random.next() % most).map { _ in key() } }
                        let map = keys(4).map { ("k\($0.rawValue)", Value.link($0)) }
                        rows.append([
                            PropertyID(1): .int(Int64(number)), PropertyID(2): .link(key()),
                            PropertyID(3): .list(keys(number % 10 == 0 ? 150 : 5).map { .link($0) }),
                            PropertyID(4): .set(keys(number % 10 == 1 ? 150 : 5).map { .link($0) }),
                            PropertyID(5): .dictionary(ValueMap(map)),
                            PropertyID(6): .reference(ObjectReference(node, key())),
                            PropertyID(7): .list(keys(4).map { .reference(ObjectReference(node, $0)) } + [.int(1)]),
                            PropertyID(8): number % 3 == 0 ? .embedded([PropertyID(1): .link(key())]) : .null,
                        ])
                    }
                    let given = rows
                    for store in [one, other] {
                        try store.write { transaction in
                            for _ in given { _ = try transaction.create(node, [:]) }
                            for (number, row) in given.enumerated() {
                                try transaction.set(node, ObjectKey(Int64(number)), row)
                            }
                        }
                    }
                    let doomed = (0..<count).filter { _ in random.next() % 2 == 0 }.map { ObjectKey(Int64($0)) }
                    let before = try one.snapshot().version
                    try requireError(.notFound, "one that does not exist") {
                        try one.write { try $0.delete(node, doomed + [ObjectKey(9_999)]) }
                    }
                    try requireError(.noPrimaryKey, "a write that fails afterwards") {
                        try one.write { transaction in
                            try transaction.delete(node, doomed)
                            _ = try transaction.create(node, [:], update: .all)
                        }
                    }
                    try requireEqual(
                        try contents(one, node, part), try contents(other, node, part), "after a write that failed")
                    try one.write { try $0.delete(node, doomed) }
                    try other.write { transaction in for key in doomed { try transaction.delete(node, key) } }
                    try requireEqual(try contents(one, node, part), try contents(other, node, part), "what is left")
                    try requireEqual(
                        try one.changes(after: before).map { $0.map(\.classes) },
                        try other.changes(after: before).map { $0.map(\.classes) }, "what was told")
                    try checkIntegrity(try one.snapshot())
                }
            }
        }
    }

    private static func contents(
        _ store: any Store, _ node: ClassID, _ part: ClassID
    ) throws -> [ObjectKey: [PropertyID: Value]] {
        let snapshot = try store.snapshot()
        var rows: [ObjectKey: [PropertyID: Value]] = [:]
        for key in try snapshot.select(BoundQuery(classID: node), .all) {
            for id in 1...8 {
                rows[key, default: [:]][PropertyID(UInt16(id))] = try snapshot.value(node, key, PropertyID(UInt16(id)))
            }
        }
        try requireEqual(
            snapshot.count(of: part), rows.values.count { $0[PropertyID(8)] != .null }, "parts that somebody owns")
        return rows
    }
}
