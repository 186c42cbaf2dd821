import ObjectModel

/// Conditions on groups: predicates whose key paths are those of the groups, `count`, and functions such as
/// `average(delay)`.
extension QueryParser {
    /// Parses a condition on groups. Each of its paths has one component: the text of the key path or function, without
    /// spaces at its parentheses. Comparisons are of one of these with constants. Throws `syntax`, `tooDeep` and
    /// `tooLong`.
    package static func parseGroupCondition(_ text: String) throws(QueryError) -> (ParsedPredicate, SourceText) {
        var parser = try QueryParser(text, .rql, isOfGroups: true)
        let predicate = try parser.disjunction()
        guard parser.current.kind == .end else { throw parser.unexpectedAfterPredicate(isBeforeSteps: true) }
        return (predicate, parser.source)
    }

    /// A key path of groups, `count` or a function of the request.
    mutating func groupTerm() throws(QueryError) -> ParsedPath {
        let start = current.range
        let name: String
        if case .word(let function, _) = current.kind, following.kind == .punctuation("(") {
            advance()
            guard let closing = closings[index] else {
                throw source.error(
                    .syntax, "The parenthesis after '\(source.shown(start))' is not closed.", current.range,
                    expected: [")"])
            }
            let inside = SourceRange(start: current.range.end, end: tokens[closing].range.start)
            var path = source.slice(inside)[...]
            while path.first == " " { path.removeFirst() }
            while path.last == " " { path.removeLast() }
            name = "\(function)(\(path))"
            index = closing + 1
        } else {
            _ = try path()
            name = source.slice(start.joined(previous.range)).filter { $0 != " " }
        }
        return ParsedPath(components: [.name(name)], ranges: Uncompared([start.joined(previous.range)]))
    }

    /// Throws unless a comparison in a condition on groups is one of a term with constants.
    func checkGroupComparison(_ left: ParsedOperand, _ right: ParsedOperand) throws(QueryError) {
        var terms = 0
        for operand in [left, right] {
            switch operand.kind {
            case .path: terms += 1
            case .constant, .list: break
            case .subquery, .arithmetic, .shape:
                throw source.error(
                    .invalid,
                    "A condition on groups compares a function or key path with constants, as in average(delay) > 10.",
                    operand.range.value)
            }
        }
        guard terms != 1 else { return }
        let problem =
            terms == 0
            ? "This compares constants. Name a function of the request or a key path of 'by', as in average(delay) > 10."
            : "A condition on groups compares with constants, not two functions or key paths with each other."
        throw source.error(.invalid, problem, left.range.value.joined(right.range.value))
    }
}
