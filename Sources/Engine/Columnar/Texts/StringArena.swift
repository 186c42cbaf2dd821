import Glibc

/// Texts by number, in one run of bytes. A replaced text leaves a gap; the arena is compacted when gaps outgrow the
/// texts.
struct StringArena: Sendable {
    private(set) var bytes: [UInt8] = []
    /// The start of each text, and its length.
    private(set) var ranges: [(start: UInt32, count: UInt32)] = []
    private var gaps = 0

    init() {}

    /// Texts that follow each other in a run of bytes: number n from offset n to offset n + 1. Nil unless they cover all
    /// of it, each once.
    @inline(__always)
    init?(_ area: UnsafeRawBufferPointer, _ count: Int, offset: (Int) -> UInt32) {
        guard offset(0) == 0, Int(offset(count)) == area.count, area.count <= Int(Int32.max) else { return nil }
        // A length is negative where the offsets descend, as none of them has the highest bit. Only the sum of all bits is
        // looked at, in the end: a choice in each step would prevent that several steps are taken at once.
        var bits: UInt32 = 0
        ranges = [(start: UInt32, count: UInt32)](unsafeUninitializedCapacity: count) { ranges, initializedCount in
            for index in 0..<count {
                let start = offset(index)
                let length = offset(index + 1) &- start
                bits |= start | length
                ranges.initializeElement(at: index, to: (start, length))
            }
            initializedCount = count
        }
        guard bits <= UInt32(Int32.max) else { return nil }
        bytes = [UInt8](area)
    }

    var count: Int { ranges.count }

    /// Whether the texts are one after the other in the order of their numbers.
    var isInOrder: Bool {
        var end = 0
        for range in ranges where range.count > 0 {
            if Int(range.start) != end { return false }
            end += Int(range.count)
        }
        return end == bytes.count
    }

    /// The total size of all texts in bytes.
    var textSize: Int { bytes.count - gaps }

    /// The approximate memory, in bytes.
    var byteCount: Int { bytes.count + ranges.count * MemoryLayout<(start: UInt32, count: UInt32)>.stride }

    subscript(index: Int) -> String {
        withText(index) { String(decoding: $0, as: UTF8.self) }
    }

    mutating func reserveCapacity(_ count: Int) { ranges.reserveCapacity(count) }

    /// Whether a text of that many bytes can be added; offsets are 32 bits.
    func fits(_ size: Int) -> Bool { bytes.count + size <= Int(UInt32.max) }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        ranges.append((UInt32(truncatingIfNeeded: bytes.count), UInt32(truncatingIfNeeded: text.count)))
        bytes.append(contentsOf: text)
    }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    mutating func replace(_ index: Int, with text: String) {
        var text = text
        text.withUTF8 { replace(index, with: $0) }
    }

    mutating func replace(_ index: Int, with text: [UInt8]) {
        text.withUnsafeBufferPointer { replace(index, with: $0) }
    }

    /// A text no longer than the one that it replaces is written over it; the rest is a gap.
    mutating func replace(_ index: Int, with text: UnsafeBufferPointer<UInt8>) {
        let old = ranges[index]
        if text.count <= Int(old.count) {
            gaps += Int(old.count) - text.count
            ranges[index].count = UInt32(truncatingIfNeeded: text.count)
            guard let start = text.baseAddress else { return }
            bytes.withUnsafeMutableBufferPointer { bytes in
                guard let base = bytes.baseAddress else { return }
                (base + Int(old.start)).update(from: start, count: text.count)
            }
            return
        }
        gaps += Int(old.count)
        ranges[index] = (UInt32(truncatingIfNeeded: bytes.count), UInt32(truncatingIfNeeded: text.count))
        bytes.append(contentsOf: text)
        if gaps > 4096, gaps > bytes.count / 2 { closeGaps() }
    }

    func withText<R>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        let range = ranges[index]
        return bytes.withUnsafeBufferPointer {
            body(UnsafeBufferPointer(rebasing: $0[Int(range.start)..<Int(range.start) + Int(range.count)]))
        }
    }

    private mutating func closeGaps() {
        var closed: [UInt8] = []
        closed.reserveCapacity(textSize)
        for index in ranges.indices {
            let start = Int(ranges[index].start)
            ranges[index].start = UInt32(truncatingIfNeeded: closed.count)
            closed.append(contentsOf: bytes[start..<start + Int(ranges[index].count)])
        }
        bytes = closed
        gaps = 0
    }
}

/// The distinct texts of an arena, numbered by first appearance, as long as there are at most 256.
struct StringDictionary {
    /// For each text of the arena, the number of its entry.
    private(set) var codes: [UInt8]
    /// For each entry, a text of the arena that equals it.
    private(set) var entries: [Int] = []
    /// The total size of all entries in bytes.
    private(set) var textSize = 0

    /// Nil when there are more than 256 distinct texts. Texts at `nulls` get code 0 and make no entry.
    init?(of arena: StringArena, nulls: [UInt64]) {
        codes = [UInt8](repeating: 0, count: arena.count)
        // Open addressing at a load of at most a quarter; 0 is an empty slot, otherwise entry + 1.
        var table = [UInt16](repeating: 0, count: 1024)
        let overflow = arena.bytes.withUnsafeBytes { bytes -> Bool in
            for index in 0..<arena.count where nulls[index >> 6] >> UInt64(index & 63) & 1 == 0 {
                let range = arena.ranges[index]
                let text = UnsafeRawBufferPointer(
                    rebasing: bytes[Int(range.start)..<Int(range.start) + Int(range.count)])
                var slot = Self.hash(text) & 1023
                while true {
                    let found = Int(table[slot])
                    if found == 0 {
                        if entries.count == 256 { return true }
                        codes[index] = UInt8(entries.count)
                        entries.append(index)
                        table[slot] = UInt16(entries.count)
                        textSize += text.count
                        break
                    }
                    let other = arena.ranges[entries[found - 1]]
                    if Int(other.count) == text.count, let start = bytes.baseAddress, let this = text.baseAddress,
                        memcmp(start + Int(other.start), this, text.count) == 0
                    {
                        codes[index] = UInt8(found - 1)
                        break
                    }
                    if other.count == 0, text.isEmpty {
                        codes[index] = UInt8(found - 1)
                        break
                    }
                    slot = (slot + 1) & 1023
                }
            }
            return false
        }
        if overflow { return nil }
    }

    private static func hash(_ text: UnsafeRawBufferPointer) -> Int {
        var state = UInt64(truncatingIfNeeded: text.count) &* 0x9E37_79B9_7F4A_7C15
        var offset = 0
        while offset + 8 <= text.count {
            state = (state ^ text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
            offset += 8
        }
        while offset < text.count {
            state = (state ^ UInt64(text[offset])) &* 0x9E37_79B9_7F4A_7C15
            offset += 1
        }
        return Int(truncatingIfNeeded: state >> 40)
    }
}
