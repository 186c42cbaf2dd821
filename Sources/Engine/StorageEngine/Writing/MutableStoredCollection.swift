import LMDBStorage
import Basics
import Columnar
import ObjectModel

/// A list, set or map that a write transaction edits: its block of elements is decoded once and written once, however
/// many edits it gets.
///
/// A small collection is one block in the leaf. One whose block outgrows `inlineBytes` moves out of the leaf into
/// blocks of up to `blockBytes`, found through a directory: an edit then costs one block, whatever the length. A full
/// block with LMDB's header fills one page; the directory takes some four bytes per block, so editing a list of a
/// million small integers writes one page of block and one or two of directory.
final class MutableStoredCollection {
    /// The stored form of the collection when it is written back.
    enum Content {
        case inline([UInt8])
        /// With the number of elements.
        case blocks(Int)
    }

    /// The longest record in a leaf.
    static let inlineBytes = OverflowTree.limit
    private static let blockBytes = 4000
    private static let blockElements = 2048

    private let hasKeys: Bool
    private let overflow: OverflowTree
    private let address: OverflowTree.Address
    /// Nil as long as the collection is one block.
    private var directory: BlockDirectory?
    private var block: ElementBlock
    /// The index of `block` in the directory.
    private var current = 0
    /// The position of its first element, so that edits side by side need no count of all blocks before them.
    private var currentStart = 0
    private var isBlockDirty = false
    private var isDirectoryDirty = false
    private(set) var isDirty = false

    private(set) var count: Int

    /// A collection in the leaf.
    init(_ elements: ElementBlock, _ address: OverflowTree.Address, _ overflow: OverflowTree) {
        hasKeys = elements.hasKeys
        block = elements
        count = elements.count
        self.address = address
        self.overflow = overflow
    }

    /// A collection in blocks.
    init(_ address: OverflowTree.Address, hasKeys: Bool, _ overflow: OverflowTree) throws {
        self.hasKeys = hasKeys
        self.address = address
        self.overflow = overflow
        let directory = try overflow.directory(address)
        guard let first = directory.entries.first else { throw DamagedRecord() }
        block = try overflow.block(address, first, hasKeys: hasKeys)
        count = directory.count
        self.directory = directory
    }

    /// Writes a whole collection where there is none.
    static func store(
        _ elements: ElementBlock, _ address: OverflowTree.Address, _ overflow: OverflowTree
    ) throws -> Content {
        if elements.count <= blockElements {
            let bytes = elements.encode()
            if bytes.count <= inlineBytes { return .inline(bytes) }
        }
        var directory = BlockDirectory()
        for range in elements.runs(of: blockElements, bytes: blockBytes) {
            let entry = BlockDirectory.Entry(number: directory.makeNumber(), count: range.count)
            directory.entries.append(entry)
            try overflow.transaction.put(
                overflow.trees.overflow, address.block(entry.number), elements.slice(range).encode())
        }
        try overflow.transaction.put(overflow.trees.overflow, address.block(0), directory.encode())
        return .blocks(elements.count)
    }

    // MARK: Reading

    func value(at position: Int) throws -> Value {
        let offset = try open(position)
        return block.values[offset]
    }

