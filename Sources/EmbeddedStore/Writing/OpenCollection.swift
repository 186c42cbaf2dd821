import Columnar
import ObjectModel

/// A list, set or map that a write transaction edits: its block of elements is decoded once and written once,
/// however many edits go to it.
///
/// A small collection is one block that lies in the leaf. One whose block outgrows `inlineBytes` moves out of
/// the leaf into blocks of up to `blockBytes`, found through a directory: an edit then costs one block,
/// whatever the length. A full block with LMDB's header fills one page; the directory takes some four bytes per
/// block, so editing a list of a million small integers writes one page of block and one or two of directory.
final class OpenCollection {
    /// What the collection lies in when it is written back.
    enum Content {
        case inline([UInt8])
        /// With the number of elements.
        case blocks(Int)
    }

    /// The longest record that lies in a leaf.
    static let inlineBytes = OutsizedTree.limit
    private static let blockBytes = 4000
    private static let blockElements = 2048

    private let hasKeys: Bool
    private let outsized: OutsizedTree
    private let address: OutsizedTree.Address
    /// Nil as long as the collection is one block.
    private var directory: BlockDirectory?
    private var block: ElementBlock
    /// The place of `block` in the directory.
    private var current = 0
    private var isBlockDirty = false
    private var isDirectoryDirty = false
    private(set) var isDirty = false

    private(set) var count: Int

    /// A collection that lies in the leaf.
    init(_ elements: ElementBlock, _ address: OutsizedTree.Address, _ outsized: OutsizedTree) {
        hasKeys = elements.hasKeys
        block = elements
        count = elements.count
        self.address = address
        self.outsized = outsized
    }

    /// A collection that lies in blocks.
    init(_ address: OutsizedTree.Address, hasKeys: Bool, _ outsized: OutsizedTree) throws {
        self.hasKeys = hasKeys
        self.address = address
        self.outsized = outsized
        let directory = try outsized.directory(address)
        guard let first = directory.entries.first else { throw DamagedRecord() }
        block = try outsized.block(address, first, hasKeys: hasKeys)
        count = directory.count
        self.directory = directory
    }

    /// Writes a whole collection where there is none.
    static func store(
        _ elements: ElementBlock, _ address: OutsizedTree.Address, _ outsized: OutsizedTree
    ) throws -> Content {
        if elements.count <= blockElements {
            let bytes = elements.encode()
            if bytes.count <= inlineBytes { return .inline(bytes) }
        }
        var directory = BlockDirectory()
        for range in elements.runs(of: blockElements, bytes: blockBytes) {
            let entry = BlockDirectory.Entry(number: directory.makeNumber(), count: range.count)
            directory.entries.append(entry)
            try outsized.transaction.put(
                outsized.trees.outsized, address.block(entry.number), elements.slice(range).encode())
        }
        try outsized.transaction.put(outsized.trees.outsized, address.block(0), directory.encode())
        return .blocks(elements.count)
    }

    // MARK: Reading

    func value(at position: Int) throws -> Value {
        let offset = try open(position)
        return block.values[offset]
    }

    /// Of a map.
    func key(at position: Int) throws -> String {
        let offset = try open(position)
        return block.keys[offset]
    }

    /// Where the elements are that a test accepts, ascending. Cost: every block.
    func positions(where test: (Value) -> Bool) throws -> [Int] {
        var positions: [Int] = []
        var first = 0
        while first < count {
            _ = try open(first)
            for (offset, value) in block.values.enumerated() where test(value) { positions.append(first + offset) }
            first += block.count
        }
        return positions
    }

    /// Where the element is in a set, or would be, and whether it is there.
    func search(_ element: Value) throws -> (position: Int, found: Bool) {
        try search { Value.order(try self.value(at: $0), element) }
    }

    /// Where the key is in a map, or would be, and whether it is there.
    func search(key: String) throws -> (position: Int, found: Bool) {
        try search { Value.orderBytes(try self.key(at: $0), key) }
    }

