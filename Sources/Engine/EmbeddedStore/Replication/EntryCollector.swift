import StorageEngine
import StoredRecords
import ObjectModel
import StoreContract

/// Collects the entries of a group commit.
struct EntryCollector {
    private(set) var bodies: [[UInt8]] = []
    private(set) var byteCount = 0
    /// The tag that the group starts from.
    private let base: HistoryTag
    /// The next keys of the classes as of the last entry.
    private var nextKeys: [ClassID: Int64]
    /// The content of the last entry.
    private var last: (kind: RedoRecord.Kind, counters: [ClassID: Int64], checksum: UInt32, steps: RedoWriter)?

    init(_ catalogue: Catalogue) {
        base = catalogue.history.tag
        nextKeys = catalogue.classes.mapValues(\.nextKey)
    }

    /// Adds the entry of the work that the session has just done.
    mutating func add(_ changes: ChangeSet, _ session: WriteSession) {
        guard let steps = session.redo else { return }
        let kind: RedoRecord.Kind = changes.schemaChanged ? .schema : .work
        let next = (kind, movedCounters(session), RedoRecord.checksum(of: changes), steps)
        last = next
        append(next)
    }

    /// Called after the last work: keys that work used which was rolled back after the last entry must be in it, or
    /// another store would use them.
    mutating func close(_ session: WriteSession) {
        let moved = movedCounters(session)
        guard !moved.isEmpty, var last else { return }
        last.counters.merge(moved) { _, new in new }
        byteCount -= bodies.popLast()?.count ?? 0
        append(last)
    }

    private mutating func append(
        _ entry: (kind: RedoRecord.Kind, counters: [ClassID: Int64], checksum: UInt32, steps: RedoWriter)
    ) {
        let body = RedoRecord.encode(
            entry.kind, base: bodies.isEmpty ? base : nil, counters: entry.counters, checksum: entry.checksum,
            entry.steps)
        bodies.append(body)
        byteCount += body.count
    }

    /// The counters that differ from those of the last entry, which they become. Cost: follows the number of classes in
    /// use.
    private mutating func movedCounters(_ session: WriteSession) -> [ClassID: Int64] {
        var moved: [ClassID: Int64] = [:]
        func record(_ id: ClassID, _ next: Int64) { if nextKeys[id, default: 0] != next { moved[id] = next } }
        for case let open? in session.mutableClasses { record(open.schema.id, open.state.nextKey) }
        // A change of the schema closes the classes.
        for (id, state) in session.classes where session.mutableClasses[safe: Int(id.rawValue)] == nil {
            record(id, state.nextKey)
        }
        nextKeys.merge(moved) { _, new in new }
        return moved
    }
}

extension Array where Element == MutableClass? {
    fileprivate subscript(safe index: Int) -> MutableClass? { index < count ? self[index] : nil }
}
