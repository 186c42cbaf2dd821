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
    /// The accessors by number of the cluster.
    private var clusters: [Int64: Known] = [:]
    /// Some of the accessors, at the last digits of the cluster's number: objects in no order are mostly in few clusters.
    private var recent: [Known?] = []
    private var rowCount: Int64 = 0
    /// The accessor that was used last: objects are mostly read in the order of their keys.
    private var last: Known?
    /// The accessor that `existed` used last, at the version before the open write.
    private var start: (any RowAccessor)?
    private var startCount: UInt = 0

    private static let recentCount: Int64 = 64

    private struct Known {
        let cells: any RowAccessor
        /// The rows, if they can be read in place.
        let rows: RowsInPlace?
        let firstKey: Int64
    }

    init(_ classID: ClassID, _ properties: [PropertyID]) {
        self.classID = classID
        self.properties = properties
    }

    /// The last accessor's rows, if they can be read in place.
    var lastRows: RowsInPlace? { last?.rows }

    /// Returns an accessor for the object's row and its neighbours, in the realm's present state; nil if there is none.
    func cells(around key: ObjectKey, in realm: RLMRealm) throws -> (any RowAccessor)? {
        if readCount == realm.reads.count, rowCount > 0 {
            if let last, holds(last, key) { return last.cells }
            let cluster = key.rawValue / rowCount
            let index = Int(cluster & (Self.recentCount - 1))
            if index >= 0, index < recent.count, let known = recent[index], holds(known, key) {
                last = known
                return known.cells
            }
            if let known = clusters[cluster], holds(known, key) {
                use(known, cluster)
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
        // Within a write the cells are not those in the leaves.
        let rows = realm.transaction == nil ? RowsInPlace(found) : nil
        let known = Known(cells: found, rows: rows, firstKey: found.firstKey)
        clusters[cluster] = known
        use(known, cluster)
        return found
    }

    private func use(_ known: Known, _ cluster: Int64) {
        last = known
        if recent.isEmpty { recent = Array(repeating: nil, count: Int(Self.recentCount)) }
        recent[Int(cluster & (Self.recentCount - 1))] = known
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

    private func holds(_ known: Known, _ key: ObjectKey) -> Bool {
        key.rawValue >= known.firstKey && key.rawValue - known.firstKey < rowCount && known.cells.isCurrent
    }

    /// Releases the memory, after the realm's read epoch has increased.
    func drop() {
        clusters = [:]
        recent = []
        start = nil
        last = nil
        readCount = 0
    }

    private func empty(for realm: RLMRealm) {
        clusters.removeAll(keepingCapacity: true)
        recent = []
        last = nil
        readCount = realm.reads.count
    }
}
