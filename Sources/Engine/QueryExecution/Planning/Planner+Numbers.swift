import QuerySyntax
import ObjectModel
import QueryLanguage
import QueryOperators

/// Conditions on the number of objects that links lead to.
extension Planner {
    /// A condition on the number of objects that satisfy a subquery, or that links in a list or set lead to; nil for
    /// other operands.
    func planNumber(_ operand: BoundOperand, _ classID: ClassID, _ test: ElementTest) throws -> (any Operator)? {
        switch operand {
        case .path(let path):
            guard case .count = path.end, case .elements(let property, _, .all)? = path.links.last,
                let holder = holder(of: path.links, classID),
                let type = source.schema[holder]?[property]?.type, type.collection == .list || type.collection == .set
            else { return nil }
            return try plan(
                path.links.dropLast(), classID,
                LinkWalk(keepsNull: test.holds(.int(0))) { _ in
                    CollectionOperator(property, of: type.base, .size, test, capacity: source.clusterCapacity)
                } link: { _, _ in
                    nil
                })
        case .subquery(let subquery):
            guard !isShorter(subquery.links, classID) else { return nil }
            if let exists = test.asksForAny {
                let found = try plan(
                    subquery.links[...], classID,
                    LinkWalk(keepsNull: false) {
                        try plan(subquery.predicate, $0)
                    } link: { _, _ in
                        nil
                    })
                return exists ? found : negation(found)
            }
            guard case .elements(let property, let target, .all)? = subquery.links.last,
                holder(of: subquery.links, classID) != nil
            else { return nil }
            return try plan(
                subquery.links.dropLast(), classID,
                LinkWalk(keepsNull: test.holds(.int(0))) { holder in
                    let inner = ClassScan(source, target, try plan(subquery.predicate, target))
                    return ElementLinkOperator(source, holder, property, .number(test), target: inner)
                } link: { _, _ in
                    nil
                })
        case .constant, .list, .objects, .aggregate, .arithmetic: return nil
        }
    }

    /// The class that all links except the last lead to, when those are to-one links.
    private func holder(of links: [LinkStep], _ classID: ClassID) -> ClassID? {
        var current = classID
        for link in links.dropLast() {
            switch link {
            case .forward(_, let target): current = target
            case .rowSecurity: continue
            case .elements, .backward: return nil
            }
        }
        return current
    }
}

extension ElementTest {
    /// For a test of a number of objects: true if it is equivalent to at least one, false if to none; nil otherwise.
    fileprivate var asksForAny: Bool? {
        guard constants.count == 1, !isNegated, quantifier == .any, case .int(let number) = constants[0] else {
            return nil
        }
        switch (operation, number) {
        case (.greater, 0), (.greaterOrEqual, 1), (.notEqual, 0): return true
        case (.equal, 0), (.lessOrEqual, 0), (.less, 1): return false
        default: return nil
        }
    }
}
