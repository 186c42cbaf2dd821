import ObjectModel

extension QueryParser {
    /// An operand without levels of its own.
    mutating func simpleOperand() throws(QueryError) -> ParsedOperand {
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
}
