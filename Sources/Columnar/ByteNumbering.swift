import Glibc

/// Gives every distinct run of bytes a number, counting up from 0. It keeps pointers to the bytes: they must stay in
/// place as long as it is used.
package struct ByteNumbering {
    package private(set) var entries: [UnsafeBufferPointer<UInt8>] = []
    private var hashes: [UInt64] = []
    /// Numbers by hash, -1 for free places; at most half full.
    private var table = [Int32](repeating: -1, count: 64)

    package init() {}

    /// The number of the bytes, and whether it is new.
    @inline(__always)
    package mutating func number(of bytes: UnsafeBufferPointer<UInt8>) -> (number: Int, isNew: Bool) {
        let hash = Self.hash(bytes)
        let limit = table.count - 1
        var place = Int(truncatingIfNeeded: hash) & limit
        while table[place] >= 0 {
            let number = Int(table[place])
            if hashes[number] == hash, Self.areEqual(entries[number], bytes) { return (number, false) }
            place = (place + 1) & limit
        }
        table[place] = Int32(truncatingIfNeeded: entries.count)
        entries.append(bytes)
        hashes.append(hash)
        if entries.count * 2 > table.count { grow() }
        return (entries.count - 1, true)
    }

    private mutating func grow() {
        table = [Int32](repeating: -1, count: table.count * 2)
        let limit = table.count - 1
        for (number, hash) in hashes.enumerated() {
            var place = Int(truncatingIfNeeded: hash) & limit
            while table[place] >= 0 { place = (place + 1) & limit }
            table[place] = Int32(truncatingIfNeeded: number)
        }
    }

    @inline(__always)
    private static func areEqual(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Bool {
        guard a.count == b.count else { return false }
        guard let left = a.baseAddress, let right = b.baseAddress else { return true }
        return memcmp(left, right, a.count) == 0
    }

    @inline(__always)
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15
        let raw = UnsafeRawBufferPointer(bytes)
        var offset = 0
        while offset + 8 <= raw.count {
            hash = (hash ^ raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0xBF58_476D_1CE4_E5B9
            hash ^= hash >> 29
            offset += 8
        }
        while offset < raw.count {
            hash = (hash ^ UInt64(raw[offset])) &* 0x94D0_49BB_1331_11EB
            offset += 1
        }
        return hash ^ hash >> 32
    }
}

/// Gives every distinct pair of words a number, counting up from 0.
package struct WordNumbering {
    private var cells: [(UInt64, UInt64)] = []
    private var table = [Int32](repeating: -1, count: 64)

    package init() {}

    package var count: Int { cells.count }

    /// The number of the pair, and whether it is new.
    @inline(__always)
    package mutating func number(of first: UInt64, _ second: UInt64 = 0) -> (number: Int, isNew: Bool) {
        let limit = table.count - 1
        var place = Self.hash(first, second) & limit
        while table[place] >= 0 {
            let number = Int(table[place])
            if cells[number] == (first, second) { return (number, false) }
            place = (place + 1) & limit
        }
        table[place] = Int32(truncatingIfNeeded: cells.count)
        cells.append((first, second))
        if cells.count * 2 > table.count { grow() }
        return (cells.count - 1, true)
    }

    private mutating func grow() {
        table = [Int32](repeating: -1, count: table.count * 2)
        let limit = table.count - 1
        for (number, cell) in cells.enumerated() {
            var place = Self.hash(cell.0, cell.1) & limit
            while table[place] >= 0 { place = (place + 1) & limit }
            table[place] = Int32(truncatingIfNeeded: number)
        }
    }

    @inline(__always)
    private static func hash(_ first: UInt64, _ second: UInt64) -> Int {
        var hash = (first ^ second &* 0x94D0_49BB_1331_11EB) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        hash &*= 0xBF58_476D_1CE4_E5B9
        return Int(truncatingIfNeeded: hash ^ hash >> 29)
    }
}
