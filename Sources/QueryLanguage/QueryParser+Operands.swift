import ObjectModel

extension QueryParser {
    /// One side of a comparison.
    mutating func operand() throws(QueryError) -> ParsedOperand { try sum().operand }

    // MARK: Arithmetic

    /// An operand and how many levels of arithmetic it has.
    private struct Measured {
        var operand: ParsedOperand
        var height = 0
    }

    private mutating func sum() throws(QueryError) -> Measured {
        var left = try product()
        while let operation = arithmeticOperation(current), operation == .add || operation == .subtract {
            advance()
            left = try joined(left, operation, try product())
        }
        return left
    }

    private mutating func product() throws(QueryError) -> Measured {
        var left = try term()
        while let operation = arithmeticOperation(current), operation == .multiply || operation == .divide {
            advance()
            left = try joined(left, operation, try term())
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
        guard current.kind == .punctuation("(") else {
            // Only a subquery has levels of its own.
            let (operand, height) = try measuring { parser throws(QueryError) in try parser.simpleOperand() }
            return Measured(operand: operand, height: height)
        }
        try descend()
        advance()
        let inner = try sum()
        try expect(
            ")", "an arithmetic sign or a closing parenthesis", BoundArithmetic.Operation.allCases.map(\.rawValue))
        ascend()
        return inner
    }

    // MARK: Values

    private mutating func simpleOperand() throws(QueryError) -> ParsedOperand {
        let start = current.range
        let quantifier = quantifier()
        if quantifier != nil { advance() }
        var elementRanges: [SourceRange] = []
        let kind = try operandKind(&elementRanges)
        let range = start.joined(previous.range)
        if quantifier != nil, !takesQuantifier(kind) {
            throw source.error(
                .syntax,
                "ANY, SOME, ALL and NONE stand before a path, a list or an argument, not before a single value.", range)
        }
        return ParsedOperand(
            kind: kind, quantifier: quantifier, range: Unequal(range), elementRanges: Unequal(elementRanges))
    }

    private func quantifier() -> Quantifier? {
        switch current.keyword {
        case .some(.any): .any
        case .some(.all): .all
        case .some(.none): Quantifier.none
        default: nil
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
        if isCall(.subquery) { return .subquery(try subquery()) }
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
    private mutating func subquery() throws(QueryError) -> ParsedSubquery {
        advance()
        try descend()
        advance()
        let path = try path()
        try expect(",", "a comma")
        let variableRange = current.range
        let variable = source.slice(variableRange)
        switch current.kind {
        case .word(let name, nil) where name.utf8.first == 0x24 && name.utf8.count > 1 && name == variable: break
        case .word, .argument, .keyPathArgument:
            throw source.error(
                .syntax,
                "The subquery variable '\(variable)' is invalid. It starts with '$' and is not empty nor a number, as in '$x'.",
                variableRange, hint: "$x")
        default: throw unexpected("the variable of the subquery, such as $x", ["$x"])
        }
        advance()
        try expect(",", "a comma")
        let predicate = try disjunction()
        try expect(")", "AND, OR or the closing parenthesis of the subquery", ["AND", "OR"])
        ascend()
        try expect(".", "'.@count' or '.@size' behind the subquery")
        guard case .atName(let operation) = current.kind, operation == "count" || operation == "size" else {
            throw unexpected("@count or @size behind the subquery", ["@count", "@size"])
        }
        advance()
        return ParsedSubquery(
            path: path, variable: variable, predicate: predicate, variableRange: Unequal(variableRange))
    }
}
