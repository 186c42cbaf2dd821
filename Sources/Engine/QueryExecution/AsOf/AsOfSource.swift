package import Columnar
package import ObjectModel
package import StoreContract
import Synchronization
package import QueryOperators

/// The columns of an earlier version, reconstructed from a later version and the difference between the two.
///
/// Leaves without differences are those of the later version. The first access to another leaf decodes and encodes it
/// once, and the source caches it. There are no indexes except those of primary keys.
package final class AsOfSource: ColumnSource {
    private struct Address: Hashable {
        var classID: ClassID
        var property: PropertyID
    }

    private struct ValueAddress: Hashable {
        var column: Address
        var key: ObjectKey
    }

    private struct LeafPosition: Hashable {
        var column: Address
        var cluster: Int
    }

    /// The results so far, each made when it was first needed.
    private struct Made {
        /// Collections whose edits were undone.
        var values: [ValueAddress: Value] = [:]
        var leaves: [LeafPosition: (leaf: Leaf, memory: ColumnMemory)] = [:]
        var masks: [LeafPosition: (mask: LiveMask, memory: ColumnMemory)] = [:]
        var blocks: [ValueAddress: [(count: Int, memory: ColumnMemory)]] = [:]
        /// The objects that linked to an object, among those whose property differs.
        var links: [Address: [ObjectReference: [ObjectKey]]] = [:]
        /// The primary keys of deleted objects.
        var primaryKeys: [ClassID: [Value: ObjectKey]] = [:]
    }

    /// The maximum number of elements of a collection in one block.
    private static let blockElements = 2048

    private let base: any ColumnSource
    let reads: any ObjectReads
    let changes: AsOfChanges
    private let made = Mutex(Made())

    /// `reads` and `base` must have the same, later version.
    package init(_ base: any ColumnSource, _ reads: any ObjectReads, _ changes: AsOfChanges) {
        self.base = base
        self.reads = reads
        self.changes = changes
    }

    // MARK: Single objects

    func exists(_ classID: ClassID, _ key: ObjectKey) throws -> Bool {
        guard let objects = changes.classes[classID] else { return try reads.exists(classID, key) }
        return try key.rawValue < objects.firstNew
            && (objects.deleted.contains(key) || reads.exists(classID, key))
    }

    /// The former value of a property that differs; nil for one that does not.
    func difference(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value? {
        guard let past = changes.classes[classID]?.columns[property]?.values[key] else { return nil }
        if past.edits.isEmpty, let value = past.start { return value }
        let address = ValueAddress(column: Address(classID: classID, property: property), key: key)
        if let known = made.withLock({ $0.values[address] }) { return known }
        guard let kind = kind(classID, property) else { throw LeafError.kindMismatch }
        var elements = AsOfElements(try past.start ?? reads.value(classID, key, property))
        for edit in past.edits { try elements.revert(edit) }
        let value = kind.collection.value(elements.all)
        made.withLock { $0.values[address] = value }
        return value
    }

    /// The value of an object, which must have existed.
    func value(_ classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> Value {
        try difference(classID, key, property) ?? reads.value(classID, key, property)
    }

    private func kind(_ classID: ClassID, _ property: PropertyID) -> LeafKind? {
        schema[classID]?[property].flatMap { LeafKind($0.type) }
    }

    // MARK: Columns

    package var clusterCapacity: Int { base.clusterCapacity }

    package var schema: Schema { base.schema }

    package func objectCount(of classID: ClassID) -> Int {
        max(0, base.objectCount(of: classID) + (changes.classes[classID]?.difference ?? 0))
    }

    package func clusterCount(of classID: ClassID) -> Int {
        let count = base.clusterCount(of: classID)
        guard let firstNew = changes.classes[classID]?.firstNew, firstNew < .max else { return count }
        let (full, rest) = Int(firstNew).quotientAndRemainder(dividingBy: clusterCapacity)
        return min(count, full + (rest > 0 ? 1 : 0))
    }

    package func liveMask(of classID: ClassID, cluster: Int) throws -> LiveMask? {
        let mask = try base.liveMask(of: classID, cluster: cluster)
        guard let objects = changes.classes[classID], let mask else { return mask }
        let first = Int64(cluster) * Int64(clusterCapacity)
        let deleted = objects.deletedSlots[cluster] ?? []
        guard !deleted.isEmpty || first + Int64(mask.slotCount) > objects.firstNew else { return mask }
        let address = LeafPosition(column: Address(classID: classID, property: PropertyID(0)), cluster: cluster)
        if let known = made.withLock({ $0.masks[address]?.mask }) { return known }
        var past = MutableLiveMask(decoding: mask)
        for slot in deleted { past.restore(slot) }
        let firstNew = Int(max(0, min(objects.firstNew - first, Int64(mask.slotCount))))
        for slot in firstNew..<mask.slotCount { past.remove(slot) }
        let memory = ColumnMemory(past.encode())
        let new = try LiveMask(validating: memory.content)
        return made.withLock { made in
            // Another thread may have finished first.
            if let known = made.masks[address]?.mask { return known }
            made.masks[address] = (new, memory)
            return new
        }
    }

    package func leaf(of classID: ClassID, cluster: Int, _ property: PropertyID) throws -> Leaf {
        let leaf = try base.leaf(of: classID, cluster: cluster, property)
        guard let keys = changes.classes[classID]?.columns[property]?.keys[cluster] else { return leaf }
        let address = LeafPosition(column: Address(classID: classID, property: property), cluster: cluster)
        if let known = made.withLock({ $0.leaves[address]?.leaf }) { return known }
        var past = MutableLeaf(decoding: leaf)
        var blocks: Set<Int> = []
        for key in keys {
            let slot = Int(key.rawValue) % clusterCapacity
            let value = try value(classID, key, property)
            if leaf.kind.collection != .single, let count = Self.overflowCount(value) {
                try past.set(slot, overflow: count)
                blocks.insert(slot)
            } else {
                try past.set(slot, value)
            }
        }
        let memory = ColumnMemory(past.encode())
        let new = try memory.leaf(leaf.kind) { slot in
            // Blocks are read one by one.
            blocks.contains(slot)
                ? UnsafeRawBufferPointer(start: nil, count: 0) : UnsafeRawBufferPointer(leaf.utf8(at: slot))
        }
        return made.withLock { made in
            if let known = made.leaves[address]?.leaf { return known }
            made.leaves[address] = (new, memory)
            return new
        }
    }

    // MARK: Collections

    /// The number of elements of a collection that does not fit into one block.
    private static func overflowCount(_ value: Value) -> Int? {
        let count: Int
        switch value {
        case .list(let elements), .set(let elements): count = elements.count
        case .dictionary(let map): count = map.count
        default: return nil
        }
        return count > blockElements ? count : nil
    }

    package func overflowBlocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> [(number: UInt32, count: Int)] {
        guard let blocks = try blocks(of: classID, key, property) else {
            return try base.overflowBlocks(of: classID, key, property)
        }
        return blocks.enumerated().map { (UInt32($0.offset), $0.element.count) }
    }

    package func overflowBlock(
        _ number: UInt32, of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> UnsafeRawBufferPointer {
        guard let blocks = try blocks(of: classID, key, property) else {
            return try base.overflowBlock(number, of: classID, key, property)
        }
        guard number < blocks.count else { throw LeafError.noSuchSlot }
        return blocks[Int(number)].memory.content
    }

    /// The blocks of a collection that differs; nil for one that does not.
    private func blocks(
        of classID: ClassID, _ key: ObjectKey, _ property: PropertyID
    ) throws -> [(count: Int, memory: ColumnMemory)]? {
        guard let value = try difference(classID, key, property) else { return nil }
        let address = ValueAddress(column: Address(classID: classID, property: property), key: key)
        if let known = made.withLock({ $0.blocks[address] }) { return known }
        let all = ElementBlock(value)
        let blocks = all.runs(of: Self.blockElements, bytes: .max).map { run in
            (run.count, ColumnMemory(all.slice(run).encode()))
        }
        return made.withLock { made in
            if let known = made.blocks[address] { return known }
            made.blocks[address] = blocks
            return blocks
        }
    }

    package func elements(of classID: ClassID, _ key: ObjectKey, _ property: PropertyID) throws -> ElementBlock {
        if let value = try difference(classID, key, property) { return ElementBlock(value) }
        return try base.elements(of: classID, key, property)
    }

    // MARK: Looking up

    package func lookUp(_ value: Value, in classID: ClassID, _ property: PropertyID) throws -> [ObjectKey]? {
        guard schema[classID]?.primaryKeyProperty?.id == property else { return nil }
        return try key(of: classID, primaryKey: value).map { [$0] } ?? []
    }

    package func key(of classID: ClassID, primaryKey: Value) throws -> ObjectKey? {
        let now = try base.key(of: classID, primaryKey: primaryKey)
        guard let objects = changes.classes[classID] else { return now }
        if let now, now.rawValue < objects.firstNew { return now }
        if objects.deleted.isEmpty { return nil }
        guard let property = schema[classID]?.primaryKeyProperty else { return nil }
        if let known = made.withLock({ $0.primaryKeys[classID] }) { return known[primaryKey] }
        var keys: [Value: ObjectKey] = [:]
        for key in objects.deleted {
            if let value = try difference(classID, key, property.id) { keys[value] = key }
        }
        made.withLock { $0.primaryKeys[classID] = keys }
        return keys[primaryKey]
    }

    package func backlinks(
        to target: ObjectReference, from origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectKey] {
        var keys = try base.backlinks(to: target, from: origin, property)
        guard let objects = changes.classes[origin] else { return keys }
        let column = objects.columns[property]
        keys.removeAll { $0.rawValue >= objects.firstNew || column?.values[$0] != nil }
        guard let column, let others = try links(column, origin, property)[target] else { return keys }
        // Each key is in only one of the two, so the order of equal keys does not matter.
        return (keys + others).sorted()
    }

    /// The former links of the objects whose property differs.
    private func links(
        _ column: AsOfChanges.Column, _ origin: ClassID, _ property: PropertyID
    ) throws -> [ObjectReference: [ObjectKey]] {
        let address = Address(classID: origin, property: property)
        if let known = made.withLock({ $0.links[address] }) { return known }
        var links: [ObjectReference: [ObjectKey]] = [:]
        let targetClass = schema[origin]?[property]?.targetClass
        for key in column.values.keys {
            try difference(origin, key, property)?.forEachLink(to: targetClass) { links[$0, default: []].append(key) }
        }
        made.withLock { $0.links[address] = links }
        return links
    }
}

extension Value {
    /// Calls `body` with the objects that a value links to, each as often as it does; `targetClass` is the class of
    /// links that do not name theirs.
    fileprivate func forEachLink(to targetClass: ClassID?, _ body: (ObjectReference) -> Void) {
        switch self {
        case .link(let key):
            if let targetClass { body(ObjectReference(targetClass, key)) }
        case .reference(let target): body(target)
        case .list(let elements), .set(let elements):
            for element in elements { element.forEachLink(to: targetClass, body) }
        case .dictionary(let map):
            for entry in map.entries { entry.value.forEachLink(to: targetClass, body) }
        default: break
        }
    }
}
