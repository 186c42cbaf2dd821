import Synchronization

/// The objects of the file that links may lead to.
final class LinkTargets: Sendable {
    private struct Target: Sendable {
        let key: UInt32
        let objects: Int64
    }

    /// The tables by the low 16 bits of their keys, which are the tables' indices.
    private let targets: [UInt32: Target]
    private let image: FileImage
    private let header: FileHeader
    private let costs: ReadingCosts
    private let found = Mutex<[UInt32: KeyRanges]>([:])

    init(_ tables: [RealmTable], _ image: FileImage, _ header: FileHeader, _ costs: ReadingCosts) {
        targets = Dictionary(
            tables.map { ($0.key & 0xFFFF, Target(key: $0.key, objects: $0.objects)) }, uniquingKeysWith: { a, _ in a })
        self.image = image
        self.header = header
        self.costs = costs
    }

    /// The keys of a table's objects; nil when there is no such table. They are read at the first call for a table, and
    /// kept: 16 bytes for each gap between keys.
    func keys(of table: UInt32) throws(RealmFileError) -> KeyRanges? {
        guard let target = targets[table & 0xFFFF], target.key == table else { return nil }
        if let keys = found.withLock({ $0[table] }) { return keys }
        let keys = try costs.measure(.keys, of: table, length: image.count) { (budget) throws(RealmFileError) in
            let reader = NodeReader(image, header, targets: nil, budget: budget)
            defer { budget = reader.budget }
            reader.subject = "the keys of table \(table)"
            return try KeyRanges(root: target.objects, reader)
        }
        found.withLock { $0[table] = keys }
        return keys
    }
}

/// Counts what all reads of a file's tables have used, so that one limit bounds them together, however many tables
/// there are and however often one is read.
final class ReadingCosts: Sendable {
    enum Part: Hashable {
        case values, keys, count
    }

    private struct Item: Hashable {
        let part: Part
        let table: UInt32
    }

    private let costs = Mutex<[Item: ReadingCost]>([:])

    /// Calls the body with the remaining budget, and records what the body has used.
    func measure<Result, Fault: Error>(
        _ part: Part, of table: UInt32, length: Int, _ body: (inout ReadingBudget) throws(Fault) -> Result
    ) throws(Fault) -> Result {
        let item = Item(part: part, table: table)
        let others = costs.withLock { costs in
            costs.reduce(ReadingCost()) { $1.key == item ? $0 : $0 + $1.value }
        }
        let before = ReadingBudget(length: length, spent: others)
        var budget = before
        defer {
            let spent = ReadingCost(from: before, to: budget)
            costs.withLock { $0[item] = ($0[item] ?? ReadingCost()).atLeast(spent) }
        }
        return try body(&budget)
    }
}
