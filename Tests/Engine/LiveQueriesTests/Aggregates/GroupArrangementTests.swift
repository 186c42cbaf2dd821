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
                let answer = arrangement.arranged(all)
                #expect(answer.groups.isEmpty && answer.others?.groups == count, "\(arrangement)")
                continue
            }
            #expect(
                Self.text(arrangement.arranged(all))
                    == Self.text(RandomArrangements.answer(arrangement, all)), "\(arrangement) \(random.seed)")
        }
    }

    @Test("an answer that stays after groups got other results is what the definition says")
    func stays() {
        var random = SeededRandom.ofTest()
        var (stayed, asked) = (0, 0)
        for _ in 0..<600 * TestRun.length {
            var all = Self.groups(30, &random)
            var arrangement = RandomArrangements.arrangement(2, 2, &random)
            arrangement.offset = 0
            arrangement.limit = random.below(8)
            let earlier = arrangement.arranged(all)
            var modified: Set<Int> = []
            for _ in 0..<1 + random.below(3) {
                let index = random.below(all.count)
                modified.insert(index)
                all[index].count = 1 + random.below(4)
                all[index].results[random.below(2)] = random.pick(Self.values) ?? .null
            }
            let objectCount = all.reduce(0) { $0 + $1.count }
            asked += 1
            guard
                let answer = arrangement.arranged(earlier, modified: modified.map { all[$0] }, objectCount: objectCount)
            else { continue }
            stayed += 1
            #expect(
                Self.text(answer) == Self.text(RandomArrangements.answer(arrangement, all)),
                "\(arrangement) \(random.seed)")
        }
        #expect(stayed > asked / 10, "\(stayed) of \(asked)")
    }

    /// Groups of one size keep their order.
    @Test("the largest groups are those with the most objects, and the others are counted")
    func largest() {
        var random = SeededRandom.ofTest()
        for _ in 0..<20 {
            let all = Self.groups(40, &random)
            let most = 1 + random.below(50)
            let bySize = (1...4).reversed().flatMap { size in all.filter { $0.count == size } }
            let rest = bySize.dropFirst(most)
            let expected = AggregateResult(
                groups: Array(bySize.prefix(most)),
                others: OtherGroups(groups: rest.count, count: rest.reduce(0) { $0 + $1.count }))
            #expect(Self.text(GroupArrangement.largest(most).arranged(all)) == Self.text(expected))
        }
    }

    /// NaN is not equal to itself.
    private static func text(_ answer: AggregateResult) -> String { "\(answer)" }
}
