package import Columnar
package import ObjectModel
import QuerySyntax
package import QueryLanguage

/// Sorts objects by several keys, and keeps only the first `limit`. Equal ones stay in the order in which they were
/// added one by one, or, added by cluster, in the order of creation.
///
/// With a limit it sorts and cuts whenever it has half as many again, and skips, unread, whole clusters whose minimum
/// and maximum are after the last of the present best. Used by one thread at a time.
package final class Sorter: ObjectSorter {
    /// Selects the objects that one column orders before the last of the best, and those that it does not order after
    /// it.
    private struct Threshold {
        let better: RangeOperator
        let notWorse: RangeOperator
    }

    /// What changes with each object. A value, of which a pass over a cluster takes a copy that nobody shares: each
    /// access to a stored property of the class is checked at run time, which would cost more than the comparison.
    fileprivate struct Rows {
        // By row: the object, its rank among equal ones, and a cell for each column.
        var keys: [ObjectKey] = []
        var arrivals: [Int64] = []
        var cells: [SortCell] = []
        /// The cells of the last of the best, once there are enough: only objects before it are added.
        var worst: [SortCell] = []
        /// Its rank among equal ones.
        var worstArrival: Int64 = 0
    }

    private let source: any ColumnSource
    private let classID: ClassID
    private let columns: [SortColumn]
    /// How the cells of each column compare.
    private let orders: [SortCell.Order]
    private let limit: Int
    /// Frequent cuts keep the thresholds tight, so that few objects are added at all: of n in random order about limit
    /// × ln n. Sorting so few is cheap.
    private let maximumRows: Int
    /// For each column except the last: the objects that it orders before the last of the best, and those with an equal
    /// value.
    private let masks: [(better: SelectionMask, ties: SelectionMask)]

    private var rows = Rows()
    private var arrived: Int64 = 0

    /// Objects up to this position are left out.
    private var start: (cells: [SortCell], key: ObjectKey)?
    /// The bytes of cells that are not in a leaf.
    private var texts: [UnsafeMutableBufferPointer<UInt8>] = []
    /// The conditions for joining the best, for as many leading columns as have one.
    private var thresholds: [Threshold] = []
    /// The condition of the first column for being after the start.
    private var startBound: RangeOperator?

    package init(_ keys: [SortKey], _ classID: ClassID, _ source: any ColumnSource, limit: Int) {
        self.source = source
        self.classID = classID
        self.limit = limit
        maximumRows = limit < Int.max / 2 ? limit + max(limit / 2, 128) : .max
        let capacity = source.clusterCapacity
        masks = keys.dropLast().map { _ in
            (SelectionMask(capacity: capacity), SelectionMask(capacity: capacity))
        }
        columns = keys.map { SortColumn($0, classID, source) }
        orders = columns.map(\.order)
    }

    deinit { for text in texts { text.deallocate() } }

    /// Leaves out everything up to and including the cursor, which has values for the first `keyCount` columns.
    package func start(after cursor: Cursor, keyCount: Int) throws {
        var cells: [SortCell] = []
        let exists = try source.hasObject(cursor.key, in: classID)
        for (index, column) in columns.enumerated() {
            var value: Value? = .null
            if index < min(keyCount, cursor.values.count) {
                value = cursor.values[index]
            } else if exists {
                value = try column.reader.single(cursor.key)
            }
            cells.append(cell(value, column))
            if index == 0, let value, !value.isNull, !value.isNaN {
                // Nulls stay; they are compared one by one.
                startBound = bound(column, column.ascending ? .less : .greater, value, inverted: true)
            }
        }
        start = (cells, cursor.key)
    }

    /// Adds the selected objects of a cluster; narrows the mask.
    package func add(_ cluster: ClusterView, _ mask: SelectionMask) throws {
        try startBound?.narrow(mask, in: cluster)
        try keepBetter(mask, cluster)
        if mask.isEmpty { return }
        try source.willHandle(mask.population)
        let leaves = try columns.map { column in try column.property.map { try cluster.leaf($0) } }
        let firstKey = Int64(cluster.firstKey)
        let (orders, start) = (orders, start)
        guard let order = orders.first, let firstLeaf = leaves.first else {
            return try mask.forEach { try add(ObjectKey(firstKey + Int64($0))) }
        }
        var rows = Rows()
        swap(&rows, &self.rows)
        defer { self.rows = rows }
        // Most objects are left out by this cell alone, so the loop looks at nothing with a counted reference before.
        var worst = rows.worst.first
        try mask.forEach { slot in
            let key = ObjectKey(firstKey + Int64(slot))
            let first: SortCell
            if let firstLeaf {
                first = SortCell(firstLeaf, slot, ascending: order.ascending)
            } else {
                first = try cell(key, columns[0])
            }
            if let worst, order.of(first, worst) > 0 { return }
            rows.cells.append(first)
            for index in 1..<orders.count {
                if let leaf = leaves[index] {
                    rows.cells.append(SortCell(leaf, slot, ascending: orders[index].ascending))
                } else {
                    rows.cells.append(try cell(key, columns[index]))
                }
            }
            if rows.finishRow(key, arrival: key.rawValue, orders, start), rows.keys.count > maximumRows {
                prune(&rows)
                worst = rows.worst.first
            }
        }
    }

    package func add(_ key: ObjectKey) throws {
        for column in columns { rows.cells.append(try cell(key, column)) }
        arrived += 1
        if rows.finishRow(key, arrival: arrived, orders, start), rows.keys.count > maximumRows { prune(&rows) }
    }

    package func mayMatter(_ cluster: ClusterView) throws -> Bool {
        if let startBound, try startBound.share(of: cluster) == 0 { return false }
        guard let threshold = thresholds.first else { return true }
        return try threshold.notWorse.share(of: cluster) > 0
    }

    package func prefers(_ cluster: ClusterView, to other: ClusterView) throws -> Bool {
        guard limit < Int.max / 2, let column = columns.first, let property = column.property else { return false }
        func bounds(_ cluster: ClusterView) throws -> [SortCell] {
            let (mask, scratch) = (
                SelectionMask(capacity: cluster.live.slotCount), SelectionMask(capacity: cluster.live.slotCount)
            )
            mask.reset(to: cluster.live)
            guard let (minimum, maximum) = try cluster.leaf(property).bounds(mask, scratch: scratch) else { return [] }
            return [cell(minimum, column), cell(maximum, column)]
        }
        let (these, others) = (try bounds(cluster), try bounds(other))
        guard !these.isEmpty, !others.isEmpty else { return false }
        return these.allSatisfy { this in
            others.allSatisfy { SortCell.order(this, $0, column.shape, ascending: column.ascending) < 0 }
        }
    }

    /// The objects in order, at most `limit`.
    package func sorted() -> [ObjectKey] { order(rows).prefix(limit).map { rows.keys[Int($0.row)] } }

    // MARK: Cells

    private func cell(_ key: ObjectKey, _ column: SortColumn) throws -> SortCell {
        try column.cell(of: key) ?? cell(try column.reader.single(key), column)
    }

    private func cell(_ value: Value?, _ column: SortColumn) -> SortCell {
        guard let value else { return .nullLink(ascending: column.ascending) }
        return SortCell(value, column.shape, ascending: column.ascending) { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(from: bytes)
            texts.append(copy)
            return UnsafeBufferPointer(copy)
        }
    }

    // MARK: Order

    private func order(_ rows: Rows) -> [SortItem] {
        let (width, orders) = (columns.count, orders)
        return rows.cells.withUnsafeBufferPointer { cells in
            rows.arrivals.withUnsafeBufferPointer { arrivals in
                let items = (0..<rows.keys.count).map { row in
                    SortItem(
                        primary: width > 0 ? cells[row * width].primary : 0, row: UInt32(truncatingIfNeeded: row),
                        rank: width > 0 ? cells[row * width].rank : 0)
                }
                return SortItem.sorted(items) { left, right in
                    for index in 0..<width {
                        let order = orders[index].of(cells[left * width + index], cells[right * width + index])
                        if order != 0 { return order < 0 }
                    }
                    return arrivals[left] < arrivals[right]
                }
            }
        }
    }

    private func prune(_ rows: inout Rows) {
        let best = order(rows).prefix(limit)
        let width = columns.count
        var retained = Rows()
        retained.keys.reserveCapacity(rows.keys.count)
        retained.arrivals.reserveCapacity(rows.keys.count)
        retained.cells.reserveCapacity(rows.cells.count)
        for item in best {
            let row = Int(item.row)
            retained.keys.append(rows.keys[row])
            retained.arrivals.append(rows.arrivals[row])
            retained.cells += rows.cells[row * width..<(row + 1) * width]
        }
        if limit > 0, retained.keys.count == limit {
            retained.worst = Array(retained.cells.suffix(width))
            retained.worstArrival = retained.arrivals.last ?? 0
            updateThresholds(retained)
        }
        rows = retained
    }

    // MARK: Thresholds

    /// Further objects must not come after the last of the best. One that is equal in all columns does if it was created
    /// later.
    private func updateThresholds(_ rows: Rows) {
        thresholds = []
        guard let last = rows.keys.last else { return }
        for column in columns {
            // Where nulls and NaN come first, they stay.
            guard let value = try? column.reader.single(last), !value.isNaN,
                let better = bound(column, column.ascending ? .greaterOrEqual : .greater, value),
                let notWorse = bound(column, column.ascending ? .greater : .greaterOrEqual, value)
            else { return }
            thresholds.append(Threshold(better: better, notWorse: notWorse))
        }
    }

    /// For an ascending column the values outside the range, otherwise those in it, unless `inverted` says otherwise;
    /// nil when the column cannot be narrowed.
    private func bound(
        _ column: SortColumn, _ operation: ComparisonOperator, _ value: Value, inverted: Bool? = nil
    ) -> RangeOperator? {
        guard let property = column.property, let range = ColumnRange(operation, value, base: column.base)
        else { return nil }
        return RangeOperator(
            property, range, inverted: inverted ?? column.ascending, capacity: source.clusterCapacity)
    }

    /// Removes the objects after the last of the best, as far as the thresholds of the columns from `level` on decide.
    private func keepBetter(_ mask: SelectionMask, _ cluster: ClusterView, level: Int = 0) throws {
        guard level < thresholds.count else { return }
        let threshold = thresholds[level]
        if level + 1 == columns.count {
            let isLater = Int64(cluster.firstKey) > rows.worstArrival
            return try (isLater ? threshold.better : threshold.notWorse).narrow(mask, in: cluster)
        }
        try threshold.notWorse.narrow(mask, in: cluster)
        if level + 1 == thresholds.count || mask.isEmpty { return }
        let (better, ties) = masks[level]
        better.reset(to: mask)
        try threshold.better.narrow(better, in: cluster)
        ties.reset(to: mask)
        ties.subtract(better)
        if ties.isEmpty { return }
        // The next column decides among equals.
        try keepBetter(ties, cluster, level: level + 1)
        mask.reset(to: better)
        mask.formUnion(ties)
    }
}

extension Sorter.Rows {
    /// The order of the newest row, whose cells come last, relative to others.
    private func orderOfNewest(_ others: [SortCell], _ orders: [SortCell.Order]) -> Int {
        let first = cells.count - orders.count
        for index in orders.indices {
            let order = orders[index].of(cells[first + index], others[index])
            if order != 0 { return order }
        }
        return 0
    }

    /// Keeps or removes the row whose cells come last; returns whether it was kept. Objects up to `start` are left out.
    mutating func finishRow(
        _ key: ObjectKey, arrival: Int64, _ orders: [SortCell.Order], _ start: (cells: [SortCell], key: ObjectKey)?
    ) -> Bool {
        var isOut = false
        if !worst.isEmpty {
            let order = orderOfNewest(worst, orders)
            isOut = order > 0 || (order == 0 && arrival >= worstArrival)
        }
        if !isOut, let start {
            let order = orderOfNewest(start.cells, orders)
            isOut = order < 0 || (order == 0 && key <= start.key)
        }
        if isOut {
            cells.removeLast(orders.count)
            return false
        }
        keys.append(key)
        arrivals.append(arrival)
        return true
    }
}
