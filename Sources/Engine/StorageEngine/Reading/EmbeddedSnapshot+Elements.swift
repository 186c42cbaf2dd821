import StoredRecords
package import Columnar
package import ObjectModel
import QueryExecution
import StoreContract

/// Lists, sets and maps by position.
extension EmbeddedSnapshot {
    package func elementCount(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Int {
        let (leaf, slot) = try collection(classID, key, property)
        return leaf.isOverflow(slot) ? leaf.overflowSize(slot) : leaf.elements(at: slot).count
    }

    package func elements(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> [Value] {
        let (leaf, slot) = try collection(classID, key, property)
        guard leaf.isOverflow(slot) else {
            let elements = leaf.elements(at: slot)
            return Array(elements.values[range.clamped(to: 0..<elements.count)])
        }
        return try overflow(OverflowTree.Address(classID: classID, property: property, key: key)) {
            try $0.elements($1, range, hasKeys: leaf.kind == .map).values
        }
    }

    package func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> [(number: UInt32, count: Int)] {
        try overflow(OverflowTree.Address(classID: classID, property: property, key: key)) {
            try $0.directory($1).entries.map { ($0.number, $0.count) }
        }
    }

    package func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> UnsafeRawBufferPointer {
        try overflow(OverflowTree.Address(classID: classID, property: property, key: key)) {
            try $0.blockBytes($1, number)
        }
    }

    /// The whole collection of an object that has a slot.
    package func elements(of classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> ElementBlock {
        let (cluster, slot) = Int(key.rawValue).quotientAndRemainder(dividingBy: clusterCapacity)
        let leaf = try storedLeaf(of: classID, cluster: cluster, property).checked(slot)
        guard leaf.isOverflow(slot) else { return leaf.elements(at: slot) }
        return try overflow(OverflowTree.Address(classID: classID, property: property, key: key)) {
            try $0.elements($1, 0..<Int.max, hasKeys: leaf.kind == .map)
        }
    }

    /// The address of a collection. Throws `notFound`, `unknownProperty`, `notACollection`.
    private func collection(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> (leaf: Leaf, slot: Int) {
        let objectClass = try objectClass(classID)
        guard let declared = objectClass[property], let kind = declared.leafKind else {
            throw StoreError.unknownProperty(property, in: objectClass)
        }
        guard kind.collection != .single else { throw StoreError.notACollection(declared, in: objectClass) }
        guard let (cluster, slot) = location(of: key, in: classID),
            try liveMask(of: classID, cluster: cluster)?.isLive(slot) == true
        else { throw StoreError.notFound(key, in: objectClass) }
        return (try storedLeaf(of: classID, cluster: cluster, property), slot)
    }
}

/// The size of large values that are stored outside their leaves.
extension EmbeddedSnapshot: OverflowSource {
    /// The size at which summing stops: callers need no larger sum.
    private static let sumLimit = 1 << 20

    func overflowSize(
        _ classID: ClassID, _ key: ObjectKey, _ property: PropertyID, _ range: Range<Int>
    ) throws -> Int {
        guard schema[classID]?[property]?.leafKind != nil, let (cluster, slot) = location(of: key, in: classID),
            try liveMask(of: classID, cluster: cluster)?.isLive(slot) == true
        else { return 0 }
        let leaf = try storedLeaf(of: classID, cluster: cluster, property)
        guard leaf.isOverflow(slot) else { return 0 }
        return try overflowBytes(
            OverflowTree.Address(classID: classID, property: property, key: key), leaf, slot, range)
    }

    /// The approximate size of an overflow value in bytes, for a collection that of the blocks that hold the range.
    func overflowBytes(
        _ address: OverflowTree.Address, _ leaf: Leaf, _ slot: Int, _ range: Range<Int> = 0..<Int.max
    ) throws -> Int {
        guard leaf.kind.collection != .single else { return leaf.overflowSize(slot) }
        return try overflow(address) { tree, address in
            var (first, bytes) = (0, 0)
            for entry in try tree.directory(address).entries where bytes < Self.sumLimit {
                defer { first += entry.count }
                guard range.overlaps(first..<first + entry.count) else { continue }
                bytes += try tree.blockBytes(address, entry.number).count
            }
            return bytes
        }
    }
}
