import Basics
import ObjectModel

/// The answer to an aggregate at one version.
package struct AggregateResult: Hashable, Sendable {
    /// In the order in which they are shown. Without paths to group by, one group.
    package var groups: [AggregateGroup]
    /// The groups that are not listed; nil if all are.
    package var others: OtherGroups?

    package init(groups: [AggregateGroup], others: OtherGroups? = nil) {
        self.groups = groups
        self.others = others
    }

    /// The number of objects in all groups.
    package var objectCount: Int { groups.reduce(others?.count ?? 0) { $0 + $1.count } }
}

/// An order of groups by their keys and results, and a window of it. Groups that are equal in it are ascending by all
/// their keys. Values have the order in which objects are sorted by them: nulls first, then NaN, last if descending.
package struct GroupArrangement: Hashable, Sendable {
    package enum Term: Hashable, Sendable {
        /// The value at one of the paths to group by.
        case key(Int)
        case count
        /// The result of one of the requests.
        case result(Int)
    }

    package struct Key: Hashable, Sendable {
        package var term: Term
        package var isAscending: Bool

        package init(_ term: Term, ascending: Bool = true) {
            self.term = term
            isAscending = ascending
        }
    }

    /// The most significant first.
    package var keys: [Key]
    /// How many groups are left out at the start.
    package var offset: Int
    /// The maximum number of groups; nil for all.
    package var limit: Int?

    package init(_ keys: [Key], offset: Int = 0, limit: Int? = nil) {
        self.keys = keys
        self.offset = offset
        self.limit = limit
    }

    /// All groups, ascending by their keys.
    package static let all = GroupArrangement([])

    /// At most this many groups, those with the most objects first.
    package static func largest(_ most: Int) -> GroupArrangement {
        GroupArrangement([Key(.count, ascending: false)], limit: most)
    }

    /// The groups in the window, and with a window the sizes of the others. Cost: that of a sort, and for windows near
    /// the start a comparison for each group.
    ///
    /// - Parameter all: all groups, ascending by their keys.
    package func arranged(_ all: [AggregateGroup]) -> AggregateResult {
        if self == .all { return AggregateResult(groups: all) }
        let start = min(offset, all.count)
        let length = min(limit ?? .max, all.count - start)
        let listed = first(start + length, of: all).dropFirst(start).map { all[$0] }
        guard limit != nil || offset > 0 else { return AggregateResult(groups: listed) }
        let others = OtherGroups(
            groups: all.count - listed.count,
            count: all.reduce(0) { $0 + $1.count } - listed.reduce(0) { $0 + $1.count })
        return AggregateResult(groups: listed, others: others)
    }

    /// The arranged result after some groups got other results, if the same groups are listed in the same order; nil
    /// where that is not certain. Cost: a comparison of each of these groups with those in the window.
    ///
    /// - Parameters:
    ///   - modified: the groups with other results; no group came or went.
    ///   - objectCount: the number of objects in all groups.
    package func arranged(
        _ earlier: AggregateResult, modified: some Sequence<AggregateGroup>, objectCount: Int
    ) -> AggregateResult? {
        guard offset == 0, let limit, earlier.groups.count == limit, var others = earlier.others else { return nil }
        for group in modified {
            let isListed = earlier.groups.contains { listed in
                zip(listed.key, group.key).allSatisfy { Value.order($0, $1) == 0 }
            }
            // One that is equal to the last may come before it.
            if isListed || earlier.groups.last.map({ order(group, $0) <= 0 }) == true { return nil }
        }
        others.count = objectCount - earlier.groups.reduce(0) { $0 + $1.count }
        return AggregateResult(groups: earlier.groups, others: others)
    }

    /// Insertion moves at most this many positions per group.
    private static let insertionLimit = 1000

    /// The positions of the first groups in this order.
    private func first(_ most: Int, of all: [AggregateGroup]) -> [Int] {
        if keys.isEmpty { return Array(all.indices.prefix(most)) }
        func precedes(_ a: Int, _ b: Int) -> Bool {
            let order = order(all[a], all[b])
            return order == 0 ? a < b : order < 0
        }
        guard most <= Self.insertionLimit, most < all.count / 4 else {
            return Array(all.indices.sorted(by: precedes).prefix(most))
        }
        var best: [Int] = []
        for index in all.indices {
            if best.count == most {
                guard let last = best.last, precedes(index, last) else { continue }
                best.removeLast()
            }
            best.insert(index, at: best.partitioningIndex { precedes(index, $0) })
        }
        return best
    }

    private func order(_ a: AggregateGroup, _ b: AggregateGroup) -> Int {
        for key in keys {
            let order =
                switch key.term {
                case .key(let index): Value.order(a.key[index], b.key[index])
                case .count: a.count < b.count ? -1 : a.count > b.count ? 1 : 0
                case .result(let index): Value.order(a.results[index], b.results[index])
                }
            if order != 0 { return key.isAscending ? order : -order }
        }
        return 0
    }
}
