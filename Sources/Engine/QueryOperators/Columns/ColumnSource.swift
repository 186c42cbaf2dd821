package import Columnar
package import ObjectModel
import StoreContract

/// The source of the executor's columns: a snapshot of a columnar store.
///
/// The objects of a class are in clusters of `clusterCapacity` consecutive keys: key k is slot k mod capacity of
/// cluster k div capacity. A slot whose bit in the live mask is not set holds no object. All results are borrowed and
/// stay valid as long as the source lives; all methods may be called from several threads at once.
package protocol ColumnSource: AnyObject, Sendable {
    /// A multiple of 64.
    var clusterCapacity: Int { get }

    var schema: Schema { get }

    /// Called before a scan examines a number of objects, each in about the given time. Throws to stop the scan.
    func willLook(at objects: Int, nanoseconds: Double) throws

    /// Called before a number of a scan's matches are sorted, grouped or listed individually. Throws to stop the scan.
    func willHandle(_ objects: Int) throws

    /// Called before a scan of a number of objects that cannot stop early. Throws if the scan must not start.
    func willScan(_ objects: Int, nanoseconds: Double) throws

    /// Whether a scan may use other threads than the caller's.
    var mayUseOtherThreads: Bool { get }

    /// The number of objects of a class.
    func objectCount(of classID: ClassID) -> Int

    /// One more than the highest cluster that may hold objects.
    func clusterCount(of classID: ClassID) -> Int

    /// The slots of a cluster that hold objects; nil when the cluster is empty.
    func liveMask(of classID: ClassID, cluster: Int) throws -> LiveMask?

    /// The values of one property in a cluster that has a live mask. It has as many slots as the live mask.
    func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf

    /// Calls `body` with each cluster in the range, ascending, that has a live mask, and the values of one property:
    /// both methods above in one pass.
    func forEachLeaf(
        of classID: ClassID, _ property: PropertyID, in clusters: Range<Int>, _ body: (LiveMask, Leaf) throws -> Void
    ) throws

    /// The blocks of an overflow collection, in the order of its elements: their numbers, and the number of elements of
    /// each.
    func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> [(number: UInt32, count: Int)]

    /// One of those blocks, as `ElementRun` reads it.
    func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> UnsafeRawBufferPointer

    /// The objects whose indexed or primary key property equals `value`, ascending; nil when there is no index.
    func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) throws -> [ObjectKey]?

    /// Looks up several values, in any order; returns nil also when there are more than `limit` entries: the caller
    /// then has a cheaper method. Cost: the entries found, at most `limit` and one.
    func lookUp(_ values: [Value], in classID: ClassID, _ property: PropertyID, limit: Int) throws -> [ObjectKey]?

    /// The objects of `origin` whose links in `property`, which may be of links or mixed, lead to `target`, ascending,
    /// each as often as it does.
    func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]

    /// The object with that primary key; nil when there is none.
    func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey?

    /// The elements of an object's list, set or map, also of one that is too large for its leaf. The object must have a
    /// slot.
    func elements(of classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> ElementBlock

    /// The objects whose full-text indexed property contains a word, or with `isPrefix` one that begins with it,
    /// ascending; nil when there is no such index.
    func lookUp(
        word: String, isPrefix: Bool, in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]?
}

/// The defaults, for sources without limits, overflow values and full-text indexes.
extension ColumnSource {
    package func willLook(at objects: Int, nanoseconds: Double) throws {}

    package func willHandle(_ objects: Int) throws {}

    package func willScan(_ objects: Int, nanoseconds: Double) throws {}

    package var mayUseOtherThreads: Bool { true }

    package func forEachLeaf(
        of classID: ClassID, _ property: PropertyID, in clusters: Range<Int>, _ body: (LiveMask, Leaf) throws -> Void
    ) throws {
        for cluster in clusters {
            guard let live = try liveMask(of: classID, cluster: cluster) else { continue }
            try body(live, try leaf(of: classID, cluster: cluster, property))
        }
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        guard let property = schema[classID]?.primaryKeyProperty else { return nil }
        return try lookUp(primaryKey, in: classID, property.id)?.first
    }

    package func lookUp(
        _ values: [Value], in classID: ClassID, _ property: PropertyID, limit: Int
    ) throws -> [ObjectKey]? {
        var keys: [ObjectKey] = []
        for value in values {
            guard let found = try lookUp(value, in: classID, property), found.count <= limit - keys.count else {
                return nil
            }
            keys += found
        }
        return keys
    }

    package func elements(of classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> ElementBlock {
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: clusterCapacity)
        return try leaf(of: classID, cluster: cluster, property).checked(slot).elements(at: slot)
    }

    package func lookUp(
        word: String, isPrefix: Bool, in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]? { nil }
}

extension ColumnSource {
    /// Whether the object exists.
    package func hasObject(_ key: ObjectKey, in classID: ClassID) throws -> Bool {
        guard key.rawValue >= 0 else { return false }
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: clusterCapacity)
        guard cluster < clusterCount(of: classID) else { return false }
        return try liveMask(of: classID, cluster: cluster)?.isLive(slot) ?? false
    }
}
