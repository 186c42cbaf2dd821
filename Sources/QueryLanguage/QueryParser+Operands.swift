import ObjectModel

extension QueryParser {
    /// One side of a comparison.
    mutating func operand() throws(QueryError) -> ParsedOperand { try arithmetic(.add).operand }

    // MARK: Arithmetic

    /// An operand and how many levels it has.
    private struct Measured {
        var operand: ParsedOperand
        var height = 0
    }

    /// Operands with signs between them that bind at least as tightly as that one. Chains are read to the left.
    private mutating func arithmetic(_ loosest: BoundArithmetic.Operation) throws(QueryError) -> Measured {
        var left = try term()
        while let operation = arithmeticOperation(current), operation.precedence >= loosest.precedence {
            advance()
            let right =
                operation.precedence == BoundArithmetic.Operation.multiply.precedence
                ? try term() : try arithmetic(.multiply)
            left = try joined(left, operation, right)
        }
        return left
    }

    private mutating func joined(
        _ left: Measured, _ operation: BoundArithmetic.Operation, _ right: Measured
    ) throws(QueryError) -> Measured {
        let height = max(left.height, right.height) + 1
        try check(height: height)
        let operand = ParsedOperand(
            kind: .arithmetic(left.operand, operation, right.operand), quantifier: nil,
            range: Unequal(left.operand.range.value.joined(right.operand.range.value)), elementRanges: Unequal([]))
        return Measured(operand: operand, height: height)
    }

    func arithmeticOperation(_ token: Token) -> BoundArithmetic.Operation? {
        guard case .symbol(let sign) = token.kind else { return nil }
        return BoundArithmetic.Operation(rawValue: String(sign))
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
                ")", "an arithmetic sign or a closing parenthesis", BoundArithmetic.Operation.allCases.map(\.rawValue))
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

    // MARK: Values

    /// An operand without levels of its own.
    private mutating func simpleOperand() throws(QueryError) -> ParsedOperand {
        let start = current.range
        let quantifier = quantifier()
        if quantifier != nil { advance() }
        var elementRanges: [SourceRange] = []
        let kind = try operandKind(&elementRanges)
        let range = start.joined(previous.range)
        if quantifier != nil, !takesQuantifier(kind) { throw misplacedQuantifier(range) }
        return ParsedOperand(
            kind: kind, quantifier: quantifier, range: Unequal(range), elementRanges: Unequal(elementRanges))
    }

    private func misplacedQuantifier(_ range: SourceRange) -> QueryError {
        source.error(
            .syntax,
            "ANY, SOME, ALL and NONE stand before a path, a list or an argument, not before a single value.", range)
    }

    private func quantifier() -> Quantifier? {
        let quantifier: Quantifier
        switch current.keyword {
        case .some(.any): quantifier = .any
        case .some(.all): quantifier = .all
        case .some(.none): quantifier = .none
        default: return nil
        }
        return isFollowedByOperand ? quantifier : nil
    }

    /// Whether the word at the current token, which may be a quantifier, stands before an operand. Otherwise it names
    /// a property, as in `any == 3` and `any.@type == 'int'`.
    private var isFollowedByOperand: Bool {
        switch following.kind {
        case .comparison, .symbol, .modifier, .end: return false
        case .punctuation(let sign): return sign == "{" || sign == "("
        default: break
        }
        guard operatorMayFollow else { return startsOperand(index + 1) }
        guard parsedOperator(following) != nil else { return following.keyword?.isJunction != true }
        // `any IN x` or `ANY in == x`: the word behind is the operator, or a property that is called like one.
        let next = tokens[min(index + 2, tokens.count - 1)]
        switch next.kind {
        case .comparison, .symbol("+"), .symbol("-"), .symbol("*"), .symbol("/"), .punctuation("."), .punctuation("["):
            return true
        default: break
        }
        guard parsedOperator(next) != nil else { return false }
        // `any IN in` or `ANY in IN x`: as the operator, the second word has an operand behind it.
        if case .modifier = tokens[min(index + 3, tokens.count - 1)].kind { return true }
        return startsOperand(index + 3)
    }

    /// Whether an operand begins at the token of that number, which stands where one or the end of a comparison is
    /// expected.
    private func startsOperand(_ number: Int) -> Bool {
        let token = tokens[min(number, tokens.count - 1)]
        switch token.kind {
        case .comparison, .symbol, .modifier, .end: return false
        case .punctuation(let sign): return sign == "{" || sign == "("
        default: break
        }
        switch token.keyword {
        case .sort, .distinct, .limit: return tokens[min(number + 1, tokens.count - 1)].kind != .punctuation("(")
        default: return token.keyword?.isJunction != true
        }
    }

    private func takesQuantifier(_ kind: ParsedOperand.Kind) -> Bool {
        switch kind {
        case .list, .constant(.argument): true
        case .path(let path): !path.isAggregate
        case .constant, .subquery, .arithmetic, .shape: false
        }
    }

