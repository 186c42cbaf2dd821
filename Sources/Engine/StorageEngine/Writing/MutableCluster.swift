import Columnar
import ObjectModel

/// A cluster whose leaves a write transaction has decoded: changed in memory as often as needed, written once.
final class MutableCluster {
    var liveMask: MutableLiveMask { mask.pointee }
    /// In separate memory for the same reason as `leaves`.
    private let mask: UnsafeMutablePointer<MutableLiveMask>
    /// Whether the write transaction had written nothing of the cluster when it was opened: leaves that are not decoded
    /// are then unchanged since the start.
    let isAsAtStart: Bool
    private var isMaskDirty = false
    /// Whether every leaf is decoded.
    private var isOpen = false
    private var isEverythingDirty = false
    /// The leaves by column position; nil where a leaf has not been needed yet. In separate memory, so that one value
    /// is read and assigned without a copy of the leaf.
    let leaves: UnsafeMutableBufferPointer<MutableLeaf?>
    let dirty: UnsafeMutableBufferPointer<Bool>

    init(liveMask: MutableLiveMask, columnCount: Int, isAsAtStart: Bool) {
        self.isAsAtStart = isAsAtStart
        mask = .allocate(capacity: 1)
        mask.initialize(to: liveMask)
        leaves = .allocate(capacity: columnCount)
        leaves.initialize(repeating: nil)
        dirty = .allocate(capacity: columnCount)
        dirty.initialize(repeating: false)
    }

    deinit {
        leaves.deinitialize()
        leaves.deallocate()
        dirty.deallocate()
        mask.deinitialize(count: 1)
        mask.deallocate()
    }

    /// The approximate memory that it takes without the values, in bytes.
    var ownByteCount: Int { 256 + mask.pointee.slotCount / 8 + leaves.count * (MemoryLayout<MutableLeaf?>.stride + 1) }

    var isDirty: Bool { isMaskDirty || dirty.contains(true) }

    func removeSlot(_ slot: Int) {
        mask.pointee.remove(slot)
        isMaskDirty = true
    }

    func restoreSlot(_ slot: Int) {
        mask.pointee.restore(slot)
        isMaskDirty = true
    }

    /// Adds a slot whose values all fit the leaves unchanged, given by column position: the fast path for creating many
    /// objects.
    func append(row: [Value], open: (Int) throws -> MutableLeaf) throws {
        if !isOpen {
            for column in leaves.indices where leaves[column] == nil { leaves[column] = try open(column) }
            isOpen = true
        }
        mask.pointee.append()
        isMaskDirty = true
        for column in leaves.indices { try leaves[column]?.append(row[column]) }
        if !isEverythingDirty {
            for column in dirty.indices { dirty[column] = true }
            isEverythingDirty = true
        }
    }

    func appendSlot() {
        mask.pointee.append()
        isMaskDirty = true
    }

    /// The elements of a collection that does not overflow.
    func elements(_ column: Int, _ slot: Int, open: () throws -> MutableLeaf) throws -> ElementBlock {
        if leaves[column] == nil { leaves[column] = try open() }
        return leaves[column]?.elements(at: slot) ?? ElementBlock(hasKeys: false)
    }

    /// Whether the leaf is decoded.
    func isOpen(_ column: Int) -> Bool { leaves[column] != nil }

    /// See `MutableLeaf.overflowSize`; nil also when the leaf is not decoded.
    func overflowSize(_ column: Int, _ slot: Int) -> Int? { leaves[column]?.overflowSize(slot) }

    /// Decodes the leaf.
    func open(_ column: Int, _ open: () throws -> MutableLeaf) throws {
        if leaves[column] == nil { leaves[column] = try open() }
    }

    func isLive(_ slot: Int) -> Bool { mask.pointee.isLiveInPlace(slot) }

    /// The value of a slot; nil when it overflows, and when the leaf is not decoded.
    func plainValue(_ column: Int, _ slot: Int) -> Value? { leaves[column]?.plainValue(at: slot) ?? nil }

    func append(_ content: LeafContent, _ column: Int, open: () throws -> MutableLeaf) throws {
        if leaves[column] == nil { leaves[column] = try open() }
        try leaves[column]?.append(content)
        dirty[column] = true
    }

    func set(_ slot: Int, _ content: LeafContent, _ column: Int, open: () throws -> MutableLeaf) throws {
        if leaves[column] == nil { leaves[column] = try open() }
        try leaves[column]?.set(slot, content)
        dirty[column] = true
    }

    /// Whether so many objects are deleted that clearing their values from the leaves is worthwhile. True once when
    /// half of the slots are left, and once at none.
    var isWorthClearing: Bool { liveMask.liveCount == 0 || liveMask.liveCount == liveMask.slotCount / 2 }

    /// Marks every leaf to be written.
    func touchAll(open: (Int) throws -> MutableLeaf) throws {
        for column in leaves.indices { try touch(column) { try open(column) } }
    }

    /// Marks a leaf to be written.
    func touch(_ column: Int, open: () throws -> MutableLeaf) throws {
        if leaves[column] == nil { leaves[column] = try open() }
        dirty[column] = true
    }

    /// Passes the changed leaves' bytes to `write` by column position, the live mask's as nil, and marks them clean.
    func writeDirty(_ write: (Int?, [UInt8]) throws -> Void) throws {
        if isMaskDirty {
            try write(nil, liveMask.encode())
            isMaskDirty = false
        }
        for column in leaves.indices where dirty[column] {
            // The values of deleted objects are cleared from a leaf that is written anyway.
            try leaves[column]?.clear(deadIn: liveMask)
            guard let bytes = leaves[column]?.encode() else { continue }
            try write(column, bytes)
            dirty[column] = false
        }
        isEverythingDirty = false
    }
}
