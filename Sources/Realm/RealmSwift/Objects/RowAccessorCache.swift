import Columnar
import LiveQueries
import ObjectModel
import QueryExecution
import StoreContract

/// The cells of one class's objects that are in use in one realm. They are given up only after the realm's count of
/// reads has risen, so that an object that has kept them sees that it must not use them.
final class RowAccessorCache {
    private let classID: ClassID
    private let properties: [PropertyID]
    private var readCount: UInt = 0
    /// By the number of the cluster.
    private var clusters: [Int64: any RowAccessor] = [:]
    private var rowCount: Int64 = 0
    /// What was asked for last: objects are mostly read in the order of their keys.
    private var last: (any RowAccessor)?
    /// Of those, where they lie in leaves.
    private(set) var lastLeaves: UnsafePointer<Leaf>?
    /// Of the version that the open write began with, what `existed` looked at last.
    private var start: (any RowAccessor)?
    private var startCount: UInt = 0

    init(_ classID: ClassID, _ properties: [PropertyID]) {
        self.classID = classID
        self.properties = properties
    }

    /// The cells with the object, as the realm shows it now; nil when there are none.
    func cells(around key: ObjectKey, in realm: RLMRealm) throws -> (any RowAccessor)? {
        if readCount == realm.reads.count {
            if let last, holds(last, key) { return last }
            if rowCount > 0, let known = clusters[key.rawValue / rowCount], holds(known, key) {
                remember(known)
                return known
            }
        }
        // A realm that was invalidated takes up a version with this.
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
            // What was decoded for them was given up meanwhile. Objects may still have them.
            realm.reads.rise()
            empty(for: realm)
        }
        clusters[cluster] = found
        remember(found)
        return found
    }

    /// Whether the object was there when the open write began.
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

    private func remember(_ cells: any RowAccessor) {
        last = cells
        lastLeaves = (cells as? any LeafRowAccessor)?.leaves
    }

    private func holds(_ cells: any RowAccessor, _ key: ObjectKey) -> Bool {
        key.rawValue >= cells.firstKey && key.rawValue - cells.firstKey < rowCount && cells.isCurrent
    }

    /// Gives the memory back, after the realm's count of reads has risen.
    func drop() {
        clusters = [:]
        start = nil
        last = nil
        lastLeaves = nil
        readCount = 0
    }

    private func empty(for realm: RLMRealm) {
        clusters.removeAll(keepingCapacity: true)
        last = nil
        lastLeaves = nil
        readCount = realm.reads.count
    }
}
