import ObjectModel
import QueryOperators
import RealmInstances
import StoreContract
import Synchronization

/// Whether a frozen object has its location.
enum FrozenState {
    static let unknown: UInt8 = 0
    /// A thread is writing it.
    static let beingLocated: UInt8 = 1
    static let located: UInt8 = 2
}

/// The location that the next of many objects has if it is in the same cluster as the one before, which is so for most.
struct NeighbouringRows {
    /// The count of the read epoch for which the rest is valid; 0 for none.
    private var count: UInt = 0
    private var firstKey: Int64 = 0
    private var rowCount: Int64 = 0
    private unowned(unsafe) var cells: (any RowAccessor)?
    private var rows: RowsInPlace?

    /// Gives the object, which exists at the realm's version and has become managed just now, its location. Does nothing
    /// in a write, elsewhere than on the realm's thread, queue or actor, and for frozen objects.
    @inline(__always)
    mutating func locate(_ object: ObjectBase, in realm: RLMRealm, _ boundClass: BoundClass) {
        guard let epoch = object._readEpoch, epoch.pointee.count == count,
            object._objectKey.rawValue >= firstKey, object._objectKey.rawValue - firstKey < rowCount
        else { return find(object._objectKey, in: realm, boundClass) }
        object._rowCells = cells
        object._rowsInPlace = rows
        object._row = Int(object._objectKey.rawValue - firstKey)
        object._locationCount = count
    }

    /// Finds the location for the objects after this one, which looks its own up when it is read.
    private mutating func find(_ key: ObjectKey, in realm: RLMRealm, _ boundClass: BoundClass) {
        guard realm.keepsCells, realm.transaction == nil, realm.isConfinedHere,
            let cells = try? boundClass.cells.cells(around: key, in: realm), cells.isCurrent
        else {
            count = 0
            return
        }
        firstKey = cells.firstKey
        rowCount = Int64(cells.rowCount)
        self.cells = cells
        rows = boundClass.cells.lastRows
        count = realm.reads.count
    }
}

extension ObjectBase {
    /// Resets the location of an object that has become managed; the first access determines it.
    final func resetLocation(in realm: RLMRealm) {
        _locationCount = 0
        _rowsInPlace = nil
        _rowCells = nil
        _row = 0
        _frozenColumns = nil
        forgetText()
        _readEpoch = realm.keepsCells ? realm.reads.epoch : nil
    }

    /// Whether the location is valid, and the caller is on the realm's thread, queue or actor.
    @inline(__always)
    private final var isLocated: Bool {
        guard let epoch = _readEpoch, epoch.pointee.count == _locationCount else { return false }
        return isHere(epoch)
    }

    /// Whether the caller is on the realm's thread, queue or actor.
    @inline(__always)
    private final func isHere(_ epoch: UnsafePointer<ReadEpoch>) -> Bool {
        epoch.pointee.isCertainlyHere || _realm?.isConfinedHere == true
    }

    /// The rows in place that the caller may read the column from; nil if the object is not located, within a write, and
    /// for a frozen object's column that nothing has read yet.
    @inline(__always)
    private final func rows(_ slot: Int) -> RowsInPlace? {
        if _readEpoch != nil {
            guard let rows = _rowsInPlace, isLocated else { return nil }
            return rows
        }
        guard _frozenState.load(ordering: .acquiring) == FrozenState.located else { return nil }
        return _frozenColumns?.rows(slot)
    }

    /// Reads an integer directly; nil for null, and where `cell` has to be asked.
    @inline(__always)
    final func integerInPlace(_ slot: Int) -> Int64? { rows(slot)?.integer(_row, slot) }

    /// Reads a double directly; nil for null, and where `cell` has to be asked.
    @inline(__always)
    final func doubleInPlace(_ slot: Int) -> Double? { rows(slot)?.double(_row, slot) }

    /// Reads a string directly; nil for null, and where `cell` has to be asked.
    @inline(__always)
    final func textInPlace(_ slot: Int) -> String? {
        guard let rows = rows(slot) else { return nil }
        if _readEpoch == nil { return rows.text(_row, slot) }
        return recentText(rows, slot)
    }

