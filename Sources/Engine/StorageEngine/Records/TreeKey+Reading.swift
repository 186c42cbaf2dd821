import Columnar
import ObjectModel

// Keys and values of the trees, as they are read.

extension UnsafeRawBufferPointer {
    /// A big-endian integer at a byte offset; zero where the bytes end before it.
    @inlinable
    package func bigEndian<T: FixedWidthInteger>(at offset: Int, as type: T.Type = T.self) -> T {
        guard offset >= 0, offset + MemoryLayout<T>.size <= count else { return 0 }
        return T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The number of links from a backlink's origin to its target.
    package var linkCount: Int {
        guard !isEmpty else { return 1 }
        var reader = ByteReader(self)
        return (try? reader.integer(Int.self)) ?? 1
    }

    /// The object key in the last eight bytes of an index or backlink key.
    var trailingObjectKey: ObjectKey { ObjectKey(Int64(bitPattern: bigEndian(at: count - 8, as: UInt64.self))) }
}
