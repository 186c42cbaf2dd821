import ObjectModel
import StoreContract
import TestBasics

/// Random choices of groups, and what they mean in the plainest words.
enum RandomArrangements {
    static func choice(_ pathCount: Int, _ requestCount: Int, _ random: inout SeededRandom) -> GroupArrangement {
        switch random.below(5) {
        case 0: .all
        case 1: .largest(1 + random.below(3))
        default: arrangement(pathCount, requestCount, &random)
        }
    }

    static func arrangement(
        _ pathCount: Int, _ requestCount: Int, _ random: inout SeededRandom
    ) -> GroupArrangement {
        let terms =
            (0..<pathCount).map { GroupArrangement.Term.key($0) } + [.count]
            + (0..<requestCount).map { .result($0) }
        let keys = (0..<random.below(4)).compactMap { _ in
            random.pick(terms).map { GroupArrangement.Key($0, ascending: random.oneIn(2)) }
        }
        return GroupArrangement(
            keys, offset: random.oneIn(3) ? random.below(4) : 0, limit: random.oneIn(2) ? random.below(6) : nil)
    }

    /// The result by definition: groups take their positions one after the other, each before those that it precedes.
    static func answer(_ arrangement: GroupArrangement, _ all: [AggregateGroup]) -> AggregateResult {
        var sorted: [AggregateGroup] = []
        for group in all {
            let index = sorted.firstIndex { precedes(group, $0, arrangement.keys) } ?? sorted.count
            sorted.insert(group, at: index)
        }
        var listed = Array(sorted.dropFirst(arrangement.offset))
        if let limit = arrangement.limit { listed = Array(listed.prefix(limit)) }
        if arrangement.limit == nil, arrangement.offset == 0 { return AggregateResult(groups: listed) }
        let rest = sorted.prefix(arrangement.offset) + sorted.dropFirst(arrangement.offset + listed.count)
        return AggregateResult(
            groups: listed, others: OtherGroups(groups: rest.count, count: rest.map(\.count).reduce(0, +)))
    }

    /// Whether a group comes before one that has come earlier in the order of the keys of groups.
    private static func precedes(
        _ later: AggregateGroup, _ earlier: AggregateGroup, _ keys: [GroupArrangement.Key]
    ) -> Bool {
        func value(_ group: AggregateGroup, _ term: GroupArrangement.Term) -> Value {
            switch term {
            case .key(let index): group.key[index]
            case .count: .int(Int64(group.count))
            case .result(let index): group.results[index]
            }
        }
        for key in keys {
            let order = Value.order(value(later, key.term), value(earlier, key.term))
            if order != 0 { return (order < 0) == key.isAscending }
        }
        return false
    }
}