    private final func recentText(_ rows: RowsInPlace, _ slot: Int) -> String? {
        let isRepeated = _recentlyReadSlot == slot
        if isRepeated, let known = _recentlyReadText { return known }
        guard let text = rows.text(_row, slot) else { return nil }
        if !isRepeated {
            forgetText()
            _recentlyReadSlot = slot
        } else if text.utf8.count <= ObjectBase.longestCachedText {
            _recentlyReadText = text
        }
        return text
    }

    @inline(__always)
    private final func forgetText() {
        // Without a text nothing is to be released.
        if _recentlyReadText != nil { _recentlyReadText = nil }
        _recentlyReadSlot = -1
    }

    private static var longestCachedText: Int { 256 }

    /// Reads a property's stored value directly; a link is read as its key. Returns nil if the object has no location,
    /// because it is deleted or unmanaged, or if the caller is not on the realm's thread.
    final func cell(_ slot: Int) -> Value? {
        if _readEpoch == nil { return frozenCell(slot) }
        if isLocated, let value = valueInPlace(slot) { return value }
        return locateRow() ? _rowCells?.value(_row, slot) : nil
    }

    @inline(__always)
    private final func valueInPlace(_ slot: Int) -> Value? {
        if let rows = _rowsInPlace {
            if let value = rows.value(_row, slot) { return value }
            if rows.hasRead(slot) { return nil }
        }
        return _rowCells?.value(_row, slot)
    }

    /// Reads a value of a frozen object. The first read gives the object its location.
    private final func frozenCell(_ slot: Int) -> Value? {
        if let rows = rows(slot) { return rows.value(_row, slot) }
        guard let _realm, let _class,
            let cells = _realm.frozenRows?.cells(of: _class, around: _objectKey, in: _realm)
        else { return nil }
        let row = Int(_objectKey.rawValue - cells.firstKey)
        guard cells.contains(row) else { return nil }
        let isFirst = _frozenState.compareExchange(
            expected: FrozenState.unknown, desired: FrozenState.beingLocated, ordering: .relaxed
        ).exchanged
        if isFirst {
            _row = row
            _frozenColumns = cells.columns
            _frozenState.store(FrozenState.located, ordering: .releasing)
        }
        return cells.value(row, slot)
    }

    /// Returns the target of a link whose class has a model; nil if the link is null or cannot be read directly.
    final func cellLink(_ slot: Int) -> ObjectBase? {
        guard case .link(let key)? = cell(slot), let _realm, let target = _class?.targets[slot],
            let boundClass = _realm.models[target], let model = boundClass.model, !(self is DynamicObject)
        else { return nil }
        let object = model.type.init()
        object.bind(to: _realm, boundClass, key)
        return object
    }

    /// Assigns a property directly, within a write. Returns false without effect if that is not possible.
    final func assignCell(_ slot: Int, _ value: Value) throws -> Bool {
        try assignCell { try $0.assign(value, $1, slot) }
    }

    /// Assigns a string property directly.
    final func assignCell(_ slot: Int, utf8 text: UnsafeBufferPointer<UInt8>) throws -> Bool {
        try assignCell { try $0.assign(utf8: text, $1, slot) }
    }

    @inline(__always)
    private final func assignCell(_ assign: (_ cells: any RowAccessor, _ row: Int) throws -> Bool) throws -> Bool {
        if isLocated, let cells = _rowCells, try assign(cells, _row) {
            _realm?.noteEdit()
            return true
        }
        guard let _realm, _realm.transaction != nil, locateRow(), let cells = _rowCells,
            try assign(cells, _row)
        else { return false }
        _realm.noteEdit()
        return true
    }

    /// Determines the object's location. Returns false if it has none, or if the present one is valid.
    private final func locateRow() -> Bool {
        guard let epoch = _readEpoch, isHere(epoch), let _realm, let _class, _realm.isCurrent(_lifetime),
            _locationCount != epoch.pointee.count || _rowCells?.isCurrent != true,
            let cells = try? _class.cells.cells(around: _objectKey, in: _realm)
        else { return false }
        let row = Int(_objectKey.rawValue - cells.firstKey)
        guard cells.contains(row) else { return false }
        forgetText()
        _rowCells = cells
        _rowsInPlace = _class.cells.lastRows
        _row = row
        _locationCount = epoch.pointee.count
        return true
    }
}
