import ObjectModel
package import QueryLanguage
package import StoreContract

/// A condition on the keys, sizes and results of groups: `having`.
package struct GroupCondition: Hashable, Sendable {
    private let predicate: BoundPredicate
    private let terms: [GroupArrangement.Term]

    /// - Parameters:
    ///   - predicate: comparisons of terms with constants, bound by `GroupClass`.
    ///   - terms: in the order of the class's terms.
    package init(_ predicate: BoundPredicate, on terms: [GroupArrangement.Term]) {
        self.predicate = predicate
        self.terms = terms
    }

    /// Whether single values decide the condition. One that is not decidable holds for no group.
    package var isDecidable: Bool { ValuePredicate(predicate, withMixed: true).isComplete }

    /// The groups that satisfy the condition, in their order. Cost: a test of each.
    package func selection(of groups: [AggregateGroup]) -> [AggregateGroup] {
        let test = ValuePredicate(predicate, withMixed: true)
        return groups.filter { group in
            test.holds { property in
                let place = GroupClass.position(of: property)
                return terms.indices.contains(place) ? group.value(of: terms[place]) : .null
            } == true
        }
    }
}

extension AggregateGroup {
    /// The value by which an arrangement or condition knows the group.
    fileprivate func value(of term: GroupArrangement.Term) -> Value {
        switch term {
        case .key(let place): key[place]
        case .count: .int(Int64(count))
        case .result(let place): results[place]
        }
    }
}
