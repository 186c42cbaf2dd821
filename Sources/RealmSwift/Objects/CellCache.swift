import LiveQueries
import ObjectModel
import StoreContract

/// The cells of one class's objects that are in use in one realm. They are given up only after the realm's count of
/// reads has risen, so that an object that has kept them sees that it must not use them.
final class CellCache {
    private let classID: ClassID
    private let properties: [PropertyID]
    private var readCount: UInt = 0
    /// By the number of the cluster.
    private var clusters: [Int64: any RowCells] = [:]
    private var rowCount: Int64 = 0
    /// What was asked for last: objects are mostly read in the order of their keys.
    private var last: (any RowCells)?

    init(_ classID: ClassID, _ properties: [PropertyID]) {
        self.classID = classID
        self.properties = properties
    }

    /// The cells with the object, as the realm shows it now; nil when there are none.
    func cells(around key: ObjectKey, in realm: RLMRealm) throws -> (any RowCells)? {
        if readCount == realm.reads.now {
            if let last, holds(last, key) { return last }
            if rowCount > 0, let known = clusters[key.rawValue / rowCount], holds(known, key) {
                last = known
                return known
            }
        }
        // A realm that was invalidated takes up a version with this.
        let snapshot = try realm.snapshot
        if readCount != realm.reads.now { empty(for: realm) }
        let stored = try snapshot.cells(of: classID, around: key, properties)
        var found = stored
        if let transaction = realm.transaction {
            found = try transaction.cells(of: classID, around: key, properties, over: stored)
        }
        guard let found else { return nil }
        rowCount = Int64(found.rowCount)
        let cluster = key.rawValue / rowCount
        if clusters[cluster] != nil {
            // What was decoded for them was given up meanwhile. Objects may still have them.
            realm.reads.rise()
            empty(for: realm)
        }
        clusters[cluster] = found
        last = found
        return found
    }

    private func holds(_ cells: any RowCells, _ key: ObjectKey) -> Bool {
        key.rawValue >= cells.firstKey && key.rawValue - cells.firstKey < rowCount && cells.isCurrent
    }

    /// Gives the memory back, after the realm's count of reads has risen.
    func drop() {
        clusters = [:]
        last = nil
        readCount = 0
    }

    private func empty(for realm: RLMRealm) {
        clusters.removeAll(keepingCapacity: true)
        last = nil
        readCount = realm.reads.now
    }
}

extension ObjectBase {
    /// The stored value of a property, read in place; nil when it cannot be had this way, as from frozen, deleted and
    /// unmanaged objects and elsewhere than on the realm's thread. A link is its key.
    final func cell(_ slot: Int) -> Value? {
        guard let _realm, _readCount == _realm.reads.now, _realm.isConfinedHere, let _cells,
            let value = _cells.value(_row, slot)
        else { return cellAnew(slot) }
        return value
    }

    private final func cellAnew(_ slot: Int) -> Value? { findCells() ? _cells?.value(_row, slot) : nil }

    /// Assigns a property in place, within a write. False, with nothing done, when that cannot be done this way.
    final func assignCell(_ slot: Int, _ value: Value) throws -> Bool {
        guard let _realm, _realm.transaction != nil, _realm.keepsCells else { return false }
        if _readCount != _realm.reads.now || _cells?.isCurrent != true, !findCells() { return false }
        guard _realm.isConfinedHere, let _cells, try _cells.assign(value, _row, slot) else { return false }
        _realm.noteEdit()
        return true
    }

    /// Looks for the object's cells. False when it has none, or has them already and they are current.
    private final func findCells() -> Bool {
        guard let _realm, let _class, _realm.keepsCells, _realm.isConfinedHere, _realm.isCurrent(_lifetime),
            _readCount != _realm.reads.now || _cells?.isCurrent != true,
            let cells = try? _class.cells.cells(around: _key, in: _realm)
        else { return false }
        let row = Int(_key.rawValue - cells.firstKey)
        guard cells.contains(row) else { return false }
        _cells = cells
        _row = row
        _readCount = _realm.reads.now
        return true
    }
}
