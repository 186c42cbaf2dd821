import QuerySyntax
import ObjectModel

/// The operator between the two sides of a comparison.
struct Relation {
    var comparison: ComparisonOperator
    var ignoresCase: Bool
    var ignoresDiacritics: Bool
    /// The range of both sides.
    var range: SourceRange
    /// See `BoundComparison.isElementwise`.
    var isElementwise: Bool

    /// The operator as errors show it: `==`, `beginswith`, `=[c]`.
    var name: String {
        let sign = comparison == .equal && ignoresCase ? "=" : comparison.rawValue.lowercased()
        return sign + (ignoresCase ? "[c]" : "")
    }
}

extension Binding {
    func comparison(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        try checkModifiers(parsed)
        let comparison: ComparisonOperator
        switch parsed.operator {
        case .text: return try fullText(parsed)
        case .geoWithin: return try geoWithin(parsed)
        case .between: return try between(parsed)
        case .isIn:
            if dialect == .format, isShape(parsed.right) { return try geoWithin(parsed) }
            comparison = .equal
        case .comparison(let simple): comparison = simple
        }
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        if parsed.operator == .isIn { try checkList(right) }
        if dialect == .format { try checkFormat(left, parsed, right) }
        return try relate(
            left,
            Relation(
                comparison: comparison, ignoresCase: parsed.ignoresCase,
                ignoresDiacritics: parsed.ignoresDiacritics, range: left.range.joined(right.range),
                isElementwise: dialect == .rql && left.isToMany && right.isToMany && left.quantifier == nil
                    && right.quantifier == nil), right)
    }

    /// Cocoa's formats have no GEOWITHIN: they use `place IN %@`.
    private func isShape(_ operand: ParsedOperand) -> Bool {
        guard case .constant(.argument(let number)) = operand.kind, arguments.indices.contains(number),
            case .shape = arguments[number]
        else { return false }
        return true
    }

    private func checkModifiers(_ parsed: ParsedComparison) throws(QueryError) {
        let range = parsed.operatorRange.value
        if parsed.operator == .comparison(.like), parsed.ignoresDiacritics {
            throw source.error(
                .invalid, "Operator 'LIKE' not supported with diacritic-insensitive modifier.", range, hint: "[c]")
        }
        guard parsed.ignoresCase || parsed.ignoresDiacritics else { return }
        switch parsed.operator {
        case .comparison(.less), .comparison(.lessOrEqual), .comparison(.greater), .comparison(.greaterOrEqual):
            throw source.error(.invalid, "Lexicographical comparisons must be case-sensitive", range)
        default: return
        }
    }

    private func checkList(_ right: ComparisonSide) throws(QueryError) {
        guard !right.isToMany else { return }
        var code = QueryError.Code.argument
        if case .operand = right.content { code = .invalid }
        if dialect == .format {
            throw source.error(code, "IN clause requires an array of items", right.range)
        }
        throw source.error(
            code,
            "The keypath following 'IN' must contain a list. Found '\(name(right))'",
            right.range)
    }

    private func relate(_ left: ComparisonSide, _ relation: Relation, _ right: ComparisonSide) throws(QueryError)
        -> BoundPredicate
    {
        switch (left.content, right.content) {
        case (.constants, .constants):
            throw source.error(.invalid, "Cannot compare two constants", relation.range)
        case (.operand(let first, let type), .operand(let second, let otherType)):
            if relation.isElementwise, let path = left.path, let other = right.path, path.isValueCollection,
                other.isValueCollection
            {
                throw source.error(
                    .invalid,
                    "Ordered comparison between two primitive lists is not implemented yet ('\(path.text)' and '\(other.text)')",
                    relation.range, hint: "ANY")
            }
            try check(relation, type, otherType)
            return try substringRule(
                relation, right, second, otherType,
                bound(first, left.quantifier, relation, second, right.quantifier))
        case (.operand(let operand, let type), .constants(let constants, let isList)):
            return try relate(
                Operand(operand: operand, type: type, side: left), relation, constants, isList: isList, right,
                constantsFirst: false)
        case (.constants(let constants, let isList), .operand(let operand, let type)):
            return try relate(
                Operand(operand: operand, type: type, side: right), relation, constants, isList: isList, left,
                constantsFirst: true)
        }
    }

    func bound(
        _ left: BoundOperand, _ leftQuantifier: Quantifier?, _ relation: Relation, _ right: BoundOperand,
        _ rightQuantifier: Quantifier?
    ) -> BoundPredicate {
        .comparison(
            BoundComparison(
                left, relation.comparison, right, ignoresCase: relation.ignoresCase,
                ignoresDiacritics: relation.ignoresDiacritics, leftQuantifier: leftQuantifier ?? .any,
                rightQuantifier: rightQuantifier ?? .any, isElementwise: relation.isElementwise))
    }

