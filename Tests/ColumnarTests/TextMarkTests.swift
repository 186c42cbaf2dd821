import Columnar
import ObjectModel
import Testing

/// Finding a text in all texts of a leaf at once, against the test of each by itself.
@Suite("Texts of a leaf")
struct TextMarkTests {
    @Test(
        "looking at all texts at once finds what looking at each finds",
        arguments: [TextPattern.Test.equal, .prefix, .suffix, .contains])
    func marks(_ test: TextPattern.Test) throws {
        let seed = UInt64.random(in: 0..<1 << 32)
        var random = SeededGenerator(seed: seed)
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
}
