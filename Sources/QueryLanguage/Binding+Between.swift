import ObjectModel

extension Binding {
    /// `p BETWEEN {a, b}` is `p >= a AND p <= b`; over several values both hold for each, which is why only ALL has
    /// that meaning, or, in predicate formats, for one and the same.
    func between(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        guard case .constants(let constants, true) = right.content, constants.count == 2 else {
            throw source.error(
                .invalid,
                dialect == .format
                    ? "NSArray object must contain exactly two objects for BETWEEN operations"
                    : "The right side of BETWEEN must be a list of exactly two elements, as in {1, 5}.", right.range)
        }
        guard case .operand(let operand, let type) = left.content else {
            throw source.error(.invalid, "Cannot compare two constants", left.range.joined(right.range))
        }
        if case .object = type { throw noRange(type, left.range) }
        if type == .typeName { throw noRange(type, left.range) }
        let name = name(left)
        func bound(_ constant: Constant) throws(QueryError) -> Value {
            guard case .value(let value) = try adapt(constant, to: type, name: name) else {
                throw noRange(.scalar(.mixed), constant.range)
            }
            return value
        }
        let low = try bound(constants[0])
        let high = try bound(constants[1])
        if dialect == .format {
            try checkRange(left, type)
            if operand.isToMany {
                return .between(BoundBetween(operand, low, high, quantifier: left.quantifier ?? .any))
            }
        } else if operand.isToMany, left.quantifier != .all {
            throw source.error(
                .invalid, "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.", left.range)
        }
        func half(_ comparison: ComparisonOperator, _ value: Value) -> BoundPredicate {
            .comparison(
                BoundComparison(operand, comparison, .constant(value), leftQuantifier: left.quantifier ?? .any))
        }
        return .and([half(.greaterOrEqual, low), half(.lessOrEqual, high)])
    }

    /// What predicate formats allow.
    private func checkRange(_ left: Side, _ type: OperandType) throws(QueryError) {
        try checkQuantifier(left)
        guard case .scalar(let base) = type, base.isNumeric || base == .date || base == .mixed else {
            throw noRange(type, left.range)
        }
    }

    private func noRange(_ type: OperandType, _ range: SourceRange) -> QueryError {
        source.error(.typeMismatch, "Operator 'BETWEEN' not supported for type '\(type.name)'", range)
    }
}
