import ObjectModel

extension QueryParser {
    /// SORT, DISTINCT and LIMIT, as many as there are, in their order.
    mutating func steps() throws(QueryError) -> [ParsedStep] {
        var steps: [ParsedStep] = []
        while true {
            switch current.keyword {
            case .sort:
                advance()
                steps.append(.sort(try inParentheses { parser throws(QueryError) in try parser.sortKey() }))
            case .distinct:
                advance()
                steps.append(.distinct(try inParentheses { parser throws(QueryError) in try parser.path() }))
            case .limit:
                advance()
                steps.append(.limit(try limit()))
            default: return steps
            }
        }
    }

    private mutating func limit() throws(QueryError) -> Int {
        try expect("(", "an opening parenthesis")
        guard case .constant(.value(.int(let count))) = current.kind, isNatural(current) else {
            throw unexpected("a natural number")
        }
        advance()
        try expect(")", "a closing parenthesis")
        return Int(count)
    }

    private mutating func inParentheses<Element>(
        _ element: (inout QueryParser) throws(QueryError) -> Element
    ) throws(QueryError) -> [Element] {
        try expect("(", "an opening parenthesis")
        var elements: [Element] = []
        repeat { elements.append(try element(&self)) } while take(",")
        try expect(")", "a comma or a closing parenthesis", [","])
        return elements
    }

    private mutating func sortKey() throws(QueryError) -> ParsedSortKey {
        let start = current.range
        let path = try path()
        guard current.keyword == .ascending || current.keyword == .descending else {
            throw unexpected(
                "ASC or DESC", ["ASC", "DESC"], hint: source.slice(start.joined(previous.range)) + " ASC")
        }
        defer { advance() }
        return ParsedSortKey(path, ascending: current.keyword == .ascending)
    }
}
