import EmbeddedStore
import ObjectModel
import QuerySyntax
import QueryLanguage
import StoreContract
import StoreTesting
import TestBasics

/// The same operations with a hundredth, a tenth and all of the objects.
struct Scale {
    private let directory: ScratchDirectory

    init(_ directory: ScratchDirectory) { self.directory = directory }

    func run(_ largest: Int) throws {
        let sizes = [largest / 100, largest / 10, largest]
        var table: [(String, [Double])] = []
        for size in sizes {
            let results = try measure(size)
            for (index, result) in results.enumerated() {
                if table.count <= index { table.append((result.name, [])) }
                table[index].1.append(result.microseconds)
            }
        }
        print("medians in microseconds\n")
        print("| operation | " + sizes.map { "\($0) objects" }.joined(separator: " | ") + " | largest / smallest |")
        print("| --- | " + sizes.map { _ in "---" }.joined(separator: " | ") + " | --- |")
        for (name, figures) in table {
            let ratio = figures[figures.count - 1] / figures[0]
            print("| \(name) | " + figures.map { rounded($0, 2) }.joined(separator: " | ") + " | \(rounded(ratio)) |")
        }
    }

    private func measure(_ size: Int) throws -> [(name: String, microseconds: Double)] {
        let store = try directory.newStore([Item.schema])
        defer { store.close() }
        let load = try seconds {
            for start in stride(from: 0, to: size, by: 10_000) {
                let rows = (start..<min(size, start + 10_000)).map { Item.row($0) }
                try store.write { for row in rows { _ = try $0.create(Item.classID, row: row) } }
            }
        }
        var numbers = SeededRandom(seed: 3)
        var next = size
        func median(_ runs: Int, _ per: Int = 1, _ body: () throws -> Void) rethrows -> Double {
            try body()
            let times = try (0..<runs).map { _ in try seconds(body) }.sorted()
            return times[runs / 2] * 1e6 / Double(per)
        }
        let insert = try median(301) {
            let row = Item.row(next)
            next += 1
            try store.write { _ = try $0.create(Item.classID, row: row) }
        }
        let update = try median(301) {
            let key = ObjectKey(Int64(numbers.below(size)))
            try store.write { try $0.set(Item.classID, key, [Item.age: .int(7)]) }
        }
        let group = try median(31, 1000) {
            let keys = (0..<1000).map { _ in ObjectKey(Int64(numbers.below(size))) }
            try store.write { for key in keys { try $0.set(Item.classID, key, [Item.age: .int(8)]) } }
        }
        let delete = try median(101) {
            let id = Value.int(Int64(next - 1))
            next -= 1
            try store.write {
                if let key = try $0.key(of: Item.classID, primaryKey: id) { try $0.delete(Item.classID, key) }
            }
        }
        let snapshot = try store.snapshot()
        let lookUp = try median(21, 1000) {
            for _ in 0..<1000 {
                _ = try snapshot.key(of: Item.classID, primaryKey: .int(Int64(numbers.below(size))))
            }
        }
        let read = try median(21, 1000) {
            for _ in 0..<1000 {
                _ = try snapshot.value(Item.classID, ObjectKey(Int64(numbers.below(size))), Item.age)
            }
        }
        let query = BoundQuery(
            classID: Item.classID,
            predicate: .comparison(
                BoundComparison(
                    .path(BoundPath(end: .property(Item.age, PropertyType(.int)))), .greater, .constant(.int(10)))))
        let count = try median(21) { _ = try snapshot.count(query) }
        return [
            ("load, per object, transactions of 10,000", load * 1e6 / Double(size)), ("insert one, synced", insert),
            ("update one at random, synced", update), ("update at random, 1000 per transaction, each", group),
            ("delete the newest, synced", delete), ("primary key look-up", lookUp), ("read one value at random", read),
            ("count(age > 10), per million objects", count * 1e6 / Double(size)),
        ]
    }
}
