extension ParsedPredicate {
    /// Returns the predicate with its comparisons transformed. A comparison with a subquery is transformed as a whole.
    /// The recursion is as deep as the predicate, whose depth is limited as that of query texts.
    ///
    /// - Parameter transform: called with each comparison, and whether an odd number of NOTs encloses it.
    package func mappingComparisons(
        isNegated: Bool = false, _ transform: (ParsedComparison, _ isNegated: Bool) -> ParsedPredicate
    ) -> ParsedPredicate {
        switch self {
        case .constant: self
        case .comparison(let comparison): transform(comparison, isNegated)
        case .not(let inner): .not(inner.mappingComparisons(isNegated: !isNegated, transform))
        case .and(let parts): .and(parts.map { $0.mappingComparisons(isNegated: isNegated, transform) })
        case .or(let parts): .or(parts.map { $0.mappingComparisons(isNegated: isNegated, transform) })
        }
    }

    fileprivate func containsArgument(where condition: (Int) -> Bool) -> Bool {
        switch self {
        case .constant: false
        case .comparison(let comparison): comparison.containsArgument(where: condition)
        case .not(let inner): inner.containsArgument(where: condition)
        case .and(let parts), .or(let parts): parts.contains { $0.containsArgument(where: condition) }
        }
    }
}

extension ParsedComparison {
    /// Whether the condition is true for the number of any argument on either side, including arguments in lists,
    /// paths, subqueries and shapes.
    package func containsArgument(where condition: (Int) -> Bool) -> Bool {
        left.containsArgument(where: condition) || right.containsArgument(where: condition)
    }
}

extension ParsedOperand {
    fileprivate func containsArgument(where condition: (Int) -> Bool) -> Bool {
        switch kind {
        case .constant(let constant): constant.isArgument(where: condition)
        case .list(let elements): elements.contains { $0.isArgument(where: condition) }
        case .path(let path): path.containsArgument(where: condition)
        case .subquery(let subquery):
            subquery.path.containsArgument(where: condition) || subquery.predicate.containsArgument(where: condition)
        case .arithmetic(let left, _, let right):
            left.containsArgument(where: condition) || right.containsArgument(where: condition)
        case .shape(let shape): shape.constants.contains { $0.isArgument(where: condition) }
        }
    }
}

extension ParsedPath {
    fileprivate func containsArgument(where condition: (Int) -> Bool) -> Bool {
        components.contains { component in
            switch component {
            case .argument(let number), .index(.argument(let number)), .index(.wordArgument(let number)):
                condition(number)
            default: false
            }
        }
    }
}

extension ParsedShape {
    fileprivate var constants: [ParsedConstant] {
        func coordinates(_ position: Position) -> [ParsedConstant] { [position.longitude, position.latitude] }
        return switch kind {
        case .circle(let center, let radius): coordinates(center) + [radius]
        case .box(let low, let high): coordinates(low) + coordinates(high)
        case .polygon(let rings): rings.joined().flatMap(coordinates)
        }
    }
}

extension ParsedConstant {
    fileprivate func isArgument(where condition: (Int) -> Bool) -> Bool {
        if case .argument(let number) = self { return condition(number) }
        return false
    }
}
