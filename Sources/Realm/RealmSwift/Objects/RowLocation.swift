import Columnar
import LiveQueries
import LiveSchedulers
import ObjectModel
import StoreContract

/// Where a managed object's values lie, so that one is read in some nanoseconds.
///
/// Nothing here is held. All of it may be used while the realm's gate has the count that this has, and is not looked at
/// otherwise: `RowAccessorCache` holds the cells until the count has risen, the instance its snapshot, and the object its realm,
/// which has the gate. Frozen objects have no such place, so only one thread ever comes here: the one that the gate lets
/// through.
struct RowLocation {
    /// The gate's when the place was looked up; 0 for never.
    fileprivate var count: UInt = 0
    /// By slot, where the realm is not writing.
    fileprivate var leaves: UnsafePointer<Leaf>?
    fileprivate unowned(unsafe) var cells: (any RowAccessor)?
    fileprivate var row = 0
    /// The realm's; nil for objects that have no place.
    fileprivate var epoch: UnsafePointer<ReadEpoch>?
}

extension ObjectBase {
    /// Lets the object keep its place, once it belongs to a realm.
    final func makePlace(in realm: RLMRealm) {
        _rowLocation = RowLocation()
        if realm.keepsCells { _rowLocation.epoch = realm.reads.epoch }
    }

    /// Whether what is kept may be used, here and now.
    @inline(__always)
    private final var isInPlace: Bool {
        guard let epoch = _rowLocation.epoch, epoch.pointee.count == _rowLocation.count else { return false }
        return isHere(epoch)
    }

    /// Whether the calling code runs where the realm may be used.
    @inline(__always)
    private final func isHere(_ epoch: UnsafePointer<ReadEpoch>) -> Bool {
        if let thread = epoch.pointee.thread, thread == RunLoopScheduler.currentMark { return true }
        return _realm?.isConfinedHere == true
    }

    /// The stored value of a property, read in place; nil when it cannot be had this way, as from frozen, deleted and
    /// unmanaged objects and elsewhere than on the realm's thread. A link is its key.
    final func cell(_ slot: Int) -> Value? {
        if isInPlace {
            if let leaves = _rowLocation.leaves, leaves[slot].count > 0 {
                return leaves.plainValue(slot, at: _rowLocation.row)
            }
            if let value = _rowLocation.cells?.value(_rowLocation.row, slot) { return value }
        }
        return findPlace() ? _rowLocation.cells?.value(_rowLocation.row, slot) : nil
    }

    /// The object that a link leads to, for objects of the link's own model; nil when it leads nowhere, and where it cannot
    /// be had this way.
    final func cellLink(_ slot: Int) -> ObjectBase? {
        guard case .link(let key)? = cell(slot), let _realm, let target = _class?.targets[slot],
            let boundClass = _realm.models[target], let model = boundClass.model, !(self is DynamicObject)
        else { return nil }
        let object = model.type.init()
        object.bind(to: _realm, boundClass, key)
        return object
    }

    /// Assigns a property in place, within a write. False, with nothing done, when that cannot be done this way.
    final func assignCell(_ slot: Int, _ value: Value) throws -> Bool {
        try assignCell { try $0.assign(value, $1, slot) }
    }

    /// The same of a text.
    final func assignCell(_ slot: Int, utf8 text: UnsafeBufferPointer<UInt8>) throws -> Bool {
        try assignCell { try $0.assign(utf8: text, $1, slot) }
    }

    @inline(__always)
    private final func assignCell(_ assign: (_ cells: any RowAccessor, _ row: Int) throws -> Bool) throws -> Bool {
        if isInPlace, let cells = _rowLocation.cells, try assign(cells, _rowLocation.row) {
            _realm?.noteEdit()
            return true
        }
        guard let _realm, _realm.transaction != nil, findPlace(), let cells = _rowLocation.cells,
            try assign(cells, _rowLocation.row)
        else { return false }
        _realm.noteEdit()
        return true
    }

    /// Looks the object's place up. False when it has none, or has it already.
    private final func findPlace() -> Bool {
        guard let epoch = _rowLocation.epoch, isHere(epoch), let _realm, let _class, _realm.isCurrent(_lifetime),
            _rowLocation.count != epoch.pointee.count || _rowLocation.cells?.isCurrent != true,
            let cells = try? _class.cells.cells(around: _objectKey, in: _realm)
        else { return false }
        let row = Int(_objectKey.rawValue - cells.firstKey)
        guard cells.contains(row) else { return false }
        _rowLocation.cells = cells
        _rowLocation.leaves = _class.cells.lastLeaves
        _rowLocation.row = row
        _rowLocation.count = epoch.pointee.count
        return true
    }
}
