import Columnar
import DecodingProbe
import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// Whatever the bytes, they are rejected or every read stays within them.
@Suite("Damaged leaves")
struct DamageTests {
    @Test("flipped and truncated bytes are rejected or safe to read", arguments: LeafKind.allCases)
    func damaged(kind: LeafKind) throws {
        let seed = TestSeed.of(kind)
        var random = SeededRandom(seed: seed)
        var accepted = 0
        for (_, values) in Samples.columns(of: kind).filter({ $0.1.count <= 200 }).shuffled(using: &random).prefix(30) {
            let bytes = try encode(values, kind)
            for _ in 0..<8 {
                var damaged = bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    // Mostly the header, where sizes are.
                    let range = random.next() % 3 == 0 ? damaged.count : min(32, damaged.count)
                    damaged[Int.random(in: 0..<range, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                if random.next() % 3 == 0 { damaged.removeLast(Int.random(in: 0...damaged.count, using: &random)) }
                if readEverything(damaged, kind) { accepted += 1 }
            }
        }
        // Damage to values alone goes unnoticed, so something was read.
        if TestRun.hasFixedSeeds { #expect(accepted > 0, "seed \(seed)") }
    }

    @Test("random bytes are rejected or safe to read", arguments: LeafKind.allCases)
    func garbage(kind: LeafKind) {
        var random = SeededRandom.ofTest(kind)
        for _ in 0..<1000 {
            var bytes = (0..<Int.random(in: 0...120, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            // Without a plausible start nearly everything would be rejected at once.
            if bytes.count >= 32 {
                bytes[0] = kind.rawValue
                bytes[1] = UInt8.random(in: 0...3, using: &random)
                bytes[2] = [0, 1, 2, 4, 8, 16, 32, 64, 96, 128][Int.random(in: 0..<10, using: &random)]
                bytes[3] = [0, 16, 32][Int.random(in: 0..<3, using: &random)]
                bytes[5] = 0
                bytes[7] = 0
                for index in 25...27 { bytes[index] = 0 }
                bytes[30] = 0
                bytes[31] = 1
            }
            _ = readEverything(bytes, kind)
        }
    }

    @Test("a writer decodes what a reader reads, whatever the offsets of texts", arguments: [LeafKind.string, .data])
    func damagedOffsets(kind: LeafKind) throws {
        let seed = TestSeed.of(kind)
        var random = SeededRandom(seed: seed)
        var unordered = 0
        for (name, values) in Samples.columns(of: kind) where values.count > 1 {
            let bytes = try encode(values, kind)
            for _ in 0..<20 {
                var damaged = bytes
                // After the header, where the offsets are.
                damaged[32 + random.below((bytes.count - 32) / 2)] = UInt8(truncatingIfNeeded: random.next())
                damaged.withUnsafeBytes { bytes in
                    guard let leaf = try? Leaf(validating: bytes, kind: kind) else { return }
                    let decoded = MutableLeaf(decoding: leaf)
                    let read = (0..<leaf.count).map { leaf.value(at: $0) }
                    if read != values { unordered += 1 }
                    #expect((0..<leaf.count).map { decoded.value(at: $0) } == read, "\(name), seed \(seed)")
                }
            }
        }
        if TestRun.hasFixedSeeds { #expect(unordered > 0, "seed \(seed)") }
    }

    @Test("a header that announces more bytes than there are is rejected")
    func truncated() throws {
        let bytes = try encode(Samples.plain(.string), .string)
        for length in 0..<bytes.count {
            #expect(throws: LeafError.truncated, "\(length) bytes") {
                try Array(bytes.prefix(length)).withLeaf(.string) { _ in }
            }
        }
        #expect(throws: LeafError.kindMismatch) { try bytes.withLeaf(.int) { _ in } }
        var newer = bytes
        newer[31] = 2
        #expect(throws: LeafError.unsupportedFormat) { try newer.withLeaf(.string) { _ in } }
    }

    @Test("a header that announces overflow slots where none is marked is written again without them")
    func noOverflowSlot() throws {
        // Three empty texts, without nulls: offsets of 16 bits, then one word that marks none of them as an overflow
        // slot.
        var bytes = [UInt8](repeating: 0, count: 32 + 4 * 2 + 8)
        bytes[0] = LeafKind.string.rawValue
        bytes[1] = 2
        bytes[2] = 16
        bytes[4] = 3
        bytes[28] = 1
        bytes[31] = 1
        let again = try bytes.withLeaf(.string) { leaf in
            #expect(leaf.overflowSlots.isEmpty)
            let changed = MutableLeaf(decoding: leaf)
            return changed.encode()
        }
        try again.withLeaf(.string) { leaf in
            #expect((0..<3).map { leaf.value(at: $0) } == [.string(""), .string(""), .string("")])
            #expect(!leaf.hasOverflow)
        }
        #expect(readEverything(bytes, .string))
    }

    /// Reads everything, from memory of exactly that size. Returns false when the bytes are rejected.
    private func readEverything(_ bytes: [UInt8], _ kind: LeafKind) -> Bool { DecodingProbe.leaf(kind).decode(bytes) }
}

@Suite("Live masks")
struct LiveMaskTests {
    @Test("a live mask knows which slots hold objects", arguments: [0, 1, 63, 64, 65, 1984])
    func roundTrip(count: Int) throws {
        var mask = MutableLiveMask()
        for _ in 0..<count { mask.append() }
        for slot in stride(from: 0, to: count, by: 3) {
            let wasLive = mask.remove(slot)
            #expect(wasLive)
        }
        for slot in [0, count, -1] {
            let wasLive = mask.remove(slot)
            #expect(!wasLive)
        }
        let bytes = [9, 9] + mask.encode()
        try bytes.withUnsafeBytes { raw in
            let read = try LiveMask(validating: UnsafeRawBufferPointer(rebasing: raw[2...]))
            #expect(read.slotCount == count && read.liveCount == count - (count + 2) / 3)
            #expect((-1...count).filter { read.isLive($0) } == (0..<count).filter { $0 % 3 != 0 })
            #expect(MutableLiveMask(decoding: read).encode() == mask.encode())
        }
    }

    @Test("a live mask that is too short or from a newer format is rejected")
    func damaged() {
        var mask = MutableLiveMask()
        for _ in 0..<100 { mask.append() }
        let bytes = mask.encode()
        for length in 0..<bytes.count {
            #expect(throws: LeafError.truncated) {
                try Array(bytes.prefix(length)).withUnsafeBytes { _ = try LiveMask(validating: $0) }
            }
        }
        var newer = bytes
        newer[4] = 2
        #expect(throws: LeafError.unsupportedFormat) { try newer.withUnsafeBytes { _ = try LiveMask(validating: $0) } }
    }
}
