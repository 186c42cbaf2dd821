import Columnar
import ObjectModel
import QueryLanguage

/// Sorts objects by several keys, stably in the order that they come in, and keeps only the first `limit`.
///
/// With a limit it sorts and cuts whenever half as many again have gathered, and lets whole clusters pass unread whose zone
/// lies behind the last of the present best. Used by one thread at a time.
final class Sorter: ObjectSorter {
    private struct Column {
        let reader: PathReader
        let ascending: Bool
        let shape: SortCell.Shape
        /// The property itself when no link lies before it.
        let property: PropertyID?
        let base: BaseType?
    }

    private let source: any ColumnSource
    private let classID: ClassID
    private let columns: [Column]
    private let limit: Int
    private let scratch: SelectionMask

    // By row: the object, when it came, and a cell for each column.
    private var keys: [ObjectKey] = []
    private var arrivals: [Int] = []
    private var cells: [SortCell] = []
    private var arrived = 0

    /// Objects up to this place are left out.
    private var start: (cells: [SortCell], key: ObjectKey)?
    /// Of cells whose bytes do not lie in a leaf.
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = []
    /// The cells of the last of the best, once there are enough: what is not before it is not taken in.
    private var worst: [SortCell] = []
    /// What the first column must satisfy to get among the best.
    private var threshold: (range: ColumnRange, inverted: Bool)?
    /// What the first column must satisfy to lie behind the start.
    private var startBound: (range: ColumnRange, inverted: Bool)?

    init(_ keys: [SortKey], _ classID: ClassID, _ source: any ColumnSource, limit: Int) {
        self.source = source
        self.classID = classID
        self.limit = limit
        scratch = SelectionMask(capacity: source.clusterCapacity)
        columns = keys.map { key in
            let base = key.path.valueBase
            return Column(
                reader: PathReader(key.path, from: classID, in: source), ascending: key.isAscending,
                shape: SortCell.Shape(base), property: key.path.column, base: base)
        }
    }

    deinit { for text in texts { text.deallocate() } }

    /// Leaves out everything up to and with the cursor, which has values for the first `keyCount` columns.
    func start(after cursor: Cursor, keyCount: Int) throws {
        var cells: [SortCell] = []
        let exists = try QueryExecutor(source).exists(cursor.key, in: classID)
        for (index, column) in columns.enumerated() {
            var value: Value? = .null
            if index < min(keyCount, cursor.values.count) {
                value = cursor.values[index]
            } else if exists {
                value = try column.reader.single(cursor.key)
            }
            cells.append(cell(value, column))
            if index == 0, column.property != nil, let base = column.base, let value, !value.isNull {
                // Nulls stay; they are compared one by one.
                startBound = ColumnRange(column.ascending ? .less : .greater, value, base: base).map { ($0, true) }
                if case .double(let number) = value, number.isNaN { startBound = nil }
                if case .float(let number) = value, number.isNaN { startBound = nil }
            }
        }
        start = (cells, cursor.key)
    }

