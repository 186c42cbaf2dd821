import Columnar
import ObjectModel
import StorageEngine
import TestBasics
import Testing

/// The records of the blocks of Int primary keys, for keys in each arrangement that has a form of its own.
@Suite("Blocks of keys")
struct KeyBlockTests {
    @Test("a record gives back the keys of its block, however they lie", arguments: [-3, 0, 5] as [Int64])
    func records(number: Int64) throws {
        var random = SeededRandom.ofTest(number)
        var forms: Set<UInt8> = []
        for _ in 0..<300 {
            var block = KeyBlock()
            var model: [Int: Int64] = [:]
            let (first, length) = (random.below(256), 1 + random.below(256))
            let holes = random.oneIn(3) ? 2 + random.below(20) : 0
            let strays = random.oneIn(3)
            for offset in first..<min(256, first + length) where holes == 0 || !random.oneIn(holes) {
                let key =
                    strays && random.oneIn(4) ? Int64(random.below(1 << 30)) : 10_000 + number << 8 + Int64(offset)
                block[offset] = ObjectKey(key)
                model[offset] = key
            }
            if let deleted = model.keys.sorted().first, random.oneIn(4) {
                block[deleted] = nil
                model[deleted] = nil
            }
            guard let record = block.encode(block: number) else {
                #expect(model.isEmpty)
                continue
            }
            forms.insert(record[0])
            if record[0] == 2 { #expect(record.count <= 13) }
            let read = try record.withUnsafeBytes { try KeyBlock(decoding: $0, block: number) }
            #expect(read.count == model.count && block.count == model.count)
            for offset in 0..<256 { #expect(read[offset]?.rawValue == model[offset], "seed \(random.seed)") }
        }
        #expect(forms == [0, 1, 2])
    }

    /// A record of each form, whose first entry has a key that no object has.
    @Test(
        "a record with a negative key is damaged",
        arguments: [
            // A list of one entry: its key does not fit 63 bits.
            [0, 0, 5, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],
            // A line and a run: the first entry's distance from its value, which is 0, is -1.
            [1, 1, 3] + [UInt8](repeating: 0, count: 31), [2, 0, 1, 1],
        ] as [[UInt8]])
    func negativeKeys(_ record: [UInt8]) throws {
        #expect(throws: DamagedRecord.self) {
            try record.withUnsafeBytes { try KeyBlock(decoding: $0, block: 0) }
        }
    }
}
