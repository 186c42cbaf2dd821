import ObjectModel
import QueryOperators
import QueryLanguage
import StoreContract

/// What is made of the rows of a result: the values of its objects at some paths.
protocol RowTally {
    /// Adds a row, with nil where a link on the path is null.
    mutating func add(_ row: [Value?])
    /// Whether it accepts no more.
    var isFull: Bool { get }
}

extension RowTally {
    /// Adds the rows of objects, until it is full. Cost: a pass over the columns where the paths are single values of the
    /// objects themselves; otherwise a look-up for each value.
    mutating func read(
        _ keys: [ObjectKey], of classID: ClassID, _ paths: [SortKey], _ reads: any ObjectReads
    ) throws {
        if let columns = paths.columns, let snapshot = reads as? any Snapshot {
            var reader = RowReader(tally: self)
            try snapshot.read(classID, keys, columns, into: &reader)
            self = reader.tally
        } else {
            for key in keys where !isFull { add(try reads.sortValues(paths, of: key, in: classID)) }
        }
    }
}

extension VersionDelta {
    /// Calls `body` with the rows of a query's objects among those that may have changed: as they were before the step
    /// with the sign -1, and as they are after it with 1. Rows that stay the same are left out.
    ///
    /// - Parameters:
    ///   - quick: the part of the query's predicate that can be evaluated quickly.
    ///   - count: returns how often a matching object occurs in the query's scope.
    func forEachRow(
        of query: BoundQuery, among affectedKeys: Set<ObjectKey>, _ paths: [SortKey], quick: ValuePredicate?,
        count: (ObjectKey, any ObjectReads) throws -> Int, _ body: (_ row: [Value?], _ sign: Int) -> Void
    ) throws {
        let classID = query.classID
        let changes = changes.classes[classID]
        for key in affectedKeys {
            let isModified = changes?.modifications[key] != nil
            let isNew = !isModified && changes?.insertions.contains(key) == true
            let isDeleted = !isModified && changes?.deletions.contains(key) == true
            var (old, new): ([Value?]?, [Value?]?)
            var (oldCount, newCount) = (0, 0)
            if try !isNew && (isModified || isDeleted || before.exists(classID, key)),
                try quick?.holds({ try valueBefore(classID, key, $0) }) ?? before.matches(query, key)
            {
                oldCount = try count(key, before)
                if oldCount > 0 { old = try before.sortValues(paths, of: key, in: classID) }
            }
            if try !isDeleted && (isModified || isNew || after.exists(classID, key)),
                try quick?.holds({ try valueAfter(classID, key, $0) }) ?? after.matches(query, key)
            {
                newCount = try count(key, after)
                if newCount > 0 { new = try after.sortValues(paths, of: key, in: classID) }
            }
            if old == new, oldCount == newCount { continue }
            if let old { for _ in 0..<oldCount { body(old, -1) } }
            if let new { for _ in 0..<newCount { body(new, 1) } }
        }
    }
}

extension [SortKey] {
    /// The properties if all paths are single values of the object itself; else nil.
    fileprivate var columns: [PropertyID]? {
        var columns: [PropertyID] = []
        for key in self {
            guard key.path.links.isEmpty, key.path.steps.isEmpty, case .property(let property, let type) = key.path.end,
                type.collection == .single
            else { return nil }
            columns.append(property)
        }
        return columns
    }
}

/// Adds objects to a tally as their rows are read.
private struct RowReader<Tally: RowTally>: RowSink {
    var tally: Tally
    private var row: [Value?] = []

    init(tally: Tally) { self.tally = tally }

    var isFull: Bool { tally.isFull }

    mutating func beginObject(_ key: ObjectKey) { row.removeAll(keepingCapacity: true) }
    mutating func null(_ column: Int) { row.append(.null) }
    mutating func bool(_ column: Int, _ value: Bool) { row.append(.bool(value)) }
    mutating func int(_ column: Int, _ value: Int64) { row.append(.int(value)) }
    mutating func float(_ column: Int, _ value: Float) { row.append(.float(value)) }
    mutating func double(_ column: Int, _ value: Double) { row.append(.double(value)) }
    mutating func string(_ column: Int, _ utf8: UnsafeBufferPointer<UInt8>) {
        row.append(.string(String(decoding: utf8, as: UTF8.self)))
    }
    mutating func date(_ column: Int, _ value: Timestamp) { row.append(.date(value)) }
    mutating func objectId(_ column: Int, _ value: ObjectId) { row.append(.objectId(value)) }
    mutating func uuid(_ column: Int, _ value: UUIDValue) { row.append(.uuid(value)) }
    mutating func link(_ column: Int, _ target: ObjectKey) { row.append(.link(target)) }
    mutating func data(_ column: Int, _ bytes: UnsafeBufferPointer<UInt8>) { row.append(.data(Array(bytes))) }
    mutating func decimal(_ column: Int, _ value: Decimal128) { row.append(.decimal(value)) }
    mutating func value(_ column: Int, _ value: Value) { row.append(value) }
    mutating func endObject() { tally.add(row) }
}