    // MARK: With constants

    /// A side that is not a constant.
    struct Operand {
        var operand: BoundOperand
        var type: OperandType
        var side: ComparisonSide
    }

    private func relate(
        _ operand: Operand, _ relation: Relation, _ constants: [Constant], isList: Bool, _ constantSide: ComparisonSide,
        constantsFirst: Bool
    ) throws(QueryError) -> BoundPredicate {
        if operand.type == .typeName {
            return try relateTypes(
                operand, relation, constants, isList: isList, constantSide, constantsFirst: constantsFirst)
        }
        try check(relation, operand, constants)
        if constantsFirst, !isList, constants.allSatisfy(\.isNull), relation.comparison.isSubstringOperator {
            // Null has no parts, not even where the other side is null, which is a part of everything.
            return operand.operand.isToMany
                ? .comparison(
                    BoundComparison(
                        operand.operand, .equal, .list([]), leftQuantifier: operand.side.quantifier ?? .any))
                : .constant(false)
        }
        var relation = relation
        var constants = constants
        var isList = isList
        var quantifier = constantSide.quantifier
        if dialect == .format {
            if let result = substringRule(relation, operand, &constants, constantsFirst: constantsFirst) {
                return result
            }
            if operand.type == .scalar(.mixed) {
                mixBytes(&relation, &constants, &isList, &quantifier)
            }
        }
        let name = name(operand.side)
        let other = try self.operand(constants, isList: isList, for: operand.type, name: name)
        let pathQuantifier = operand.side.quantifier
        guard constantsFirst else {
            return bound(operand.operand, pathQuantifier, relation, other, quantifier)
        }
        // The order of two quantifiers matters, unless they are the same; that of string operands always does.
        let isSymmetric =
            relation.isElementwise || !isList || !operand.operand.isToMany
            || ((pathQuantifier ?? .any) == (quantifier ?? .any) && quantifier != Quantifier.none)
        if relation.comparison.isStringOperator || !isSymmetric {
            return try substringRule(
                relation, operand.side, operand.operand, operand.type,
                bound(other, quantifier, relation, operand.operand, pathQuantifier))
        }
        relation.comparison = relation.comparison.mirrored
        return bound(operand.operand, pathQuantifier, relation, other, quantifier)
    }

    // MARK: Types

    private func check(_ relation: Relation, _ left: OperandType, _ right: OperandType) throws(QueryError) {
        guard left.isComparable(with: right) else {
            throw source.error(
                .typeMismatch, "Unsupported comparison between type '\(left.name)' and type '\(right.name)'",
                relation.range)
        }
        try check(relation, left)
        try check(relation, right)
    }

    /// Throws unless the operator supports values of the type.
    private func check(_ relation: Relation, _ type: OperandType) throws(QueryError) {
        switch type {
        case .object, .typeName: try checkEquality(relation)
        case .scalar: break
        }
        guard !type.isText, type != .typeName else { return }
        if relation.comparison.isStringOperator { throw noText(relation, type.name, relation.range) }
        if relation.ignoresCase || relation.ignoresDiacritics {
            throw source.error(
                .typeMismatch, "Unsupported comparison operator '\(relation.name)' against type '\(type.name)'",
                relation.range)
        }
    }

    func checkEquality(_ relation: Relation) throws(QueryError) {
        guard relation.comparison != .equal, relation.comparison != .notEqual else { return }
        throw source.error(
            .typeMismatch,
            "Unsupported operator \(relation.comparison.rawValue) in query. Only equal (==) and not equal (!=) are supported for this type.",
            relation.range)
    }

    private func check(_ relation: Relation, _ operand: Operand, _ constants: [Constant]) throws(QueryError) {
        try check(relation, operand.type)
        if case .object = operand.type, operand.operand.isToMany, constants.contains(where: \.isNull) {
            throw source.error(
                .invalid,
                "Cannot compare linklist ('\(name(operand.side))') with NULL",
                relation.range)
        }
        for constant in constants {
            if case .object = constant.kind { try checkEquality(relation) }
            guard relation.comparison.isStringOperator else { continue }
            switch constant.kind {
            case .value(.string), .value(.data), .value(.null): continue
            default: throw noText(relation, constant.typeName, constant.range)
            }
        }
    }

    private func noText(_ relation: Relation, _ type: String, _ range: SourceRange) -> QueryError {
        source.error(
            .typeMismatch,
            "Unsupported comparison operator '\(relation.name)' against type '\(type)', right side must be a string or binary type",
            range)
    }
}

extension ComparisonOperator {
    /// The operator with its sides exchanged; string operators have none and are returned unchanged.
    var mirrored: ComparisonOperator {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        default: self
        }
    }
}
