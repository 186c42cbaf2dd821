import ObjectModel

extension QueryParser {
    /// Conditions with AND and OR between them.
    mutating func disjunction() throws(QueryError) -> ParsedPredicate {
        var alternatives: [ParsedPredicate] = []
        repeat {
            var parts: [ParsedPredicate] = []
            repeat { parts.append(try condition()) } while consume(.and, or: "&")
            alternatives.append(parts.count == 1 ? parts[0] : .and(parts))
        } while consume(.or, or: "|")
        return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }

    /// A comparison, a constant or a predicate in parentheses, with the NOTs before it.
    private mutating func condition() throws(QueryError) -> ParsedPredicate {
        var negations = 0
        while consume(.not, or: "!") {
            try descend()
            negations += 1
        }
        var condition: ParsedPredicate
        if at("("), !parenthesisHoldsOperand {
            try descend()
            advance()
            condition = try disjunction()
            try expect(")", "AND, OR or a closing parenthesis", ["AND", "OR"])
            ascend()
        } else if at(.truePredicate) || at(.falsePredicate) {
            condition = .constant(at(.truePredicate))
            advance()
        } else {
            condition = try comparison()
        }
        for _ in 0..<negations {
            condition = .not(condition)
            ascend()
        }
        return condition
    }

    /// Whether the parenthesis at the current token belongs to one side of a comparison, as in `(age) == 3`: only then
    /// can an operator follow its closing parenthesis.
    private var parenthesisHoldsOperand: Bool {
        guard let after = tokenAfterParenthesis else { return false }
        return parsedOperator(after) != nil || arithmeticOperation(after) != nil
    }

    private mutating func comparison() throws(QueryError) -> ParsedPredicate {
        let start = index
        operatorMayFollow = true
        let left = try operand()
        operatorMayFollow = false
        let name = try comparisonOperator(left, start)
        let range = previous.range
        let modifier = try modifier(name)
        let right = name == .geoWithin ? try shapeOperand() : try operand()
        if isOfGroups { try checkGroupComparison(left, right) }
        return .comparison(
            ParsedComparison(
                left: left, operator: name, right: right, ignoresCase: modifier.ignoresCase,
                ignoresDiacritics: modifier.ignoresDiacritics, operatorRange: Uncompared(range)))
    }

    /// Consumes the operator after the left side, which began at that token.
    private mutating func comparisonOperator(
        _ left: ParsedOperand, _ start: Int
    ) throws(QueryError) -> ParsedOperator {
        guard let name = parsedOperator(current) else { throw unexpectedInsteadOfOperator() }
        if name == .geoWithin { try checkLeftOfGeoWithin(left, tokens[start].range) }
        advance()
        if name == .isIn || name == .between, let mistaken = mistakenList() { throw mistaken }
        return name
    }

    private mutating func modifier(
        _ name: ParsedOperator
    ) throws(QueryError) -> (ignoresCase: Bool, ignoresDiacritics: Bool) {
        guard case .modifier(let ignoresCase, let ignoresDiacritics) = current.kind else { return (false, false) }
        switch name {
        case .comparison(.less), .comparison(.lessOrEqual), .comparison(.greater), .comparison(.greaterOrEqual):
            throw source.error(
                .syntax,
                "Lexicographical comparisons must be case-sensitive: [c] and [d] can only be used with ==, !=, IN and the string operators.",
                current.range)
        case .between, .text, .geoWithin:
            throw source.error(
                .syntax,
                "\(name.name) does not support [c] or [d]: they can only be used with ==, !=, IN and the string operators.",
                current.range)
        case .comparison, .isIn:
            advance()
            return (ignoresCase, ignoresDiacritics)
        }
    }

    func parsedOperator(_ token: Token) -> ParsedOperator? {
        if case .comparison(let comparison) = token.kind { return .comparison(comparison) }
        switch token.keyword {
        case .beginsWith: return .comparison(.beginsWith)
        case .endsWith: return .comparison(.endsWith)
        case .contains: return .comparison(.contains)
        case .like: return .comparison(.like)
        case .in: return .isIn
        case .between: return .between
        case .text: return .text
        case .geoWithin: return .geoWithin
        default: return nil
        }
    }
}