    /// Adds the selected objects of a cluster; narrows the mask.
    func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        if let startBound { try narrow(mask, startBound, cluster) }
        if let threshold { try narrow(mask, threshold, cluster) }
        if mask.isEmpty { return }
        let leaves = try columns.map { column in try column.property.map { try cluster.leaf($0) } }
        let first = Int64(cluster.firstKey)
        try mask.forEach { slot in
            let key = ObjectKey(first + Int64(slot))
            for index in columns.indices {
                let next: SortCell
                if let leaf = leaves[index] {
                    next = SortCell(leaf, slot, ascending: columns[index].ascending)
                } else {
                    next = try cell(key, columns[index])
                }
                if index == 0, isBehindWorst(next) { return }
                cells.append(next)
            }
            finishRow(key)
        }
        pruneIfLarge()
    }

    func add(_ key: ObjectKey) throws {
        for column in columns { cells.append(try cell(key, column)) }
        finishRow(key)
        pruneIfLarge()
    }

    /// The objects in order, at most `limit`.
    func sorted() -> [ObjectKey] { order().prefix(limit).map { keys[Int($0.row)] } }

    // MARK: Rows

    private func isBehindWorst(_ cell: SortCell) -> Bool {
        guard let worst = worst.first, let column = columns.first else { return false }
        return SortCell.order(cell, worst, column.shape, ascending: column.ascending) > 0
    }

    /// The order of the newest row, whose cells come last, and others.
    private func orderOfNewest(_ others: [SortCell]) -> Int {
        let row = cells.count - columns.count
        for (index, column) in columns.enumerated() {
            let order = SortCell.order(
                cells[row + index], others[index], column.shape, ascending: column.ascending)
            if order != 0 { return order }
        }
        return 0
    }

    private func finishRow(_ key: ObjectKey) {
        arrived += 1
        var isOut = !worst.isEmpty && orderOfNewest(worst) >= 0
        if !isOut, let start {
            let order = orderOfNewest(start.cells)
            isOut = order < 0 || (order == 0 && key <= start.key)
        }
        if isOut {
            cells.removeLast(columns.count)
            return
        }
        keys.append(key)
        arrivals.append(arrived)
    }

    private func cell(_ key: ObjectKey, _ column: Column) throws -> SortCell {
        guard let object = try column.reader.singleObject(key) else { return .nullLink(ascending: column.ascending) }
        guard let reader = column.reader.column else {
            return cell(try column.reader.single(key), column)
        }
        guard let (leaf, slot) = try reader.place(object) else { return .null(ascending: column.ascending) }
        return SortCell(leaf, slot, ascending: column.ascending)
    }

    private func cell(_ value: Value?, _ column: Column) -> SortCell {
        guard let value else { return .nullLink(ascending: column.ascending) }
        return SortCell(value, column.shape, ascending: column.ascending) { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            texts.append(copy)
            return UnsafeBufferPointer(copy)
        }
    }

    // MARK: Order

    private func order() -> [SortItem] {
        let width = columns.count
        let shapes = columns.map { (shape: $0.shape, ascending: $0.ascending) }
        return cells.withUnsafeBufferPointer { cells in
            arrivals.withUnsafeBufferPointer { arrivals in
                let items = (0..<keys.count).map { row in
                    SortItem(
                        primary: width > 0 ? cells[row * width].primary : 0, row: UInt32(truncatingIfNeeded: row),
                        rank: width > 0 ? cells[row * width].rank : 0)
                }
                return SortItem.sorted(items) { left, right in
                    for (index, shape) in shapes.enumerated() {
                        let order = SortCell.order(
                            cells[left * width + index], cells[right * width + index], shape.shape,
                            ascending: shape.ascending)
                        if order != 0 { return order < 0 }
                    }
                    return arrivals[left] < arrivals[right]
                }
            }
        }
    }

    private func pruneIfLarge() {
        // Cutting often keeps the threshold tight, so that few objects are taken in at all: of n in random order about
        // limit × ln n. A sort of so few is cheap.
        guard limit < Int.max / 2, keys.count > limit + max(limit / 2, 128) else { return }
        let best = order().prefix(limit)
        let width = columns.count
        keys = best.map { keys[Int($0.row)] }
        arrivals = best.map { arrivals[Int($0.row)] }
        cells = best.flatMap { item in cells[Int(item.row) * width..<(Int(item.row) + 1) * width] }
        if limit > 0, keys.count == limit {
            worst = Array(cells.suffix(width))
            updateThreshold()
        }
    }

    // MARK: Threshold

    /// Later objects must come before the last of the best; with a single key an equal value is behind it.
    private func updateThreshold() {
        threshold = nil
        guard let last = keys.last, let column = columns.first, column.property != nil, let base = column.base,
            let value = try? column.reader.single(last), !value.isNaN
        else { return }
        let isSingle = columns.count == 1
        if column.ascending {
            // Nulls and NaN come first, and stay.
            threshold = ColumnRange(isSingle ? .greaterOrEqual : .greater, value, base: base).map { ($0, true) }
        } else {
            threshold = ColumnRange(isSingle ? .greater : .greaterOrEqual, value, base: base).map { ($0, false) }
        }
    }

    private func narrow(
        _ mask: SelectionMask, _ bound: (range: ColumnRange, inverted: Bool), _ cluster: ClusterView
    ) throws {
        guard let property = columns.first?.property else { return }
        try cluster.leaf(property).narrow(mask, bound.range, inverted: bound.inverted, scratch: scratch)
    }
}
