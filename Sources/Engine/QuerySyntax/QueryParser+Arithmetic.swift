import ObjectModel

extension QueryParser {
    /// One side of a comparison.
    mutating func operand() throws(QueryError) -> ParsedOperand { try arithmetic(.add).operand }

    /// An operand and the number of its levels.
    private struct Measured {
        var operand: ParsedOperand
        var height = 0
    }

    /// Operands joined by signs that bind at least as tightly as `loosest`. Chains are left-associative.
    private mutating func arithmetic(_ loosest: ArithmeticOperator) throws(QueryError) -> Measured {
        var left = try term()
        while let operation = arithmeticOperation(current), operation.precedence >= loosest.precedence {
            advance()
            let right =
                operation.precedence == ArithmeticOperator.multiply.precedence
                ? try term() : try arithmetic(.multiply)
            left = try joined(left, operation, right)
        }
        return left
    }

    private mutating func joined(
        _ left: Measured, _ operation: ArithmeticOperator, _ right: Measured
    ) throws(QueryError) -> Measured {
        let height = max(left.height, right.height) + 1
        try check(height: height)
        let operand = ParsedOperand(
            kind: .arithmetic(left.operand, operation, right.operand), quantifier: nil,
            range: Uncompared(left.operand.range.value.joined(right.operand.range.value)), elementRanges: Uncompared([])
        )
        return Measured(operand: operand, height: height)
    }

    func arithmeticOperation(_ token: Token) -> ArithmeticOperator? {
        guard case .symbol(let sign) = token.kind else { return nil }
        return ArithmeticOperator(rawValue: String(sign))
    }

    private mutating func term() throws(QueryError) -> Measured {
        if at("(") {
            try descend()
            advance()
            let mayFollow = operatorMayFollow
            operatorMayFollow = false
            let inner = try arithmetic(.add)
            operatorMayFollow = mayFollow
            try expect(
                ")", "an arithmetic sign or a closing parenthesis", ArithmeticOperator.allCases.map(\.rawValue))
            ascend()
            return inner
        }
        guard isCall(.subquery) else { return Measured(operand: try simpleOperand()) }
        let outer = beginMeasuring()
        let mayFollow = operatorMayFollow
        let operand = try subquery()
        operatorMayFollow = mayFollow
        return Measured(operand: operand, height: endMeasuring(outer))
    }
}
