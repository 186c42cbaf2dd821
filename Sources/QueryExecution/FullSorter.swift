import Columnar
import ObjectModel
import QueryLanguage

/// Puts objects in order. Used by one thread at a time.
protocol ObjectSorter: AnyObject {
    /// Adds the selected objects of a cluster; may narrow the mask.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws
    func add(_ key: ObjectKey) throws
    func sorted() throws -> [ObjectKey]
}

/// Sorts objects by several keys, stably in the order that they come in, when all of them are wanted: by the first word of
/// the first key, then the objects that it does not tell apart by the rest. Only of those the other keys are read. Used by
/// one thread at a time.
final class FullSorter: ObjectSorter {
    private struct Column {
        let reader: PathReader
        let ascending: Bool
        let shape: SortCell.Shape
        let isExact: Bool
        /// The property itself when no link lies before it.
        let property: PropertyID?
    }

    private let columns: [Column]
    private var values: [KeyedWord] = []
    /// Those of another rank than values have: nulls and null links.
    private var others: [UInt8: [KeyedWord]] = [:]
    /// Below that many, whole cells are compared.
    private static let comparisonLimit = 64

    init(_ keys: [SortKey], _ classID: ClassID, _ source: any ColumnSource) {
        columns = keys.map { key in
            let base = key.path.valueBase
            return Column(
                reader: PathReader(key.path, from: classID, in: source), ascending: key.isAscending,
                shape: SortCell.Shape(base), isExact: Self.isExact(base), property: key.path.column)
        }
    }

    /// Whether all keys' values lie in columns, which their cells may point into.
    static func canSort(by keys: [SortKey]) -> Bool {
        keys.allSatisfy { key in
            guard key.path.steps.isEmpty, case .property(_, let type) = key.path.end, type.collection == .single else {
                return false
            }
            switch type.base {
            case .bool, .int, .float, .double, .decimal128, .string, .data, .date, .objectId, .uuid, .mixed: return true
            case .link, .linkingObjects: return false
            }
        }
    }

    /// Adds the selected objects of a cluster.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        let first = Int64(cluster.firstKey)
        guard let column = columns.first, let property = column.property else {
            return try mask.forEach { try add(ObjectKey(first + Int64($0))) }
        }
        let leaf = try cluster.leaf(property)
        let ascending = column.ascending
        mask.forEach { slot in
            append(SortCell(leaf, slot, ascending: ascending), ObjectKey(first + Int64(slot)))
        }
    }

    func add(_ key: ObjectKey) throws {
        guard let column = columns.first else { return values.append(KeyedWord(word: 0, key: key)) }
        append(try cell(key, column), key)
    }

    @inline(__always)
    private func append(_ cell: SortCell, _ key: ObjectKey) {
        let item = KeyedWord(word: cell.primary, key: key)
        if cell.rank == 1 { values.append(item) } else { others[cell.rank, default: []].append(item) }
    }

    func sorted() throws -> [ObjectKey] {
        others[1] = values
        values = []
        var sorted: [ObjectKey] = []
        sorted.reserveCapacity(others.values.reduce(0) { $0 + $1.count })
        for rank in others.keys.sorted() {
            try others[rank]?.withUnsafeMutableBufferPointer { items in
                KeyedWord.sort(items)
                try refineRuns(items, 0)
                for item in items { sorted.append(item.key) }
            }
        }
        return sorted
    }

    /// Orders the runs of items that have the same word of a column by what the word does not say.
    private func refineRuns(_ items: UnsafeMutableBufferPointer<KeyedWord>, _ column: Int) throws {
        if column == columns.count - 1, columns[column].isExact { return }
        if column >= columns.count { return }
        var start = 0
        while start < items.count {
            let word = items[start].word
            var end = start + 1
            while end < items.count, items[end].word == word { end += 1 }
            if end - start > 1 {
                try refine(UnsafeMutableBufferPointer(rebasing: items[start..<end]), column)
            }
            start = end
        }
    }

    private func refine(_ run: UnsafeMutableBufferPointer<KeyedWord>, _ column: Int) throws {
        guard run.count > Self.comparisonLimit, columns[column].isExact else { return try compare(run, from: column) }
        // The next column's words, by rank.
        let next = columns[column + 1]
        var ranks: [UInt8: [KeyedWord]] = [:]
        var same: [KeyedWord] = []
        same.reserveCapacity(run.count)
        for item in run {
            let cell = try cell(item.key, next)
            let word = KeyedWord(word: cell.primary, key: item.key)
            if cell.rank == 1 { same.append(word) } else { ranks[cell.rank, default: []].append(word) }
        }
        ranks[1] = same
        var place = 0
        for rank in ranks.keys.sorted() {
            try ranks[rank]?.withUnsafeMutableBufferPointer { items in
                KeyedWord.sort(items)
                try refineRuns(items, column + 1)
                for item in items {
                    run[place].key = item.key
                    place += 1
                }
            }
        }
    }

    /// Compares all cells from a column on; few, or of texts and the like that begin alike.
    private func compare(_ run: UnsafeMutableBufferPointer<KeyedWord>, from first: Int) throws {
        let columns = columns[first...]
        let width = columns.count
        var cells: [SortCell] = []
        cells.reserveCapacity(run.count * width)
        for item in run {
            for column in columns { cells.append(try cell(item.key, column)) }
        }
        let order = cells.withUnsafeBufferPointer { cells in
            (0..<run.count).sorted { left, right in
                for (index, column) in columns.enumerated() {
                    let order = SortCell.order(
                        cells[left * width + index], cells[right * width + index], column.shape,
                        ascending: column.ascending)
                    if order != 0 { return order < 0 }
                }
                return left < right
            }
        }
        let keys = order.map { run[$0].key }
        for (place, key) in keys.enumerated() { run[place].key = key }
    }

    @inline(__always)
    private func cell(_ key: ObjectKey, _ column: Column) throws -> SortCell {
        guard let reader = column.reader.column else { return .null(ascending: column.ascending) }
        guard let object = try column.reader.singleObject(key) else { return .nullLink(ascending: column.ascending) }
        guard let (leaf, slot) = try reader.place(object) else { return .null(ascending: column.ascending) }
        return SortCell(leaf, slot, ascending: column.ascending)
    }

    /// Whether the first word of a cell says all that there is to say.
    private static func isExact(_ base: BaseType) -> Bool {
        switch base {
        case .bool, .int, .float, .double: true
        default: false
        }
    }
}
