import Columnar
import ObjectModel
import StoreTesting
import Testing
import TestBasics

/// Searching all texts of a leaf at once, against the test of each by itself.
@Suite("Texts of a leaf")
struct TextMarkTests {
    @Test(
        "looking at all texts at once finds what looking at each finds",
        arguments: [TextPattern.Test.equal, .prefix, .suffix, .contains])
    func marks(_ test: TextPattern.Test) throws {
        let seed = TestSeed.of(test)
        var random = SeededRandom(seed: seed)
        let letters = ["a", "A", "b", "B", "é", "É", "ß", "", "aab", "x"]
        func text() -> String {
            (0..<Int.random(in: 0..<9, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                .joined()
        }
        for count in [1, 63, 64, 200, 1000] {
            // Distinct texts, so that there is no dictionary.
            let texts = (0..<count).map { text() + ($0 % 3 == 0 ? "" : "\($0)") }
            let values = texts.map { $0.utf8.count % 7 == 6 ? Value.null : .string($0) }
            try encode(values, .string).withLeaf(.string) { leaf in
                for _ in 0..<40 {
                    let wanted = Bool.random(using: &random) ? text() : texts.randomElement(using: &random) ?? ""
                    let pattern = TextPattern(
                        test, wanted, ignoresCase: Bool.random(using: &random),
                        ignoresDiacritics: Int.random(in: 0..<4, using: &random) == 0)
                    let mask = SelectionMask(capacity: count)
                    let scratch = SelectionMask(capacity: count)
                    mask.reset(slotCount: count)
                    for slot in 0..<count where slot % 5 != 4 { mask.insert(slot) }
                    leaf.narrow(mask, texts: pattern, inverted: false, scratch: scratch)
                    for slot in 0..<count {
                        let expected = slot % 5 != 4 && !values[slot].isNull && pattern.matches(texts[slot])
                        #expect(mask.contains(slot) == expected, "seed \(seed): \(test) \(wanted) in \(texts[slot])")
                    }
                }
            }
        }
    }

    @Test(
        "all kernels find what a loop over the texts finds, and read nothing beyond them",
        arguments: [TextKernel.Anchor.start, .end, .anywhere, .whole], [16, 32])
    func kernels(_ anchor: TextKernel.Anchor, width: Int) {
        let seed = TestSeed.of("\(anchor) \(width)")
        var random = SeededRandom(seed: seed)
        let letters = Array("aabA@[`{\u{E9}1".utf8)
        for round in 0..<400 {
            let count = [0, 1, 2, 15, 16, 17, 63, 64, 65, 128, 130, 200].randomElement(using: &random) ?? 0
            let longest = [1, 3, 9, 30].randomElement(using: &random) ?? 1
            let texts = (0..<count).map { _ in
                (0..<Int.random(in: 0...longest, using: &random)).map { _ in letters.randomElement(using: &random) ?? 0
                }
            }
            var needle = (0..<Int.random(in: 1...12, using: &random)).map { _ in
                letters.randomElement(using: &random) ?? 0
            }
            if round % 4 != 0, let text = texts.randomElement(using: &random), !text.isEmpty {
                let start = Int.random(in: 0..<text.count, using: &random)
                needle = Array(
                    round % 4 == 1 ? text[...] : text[start...].prefix(Int.random(in: 1...11, using: &random)))
            }
            let folds = Bool.random(using: &random)
            if folds { needle = needle.map(lower) }
            var offsets = [0]
            for text in texts { offsets.append((offsets.last ?? 0) + text.count) }
            let area = texts.flatMap(\.self)
            let expected = texts.map { has(folds ? $0.map(lower) : $0, needle, anchor) }
            for kernel in TextKernel.allCases {
                let found = marks(kernel, area, offsets, width, needle, anchor, folds)
                #expect(found == expected, "seed \(seed), round \(round): \(kernel)")
            }
        }
    }

    @Test("damaged offsets cause no fault", arguments: [TextKernel.Anchor.start, .end, .anywhere, .whole])
    func damage(_ anchor: TextKernel.Anchor) {
        var random = SeededRandom.ofTest(anchor)
        for _ in 0..<400 {
            let area = (0..<Int.random(in: 1..<100, using: &random)).map { _ in
                UInt8.random(in: 97..<99, using: &random)
            }
            let offsets = (0..<150).map { _ in
                Int.random(in: 0..<(Bool.random(using: &random) ? 100 : 65536), using: &random)
            }
            for kernel in TextKernel.allCases {
                for width in [16, 32] {
                    #expect(marks(kernel, area, offsets, width, [97, 98], anchor, false).count == 149)
                }
            }
        }
    }

    private func lower(_ byte: UInt8) -> UInt8 { 65..<91 ~= byte ? byte + 32 : byte }

    private func has(_ text: [UInt8], _ needle: [UInt8], _ anchor: TextKernel.Anchor) -> Bool {
        switch anchor {
        case .start: text.starts(with: needle)
        case .end: text.reversed().starts(with: needle.reversed())
        case .whole: text == needle
        case .anywhere:
            text.count >= needle.count
                && (0...text.count - needle.count).contains { Array(text[$0..<$0 + needle.count]) == needle }
        }
    }

    /// The marks, by text. The area and the offsets end where their memory does, so that a memory checker detects reads
    /// beyond.
    private func marks(
        _ kernel: TextKernel, _ area: [UInt8], _ offsets: [Int], _ width: Int, _ needle: [UInt8],
        _ anchor: TextKernel.Anchor, _ folds: Bool
    ) -> [Bool] {
        let count = offsets.count - 1
        var packed: [UInt8] = [0x55]
        for offset in offsets {
            for byte in 0..<width / 8 { packed.append(UInt8(truncatingIfNeeded: offset >> (8 * byte))) }
        }
        var words = [UInt64](repeating: .max, count: maskWordCount(count) + 1)
        area.withUnsafeBufferPointer { area in
            packed.withUnsafeBytes { packed in
                needle.withUnsafeBufferPointer { needle in
                    guard let start = packed.baseAddress else { return }
                    kernel.mark(
                        area, offsets: start + 1, width: width, count: count, needle, anchor, foldsASCIICase: folds,
                        into: &words)
                }
            }
        }
        #expect(words.last == .max)
        for slot in count..<maskWordCount(count) * 64 {
            #expect(words[slot >> 6] >> UInt64(slot & 63) & 1 == 0)
        }
        return (0..<count).map { words[$0 >> 6] >> UInt64($0 & 63) & 1 != 0 }
    }
}
