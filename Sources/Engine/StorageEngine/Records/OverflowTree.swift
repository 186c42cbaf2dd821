import LMDBStorage
import Columnar
import ObjectModel

/// Reads values outside the leaves: long texts, data and mixed values as single records, large collections in blocks.
struct OverflowTree {
    /// The longest text, data or mixed value in a leaf, in bytes: every change of a neighbour would rewrite longer
    /// ones.
    static let limit = 1024

    let transaction: LMDBTransaction
    let trees: Trees

    /// The address of the values of one property of one object.
    struct Address: Hashable {
        var classID: ClassID
        var property: PropertyID
        var key: ObjectKey

        var prefix: TreeKey {
            var prefix = TreeKey.entries(of: classID, property)
            prefix.append(key)
            return prefix
        }

        /// The key of block 0, the whole value or a collection's directory, or of a block of elements.
        func block(_ number: UInt32) -> [UInt8] {
            var key = prefix
            key.append(number)
            return key.bytes
        }
    }

    /// The bytes of a text, data or mixed value, borrowed; empty where there is none, which only damage can cause.
    func bytes(_ address: Address) throws -> UnsafeRawBufferPointer {
        try transaction.get(trees.overflow, address.block(0)) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    }

    func directory(_ address: Address) throws -> BlockDirectory {
        guard let bytes = try transaction.get(trees.overflow, address.block(0)) else { throw DamagedRecord() }
        return try BlockDirectory(decoding: bytes)
    }

    func block(_ address: Address, _ entry: BlockDirectory.Entry, hasKeys: Bool) throws -> ElementBlock {
        let block = try ElementBlock(decoding: try blockBytes(address, entry.number), hasKeys: hasKeys)
        guard block.count == entry.count else { throw DamagedRecord() }
        return block
    }

    /// A block of elements as stored.
    func blockBytes(_ address: Address, _ number: UInt32) throws -> UnsafeRawBufferPointer {
        guard let bytes = try transaction.get(trees.overflow, address.block(number)) else { throw DamagedRecord() }
        return bytes
    }

    /// The whole value of an overflow slot.
    func value(_ address: Address, _ kind: LeafKind) throws -> Value {
        switch kind {
        case .list, .set, .map:
            return kind.collection.value(try elements(address, 0..<Int.max, hasKeys: kind == .map))
        default:
            let bytes = try bytes(address)
            switch kind {
            case .string: return .string(String(decoding: bytes, as: UTF8.self))
            case .data: return .data(Array(bytes))
            default: return try ValueRecord.decode(bytes)
            }
        }
    }

    /// The elements of a large collection in a range of positions. Cost: the blocks that hold them.
    func elements(_ address: Address, _ range: Range<Int>, hasKeys: Bool) throws -> ElementBlock {
        var result = ElementBlock(hasKeys: hasKeys)
        var first = 0
        for entry in try directory(address).entries {
            defer { first += entry.count }
            let wanted = range.clamped(to: first..<first + entry.count)
            guard !wanted.isEmpty else { continue }
            result.append(
                try block(address, entry, hasKeys: hasKeys).slice(wanted.lowerBound - first..<wanted.upperBound - first)
            )
        }
        return result
    }
}
