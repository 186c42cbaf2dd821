import ObjectModel

extension QueryParser {
    /// One side of a comparison.
    mutating func operand() throws(QueryError) -> ParsedOperand {
        let start = current.range
        if current.kind == .punctuation("(") {
            try descend()
            advance()
            let inner = try operand()
            try refuseArithmetic()
            try expect(")", "a closing parenthesis")
            ascend()
            try refuseArithmetic()
            return inner
        }
        let quantifier = quantifier()
        if quantifier != nil { advance() }
        var elementRanges: [SourceRange] = []
        let kind = try operandKind(&elementRanges)
        if quantifier != nil, case .constant(.value) = kind { throw unexpectedConstant(start) }
        try refuseArithmetic()
        let end = tokens[index - 1].range
        return ParsedOperand(
            kind: kind, quantifier: quantifier, range: Unequal(start.joined(end)), elementRanges: Unequal(elementRanges)
        )
    }

    private func quantifier() -> Quantifier? {
        if isOneCase(current, "any") || isOneCase(current, "some") { return .any }
        if isOneCase(current, "all") { return .all }
        if isOneCase(current, "none") { return Quantifier.none }
        return nil
    }

    private func unexpectedConstant(_ range: SourceRange) -> QueryError {
        source.error(
            .syntax, "ANY, SOME, ALL and NONE stand before a path or a list, not before a single constant.", range)
    }

    /// `elementRanges` gets the place of each element, if it is a list.
    private mutating func operandKind(_ elementRanges: inout [SourceRange]) throws(QueryError) -> ParsedOperand.Kind {
        if current.kind == .punctuation("{") {
            advance()
            var elements: [ParsedConstant] = []
            if current.kind != .punctuation("}") {
                elements.append(try listElement(&elementRanges))
                while current.kind == .punctuation(",") {
                    advance()
                    elements.append(try listElement(&elementRanges))
                }
            }
            try expect("}", "a comma or a closing brace")
            return .list(elements)
        }
        if let constant = try constant() { return .constant(constant) }
        return .path(try path())
    }

    private mutating func listElement(_ ranges: inout [SourceRange]) throws(QueryError) -> ParsedConstant {
        let start = current.range
        guard let constant = try constant() else { throw unexpected("a constant or an argument") }
        ranges.append(start.joined(tokens[index - 1].range))
        return constant
    }

    /// A constant or an argument, if one starts here.
    private mutating func constant() throws(QueryError) -> ParsedConstant? {
        switch current.kind {
        case .constant(let value):
            advance()
            return .value(value)
        case .argument(let number):
            advance()
            return .argument(number)
        case .nextArgument:
            advance()
            return .argument(takeArgumentNumber())
        case .identifier(let word) where following.kind == .punctuation("("):
            switch word.lowercased() {
            case "obj": return try object()
            case "bin", "binary": throw unsupported("Binary data")
            case "subquery": throw unsupported("SUBQUERY")
            case "geobox", "geocircle", "geopolygon": throw unsupported("GEOWITHIN")
            default: return nil
            }
        default:
            return nil
        }
    }

    private mutating func object() throws(QueryError) -> ParsedConstant {
        advance()
        try expect("(", "an opening parenthesis")
        guard case .constant(.string(let className)) = current.kind else {
            throw unexpected("the class's name as a string")
        }
        advance()
        try expect(",", "a comma")
        guard case .constant(let key) = current.kind else { throw unexpected("the primary key as a constant") }
        advance()
        try expect(")", "a closing parenthesis")
        return .object(className: className, primaryKey: key)
    }

    private func refuseArithmetic() throws(QueryError) {
        if case .symbol(let sign) = current.kind, "+-*/".contains(sign) { throw unsupported("Arithmetic") }
    }

    // MARK: Paths

    mutating func path() throws(QueryError) -> ParsedPath {
        var components: [ParsedPath.Component] = []
        var ranges: [SourceRange] = []
        while true {
            ranges.append(current.range)
            components.append(try component(isFirst: components.isEmpty))
            if current.kind == .punctuation("[") { throw unsupported("Access by index or key") }
            guard current.kind == .punctuation(".") else { break }
            guard components.count < Self.pathLimit else {
                throw source.error(
                    .tooDeep, "A key path has at most \(Self.pathLimit) names.",
                    ranges[0].joined(ranges[ranges.count - 1]))
            }
            advance()
        }
        if components.count > 1, components.contains(where: { if case .argument = $0 { true } else { false } }) {
            throw source.error(
                .syntax, "Key path argument cannot be mixed with other elements.",
                ranges[0].joined(ranges[ranges.count - 1]))
        }
        return ParsedPath(components: components, ranges: Unequal(ranges))
    }

    private mutating func component(isFirst: Bool) throws(QueryError) -> ParsedPath.Component {
        defer { advance() }
        switch current.kind {
        case .identifier(let name):
            let isReserved = isOneCase(current, "not") || isWord(current, "and") || isWord(current, "or")
            if isFirst, isReserved || isWord(current, "truepredicate") || isWord(current, "falsepredicate") {
                throw unexpected("a property or a constant")
            }
            return .name(name)
        case .atName(let name): return .atName(name)
        case .keyPathArgument(let number) where isFirst: return .argument(number)
        case .nextKeyPath where isFirst: return .argument(takeArgumentNumber())
        default: throw unexpected(isFirst ? "a property or a constant" : "a property name")
        }
    }
}
