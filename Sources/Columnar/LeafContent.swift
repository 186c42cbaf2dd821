package import ObjectModel

/// What is put into a slot of a leaf.
package enum LeafContent: Sendable {
    case value(Value)
    /// The bytes of a value in a column of bytes, already encoded.
    case bytes([UInt8])
    /// A value that lies elsewhere, with its size; see `LeafHeader`.
    case outsized(Int)
}

extension MutableLeaf {
    /// Adds a slot. Throws `kindMismatch` and `full`, and then changes nothing.
    package mutating func append(_ content: LeafContent) throws(LeafError) {
        switch content {
        case .value(let value): try append(value)
        case .bytes(let bytes):
            try append(.null)
            try set(count - 1, bytes: bytes)
        case .outsized(let size): try append(outsized: size)
        }
    }

    /// Replaces a slot. Throws `noSuchSlot`, `kindMismatch` and `full`, and then changes nothing.
    package mutating func set(_ slot: Int, _ content: LeafContent) throws(LeafError) {
        switch content {
        case .value(let value): try set(slot, value)
        case .bytes(let bytes): try set(slot, bytes: bytes)
        case .outsized(let size): try set(slot, outsized: size)
        }
    }
}
