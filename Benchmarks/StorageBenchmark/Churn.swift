import EmbeddedStore
import ObjectModel
import StoreContract
import StoreTesting
import TestBasics

/// Loads, updates at random, deletes half and creates as many new ones; after each step the file's size and that of a compacted copy.
struct Churn {
    private let directory: ScratchDirectory

    init(_ directory: ScratchDirectory) { self.directory = directory }

    func run(_ rows: Int) throws {
        let store = try directory.newStore([Item.schema])
        defer { store.close() }
        print("\(rows) objects, transactions of 1000, no snapshot held\n")
        print("| step | seconds | objects per second | file MiB | compacted MiB | file / compacted |")
        print("| --- | --- | --- | --- | --- | --- |")
        func step(_ name: String, _ count: Int, _ body: () throws -> Void) throws {
            let time = try seconds(body)
            let file = try store.sizes().totalBytes
            let compacted = try directory.compactedSize(store)
            let mebibytes = [file, compacted].map { rounded(Double($0) / Double(1 << 20), 1) }
            print(
                "| \(name) | \(rounded(time)) | \(Int(Double(count) / time)) | \(mebibytes[0]) | \(mebibytes[1]) | \(rounded(Double(file) / Double(compacted))) |"
            )
        }
        func batches(_ ids: [Int], _ body: @escaping @Sendable (any WriteTransaction, Int) throws -> Void) throws {
            for start in stride(from: 0, to: ids.count, by: 1000) {
                let batch = Array(ids[start..<min(ids.count, start + 1000)])
                try store.write { transaction in for id in batch { try body(transaction, id) } }
            }
        }
        @Sendable func key(_ transaction: any WriteTransaction, _ id: Int) throws -> ObjectKey {
            guard let key = try transaction.key(of: Item.classID, primaryKey: .int(Int64(id))) else {
                fatalError("Object \(id) is missing.")
            }
            return key
        }
        var numbers = SeededRandom(seed: 1)
        let all = Array(0..<rows)
        try step("load", rows) { try batches(all) { _ = try $0.create(Item.classID, row: Item.row($1)) } }
        let updated = (0..<rows / 10).map { _ in numbers.below(rows) }
        try step("update a tenth, at random", updated.count) {
            try batches(updated) { try $0.set(Item.classID, try key($0, $1), [Item.age: .int(Int64($1 % 20))]) }
        }
        let doomed = Array(all.shuffled(using: &numbers).prefix(rows / 2))
        try step("delete half, at random", doomed.count) {
            try batches(doomed) { try $0.delete(Item.classID, try key($0, $1)) }
        }
        let anew = Array(rows..<rows + rows / 2)
        try step("create as many new ones", anew.count) {
            try batches(anew) { _ = try $0.create(Item.classID, row: Item.row($1)) }
        }
        try step("create the deleted ones again", doomed.count) {
            try batches(doomed) { _ = try $0.create(Item.classID, row: Item.row($1)) }
        }
    }
}
