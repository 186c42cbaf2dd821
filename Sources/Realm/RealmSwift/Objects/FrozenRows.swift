import ObjectModel
import QueryOperators
import StoreContract
import Synchronization

/// The cells of a frozen realm that its objects are read from, on any thread. They exist as long as the realm.
final class FrozenRows: Sendable {
    private struct Clusters {
        /// The objects of a cluster; the same for all clusters of a file.
        var rowCount: Int64
        var cells: [Int64: FrozenCells]
    }

    private struct State {
        var classes: [ClassID: Clusters] = [:]
        /// What was found last: objects are mostly read in the order of their keys.
        var last: (classID: ClassID, cells: FrozenCells)?

        mutating func cells(of classID: ClassID, around key: ObjectKey) -> FrozenCells? {
            if let last, last.classID == classID, last.cells.covers(key) { return last.cells }
            guard let clusters = classes[classID], let known = clusters.cells[key.rawValue / clusters.rowCount]
            else { return nil }
            last = (classID, known)
            return known
        }

        mutating func insert(_ cells: FrozenCells, of classID: ClassID) {
            let rowCount = Int64(cells.rowCount)
            classes[classID, default: Clusters(rowCount: rowCount, cells: [:])].cells[cells.firstKey / rowCount] = cells
            last = (classID, cells)
        }
    }

    private let state = Mutex(State())

    /// Returns the cells for the object's row and its neighbours; nil if there are none.
    func cells(of boundClass: BoundClass, around key: ObjectKey, in realm: RLMRealm) -> FrozenCells? {
        let classID = boundClass.id
        if let known = state.withLock({ $0.cells(of: classID, around: key) }) { return known }
        guard
            let stored = try? realm.snapshot.cells(of: classID, around: key, boundClass.properties.map(\.id)),
            stored.rowCount > 0
        else { return nil }
        let new = FrozenCells(stored)
        return state.withLock { state in
            // Another thread may have been here.
            if let known = state.cells(of: classID, around: key) { return known }
            state.insert(new, of: classID)
            return new
        }
    }
}

/// A cluster's cells that several threads read.
///
/// Sendable although the cells are not: they look a column up when it is first read, which happens under the lock. Then
/// the column is marked, and a thread that sees the mark reads it in place, where nothing changes any more.
final class FrozenCells: @unchecked Sendable {
    let firstKey: Int64
    let rowCount: Int
    private let cells: any RowAccessor
    private let lock = Mutex(())
    let columns: FrozenColumns

    init(_ cells: any RowAccessor) {
        self.cells = cells
        firstKey = cells.firstKey
        rowCount = cells.rowCount
        columns = FrozenColumns(RowsInPlace(cells))
    }

    deinit { columns.deallocate() }

    func covers(_ key: ObjectKey) -> Bool { key.rawValue >= firstKey && key.rawValue - firstKey < Int64(rowCount) }

    /// Whether the row has an object.
    func contains(_ row: Int) -> Bool { cells.contains(row) }

    func value(_ row: Int, _ column: Int) -> Value? {
        if let rows = columns.rows(column) { return rows.value(row, column) }
        return lock.withLock { _ in
            let value = cells.value(row, column)
            columns.mark(column)
            return value
        }
    }
}

/// The columns of a cluster that can be read in place, of which each is marked when that is so. A reference that does not
/// retain: use it only while the cells exist.
struct FrozenColumns {
    private struct Marks: ~Copyable {
        /// A bit for each of the first 64 columns.
        let bits = Atomic<UInt64>(0)
        let rows: RowsInPlace?
    }

    private let marks: UnsafeMutablePointer<Marks>

    fileprivate init(_ rows: RowsInPlace?) {
        marks = .allocate(capacity: 1)
        marks.initialize(to: Marks(rows: rows))
    }

    fileprivate func deallocate() {
        marks.deinitialize(count: 1)
        marks.deallocate()
    }

    /// The rows in place, if the column is marked.
    @inline(__always)
    func rows(_ column: Int) -> RowsInPlace? {
        guard column < 64, marks.pointee.bits.load(ordering: .acquiring) >> UInt64(column) & 1 != 0 else { return nil }
        return marks.pointee.rows
    }

    /// Marks a column if it can be read in place. Under the lock of the cells.
    fileprivate func mark(_ column: Int) {
        guard column < 64, marks.pointee.rows?.hasRead(column) == true else { return }
        marks.pointee.bits.bitwiseOr(1 << UInt64(column), ordering: .releasing)
    }
}
