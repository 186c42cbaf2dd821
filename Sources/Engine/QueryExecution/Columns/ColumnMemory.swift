import Columnar

/// The bytes of a live mask, a leaf or a block that was made in memory.
///
/// Sendable although it holds pointers: the bytes are written before any other thread has the object, nobody changes
/// them afterwards, and they are freed with it.
final class ColumnMemory: @unchecked Sendable {
    private let bytes: UnsafeMutableRawBufferPointer
    private var table: UnsafeMutableBufferPointer<UnsafeRawBufferPointer>?

    init(_ content: [UInt8]) {
        bytes = .allocate(byteCount: content.count, alignment: 8)
        bytes.copyBytes(from: content)
    }

    deinit {
        bytes.deallocate()
        table?.deallocate()
    }

    var content: UnsafeRawBufferPointer { UnsafeRawBufferPointer(bytes) }

    /// The bytes as a leaf. `overflow` returns the bytes of an overflow slot, which must stay valid as long as the
    /// leaf.
    func leaf(_ kind: LeafKind, overflow: (Int) -> UnsafeRawBufferPointer) throws(LeafError) -> Leaf {
        let leaf = try Leaf(validating: content, kind: kind)
        guard leaf.hasOverflow else { return leaf }
        let slots = leaf.overflowSlots
        let table = UnsafeMutableBufferPointer<UnsafeRawBufferPointer>.allocate(capacity: slots.count)
        _ = table.initialize(from: slots.map(overflow))
        self.table = table
        return leaf.resolving(UnsafeBufferPointer(table))
    }
}
