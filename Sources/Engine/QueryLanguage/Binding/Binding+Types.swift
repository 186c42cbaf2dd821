import QuerySyntax
import ObjectModel

extension Binding {
    /// `any.@type == 'numeric'`: a name can mean several types, so it is compared as a list of them.
    func relateTypes(
        _ operand: Operand, _ relation: Relation, _ constants: [Constant], isList: Bool, _ constantSide: ComparisonSide,
        constantsFirst: Bool
    ) throws(QueryError) -> BoundPredicate {
        try checkEquality(relation)
        var groups: [[String]] = []
        for constant in constants { groups.append(try typeNames(constant)) }
        var relation = relation
        // Type names are case-insensitive anyway.
        relation.ignoresCase = false
        relation.ignoresDiacritics = false
        let path = operand.side.quantifier
        guard isList else { return compare(operand.operand, path, relation, groups[0]) }
        let quantifier = constantSide.quantifier ?? .any
        if relation.isElementwise {
            guard groups.allSatisfy({ $0.count == 1 }) else {
                throw source.error(
                    .invalid,
                    "Names of several types cannot be compared in order. Write ANY, ALL or NONE before one side.",
                    relation.range, hint: "ANY")
            }
            return bound(operand.operand, path, relation, .list(groups.joined().map { .string($0) }), nil)
        }
        if constantsFirst, operand.operand.isToMany {
            // Each name must occur, or one, or none: the names come first, and the path's values for each.
            let parts = groups.map { compare(operand.operand, path, relation, $0) }
            guard parts.count > 1 else {
                let found = parts.first ?? .constant(quantifier == .all)
                return quantifier == .none ? .not(found) : found
            }
            switch quantifier {
            case .any: return .or(parts)
            case .all: return .and(parts)
            case .none: return .not(.or(parts))
            }
        }
        guard groups.contains(where: { $0.count > 1 }) else {
            return bound(operand.operand, path, relation, .list(groups.joined().map { .string($0) }), quantifier)
        }
        let isEqual = relation.comparison == .equal
        let (names, kind): ([String], Quantifier) =
            switch (isEqual, quantifier) {
            case (true, .any): (union(groups), .any)
            case (true, .all), (false, .none): (intersection(groups), .any)
            case (true, .none), (false, .all): (union(groups), .none)
            case (false, .any): (intersection(groups), .none)
            }
        relation.comparison = .equal
        return bound(operand.operand, path, relation, .list(names.map { .string($0) }), kind)
    }

    private func compare(
        _ operand: BoundOperand, _ quantifier: Quantifier?, _ relation: Relation, _ names: [String]
    ) -> BoundPredicate {
        if names.count == 1 {
            return bound(operand, quantifier, relation, .constant(.string(names[0])), nil)
        }
        var relation = relation
        let isEqual = relation.comparison == .equal
        relation.comparison = .equal
        return bound(
            operand, quantifier, relation, .list(names.map { .string($0) }), isEqual ? .any : Quantifier.none)
    }

    private func typeNames(_ constant: Constant) throws(QueryError) -> [String] {
        switch constant.kind {
        case .typeName(let name): return [name]
        case .value(.string(let text)):
            guard let names = TypeNames.canonical(text) else {
                throw source.error(
                    .invalid, "Unable to parse the type attribute string '\(text.clipped)'", constant.range,
                    hint: TypeNames.known.hint(for: text))
            }
            return names
        case .value(let value):
            throw source.error(
                .typeMismatch,
                "Unsupported comparison between @type and raw value: '\(QueryPrinter.text(value).clipped)'",
                constant.range)
        case .object:
            throw source.error(
                .typeMismatch, "Unsupported comparison between @type and raw value: 'link'", constant.range)
        }
    }

    private func union(_ groups: [[String]]) -> [String] {
        var names: [String] = []
        for name in groups.joined() where !names.contains(name) { names.append(name) }
        return names
    }

    private func intersection(_ groups: [[String]]) -> [String] {
        guard let first = groups.first else { return [] }
        return first.filter { name in groups.allSatisfy { $0.contains(name) } }
    }
}
