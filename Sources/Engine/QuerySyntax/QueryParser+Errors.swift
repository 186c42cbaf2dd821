import Basics
import ObjectModel

extension QueryParser {
    /// A syntax error at the current token; `words` are the alternatives, where they can be listed.
    func unexpected(_ expected: String, _ words: [String] = [], hint: String? = nil) -> QueryError {
        let hint = hint ?? (isBehindComparison ? source.slice(previous.range) : nil)
        if current.kind == .end {
            return source.error(
                .syntax, "The query ends where \(expected) is expected.", current.range, hint: hint, expected: words)
        }
        return source.error(
            .syntax, "Expected \(expected), found '\(shown)'.", current.range, hint: hint, expected: words)
    }

    /// The current token for a message; a long one is truncated.
    var shown: String { source.shown(current.range) }

    /// Whether the token directly follows a comparison operator, as in `===`.
    private var isBehindComparison: Bool {
        guard index > 0, case .comparison = previous.kind, case .comparison = current.kind else { return false }
        return true
    }

    // MARK: In place of an operator

    func unexpectedInsteadOfOperator() -> QueryError {
        if let error = misplacedSign { return error }
        let operators = ComparisonOperator.allCases.map(\.rawValue) + ["IN", "BETWEEN", "TEXT", "GEOWITHIN"]
        if index == 1, current.kind == .punctuation("("), let step = previous.keyword, Self.stepKeywords.contains(step)
        {
            return source.error(
                .syntax, "A condition must precede SORT, DISTINCT and LIMIT.", previous.range,
                hint: "TRUEPREDICATE " + source.slice(previous.range).uppercased())
        }
        if case .modifier = current.kind {
            return unexpected("a comparison operator before \(shown)", operators, hint: "==" + shown)
        }
        var hint: String?
        switch current.keyword {
        case .not where following.keyword == .in: hint = "NOT … IN"
        case .and, .or: hint = previous.isPropertyName && !isOfGroups ? source.slice(previous.range) + " == true" : nil
        default:
            if case .word(let name, _) = current.kind { hint = Self.operatorMeant(by: name, operators) }
            if current.kind == .end || current.kind == .punctuation(")"), previous.isPropertyName, !isOfGroups {
                hint = source.slice(previous.range) + " == true"
            }
        }
        return unexpected("a comparison operator such as ==, <, IN, BETWEEN or CONTAINS", operators, hint: hint)
    }

    private static let stepKeywords: Set<Keyword> = [.sort, .distinct, .limit]

    private static func operatorMeant(by word: String, _ operators: [String]) -> String? {
        switch word.lowercased() {
        case "is", "eq", "equals": "=="
        case "in": "IN"
        case "matches", "ilike", "regex": "LIKE"
        case "startswith", "hasprefix": "BEGINSWITH"
        case "hassuffix": "ENDSWITH"
        default:
            word.utf8.count < 20 ? operators.filter { $0.utf8.count > 2 }.nearest(to: word) : nil
        }
    }

    /// `age -1`: the sign belongs to the number, so that there is no operator.
    private var misplacedSign: QueryError? {
        guard case .constant = current.kind else { return nil }
        let text = source.slice(current.range)
        guard let sign = text.first, sign == "-" || sign == "+" else { return nil }
        return source.error(
            .syntax, "A sign directly before a number belongs to it. Write a space after the sign for arithmetic.",
            current.range, hint: "\(sign) \(text.dropFirst())",
            expected: ArithmeticOperator.allCases.map(\.rawValue))
    }

    // MARK: After a predicate

    func unexpectedAfterPredicate(isBeforeSteps: Bool) -> QueryError {
        if let error = misplacedSign { return error }
        let words = (isBeforeSteps ? ["AND", "OR"] : []) + (isOfGroups ? [] : ["SORT", "DISTINCT", "LIMIT"])
        var hint: String?
        switch current.kind {
        case .comparison: hint = isBeforeSteps && !isBehindComparison ? "AND" : nil
        case .word(let name, _) where name.utf8.count < 20:
            hint = name.lowercased() == "order" && !isOfGroups ? "SORT" : words.nearest(to: name)
        default: break
        }
        if !isBeforeSteps, current.keyword == .and || current.keyword == .or {
            return source.error(
                .syntax, "Conditions must precede SORT, DISTINCT and LIMIT.", current.range, expected: words)
        }
        let end = isOfGroups ? "condition" : "query"
        return unexpected(words.joined(separator: ", ") + " or the end of the \(end)", words, hint: hint)
    }

    // MARK: Mistakes with one remedy

    /// `IN (1, 2)` or `IN [1, 2]`, if the current token begins such a list.
    func mistakenList() -> QueryError? {
        let isMistaken: Bool
        switch current.kind {
        case .punctuation("["): isMistaken = true
        case .punctuation("("): isMistaken = tokens[min(index + 2, tokens.count - 1)].kind == .punctuation(",")
        default: isMistaken = false
        }
        guard isMistaken else { return nil }
        var end = index + 1
        while end < tokens.count - 1, end < index + 20, !tokens[end].closesList { end += 1 }
        let inside = source.slice(SourceRange(start: current.range.end, end: tokens[end].range.start))
        return source.error(
            .syntax, "Lists are written in braces.", current.range,
            hint: tokens[end].closesList ? "{\(inside)}" : "{…}", expected: ["{"])
    }

    /// A keyword where a property is expected.
    func unexpectedKeyword(_ name: String, isFirst: Bool) -> QueryError {
        let escaped = QueryPrinter.escaped(name, dialect)
        return source.error(
            .syntax,
            "Expected \(isFirst ? "a property or a constant" : "a property name"), found the keyword '\(name)'. A property of that name is written \(escaped).",
            current.range, hint: escaped)
    }
}

extension Token {
    /// Whether it is a word that is a property name at any position.
    fileprivate var isPropertyName: Bool {
        guard case .word(_, let keyword) = kind else { return false }
        return keyword?.isReserved != true
    }

    fileprivate var closesList: Bool { kind == .punctuation(")") || kind == .punctuation("]") }
}
