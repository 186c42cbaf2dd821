import QuerySyntax
import ObjectModel

// The differences of predicate formats in comparisons: a path through a collection needs a quantifier, and constants
// must have the property's type.
extension Binding {
    func checkFormat(_ left: ComparisonSide, _ parsed: ParsedComparison, _ right: ComparisonSide) throws(QueryError) {
        try checkQuantifier(left)
        // `x IN tags` implies ANY.
        if parsed.operator != .isIn { try checkQuantifier(right) }
        try checkOrder(left, parsed, right)
        switch (left.content, right.content) {
        case (.operand(let operand, let type), .operand(let other, let otherType)):
            try checkOperands(left, operand, type, right, other, otherType)
        case (.operand(.subquery, _), .constants(let constants, let isList)),
            (.constants(let constants, let isList), .operand(.subquery, _)):
            guard !isList, constants.allSatisfy({ $0.value?.isNumber == true }) else { throw noCount(left, right) }
        default: break
        }
    }

    /// A path to several values needs a quantifier.
    func checkQuantifier(_ side: ComparisonSide) throws(QueryError) {
        guard case .operand(let operand, _) = side.content, operand.isToMany, side.quantifier == nil,
            !operand.isManyInMixedAlone
        else { return }
        throw source.error(
            .invalid, "Key paths that include a collection property must use aggregate operations", side.range,
            hint: "ANY")
    }

    private func checkOrder(_ left: ComparisonSide, _ parsed: ParsedComparison, _ right: ComparisonSide)
        throws(QueryError)
    {
        guard case .comparison(let comparison) = parsed.operator else { return }
        switch comparison {
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            for side in [left, right] {
                guard case .operand(_, .scalar(.bool)) = side.content else { continue }
                throw source.error(
                    .typeMismatch, "Operator '\(comparison.rawValue)' not supported for bool type", side.range)
            }
        default: break
        }
    }

    private func checkOperands(
        _ left: ComparisonSide, _ operand: BoundOperand, _ type: OperandType, _ right: ComparisonSide,
        _ other: BoundOperand,
        _ otherType: OperandType
    ) throws(QueryError) {
        let range = left.range.joined(right.range)
        if case .subquery = operand { throw noCount(left, right) }
        if case .subquery = other { throw noCount(left, right) }
        switch (operand, other) {
        case (.aggregate, .aggregate):
            throw source.error(
                .invalid,
                "Key paths including aggregate operations cannot be compared with other aggregate operations.", range)
        case (.aggregate, _), (_, .aggregate): return
        default: break
        }
        guard !operand.isToMany || !other.isToMany else {
            throw source.error(.invalid, "Comparing two collections is not supported in predicate formats.", range)
        }
        // Sums and products have a wider type than their operands.
        guard left.path != nil, right.path != nil, type != otherType else { return }
        throw source.error(
            .typeMismatch,
            "Property type mismatch between \(type.name) '\(left.path?.text ?? "")' and \(otherType.name) '\(right.path?.text ?? "")'",
            range)
    }

    private func noCount(_ left: ComparisonSide, _ right: ComparisonSide) -> QueryError {
        source.error(
            .invalid, "SUBQUERY(…).@count is only supported when compared with a constant number.",
            left.range.joined(right.range))
    }

    // MARK: Substrings

    /// By Cocoa's rule, an empty or null substring occurs nowhere. Removes such constants; returns the result when none
    /// is left.
    func substringRule(
        _ relation: Relation, _ operand: Operand, _ constants: inout [Constant], constantsFirst: Bool
    ) -> BoundPredicate? {
        guard relation.comparison.isSubstringOperator, !constantsFirst else { return nil }
        constants.removeAll { $0.value?.isEmptyText ?? false }
        guard constants.isEmpty else { return nil }
        return .constant(operand.side.quantifier == Quantifier.none)
    }

    /// Applies the rule to a substring that is read from the object.
    func substringRule(
        _ relation: Relation, _ right: ComparisonSide, _ substring: BoundOperand, _ type: OperandType,
        _ bound: BoundPredicate
    ) throws(QueryError) -> BoundPredicate {
        guard dialect == .format, relation.comparison.isSubstringOperator else { return bound }
        guard !substring.isToMany else {
            throw source.error(
                .invalid, "The substring cannot be read from a collection in predicate formats.", right.range)
        }
        var empty: [Value] = [.null]
        if type == .scalar(.string) || type == .scalar(.mixed) { empty.append(.string("")) }
        if type == .scalar(.data) || type == .scalar(.mixed) { empty.append(.data([])) }
        return .and([
            bound, .comparison(BoundComparison(substring, .equal, .list(empty), rightQuantifier: Quantifier.none)),
        ])
    }

    // MARK: Mixed values

    /// A string equals data of the same bytes: a constant of either kind matches both.
    func mixBytes(
        _ relation: inout Relation, _ constants: inout [Constant], _ isList: inout Bool, _ quantifier: inout Quantifier?
    ) {
        guard constants.contains(where: { $0.value?.otherText != nil }), quantifier == nil || quantifier == .any
        else { return }
        if relation.comparison == .notEqual {
            // Being unlike one of several values differs from being unlike both forms of one.
            guard constants.count == 1 else { return }
            relation.comparison = .equal
            quantifier = Quantifier.none
        }
        constants = constants.flatMap { constant in
            guard let other = constant.value?.otherText else { return [constant] }
            return [constant, Constant(.value(other), argument: constant.argument, constant.range)]
        }
        isList = true
    }
}

extension ComparisonOperator {
    /// BEGINSWITH, ENDSWITH and CONTAINS.
    var isSubstringOperator: Bool { isStringOperator && self != .like }
}

extension Value {
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .float, .double, .decimal: true
        default: false
        }
    }

    fileprivate var isEmptyText: Bool {
        switch self {
        case .null: true
        case .string(let text): text.isEmpty
        case .data(let bytes): bytes.isEmpty
        default: false
        }
    }

    /// The value of the other kind, string or data, with the same bytes.
    fileprivate var otherText: Value? {
        switch self {
        case .string(let text): .data(Array(text.utf8))
        case .data(let bytes): String(validating: bytes, as: UTF8.self).map { .string($0) }
        default: nil
        }
    }
}

extension BoundOperand {
    /// Whether its several values are those inside a mixed value: Cocoa treats that as a property of one value.
    fileprivate var isManyInMixedAlone: Bool {
        guard case .path(let path) = self, case .property(_, let type) = path.end else { return false }
        return type.isMixed && !type.isCollection && !path.links.contains(where: \.isToMany)
    }
}
