import LMDBStorage
import ObjectModel

/// The blocks of Int primary keys that a write transaction has touched: decoded once, written once.
final class MutableKeyIndex {
    private struct Address: Hashable {
        var classID: ClassID
        var property: PropertyID
        var block: Int64

        /// Numbers are compared in place, and not by a call for each.
        static func == (a: Address, b: Address) -> Bool {
            a.block == b.block && a.classID.rawValue == b.classID.rawValue
                && a.property.rawValue == b.property.rawValue
        }

        var key: [UInt8] { TreeKey.keyBlock(of: classID, property, block).bytes }
    }

    private final class MutableKeyBlock {
        var block: KeyBlock
        var isDirty = false
        init(_ block: KeyBlock) { self.block = block }
    }

    /// The number of decoded blocks, 2 KB each at most, at which all are written out.
    private static let openLimit = 1024

    private let transaction: LMDBTransaction
    private let trees: Trees
    private var blocks: [Address: MutableKeyBlock] = [:]
    /// Objects that are created one after the other mostly have neighbouring keys.
    private var last: (address: Address, block: MutableKeyBlock)?

    init(_ transaction: LMDBTransaction, _ trees: Trees) {
        self.transaction = transaction
        self.trees = trees
    }

    func find(_ value: Value, _ classID: ClassID, _ property: PropertyID) throws -> ObjectKey? {
        switch value {
        case .int(let number):
            let (block, offset) = KeyBlock.location(of: number)
            return try open(Address(classID: classID, property: property, block: block)).block[offset]
        case .null:
            return try transaction.get(trees.index, TreeKey.nullKey(of: classID, property).bytes)?.trailingObjectKey
        default: return nil
        }
    }

    func insert(_ value: Value, _ key: ObjectKey, _ classID: ClassID, _ property: PropertyID) throws {
        switch value {
        case .int(let number):
            let (block, offset) = KeyBlock.location(of: number)
            let open = try open(Address(classID: classID, property: property, block: block))
            open.block[offset] = key
            open.isDirty = true
        case .null:
            var record = TreeKey(capacity: 8)
            record.append(key)
            try transaction.put(trees.index, TreeKey.nullKey(of: classID, property).bytes, record.bytes)
        default: break
        }
    }

    /// Removes the value's entry, if it belongs to that object.
    func remove(_ value: Value, _ key: ObjectKey, _ classID: ClassID, _ property: PropertyID) throws {
        switch value {
        case .int(let number):
            let (block, offset) = KeyBlock.location(of: number)
            let open = try open(Address(classID: classID, property: property, block: block))
            guard open.block[offset] == key else { return }
            open.block[offset] = nil
            open.isDirty = true
        case .null:
            guard try find(.null, classID, property) == key else { return }
            try transaction.delete(trees.index, TreeKey.nullKey(of: classID, property).bytes)
        default: break
        }
    }

    func flush() throws {
        let dirty = blocks.filter { $0.value.isDirty }.keys.sorted {
            ($0.classID, $0.property, $0.block) < ($1.classID, $1.property, $1.block)
        }
        for address in dirty {
            guard let open = blocks[address] else { continue }
            if let record = open.block.encode(block: address.block) {
                try transaction.put(trees.index, address.key, record)
            } else {
                try transaction.delete(trees.index, address.key)
            }
            open.isDirty = false
        }
        // Callers may delete written entries when a property is removed.
        blocks.removeAll(keepingCapacity: true)
        last = nil
    }

    private func open(_ address: Address) throws -> MutableKeyBlock {
        if let last, last.address == address { return last.block }
        let open: MutableKeyBlock
        if let known = blocks[address] {
            open = known
        } else {
            if blocks.count >= Self.openLimit { try flush() }
            let record = try transaction.get(trees.index, address.key)
            open = MutableKeyBlock(try record.map { try KeyBlock(decoding: $0, block: address.block) } ?? KeyBlock())
            blocks[address] = open
        }
        last = (address, open)
        return open
    }
}
