import Basics
import Testing
import TestBasics

/// Runs of positions against a plain set of them.
struct IndexRunsTests {
    @Test("runs have the same positions as a set after any edits, and never touch one another")
    func againstASet() {
        let seed = TestSeed.of()
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            var runs = IndexRuns()
            var members: Set<Int> = []
            for _ in 0..<40 {
                let lower = Int(random.next() % 30)
                let range = lower..<lower + Int(random.next() % 6)
                switch random.next() % 5 {
                case 0:
                    runs.insert(lower)
                    members.insert(lower)
                case 1:
                    runs.insert(range)
                    members.formUnion(range)
                case 2:
                    let wasMember = runs.remove(lower)
                    #expect(wasMember == (members.remove(lower) != nil), "seed \(seed)")
                case 3:
                    runs.openGap(at: lower, count: range.count)
                    members = Set(members.map { $0 < lower ? $0 : $0 + range.count })
                default:
                    runs.closeGap(range)
                    members = Set(
                        members.subtracting(range).map { $0 < lower ? $0 : $0 - range.count })
                }
                let expected = members.sorted()
                #expect(runs.indices == expected, "seed \(seed)")
                #expect(runs.count == expected.count && runs.isEmpty == expected.isEmpty, "seed \(seed)")
                #expect(
                    zip(runs.runs, runs.runs.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound }
                        && runs.runs.allSatisfy { !$0.isEmpty }, "seed \(seed): \(runs.runs)")
                #expect(runs == IndexRuns(members), "seed \(seed)")
                #expect(runs == IndexRuns(runs: runs.runs.reversed() + [lower..<lower]), "seed \(seed)")
                #expect((0..<45).allSatisfy { runs.contains($0) == members.contains($0) }, "seed \(seed)")
                #expect(runs.count(below: lower) == expected.filter { $0 < lower }.count, "seed \(seed)")
                #expect(
                    runs.gaps(in: range).flatMap { Array($0) } == range.filter { !members.contains($0) }, "seed \(seed)"
                )
                let others = (0..<200).filter { !members.contains($0) }
                #expect(
                    runs.positions(ofNonMembers: range).flatMap { Array($0) } == range.map { others[$0] },
                    "seed \(seed)")
            }
        }
    }

    @Test("neighbouring runs given together are joined, empty ones ignored")
    func joining() {
        #expect(IndexRuns(runs: [4..<6, 0..<2, 2..<4, 9..<9]).runs == [0..<6])
        #expect(IndexRuns([3, 1, 2, 7]).runs == [1..<4, 7..<8])
    }
}