    /// The elements in a range of positions. Cost: the blocks that hold them.
    func values(in range: Range<Int>) throws -> [Value] {
        let range = range.clamped(to: 0..<count)
        var values: [Value] = []
        values.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            let offset = try open(position)
            let part = block.values[offset...].prefix(range.upperBound - position)
            guard !part.isEmpty else { throw DamagedRecord() }
            values += part
            position += part.count
        }
        return values
    }

    /// The key; for a map.
    func key(at position: Int) throws -> String {
        let offset = try open(position)
        return block.keys[offset]
    }

    /// The positions of the elements that a test accepts, ascending. Cost: every block.
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

    /// The position of the element in a set, or where it would be inserted, and whether it exists.
    func search(_ element: Value) throws -> (position: Int, found: Bool) {
        try search(first: { Value.order(try ElementBlock.first(decoding: $0, hasKeys: false).value, element) }) {
            Value.order($0.values[$1], element)
        }
    }

    /// The position of the key in a map, or where it would be inserted, and whether it exists.
    func search(key: String) throws -> (position: Int, found: Bool) {
        try search(first: { Value.orderBytes(try ElementBlock.first(decoding: $0, hasKeys: true).key, key) }) {
            Value.orderBytes($0.keys[$1], key)
        }
    }

    /// - Parameter order: compares an element of a block, by its index there, with the wanted one.
    private func search(
        first firstOrder: (UnsafeRawBufferPointer) throws -> Int, _ order: (ElementBlock, Int) -> Int
    ) throws -> (position: Int, found: Bool) {
        try openBlock(first: firstOrder, order)
        let offset = (0..<block.count).partitioningIndex { order(block, $0) >= 0 }
        return (currentStart + offset, offset < block.count && order(block, offset) == 0)
    }

    /// Makes the block current that contains the wanted element or its insertion position: the last one whose first
    /// element is not above it. Edits mostly go to the same block as the edit before.
    private func openBlock(
        first firstOrder: (UnsafeRawBufferPointer) throws -> Int, _ order: (ElementBlock, Int) -> Int
    ) throws {
        guard let entries = directory?.entries, entries.count > 1 else { return }
        var candidates = 0..<entries.count
        if block.count > 0 {
            let isBehind = order(block, 0) > 0
            if !isBehind, order(block, block.count - 1) >= 0 { return }
            candidates = isBehind ? 0..<current : current + 1..<entries.count
        }
        let behind = try candidates.partitioningIndex { index in
            try firstOrder(try overflow.blockBytes(address, entries[index].number)) > 0
        }
        let index = max(behind - 1, 0)
        guard index != current else { return }
        let start =
            index > current
            ? currentStart + entries[current..<index].reduce(0) { $0 + $1.count }
            : entries[..<index].reduce(0) { $0 + $1.count }
        try open(entry: index, from: start)
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

    /// Makes the block with that element current; returns the element's index in it.
    private func open(_ position: Int) throws -> Int {
        guard let entries = directory?.entries else { return position }
        // The end of the last block is the position after all elements.
        func holds(_ index: Int, from start: Int) -> Bool {
            position >= start && (position < start + entries[index].count || index == entries.count - 1)
        }
        guard !holds(current, from: currentStart) else { return position - currentStart }
        // From the current block, or from the beginning, whichever is nearer.
        var (index, start) = (current, currentStart)
        if position < currentStart / 2 { (index, start) = (0, 0) }
        while position < start {
            index -= 1
            start -= entries[index].count
        }
        while !holds(index, from: start) {
            start += entries[index].count
            index += 1
        }
        try open(entry: index, from: start)
        return position - start
    }

    private func open(entry index: Int, from start: Int) throws {
        guard index != current, let entry = directory?.entries[index] else { return }
        try writeBlock()
        block = try overflow.block(address, entry, hasKeys: hasKeys)
        current = index
        currentStart = start
    }

    /// Splits the current block when it has become too large; moves a collection that outgrew the leaf into blocks.
    private func cutIfLarge() throws {
        let limit = directory == nil ? Self.inlineBytes : Self.blockBytes
        guard block.count > Self.blockElements || block.sizeEstimate > limit else { return }
        if directory == nil {
            var made = BlockDirectory()
            let number = made.makeNumber()
            made.entries = [BlockDirectory.Entry(number: number, count: block.count)]
            directory = made
            current = 0
            currentStart = 0
            isDirectoryDirty = true
            isBlockDirty = true
        }
        while block.count > 1, block.count > Self.blockElements || block.sizeEstimate > Self.blockBytes {
            // More insertions mostly follow one at the end: leave the block before it nearly full.
            let isLast = current == (directory?.entries.count ?? 0) - 1
            let rest = block.split(at: max(1, isLast ? block.count * 15 / 16 : block.count / 2))
            directory?.entries[current].count = block.count
            let number = directory?.makeNumber() ?? 0
            directory?.entries.insert(
                BlockDirectory.Entry(number: number, count: rest.count), at: current + 1)
            isBlockDirty = true
            isDirectoryDirty = true
            try writeBlock()
            currentStart += block.count
            block = rest
            current += 1
            isBlockDirty = true
        }
    }

    /// Removes a block without elements; the last one goes back into the leaf.
    private func joinIfEmpty() throws {
        guard block.count == 0, let entries = directory?.entries else { return }
        try overflow.transaction.delete(overflow.trees.overflow, address.block(entries[current].number))
        directory?.entries.remove(at: current)
        isDirectoryDirty = true
        isBlockDirty = false
        if entries.count == 1 {
            try overflow.transaction.delete(overflow.trees.overflow, address.block(0))
            directory = nil
            current = 0
            currentStart = 0
            return
        }
        let last = entries.count - 2
        if current > last {
            currentStart -= entries[last].count
            current = last
        }
        guard let next = directory?.entries[current] else { return }
        block = try overflow.block(address, next, hasKeys: hasKeys)
    }

    private func writeBlock() throws {
        guard isBlockDirty, let entry = directory?.entries[current] else { return }
        try overflow.transaction.put(overflow.trees.overflow, address.block(entry.number), block.encode())
        isBlockDirty = false
    }

    /// Writes the blocks outside the leaf; returns the content for the leaf.
    func writeBack() throws -> Content {
        isDirty = false
        guard let directory else {
            isBlockDirty = false
            return .inline(block.encode())
        }
        try writeBlock()
        if isDirectoryDirty {
            try overflow.transaction.put(overflow.trees.overflow, address.block(0), directory.encode())
            isDirectoryDirty = false
        }
        return .blocks(count)
    }
}
