import ObjectModel

extension QueryParser {
    /// `SUBQUERY(path, $variable, predicate).@count`
    mutating func subquery() throws(QueryError) -> ParsedOperand {
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
                "The subquery variable '\(shown)' is invalid. It starts with '$' and is not empty nor a number, as in '$x'.",
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
