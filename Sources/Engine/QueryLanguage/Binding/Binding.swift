import Basics
import QuerySyntax
import ObjectModel

/// One run of the binder: a query, its arguments and its text.
struct Binding {
    /// The variable `$d` of a subquery.
    struct Variable {
        var name: String
        /// The class of the elements that it ranges over.
        var classID: ClassID
    }

    let schema: Schema
    /// The class at which paths begin.
    var root: ClassSchema
    /// The class of the collection's elements, if paths begin at the elements of a collection of values.
    var element: ElementClass?
    var arguments: [QueryArgument]
    var source: SourceText
    var dialect = QueryDialect.rql
    var checksSums = false
    /// The variables of the enclosing subqueries, the innermost last.
    var variables: [Variable] = []
    /// The use of the current path; nil in comparisons.
    var clause: PathClause?

    func predicate(_ predicate: ParsedPredicate) throws(QueryError) -> BoundPredicate {
        switch predicate {
        case .constant(let value): return .constant(value)
        case .not(let inner): return .not(try self.predicate(inner))
        case .and(let parts):
            return .and(
                try all(parts).flatMap { if case .and(let inner) = $0 { inner } else { [$0] } })
        case .or(let parts):
            return .or(try all(parts).flatMap { if case .or(let inner) = $0 { inner } else { [$0] } })
        case .comparison(let comparison): return try self.comparison(comparison)
        }
    }

    private func all(_ parts: [ParsedPredicate]) throws(QueryError) -> [BoundPredicate] {
        var bound: [BoundPredicate] = []
        bound.reserveCapacity(parts.count)
        for part in parts { bound.append(try predicate(part)) }
        return bound
    }

    func step(_ step: ParsedStep) throws(QueryError) -> ResultStep {
        switch step {
        case .limit(let count): return .limit(count)
        case .sort(let keys):
            var bound: [SortKey] = []
            for key in keys {
                bound.append(SortKey(try valuePath(key.path, clause: .sort), ascending: key.isAscending))
            }
            return .sort(bound)
        case .distinct(let paths):
            var bound: [BoundPath] = []
            for path in paths { bound.append(try valuePath(path, clause: .distinct)) }
            return .distinct(bound)
        }
    }

    /// The argument with that number. Throws `argument` when there is none.
    func argument(_ number: Int, _ range: SourceRange) throws(QueryError) -> QueryArgument {
        guard arguments.indices.contains(number) else {
            let given =
                switch arguments.count {
                case 0: "no arguments are provided"
                case 1: "only 1 argument is provided"
                default: "only \(arguments.count) arguments are provided"
                }
            throw source.error(.argument, "Request for argument at index \(number) but \(given).", range)
        }
        return arguments[number]
    }
}

extension String {
    /// Truncated to a length that fits a message.
    var clipped: String {
        utf8.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(40))) + "…"
    }
}

extension Sequence<String> {
    /// The nearest name; nil for a text that is too long to be a misspelt name.
    func hint(for typed: String) -> String? { typed.utf8.count <= 100 ? nearest(to: typed) : nil }
}

extension Binding {
    /// `p BETWEEN {a, b}` is `p >= a AND p <= b`. Over several values both must hold for each, so only ALL has that
    /// meaning; in predicate formats both must hold for one and the same value.
    func between(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        guard case .constants(let constants, true) = right.content, constants.count == 2 else {
            throw source.error(
                .invalid,
                dialect == .format
                    ? "NSArray object must contain exactly two objects for BETWEEN operations"
                    : "The right side of BETWEEN must be a list of exactly two elements, as in {1, 5}.", right.range)
        }
        guard case .operand(let operand, let type) = left.content else {
            throw source.error(.invalid, "Cannot compare two constants", left.range.joined(right.range))
        }
        if case .object = type { throw noRange(type, left.range) }
        if type == .typeName { throw noRange(type, left.range) }
        let name = name(left)
        func bound(_ constant: Constant) throws(QueryError) -> Value {
            guard case .value(let value) = try adapt(constant, to: type, name: name) else {
                throw noRange(.scalar(.mixed), constant.range)
            }
            return value
        }
        let low = try bound(constants[0])
        let high = try bound(constants[1])
        if dialect == .format {
            try checkRange(left, type)
            if operand.isToMany {
                return .between(BoundBetween(operand, low, high, quantifier: left.quantifier ?? .any))
            }
        } else if operand.isToMany, left.quantifier != .all {
            throw source.error(
                .invalid, "Only 'ALL' supported for operator 'BETWEEN' when applied to lists.", left.range)
        }
        func half(_ comparison: ComparisonOperator, _ value: Value) -> BoundPredicate {
            .comparison(
                BoundComparison(operand, comparison, .constant(value), leftQuantifier: left.quantifier ?? .any))
        }
        return .and([half(.greaterOrEqual, low), half(.lessOrEqual, high)])
    }

