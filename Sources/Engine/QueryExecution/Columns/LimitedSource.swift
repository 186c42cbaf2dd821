package import Columnar
package import ObjectModel
package import StoreContract
package import QueryOperators

/// A source that counts the reads against a budget. A snapshot without a budget is read directly, so that limits cost
/// nothing where there are none.
package final class LimitedSource: ColumnSource {
    private let base: any ColumnSource
    private let budget: QueryBudget

    package init(_ base: any ColumnSource, _ budget: QueryBudget) {
        self.base = base
        self.budget = budget
    }

    package var clusterCapacity: Int { base.clusterCapacity }
    package var schema: Schema { base.schema }

    package func willLook(at objects: Int, nanoseconds: Double) throws {
        try budget.spend(scanned: objects, nanoseconds: nanoseconds)
    }

    package func willHandle(_ objects: Int) throws {
        try budget.spend(handled: objects)
    }

    package func willScan(_ objects: Int, nanoseconds: Double) throws {
        try budget.checkScan(of: objects, nanoseconds: nanoseconds)
    }

    package var mayUseOtherThreads: Bool { budget.mayUseOtherThreads && base.mayUseOtherThreads }

    package func objectCount(of classID: ClassID) -> Int { base.objectCount(of: classID) }

    package func clusterCount(of classID: ClassID) -> Int { base.clusterCount(of: classID) }

    package func liveMask(of classID: ClassID, cluster: Int) throws -> LiveMask? {
        try budget.spend(1)
        return try base.liveMask(of: classID, cluster: cluster)
    }

    package func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        try budget.spend(1)
        return try counted(try base.leaf(of: classID, cluster: cluster, property))
    }

    package func forEachLeaf(
        of classID: ClassID, _ property: PropertyID, in clusters: Range<Int>, _ body: (LiveMask, Leaf) throws -> Void
    ) throws {
        // A scan reports the number of objects itself.
        guard budget.countsBytes else { return try base.forEachLeaf(of: classID, property, in: clusters, body) }
        try base.forEachLeaf(of: classID, property, in: clusters) { live, leaf in try body(live, try counted(leaf)) }
    }

    package func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> [(number: UInt32, count: Int)] { try base.overflowBlocks(of: classID, key, property) }

    package func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> UnsafeRawBufferPointer {
        try budget.spend(1)
        let block = try base.overflowBlock(number, of: classID, key, property)
        try budget.spend(bytes: block.count)
        return block
    }

    package func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) throws -> [ObjectKey]? {
        try counted(try base.lookUp(value, in: classID, property))
    }

    package func lookUp(
        _ values: [Value], in classID: ClassID, _ property: PropertyID, limit: Int
    ) throws -> [ObjectKey]? { try counted(try base.lookUp(values, in: classID, property, limit: limit)) }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        let keys = try base.backlinks(to: target, from: origin, property)
        try budget.spend(keys.count + 1)
        return keys
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        try budget.spend(1)
        return try base.key(of: classID, primaryKey: primaryKey)
    }

    package func elements(of classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> ElementBlock {
        if budget.countsBytes, let holder = base as? any OverflowSource {
            try budget.spend(bytes: try holder.overflowSize(classID, key, property, 0..<Int.max))
        }
        let elements = try base.elements(of: classID, key, property)
        try budget.spend(elements.count + 1)
        return elements
    }

    package func lookUp(
        word: String, isPrefix: Bool, in classID: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey]? { try counted(try base.lookUp(word: word, isPrefix: isPrefix, in: classID, property)) }

    private func counted(_ leaf: Leaf) throws -> Leaf {
        if budget.countsBytes { try budget.spend(bytes: leaf.lookedAtBytes) }
        return leaf
    }

    private func counted(_ keys: [ObjectKey]?) throws -> [ObjectKey]? {
        try budget.spend((keys?.count ?? 0) + 1)
        return keys
    }
}

/// A source that knows the size of large values before they are read.
package protocol OverflowSource {
    /// The approximate number of bytes of a value that is stored outside its leaf, for a collection those of a range of
    /// its elements; 0 for a value in the leaf.
    func overflowSize(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> Int
}
