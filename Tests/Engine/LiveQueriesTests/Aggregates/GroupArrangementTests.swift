import LiveQueries
import ObjectModel
import StoreContract
import TestBasics
import Testing

/// The order and the window of groups. `AggregateHistoryTests` keeps them current.
struct GroupArrangementTests {
    private static let values: [Value] = [
        .null, .double(.nan), .double(-1.5), .double(0), .int(0), .int(3), .double(3), .double(.infinity), .string("a"),
    ]

    private static func groups(_ count: Int, _ random: inout SeededRandom) -> [AggregateGroup] {
        (0..<count).map { number in
            AggregateGroup(
                key: [.int(Int64(number / 3)), .int(Int64(number % 3))], count: 1 + random.below(4),
                results: (0..<2).map { _ in random.pick(values) ?? .null })
        }
    }

    /// Few groups are sorted, and of many the first are chosen.
    @Test("an arrangement is what its definition says", arguments: [0, 1, 7, 60, 400])
    func definition(count: Int) {
        var random = SeededRandom.ofTest("\(count)")
        for _ in 0..<60 * TestRun.length {
            let all = Self.groups(count, &random)
            var arrangement = RandomArrangements.arrangement(2, 2, &random)
            if random.oneIn(3) { arrangement.limit = random.below(count + 2) }
            if random.oneIn(4) { arrangement.offset = random.pick([count, Int.max, count / 2]) ?? 0 }
            if random.oneIn(8) { arrangement.limit = .max }
            if arrangement.offset == .max {
                // The definition would count beyond all numbers.
                let answer = GroupChoice.arranged(arrangement).answer(all)
                #expect(answer.groups.isEmpty && answer.others?.groups == count, "\(arrangement)")
                continue
            }
            #expect(
                Self.text(GroupChoice.arranged(arrangement).answer(all))
                    == Self.text(RandomArrangements.answer(arrangement, all)), "\(arrangement) \(random.seed)")
        }
    }

    @Test("the largest groups are those in the descending order of their counts")
    func largest() {
        var random = SeededRandom.ofTest()
        for _ in 0..<20 {
            let all = Self.groups(40, &random)
            let most = 1 + random.below(50)
            let arrangement = GroupArrangement([GroupArrangement.Key(.count, ascending: false)], limit: most)
            #expect(
                Self.text(GroupChoice.largest(most).answer(all))
                    == Self.text(GroupChoice.arranged(arrangement).answer(all)))
        }
    }

    /// NaN is not equal to itself.
    private static func text(_ answer: AggregateAnswer) -> String { "\(answer)" }
}
