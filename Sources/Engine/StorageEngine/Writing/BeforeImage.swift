import LMDBStorage
import Columnar
import ObjectModel

/// A value that a change replaced or deleted, as it is kept until the work ends, for taking the change back. A long
/// collection stays in its stored form: as values, its elements would take up to twenty times as much memory.
enum BeforeImage {
    case value(Value)
    indirect case blocks(StoredBlocks)

    /// The approximate size of what belongs to the value in memory, in bytes.
    var sizeEstimate: Int {
        switch self {
        case .value(let value): value.heapEstimate
        case .blocks(let blocks): blocks.byteCount
        }
    }

    /// The value; nil for a long collection of more than `limit` bytes.
    func value(atMost limit: Int) -> Value? {
        switch self {
        case .value(let value): value
        // What is damaged cannot be decoded, so nobody can undo its replacement.
        case .blocks(let blocks): blocks.byteCount <= limit ? try? blocks.value : nil
        }
    }
}

/// All blocks of a long collection, as they are stored.
struct StoredBlocks {
    let kind: LeafKind
    let count: Int
    let directory: [UInt8]
    let blocks: [(number: UInt32, bytes: [UInt8])]
    /// The approximate size in memory.
    let byteCount: Int

    /// The memory for a block besides its bytes.
    private static let overhead = 80

    /// Copies the blocks of a collection. Nil if they take more than `limit` bytes.
    init?(_ address: OverflowTree.Address, _ kind: LeafKind, in overflow: OverflowTree, limit: Int) throws {
        let directory = try overflow.directory(address)
        var blocks: [(number: UInt32, bytes: [UInt8])] = []
        var size = directory.entries.count * Self.overhead
        for entry in directory.entries {
            let bytes = try overflow.blockBytes(address, entry.number)
            size += bytes.count
            guard size <= limit else { return nil }
            blocks.append((entry.number, Array(bytes)))
        }
        self.kind = kind
        self.blocks = blocks
        count = directory.count
        self.directory = directory.encode()
        byteCount = size + self.directory.count
    }

    /// Writes the blocks where the collection was. Nothing may be there now.
    func restore(at address: OverflowTree.Address, in overflow: OverflowTree) throws {
        for (number, bytes) in blocks {
            try overflow.transaction.put(overflow.trees.overflow, address.block(number), bytes)
        }
        try overflow.transaction.put(overflow.trees.overflow, address.block(0), directory)
    }

    /// Calls the body with each element, block by block.
    func forEachElement(_ body: (Value) throws -> Void) throws {
        for (_, bytes) in blocks {
            let block = try bytes.withUnsafeBytes { bytes throws(DamagedRecord) in
                try ElementBlock(decoding: bytes, hasKeys: kind == .map)
            }
            for value in block.values { try body(value) }
        }
    }

    /// The whole collection.
    fileprivate var value: Value {
        get throws {
            var whole = ElementBlock(hasKeys: kind == .map)
            for (_, bytes) in blocks {
                whole.append(
                    try bytes.withUnsafeBytes { bytes throws(DamagedRecord) in
                        try ElementBlock(decoding: bytes, hasKeys: kind == .map)
                    })
            }
            return kind.collection.value(whole)
        }
    }
}

extension Value {
    /// The approximate size of what belongs to the value in memory besides itself, in bytes.
    var heapEstimate: Int {
        switch self {
        case .string(let text): text.utf8.count > 15 ? 32 + text.utf8.count : 0
        case .data(let bytes): 32 + bytes.count
        case .list(let elements), .set(let elements):
            elements.reduce(32 + elements.count * MemoryLayout<Value>.stride) { $0 + $1.heapEstimate }
        case .dictionary(let map):
            map.entries.reduce(32) {
                $0 + MemoryLayout<ValueMap.Entry>.stride + $1.key.utf8.count + $1.value.heapEstimate
            }
        case .embedded(let values): values.values.reduce(64) { $0 + 64 + $1.heapEstimate }
        default: 0
        }
    }
}