    /// Throws for ranges that predicate formats do not allow.
    private func checkRange(_ left: ComparisonSide, _ type: OperandType) throws(QueryError) {
        try checkQuantifier(left)
        guard case .scalar(let base) = type, base.isNumeric || base == .date || base == .mixed else {
            throw noRange(type, left.range)
        }
    }

    private func noRange(_ type: OperandType, _ range: SourceRange) -> QueryError {
        source.error(.typeMismatch, "Operator 'BETWEEN' not supported for type '\(type.name)'", range)
    }
}

extension Binding {
    /// `bio TEXT 'swim -jump climb*'`
    func fullText(_ parsed: ParsedComparison) throws(QueryError) -> BoundPredicate {
        let left = try side(parsed.left)
        let right = try side(parsed.right)
        guard let path = left.path, let bound = path.bound, bound.steps.isEmpty, let property = path.property,
            case .property = bound.end, property.schema.isFullTextIndexed
        else { throw source.error(.invalid, "Column has no fulltext index", left.range) }
        if dialect == .format { try checkQuantifier(left) }
        guard case .constants(let constants, false) = right.content, let constant = constants.first,
            case .string(let text)? = constant.value
        else {
            throw source.error(.typeMismatch, "The right side of TEXT must be a string of search words.", right.range)
        }
        return .fullText(
            BoundFullText(bound, try search(text, constant.range), quantifier: left.quantifier ?? .any))
    }

    private func search(_ text: String, _ range: SourceRange) throws(QueryError) -> FullTextSearch {
        var words: [FullTextSearch.Word] = []
        for piece in text.split(whereSeparator: \.isWhitespace) {
            var word = piece
            let isExcluded = word.hasPrefix("-")
            if isExcluded { word = word.dropFirst() }
            let isPrefix = word.hasSuffix("*")
            if isPrefix { word = word.dropLast() }
            guard !word.isEmpty, word.unicodeScalars.allSatisfy(\.isOfWord) else {
                throw source.error(.invalid, "Non alphanumeric characters not allowed inside search word", range)
            }
            words.append(FullTextSearch.Word(String(word), isPrefix: isPrefix, isExcluded: isExcluded))
        }
        guard !words.isEmpty else {
            throw source.error(.invalid, "A full-text search needs at least one word.", range)
        }
        let excluded = Set(words.filter(\.isExcluded).map(\.identity))
        guard !words.contains(where: { !$0.isExcluded && excluded.contains($0.identity) }) else {
            throw source.error(.invalid, "You can't include and exclude the same token", range)
        }
        return FullTextSearch(words)
    }
}

extension FullTextSearch.Word {
    /// The word without its case; words that differ by case alone are the same.
    fileprivate var identity: String { text.lowercased() + (isPrefix ? "*" : "") }
}

extension Unicode.Scalar {
    fileprivate var isOfWord: Bool {
        properties.isAlphabetic || properties.numericType != nil || properties.generalCategory == .nonspacingMark
    }
}

extension Binding {
    func subquery(_ parsed: ParsedSubquery) throws(QueryError) -> BoundSubquery {
        let variable = parsed.variable
        let variableRange = parsed.variableRange.value
        guard variable.hasPrefix("$"), variable.unicodeScalars.count > 1 else {
            throw source.error(
                .invalid,
                "The subquery variable '\(variable)' is invalid. The variable must start with '$' and cannot be empty; for example '$x'.",
                variableRange)
        }
        let path = try resolve(parsed.path)
        let range = wholeRange(parsed.path)
        guard case .path(let bound) = path.meaning, case .object(let target) = path.type,
            bound.links.last?.isToMany == true
        else {
            if path.isValueCollection {
                throw source.error(
                    .invalid, "A subquery can not operate on a list of primitive values (property '\(path.text)')",
                    range)
            }
            throw source.error(
                .invalid, "A subquery must operate on a list property, but '\(path.text)' is type '\(path.type.name)'",
                range)
        }
        guard !variables.contains(where: { $0.name == variable && $0.classID == target.id }) else {
            throw source.error(
                .invalid,
                "Unable to create a subquery expression with variable '\(variable)' since an identical variable already exists in this context",
                variableRange)
        }
        var inner = self
        inner.root = target
        inner.variables.append(Variable(name: variable, classID: target.id))
        return BoundSubquery(
            links: bound.links, classID: target.id, predicate: try inner.predicate(parsed.predicate))
    }
}
