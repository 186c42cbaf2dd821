import ObjectModel
import StoreTesting
import Testing
import WireProtocol
import TestBasics

@Suite("Positions of streams")
struct StreamPositionTests {
    @Test("the text of any position reads as the same position")
    func roundTrip() {
        var random = SeededRandom.ofTest()
        print("positions seed \(random.seed)")
        for _ in 0..<2000 {
            let position = RandomForms.position(&random)
            #expect(StreamPosition(position.description) == position, "\(position)")
        }
    }

    @Test("a position of versions says what was heard of each, with the fewest exceptions")
    func versions() {
        var random = SeededRandom.ofTest()
        print("versions seed \(random.seed)")
        let tag = HistoryTag(rawValue: random.next())
        for _ in 0..<500 {
            var versions: [Int: Version?] = [:]
            for id in 1...(1 + random.below(6)) {
                versions[id] = .some(random.oneIn(4) ? nil : Version(UInt64(1 + random.below(3))))
            }
            let position = StreamPosition(versions, revision: 9) { Mark($0, tag) }
            for (id, version) in versions { #expect(position.mark(of: id)?.version == version) }
            let largest = Dictionary(grouping: versions.values) { $0 }.values.map(\.count).max() ?? 0
            #expect(position.exceptions.count == versions.count - largest)
            #expect(position.reached == versions.values.map { $0 ?? Version(0) }.min())
            #expect(position.newest?.version == versions.values.compactMap { $0 }.max())
        }
        // A version whose history is not known counts as not heard of.
        #expect(StreamPosition([1: Version(5)], revision: 2) { _ in nil }.description == "0.2")
    }

    @Test(
        "the version that all subscriptions have reached",
        arguments: [
            ("41-0a1b2c3d.17", 41), ("41-0a1b2c3d.17;3=40-0a1b2c3d", 40),
            ("41-0a1b2c3d.17;3=0;4=44-0a1b2c3d", 0), ("0.17", 0), ("41.17", 0), ("x", nil), ("", nil),
        ] as [(String, UInt64?)])
    func reached(text: String, version: UInt64?) {
        #expect(StreamPosition(text)?.reached == version.map { Version($0) })
    }

    @Test(
        "text that is not a position is none",
        arguments: [
            "", ".", "41", "41-0a1b2c3d", "41-0a1b2c3d.", "41-0a1b2c3d.x", "41-0a1b2c3d.-1", "41-0a1b2c3.17",
            "41-0a1b2c3d.17;", "41-0a1b2c3d.17;3", "41-0a1b2c3d.17;x=0", "41-0a1b2c3d.17;3=x", "1.2.3",
        ])
    func others(text: String) {
        #expect(StreamPosition(text) == nil)
    }
}
