import Glibc

/// All values of a leaf at once, for a writer: it decodes a whole leaf when it first changes one of its values.
extension Leaf {
    /// The numbers of a packed leaf: what each slot holds, plus `base`. One loop for each width, because a choice in each
    /// step takes several times as long.
    func unpackAll(adding base: Int64) -> [Int64] {
        switch width {
        case 8: numbers(base) { UInt64(values.load(fromByteOffset: $0, as: UInt8.self)) }
        case 16: numbers(base) { UInt64(values.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self)) }
        case 32: numbers(base) { UInt64(values.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self)) }
        case 64: numbers(base) { values.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
        default: numbers(base) { unpack($0) }
        }
    }

    @inline(__always)
    private func numbers(_ base: Int64, _ packed: (_ slot: Int) -> UInt64) -> [Int64] {
        [Int64](unsafeUninitializedCapacity: count) { numbers, initializedCount in
            for slot in 0..<count {
                numbers.initializeElement(at: slot, to: base &+ Int64(bitPattern: packed(slot)))
            }
            initializedCount = count
        }
    }

    /// The texts or the bytes of all slots: of an overflow slot its size.
    var texts: StringArena {
        if encoding == .text, let arena = dividedArea { return arena }
        var arena = StringArena()
        arena.reserveCapacity(count)
        for slot in 0..<count { arena.append(inlineBytes(at: slot)) }
        return arena
    }

    /// The area and the offsets of the texts in it, copied as a whole; nil for offsets that do not divide the area from
    /// its beginning to its end, as those of a damaged leaf.
    private var dividedArea: StringArena? {
        let bytes = UnsafeRawBufferPointer(start: area, count: areaSize)
        if width == 16 {
            return StringArena(bytes, count) { UInt32(values.loadUnaligned(fromByteOffset: $0 * 2, as: UInt16.self)) }
        }
        return StringArena(bytes, count) { values.loadUnaligned(fromByteOffset: $0 * 4, as: UInt32.self) }
    }

    /// The values of a raw leaf that are in memory as in the leaf.
    func allRaw<T: BitwiseCopyable>(_: T.Type) -> [T] {
        precondition(width == MemoryLayout<T>.size * 8, "values of another size")
        return [T](unsafeUninitializedCapacity: count) { values, initializedCount in
            if let start = values.baseAddress, count > 0 {
                memcpy(start, self.values, count * MemoryLayout<T>.size)
            }
            initializedCount = count
        }
    }
}