    /// `elementRanges` gets the place of each element, if it is a list.
    private mutating func operandKind(_ elementRanges: inout [SourceRange]) throws(QueryError) -> ParsedOperand.Kind {
        if current.kind == .punctuation("{") { return .list(try list(&elementRanges)) }
        if let constant = try constant() { return .constant(constant) }
        if isCall(.subquery) { throw misplacedQuantifier(previous.range.joined(current.range)) }
        if isShape {
            throw source.error(
                .syntax, "A shape stands on the right of GEOWITHIN only.", current.range, hint: "GEOWITHIN")
        }
        return .path(try path())
    }

    private mutating func list(_ ranges: inout [SourceRange]) throws(QueryError) -> [ParsedConstant] {
        advance()
        var elements: [ParsedConstant] = []
        if take("}") { return elements }
        repeat {
            let start = current.range
            guard let constant = try constant() else { throw unexpected("a constant or an argument") }
            elements.append(constant)
            ranges.append(start.joined(previous.range))
        } while take(",")
        try expect("}", "a comma or a closing brace", [","])
        return elements
    }

    /// A constant or an argument, if one starts here.
    mutating func constant() throws(QueryError) -> ParsedConstant? {
        if isCall(.object) { return try object() }
        if isCall(.binary) { return try binary() }
        if current.kind == .nextArgument {
            advance()
            return .argument(takeArgumentNumber())
        }
        guard let constant = try literal() else { return nil }
        advance()
        return constant
    }

    /// The constant that the current token is, if it is one.
    private func literal() throws(QueryError) -> ParsedConstant? {
        switch current.kind {
        case .constant(let constant): return constant
        case .string(let text): return .value(.string(text))
        case .base64(let bytes):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw source.error(
                    .syntax, "This is not the base64 form of UTF-8 text. Data is written bin(B64\"…\").",
                    current.range, hint: "bin(\(source.slice(current.range)))")
            }
            return .value(.string(text))
        case .argument(let number): return .argument(number)
        case .rowKey:
            throw source.error(
                .syntax,
                "\(source.slice(current.range)) names an object by numbers that are internal to a store. Name it by its class and primary key.",
                current.range, hint: "obj('Class', key)")
        case .word(_, let keyword):
            switch keyword {
            case .true: return .value(.bool(true))
            case .false: return .value(.bool(false))
            case .null: return .value(.null)
            case .infinity: return .value(.double(.infinity))
            case .nan: return .value(.double(.nan))
            default: return nil
            }
        default: return nil
        }
    }

    /// `obj('Dog', 'rex')`
    private mutating func object() throws(QueryError) -> ParsedConstant {
        advance()
        advance()
        guard case .value(.string(let className)) = try literal() else {
            throw unexpected("the class's name as a string")
        }
        advance()
        try expect(",", "a comma")
        let key: Value
        switch try literal() {
        case .value(let value), .floating(let value, _): key = value
        case .argument, .object, nil: throw unexpected("the primary key as a constant")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return .object(className: className, primaryKey: key)
    }

    /// `bin('abc')`, `binary(B64"…")`
    private mutating func binary() throws(QueryError) -> ParsedConstant {
        advance()
        advance()
        let bytes: [UInt8]
        switch current.kind {
        case .string(let text): bytes = Array(text.utf8)
        case .base64(let decoded): bytes = decoded
        default: throw unexpected("a string or B64\"…\"")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return .value(.data(bytes))
    }

    // MARK: Subqueries

    /// `SUBQUERY(path, $variable, predicate).@count`
    private mutating func subquery() throws(QueryError) -> ParsedOperand {
        let start = index
        try descend()
        let (path, variable, variableRange) = try subqueryHead()
        let predicate = try disjunction()
        ascend()
        try subqueryTail()
        let subquery = ParsedSubquery(
            path: path, variable: variable, predicate: predicate, variableRange: Unequal(variableRange))
        return ParsedOperand(
            kind: .subquery(subquery), quantifier: nil,
            range: Unequal(tokens[start].range.joined(previous.range)), elementRanges: Unequal([]))
    }

    /// Up to the predicate.
    private mutating func subqueryHead() throws(QueryError) -> (ParsedPath, variable: String, SourceRange) {
        advance()
        advance()
        let path = try path()
        try expect(",", "a comma")
        let range = current.range
        let variable = source.slice(range)
        switch current.kind {
        case .word(let name, nil) where name.utf8.first == 0x24 && name.utf8.count > 1 && name == variable: break
        case .word, .argument, .keyPathArgument:
            throw source.error(
                .syntax,
                "The subquery variable '\(variable)' is invalid. It starts with '$' and is not empty nor a number, as in '$x'.",
                range, hint: "$x")
        default: throw unexpected("the variable of the subquery, such as $x", ["$x"])
        }
        advance()
        try expect(",", "a comma")
        return (path, variable, range)
    }

    /// From the closing parenthesis on.
    private mutating func subqueryTail() throws(QueryError) {
        try expect(")", "AND, OR or the closing parenthesis of the subquery", ["AND", "OR"])
        try expect(".", "'.@count' or '.@size' behind the subquery")
        guard case .atName(let operation) = current.kind, operation == "count" || operation == "size" else {
            throw unexpected("@count or @size behind the subquery", ["@count", "@size"])
        }
        advance()
    }
}

extension BoundArithmetic.Operation {
    /// Higher binds tighter.
    var precedence: Int {
        switch self {
        case .add, .subtract: 1
        case .multiply, .divide: 2
        }
    }
}
