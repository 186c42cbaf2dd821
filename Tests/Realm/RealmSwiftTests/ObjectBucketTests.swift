import ObjectModel
import TestBasics
import Testing

@testable import SyncEngine

/// A follower finds an object's records where an earlier version of the program wrote them.
@Suite("Buckets of a follower's records")
struct ObjectBucketTests {
    /// FNV-1a byte by byte, folded to eight bits.
    private static func bucket(_ className: String, _ key: [UInt8]) -> Int {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in Array(className.utf8) + key { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int((hash ^ hash >> 32) & 0xff)
    }

    @Test("integers and texts have the buckets that their bytes always had")
    func stays() {
        var random = SeededRandom.ofTest()
        let limits: [Int64] = [0, 1, -1, 255, 256, .min, .max]
        for number in limits + (0..<200).map({ _ in Int64(bitPattern: random.next()) }) {
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            #expect(SyncObject("Dog", .int(number)).stableHash == Self.bucket("Dog", bytes), "\(number)")
        }
        for text in ["", "a", "日本語", "a longer key than fifteen bytes"] {
            #expect(SyncObject("Dog", .string(text)).stableHash == Self.bucket("Dog", Array(text.utf8)), "\(text)")
        }
    }
}
