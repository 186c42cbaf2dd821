import Glibc

/// Assigns a number to every distinct run of bytes, counting up from 0. It keeps pointers to the bytes: they must stay
/// in place as long as it is used.
package struct ByteNumbering {
    package private(set) var entries: [UnsafeBufferPointer<UInt8>] = []
    private var hashes: [UInt64] = []
    private var table = NumberTable()

    package init() {}

    /// The number of the bytes, and whether it is new.
    @inline(__always)
    package mutating func number(of bytes: UnsafeBufferPointer<UInt8>) -> (number: Int, isNew: Bool) {
        let hash = Self.hash(bytes)
        let known = table.find(Int(truncatingIfNeeded: hash)) {
            hashes[$0] == hash && Self.areEqual(entries[$0], bytes)
        }
        if let known { return (known, false) }
        entries.append(bytes)
        hashes.append(hash)
        table.add { Int(truncatingIfNeeded: hashes[$0]) }
        return (entries.count - 1, true)
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

/// Assigns a number to every distinct pair of words, counting up from 0.
package struct WordNumbering {
    private var cells: [(UInt64, UInt64)] = []
    private var table = NumberTable()

    package init() {}

    package var count: Int { cells.count }

    /// The number of the pair, and whether it is new.
    @inline(__always)
    package mutating func number(of first: UInt64, _ second: UInt64 = 0) -> (number: Int, isNew: Bool) {
        if let known = table.find(Self.hash(first, second), { cells[$0] == (first, second) }) { return (known, false) }
        cells.append((first, second))
        table.add { Self.hash(cells[$0].0, cells[$0].1) }
        return (cells.count - 1, true)
    }

    @inline(__always)
    private static func hash(_ first: UInt64, _ second: UInt64) -> Int {
        var hash = (first ^ second &* 0x94D0_49BB_1331_11EB) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 32
        hash &*= 0xBF58_476D_1CE4_E5B9
        return Int(truncatingIfNeeded: hash ^ hash >> 29)
    }
}

/// An open-addressing hash table of numbers counting up from 0, whose entries are stored elsewhere.
struct NumberTable {
    /// -1 for free slots; at most half full.
    private var slots = [Int32](repeating: -1, count: 64)
    private var count = 0

    /// The number of the entry with that hash for which `isIt` holds; nil when there is none.
    @inline(__always)
    func find(_ hash: Int, _ isIt: (Int) -> Bool) -> Int? {
        let limit = slots.count - 1
        var slot = hash & limit
        while slots[slot] >= 0 {
            let number = Int(slots[slot])
            if isIt(number) { return number }
            slot = (slot + 1) & limit
        }
        return nil
    }

    /// Adds the next number. `hash` returns the hash of any number, including the new one.
    @inline(__always)
    mutating func add(hash: (Int) -> Int) {
        count += 1
        if count * 2 <= slots.count {
            put(count - 1, hash(count - 1))
        } else {
            slots = [Int32](repeating: -1, count: slots.count * 2)
            for number in 0..<count { put(number, hash(number)) }
        }
    }

    @inline(__always)
    private mutating func put(_ number: Int, _ hash: Int) {
        let limit = slots.count - 1
        var slot = hash & limit
        while slots[slot] >= 0 { slot = (slot + 1) & limit }
        slots[slot] = Int32(truncatingIfNeeded: number)
    }
}
