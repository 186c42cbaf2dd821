import ObjectModel
package import QueryLanguage
package import StoreContract

/// A condition on the keys, sizes and results of groups: `having`.
package struct GroupCondition: Hashable, Sendable {
    private let predicate: BoundPredicate
    private let terms: [GroupArrangement.Term]
    /// The number of comparisons in it.
    package let size: Int

    /// Comparisons between two readings of the clock.
    private static let interval = 4096

    /// - Parameters:
    ///   - predicate: comparisons of terms with constants, bound by `GroupClass`.
    ///   - terms: in the order of the class's terms.
    package init(_ predicate: BoundPredicate, on terms: [GroupArrangement.Term]) {
        self.predicate = predicate
        self.terms = terms
        size = max(predicate.comparisonCount, 1)
    }

    /// Whether single values decide the condition. One that is not decidable holds for no group.
    package var isDecidable: Bool { ValuePredicate(predicate, withMixed: true).isComplete }

    /// The groups that satisfy the condition, in their order. Cost: at most `size` comparisons of each, which count as
    /// handled rows and against the time of the budget. Throws `tooExpensive` and `abandoned` as the budget does.
    package func selection(
        of groups: [AggregateGroup], within budget: QueryBudget?
    ) throws(StoreError) -> [AggregateGroup] {
        let test = ValuePredicate(predicate, withMixed: true)
        var selected: [AggregateGroup] = []
        var compared = 0
        for group in groups {
            if let budget {
                try budget.spend(handled: size)
                if (compared + size) / Self.interval > compared / Self.interval {
                    try budget.checkWanted()
                    try budget.checkTime()
                }
                compared += size
            }
            let holds = test.holds { property in
                let index = GroupClass.position(of: property)
                return terms.indices.contains(index) ? group.value(of: terms[index]) : .null
            }
            if holds == true { selected.append(group) }
        }
        return selected
    }
}

extension AggregateGroup {
    /// The value by which an arrangement or condition knows the group.
    fileprivate func value(of term: GroupArrangement.Term) -> Value {
        switch term {
        case .key(let index): key[index]
        case .count: .int(Int64(count))
        case .result(let index): results[index]
        }
    }
}
