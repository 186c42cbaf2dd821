import StoredRecords
import LMDBStorage
import Columnar
package import ObjectModel
import QueryLanguage
import StoreContract

// The values of properties: in their leaves, or as overflow values.
extension WriteSession {
    /// Whether the property has a collection in blocks outside the leaf, as written.
    func isLong(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Bool {
        try column.kind.collection != .single && isOverflow(objectClass, key, column)
    }

    /// Whether the property has a collection that is too long for a leaf.
    func isLongCollection(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Bool {
        if column.kind.collection != .single { try closeCollection() }
        return try isLong(objectClass, key, column)
    }

    /// The blocks of a long collection; nil if they take more than `limit` bytes.
    func blocks(
        _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout, limit: Int
    ) throws -> StoredBlocks? {
        let address = OverflowTree.Address(objectClass, key, column)
        return try StoredBlocks(address, column.kind, in: overflow, limit: limit)
    }

    /// The number of elements of a collection. Cost: next to nothing; no leaf is opened for it.
    package func elementCount(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Int {
        let overflowAddress = OverflowTree.Address(objectClass, key, column)
        if let open = openCollection, open.address == overflowAddress { return open.collection.count }
        let (address, slot) = location(objectClass, key)
        let cluster = try cluster(address, objectClass)
        if cluster.isOpen(column.position) {
            return try cluster.overflowSize(column.position, slot)
                ?? cluster.elements(column.position, slot) { try openLeaf(address, column) }.count
        }
        guard let leaf = try writtenLeaf(address, column)?.checked(slot) else { return 0 }
        return leaf.isOverflow(slot) ? leaf.overflowSize(slot) : leaf.elements(at: slot).count
    }

    /// Removes the entries of the present value from indexes and backlinks, of a long collection block by block.
    func removeReferences(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws {
        guard try isLong(objectClass, key, column) else {
            return try references.remove(objectClass, key, column, try stored(objectClass, key, column))
        }
        let address = OverflowTree.Address(objectClass, key, column)
        for entry in try overflow.directory(address).entries {
            for value in try overflow.block(address, entry, hasKeys: column.kind == .map).values {
                try references.removeElement(objectClass, key, column, value)
            }
        }
    }

    func stored(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Value {
        let (address, slot) = location(objectClass, key)
        let cluster = try cluster(address, objectClass)
        if cluster.isOpen(column.position) {
            if let value = cluster.plainValue(column.position, slot) { return value }
        } else {
            guard let leaf = try writtenLeaf(address, column)?.checked(slot) else { return .null }
            if !leaf.isOverflow(slot) { return leaf.value(at: slot) }
        }
        return try overflow.value(OverflowTree.Address(objectClass, key, column), column.kind)
    }

    /// Whether a value, of a column of bytes, is stored outside the leaf.
    func isOverflow(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws -> Bool {
        let (address, slot) = location(objectClass, key)
        let cluster = try cluster(address, objectClass)
        if cluster.isOpen(column.position) { return cluster.overflowSize(column.position, slot) != nil }
        return try writtenLeaf(address, column)?.checked(slot).isOverflow(slot) ?? false
    }

    /// Replaces a value in the leaf, and its data outside the leaf.
    func store(_ value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) throws {
        let (address, slot) = location(objectClass, key)
        let cluster = try cluster(address, objectClass)
        if column.kind.isBytes, try isOverflow(objectClass, key, column) {
            let overflowAddress = OverflowTree.Address(objectClass, key, column)
            try transaction.deleteAll(trees.overflow, prefix: overflowAddress.prefix.bytes)
        }
        let content = try content(value, objectClass, key, column)
        decoded.state.pointee.byteCount += content.byteCount
        try cluster.set(slot, content, column.position) { try openLeaf(address, column) }
    }

    /// Replaces a value by a long collection that was there before, with its references.
    func store(
        _ blocks: StoredBlocks, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws {
        let overflowAddress = OverflowTree.Address(objectClass, key, column)
        if try isOverflow(objectClass, key, column) {
            try transaction.deleteAll(trees.overflow, prefix: overflowAddress.prefix.bytes)
        }
        try blocks.restore(at: overflowAddress, in: overflow)
        let (address, slot) = location(objectClass, key)
        try cluster(address, objectClass).set(slot, .overflow(blocks.count), column.position) {
            try openLeaf(address, column)
        }
        guard column.hasReferences else { return }
        try blocks.forEachElement { try references.addElement(objectClass, key, column, $0) }
    }

    /// The content of the leaf for a value; writes a value that is too long outside.
    func content(
        _ value: Value, _ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout
    ) throws -> LeafContent {
        guard column.kind.isBytes, !value.isNull else { return .value(value) }
        func address() -> OverflowTree.Address {
            OverflowTree.Address(objectClass, key, column)
        }
        func outside(_ bytes: [UInt8]) throws -> LeafContent {
            try transaction.put(trees.overflow, address().block(0), bytes)
            return .overflow(bytes.count)
        }
        switch (value, column.kind) {
        case (.string(let text), .string):
            return text.utf8.count <= OverflowTree.limit ? .value(value) : try outside(Array(text.utf8))
        case (.data(let bytes), .data):
            return bytes.count <= OverflowTree.limit ? .value(value) : try outside(bytes)
        case (_, .mixed):
            let bytes = ValueRecord.encode(value)
            return bytes.count <= OverflowTree.limit ? .bytes(bytes) : try outside(bytes)
        default:
            switch try MutableStoredCollection.store(ElementBlock(value), address(), overflow) {
            case .inline(let bytes): return .bytes(bytes)
            case .blocks(let count): return .overflow(count)
            }
        }
    }
}

extension OverflowTree.Address {
    /// Where a value of a property is if it is too long for its leaf.
    init(_ objectClass: MutableClass, _ key: ObjectKey, _ column: ColumnLayout) {
        self.init(classID: objectClass.schema.id, property: column.id, key: key)
    }
}
