import ObjectModel
import TestBasics
import Testing

@Suite("Marks")
struct MarkTests {
    @Test("a mark is written as the version and the first half of the tag, and parsed again")
    func text() {
        let mark = Mark(Version(41), HistoryTag(rawValue: 0x0a1b_2c3d_ffff_ffff))
        #expect(mark.description == "41-0a1b2c3d")
        #expect(Mark("41-0a1b2c3d") == mark)
        #expect(Mark(Version(0), HistoryTag(rawValue: 0)).description == "0-00000000")
        #expect(Mark(Version(.max), HistoryTag(rawValue: .max)).description == "18446744073709551615-ffffffff")
        #expect(mark.seen(by: 7).description == "41-0a1b2c3d-00000007")
        #expect(Mark("41-0a1b2c3d-00000007") == mark.seen(by: 7))
        var random = SeededRandom.ofTest()
        for _ in 0..<200 {
            let version = Version(random.next() >> UInt64(random.below(64)))
            let mark = Mark(version, HistoryTag(rawValue: random.next()))
            #expect(Mark(mark.description) == mark, "seed \(random.seed)")
            let seen = mark.seen(by: UInt32(truncatingIfNeeded: random.next()))
            #expect(Mark(seen.description) == seen && seen != mark && seen.isSameState(as: mark), "seed \(random.seed)")
        }
    }

    @Test(
        "other text is not a mark",
        arguments: [
            "", "41", "-", "41-", "-0a1b2c3d", "41-0a1b2c3", "41-0a1b2c3d4", "41-0A1B2C3D", "41-0a1b2c3g",
            "+41-0a1b2c3d",
            " 41-0a1b2c3d", "41-0a1b2c3d ", "4 1-0a1b2c3d", "41_0a1b2c3d", "18446744073709551616-0a1b2c3d",
            "٤١-0a1b2c3d",
            "041-0a1b2c3d ", "41-0a1b2c3d-", "41-0a1b2c3d-0a1b2c3", "41-0a1b2c3d-0a1b2c3d-0a1b2c3d",
            "-0a1b2c3d-0a1b2c3d", "41--0a1b2c3d", "41-0a1b2c3g-0a1b2c3d", "000000000000000000000000041-0a1b2c3d",
        ])
    func malformed(_ text: String) { #expect(Mark(text) == nil) }

    @Test("a mark belongs to the history that drew its tag")
    func history() {
        let tag = HistoryTag(rawValue: SeededRandom.ofTest().seed)
        #expect(Mark(Version(3), tag).isOf(tag))
        #expect(!Mark(Version(3), tag).isOf(HistoryTag(rawValue: ~tag.rawValue)))
        #expect(Mark(Version(3), tag) != Mark(Version(3), HistoryTag(rawValue: ~tag.rawValue)))
    }
}
