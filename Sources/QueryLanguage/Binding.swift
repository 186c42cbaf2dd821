import ObjectModel

/// One run of the binder: a query, its arguments and its text.
struct Binding {
    /// `$d` of a subquery.
    struct Variable {
        var name: String
        /// Of the elements that it stands for.
        var classID: ClassID
    }

    let schema: Schema
    /// The class at which paths begin.
    var root: ClassSchema
    /// Whose class the root is, if paths begin at the elements of a collection of values.
    var element: ElementClass?
    var arguments: [QueryArgument]
    var source: SourceText
    var dialect = QueryDialect.rql
    var checksSums = false
    /// Of the subqueries around, the innermost last.
    var variables: [Variable] = []
    /// What the path at hand is for; nil in comparisons.
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

    /// The argument of that number. Throws `argument` when there is none.
    func argument(_ number: Int, _ range: SourceRange) throws(QueryError) -> QueryArgument {
        guard arguments.indices.contains(number) else {
            let given =
                arguments.isEmpty ? "no arguments are provided" : "only \(arguments.count) arguments are provided"
            throw source.error(.argument, "Request for argument at index \(number) but \(given).", range)
        }
        return arguments[number]
    }
}

extension String {
    /// Short enough for a message, whatever was given.
    var clipped: String {
        utf8.count <= 80 ? self : String(String.UnicodeScalarView(unicodeScalars.prefix(40))) + "…"
    }
}

extension Sequence<String> {
    /// The nearest name; nil for what is too long to be the misspelling of one.
    func hint(for typed: String) -> String? { typed.utf8.count <= 100 ? nearest(to: typed) : nil }
}
