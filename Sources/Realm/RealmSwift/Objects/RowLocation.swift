import ObjectModel
import QueryOperators
import RealmInstances
import StoreContract
import Synchronization

/// The location of a managed object's values, which makes a read take some nanoseconds.
///
/// The pointers here do not retain what they point to. They are valid while `count` equals the count of the realm's
/// read epoch, and are not used otherwise: until the count increases, `RowAccessorCache` retains the accessors and the
/// instance retains its snapshot, and the object retains its realm, which owns the epoch.
///
/// The realm's own thread alone accesses it; for a frozen object, the thread whose number is the object's
/// `_frozenReader`. There is no epoch then, and the pointers are valid as long as the realm: `FrozenRows` retains what
/// they point to.
struct RowLocation {
    /// The count of the read epoch when the location was determined; 0 for never.
    fileprivate var count: UInt = 0
    /// Only while the realm is not writing.
    fileprivate var rows: RowsInPlace?
    fileprivate unowned(unsafe) var cells: (any RowAccessor)?
    fileprivate var row = 0
    /// The realm's read epoch; nil for objects without a location.
    fileprivate var epoch: UnsafePointer<ReadEpoch>?
}

extension ObjectBase {
    /// Prepares the location of an object that has become managed.
    final func makePlace(in realm: RLMRealm) {
        _rowLocation = RowLocation()
        if realm.keepsCells { _rowLocation.epoch = realm.reads.epoch }
    }

    /// Whether the location is valid, and the caller is on the realm's thread, queue or actor.
    @inline(__always)
    private final var isLocated: Bool {
        guard let epoch = _rowLocation.epoch, epoch.pointee.count == _rowLocation.count else { return false }
        return isHere(epoch)
    }

    /// Whether the caller is on the realm's thread, queue or actor.
    @inline(__always)
    private final func isHere(_ epoch: UnsafePointer<ReadEpoch>) -> Bool {
        epoch.pointee.isCertainlyHere || _realm?.isConfinedHere == true
    }

    /// Reads a property's stored value directly; a link is read as its key. Returns nil if the object has no location,
    /// because it is deleted or unmanaged, or if the caller is not on the realm's thread.
    final func cell(_ slot: Int) -> Value? {
        if _rowLocation.epoch == nil { return frozenCell(slot) }
        if isLocated, let value = valueInPlace(slot) { return value }
        return locateRow() ? _rowLocation.cells?.value(_rowLocation.row, slot) : nil
    }

    @inline(__always)
    private final func valueInPlace(_ slot: Int) -> Value? {
        if let rows = _rowLocation.rows {
            if let value = rows.value(_rowLocation.row, slot) { return value }
            if rows.hasRead(slot) { return nil }
        }
        return _rowLocation.cells?.value(_rowLocation.row, slot)
    }

    /// Reads a value of a frozen object. The thread that reads an object first has its location from then on, and other
    /// threads look for theirs each time.
    private final func frozenCell(_ slot: Int) -> Value? {
        let thread = ThreadNumber.current
        if _frozenReader.load(ordering: .relaxed) == thread { return valueInPlace(slot) }
        guard let _realm, let _class, let cache = _realm.frozenRows?.cache(of: _class, on: thread),
            let cells = try? cache.cells(around: _objectKey, in: _realm)
        else { return nil }
        let row = Int(_objectKey.rawValue - cells.firstKey)
        guard cells.contains(row) else { return nil }
        if _frozenReader.compareExchange(expected: 0, desired: thread, ordering: .relaxed).exchanged {
            _rowLocation.cells = cells
            _rowLocation.rows = cache.lastRows
            _rowLocation.row = row
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
        if isLocated, let cells = _rowLocation.cells, try assign(cells, _rowLocation.row) {
            _realm?.noteEdit()
            return true
        }
        guard let _realm, _realm.transaction != nil, locateRow(), let cells = _rowLocation.cells,
            try assign(cells, _rowLocation.row)
        else { return false }
        _realm.noteEdit()
        return true
    }

    /// Determines the object's location. Returns false if it has none, or if the present one is valid.
    private final func locateRow() -> Bool {
        guard let epoch = _rowLocation.epoch, isHere(epoch), let _realm, let _class, _realm.isCurrent(_lifetime),
            _rowLocation.count != epoch.pointee.count || _rowLocation.cells?.isCurrent != true,
            let cells = try? _class.cells.cells(around: _objectKey, in: _realm)
        else { return false }
        let row = Int(_objectKey.rawValue - cells.firstKey)
        guard cells.contains(row) else { return false }
        _rowLocation.cells = cells
        _rowLocation.rows = _class.cells.lastRows
        _rowLocation.row = row
        _rowLocation.count = epoch.pointee.count
        return true
    }
}
