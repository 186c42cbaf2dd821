import TestBasics
import Testing

@testable import RealmFiles

/// Damage of all kinds: each file gives an answer or a fault, and nothing else.
@Suite("Damaged files")
struct DamagedFileTests {
    private func read(_ bytes: [UInt8]) {
        do {
            let file = try RealmFile(bytes: bytes)
            for table in file.tables {
                _ = try file.objectCount(of: table)
                try file.forEachObject(of: table) { _ in }
            }
        } catch {
            #expect(error is RealmFileError)
        }
    }

    /// Breaks some bytes, anywhere or near each other.
    private func damage(_ bytes: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        var damaged = bytes
        let number = random.oneIn(3) ? 1 : 1 + random.below(400)
        let window = random.oneIn(2) ? bytes.count : min(bytes.count, 256)
        let start = random.below(bytes.count - window + 1)
        for _ in 0..<number {
            let offset = start + random.below(window)
            switch random.below(5) {
            case 0: damaged[offset] ^= 1 << UInt8(random.below(8))
            case 1: damaged[offset] = 0
            case 2: damaged[offset] = 0xFF
            // The offset of another node, or its header.
            case 3:
                let other = random.below(bytes.count / 8) * 8
                for byte in 0..<min(8, bytes.count - offset) where other + byte < bytes.count {
                    damaged[offset + byte] = bytes[other + byte]
                }
            default: damaged[offset] = random.bytes(1)[0]
            }
        }
        return damaged
    }

    @Test("small ones", arguments: RealmFixture.small)
    func small(fixture: RealmFixture) throws {
        var random = SeededRandom.ofTest(fixture)
        let bytes = try fixture.bytes()
        for _ in 0..<2000 * TestRun.length { read(damage(bytes, &random)) }
    }

    @Test("large ones", arguments: ["format-23", "kinds", "many"])
    func large(name: String) throws {
        var random = SeededRandom.ofTest(name)
        let bytes = try RealmFixture(name: name).bytes()
        for _ in 0..<40 * TestRun.length { read(damage(bytes, &random)) }
    }

    @Test("those that end too early", arguments: RealmFixture.small)
    func cut(fixture: RealmFixture) throws {
        let bytes = try fixture.bytes()
        for length in stride(from: 0, to: bytes.count, by: max(8, bytes.count / 256 / 8 * 8)) {
            read(Array(bytes.prefix(length)))
            read(Array(bytes.prefix(length + 1)))
            // The rest may be there as zeros.
            read(Array(bytes.prefix(length)) + [UInt8](repeating: 0, count: bytes.count - length))
        }
    }

    @Test("those of which a number is another", arguments: RealmFixture.small)
    func numbers(fixture: RealmFixture) throws {
        var random = SeededRandom.ofTest(fixture)
        let bytes = try fixture.bytes()
        let extremes: [UInt64] = [0, 1, 2, 3, 24, .max, 1 << 63, 1 << 62, UInt64(bytes.count), UInt64(bytes.count) - 8]
        for _ in 0..<1000 * TestRun.length {
            var damaged = bytes
            for _ in 0..<1 + random.below(3) {
                let offset = random.below(bytes.count / 8) * 8
                let number = random.pick(extremes) ?? 0
                for byte in 0..<8 { damaged[offset + byte] = UInt8(truncatingIfNeeded: number >> UInt64(8 * byte)) }
            }
            read(damaged)
        }
    }
}
