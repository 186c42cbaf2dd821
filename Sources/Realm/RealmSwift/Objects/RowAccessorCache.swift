import ObjectModel
import QueryOperators
import RealmInstances
import StoreContract

/// The row accessors of one class that are in use in one realm. They are released only after the realm's read epoch has
/// increased, so that an object that still points to one detects that it is invalid.
final class RowAccessorCache {
    private let classID: ClassID
    private let properties: [PropertyID]
    private var readCount: UInt = 0
    /// The accessors by number of the cluster, each with its rows if they can be read in place.
    private var clusters: [Int64: (cells: any RowAccessor, rows: RowsInPlace?)] = [:]
    private var rowCount: Int64 = 0
    /// The accessor that was used last: objects are mostly read in the order of their keys.
    private var last: (any RowAccessor)?
    /// The last accessor's rows, if they can be read in place.
    private(set) var lastRows: RowsInPlace?
    /// The accessor that `existed` used last, at the version before the open write.
    private var start: (any RowAccessor)?
    private var startCount: UInt = 0

    init(_ classID: ClassID, _ properties: [PropertyID]) {
        self.classID = classID
        self.properties = properties
    }

    /// Returns an accessor for the object's row and its neighbours, in the realm's present state; nil if there is none.
    func cells(around key: ObjectKey, in realm: RLMRealm) throws -> (any RowAccessor)? {
        if readCount == realm.reads.count {
            if let last, holds(last, key) { return last }
            if rowCount > 0, let known = clusters[key.rawValue / rowCount], holds(known.cells, key) {
                last = known.cells
                lastRows = known.rows
                return known.cells
            }
        }
        // Reading the snapshot gives an invalidated realm a version.
        let snapshot = try realm.snapshot
        if readCount != realm.reads.count { empty(for: realm) }
        let stored = try snapshot.cells(of: classID, around: key, properties)
        var found = stored
        if let transaction = realm.transaction {
            found = try transaction.cells(of: classID, around: key, properties, over: stored)
        }
        guard let found else { return nil }
        rowCount = Int64(found.rowCount)
        let cluster = key.rawValue / rowCount
        if clusters[cluster] != nil {
            // The accessor is outdated, and objects may still point to it.
            realm.reads.rise()
            empty(for: realm)
        }
        last = found
        lastRows = RowsInPlace(found)
        clusters[cluster] = (found, lastRows)
        return found
    }

    /// Whether the object existed when the open write began.
    func existed(_ key: ObjectKey, in realm: RLMRealm) throws -> Bool {
        if startCount != realm.reads.count {
            start = nil
            startCount = realm.reads.count
        }
        if let start, key.rawValue >= start.firstKey, key.rawValue - start.firstKey < Int64(start.rowCount) {
            return start.contains(Int(key.rawValue - start.firstKey))
        }
        guard let cells = try realm.snapshot.cells(of: classID, around: key, properties) else { return false }
        start = cells
        return cells.contains(Int(key.rawValue - cells.firstKey))
    }

    private func holds(_ cells: any RowAccessor, _ key: ObjectKey) -> Bool {
        key.rawValue >= cells.firstKey && key.rawValue - cells.firstKey < rowCount && cells.isCurrent
    }

    /// Releases the memory, after the realm's read epoch has increased.
    func drop() {
        clusters = [:]
        start = nil
        last = nil
        lastRows = nil
        readCount = 0
    }

    private func empty(for realm: RLMRealm) {
        clusters.removeAll(keepingCapacity: true)
        last = nil
        lastRows = nil
        readCount = realm.reads.count
    }
}