    private func search(_ order: (Int) throws -> Int) rethrows -> (position: Int, found: Bool) {
        let position = try (0..<count).partitioningIndex { try order($0) >= 0 }
        return (position, try position < count && order(position) == 0)
    }

    // MARK: Editing

    func insert(_ value: Value, key: String? = nil, at position: Int) throws {
        let offset = try open(position)
        block.insert(value, key: key, at: offset)
        changed(by: 1)
        try cutIfLarge()
    }

    func replace(_ value: Value, at position: Int) throws {
        let offset = try open(position)
        block.replace(value, at: offset)
        changed(by: 0)
        try cutIfLarge()
    }

    func remove(at position: Int) throws {
        let offset = try open(position)
        block.remove(at: offset)
        changed(by: -1)
        try joinIfEmpty()
    }

    private func changed(by difference: Int) {
        count += difference
        isDirty = true
        isBlockDirty = true
        guard difference != 0, directory != nil else { return }
        directory?.entries[current].count += difference
        isDirectoryDirty = true
    }

    // MARK: Blocks

    /// Makes the block with that element the current one; gives the element's place in it.
    private func open(_ position: Int) throws -> Int {
        guard let directory else { return position }
        let (entry, offset) = directory.place(of: position)
        if entry != current {
            try writeBlock()
            block = try outsized.block(address, directory.entries[entry], hasKeys: hasKeys)
            current = entry
        }
        return offset
    }

    /// Cuts the current block in two where it has become too large, and a collection that outgrew the leaf out of it.
    private func cutIfLarge() throws {
        let limit = directory == nil ? Self.inlineBytes : Self.blockBytes
        guard block.count > Self.blockElements || block.sizeEstimate > limit else { return }
        if directory == nil {
            var made = BlockDirectory()
            let number = made.makeNumber()
            made.entries = [BlockDirectory.Entry(number: number, count: block.count)]
            directory = made
            current = 0
            isDirectoryDirty = true
            isBlockDirty = true
        }
        while block.count > 1, block.count > Self.blockElements || block.sizeEstimate > Self.blockBytes {
            // What is put at the end is mostly followed by more: leave the block before it nearly full.
            let isLast = current == (directory?.entries.count ?? 0) - 1
            let rest = block.split(at: max(1, isLast ? block.count * 15 / 16 : block.count / 2))
            directory?.entries[current].count = block.count
            let number = directory?.makeNumber() ?? 0
            directory?.entries.insert(
                BlockDirectory.Entry(number: number, count: rest.count), at: current + 1)
            isBlockDirty = true
            isDirectoryDirty = true
            try writeBlock()
            block = rest
            current += 1
            isBlockDirty = true
        }
    }

    /// Takes a block without elements out; the last one goes back into the leaf.
    private func joinIfEmpty() throws {
        guard block.count == 0, let entries = directory?.entries else { return }
        try outsized.transaction.delete(outsized.trees.outsized, address.block(entries[current].number))
        directory?.entries.remove(at: current)
        isDirectoryDirty = true
        isBlockDirty = false
        if entries.count == 1 {
            try outsized.transaction.delete(outsized.trees.outsized, address.block(0))
            directory = nil
            return
        }
        current = min(current, entries.count - 2)
        guard let next = directory?.entries[current] else { return }
        block = try outsized.block(address, next, hasKeys: hasKeys)
    }

    private func writeBlock() throws {
        guard isBlockDirty, let entry = directory?.entries[current] else { return }
        try outsized.transaction.put(outsized.trees.outsized, address.block(entry.number), block.encode())
        isBlockDirty = false
    }

    /// Writes the blocks that lie outside; gives what the leaf is to hold.
    func writeBack() throws -> Content {
        isDirty = false
        guard let directory else {
            isBlockDirty = false
            return .inline(block.encode())
        }
        try writeBlock()
        if isDirectoryDirty {
            try outsized.transaction.put(outsized.trees.outsized, address.block(0), directory.encode())
            isDirectoryDirty = false
        }
        return .blocks(count)
    }
}
