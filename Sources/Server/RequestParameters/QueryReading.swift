import Basics
import HTTPProblems
import JSONCoding
package import ObjectCoding
package import ObjectModel
package import QueryLanguage
package import QuerySyntax

/// Parses the parameters that select objects of a class.
package struct QueryReader {
    package let schema: Schema
    package let limits: QueryLimits
    /// The element class, for queries of plain values.
    let element: ElementClass?
    /// Queries of this schema that were parsed before; nil to parse each.
    let known: QueryCache?

    package init(
        schema: Schema, limits: QueryLimits, element: ElementClass? = nil, known: QueryCache? = nil
    ) {
        self.schema = schema
        self.limits = limits
        self.element = element
        self.known = known
    }

    /// The parameters that `query` reads.
    package static let parameters = ["filter", "args", "sort", "distinct"]

    /// Parses the query of `filter`, `args`, `sort` and `distinct`; steps in the filter's own text come first.
    package func query(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, in scope: QueryScope = .all
    ) throws(Problem) -> BoundQuery {
        guard let known, element == nil else { return try parsed(parameters, objectClass, in: scope) }
        let text = QueryCache.Text(
            classID: objectClass.id, filter: parameters["filter"], arguments: parameters["args"],
            sort: parameters["sort"], distinct: parameters["distinct"])
        // Nothing to parse.
        guard text.byteCount > 0 else { return try parsed(parameters, objectClass, in: scope) }
        var query = try known.query(text, of: schema, limits) { () throws(Problem) in
            try parsed(parameters, objectClass, in: .all)
        }
        query.scope = scope
        return query
    }

    private func parsed(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, in scope: QueryScope
    ) throws(Problem) -> BoundQuery {
        var query = try filter(parameters, objectClass, in: scope)
        if let sort = try sort(parameters, objectClass) { query.steps.append(.sort(sort)) }
        if let distinct = try distinct(parameters, objectClass) { query.steps.append(.distinct(distinct)) }
        return query
    }

    /// Limits the number of sort keys, because each sort is a pass over the whole result. Called before the keys are
    /// parsed, which costs microseconds each.
    private func bounded(_ keys: Int, _ parameter: String) throws(Problem) {
        guard keys > limits.keys else { return }
        throw Problem(
            .queryTooManyKeys,
            "There are \(keys) key paths for sort or distinct; at most \(limits.keys) are allowed.",
            parameter: parameter)
    }

    /// Parses only `filter`, or another parameter with a predicate, and `args`.
    package func filter(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, in scope: QueryScope = .all,
        named name: String = "filter"
    ) throws(Problem) -> BoundQuery {
        let arguments = try arguments(parameters)
        var query = BoundQuery(classID: objectClass.id)
        if let filter = parameters[name] {
            try checkLength(filter, name)
            query = try bound(name, filter) { binder, text throws(QueryError) in
                try binder.bind(text, class: objectClass, arguments: arguments)
            }
            try bounded(query.steps.reduce(0) { $0 + $1.keyCount }, name)
        }
        query.scope = scope
        return query
    }

    private func arguments(_ parameters: QueryParameters) throws(Problem) -> [QueryArgument] {
        try parameters["args"].map { text throws(Problem) in
            try ArgumentReader(schema: schema, limit: limits.arguments).arguments(text)
        } ?? []
    }

    private func checkLength(_ filter: String, _ name: String) throws(Problem) {
        guard filter.utf8.count > limits.filter else { return }
        throw Problem(
            QueryError.Code.tooLong, "'\(name)' is longer than \(limits.filter) bytes. Pass long lists in 'args'.",
            parameter: name)
    }

    /// Parses a parameter with a condition on groups, and `args`.
    ///
    /// - Parameter unknown: rewrites the error at a name that the class does not have.
    package func condition(
        _ parameters: QueryParameters, _ groups: GroupClass, named name: String,
        unknown: (String, inout QueryError) -> Void
    ) throws(Problem) -> BoundPredicate {
        let text = parameters[name] ?? ""
        try checkLength(text, name)
        let arguments = try arguments(parameters)
        do throws(QueryError) {
            return try groups.bind(text, arguments: arguments)
        } catch {
            var named = error
            if error.code == .unknownProperty {
                let scalars = text.unicodeScalars.dropFirst(max(0, error.position)).prefix(min(error.length, 80))
                unknown(String(String.UnicodeScalarView(scalars)), &named)
                named.message = withHint(named.message, named.hint)
            }
            throw Problem(named, parameter: name, text: text)
        }
    }

    /// Parses the keys of `sort`; nil if it is not given.
    package func sort(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [SortKey]? {
        guard let text = parameters["sort"] else { return nil }
        try bounded(QueryBinder.keyPathTexts(text).count, "sort")
        return try bound("sort", text) { binder, text throws(QueryError) in
            try binder.bindSort(text, class: objectClass)
        }
    }

    /// Parses the key paths of `distinct`; nil if it is not given.
    package func distinct(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [BoundPath]? {
        guard let text = parameters["distinct"] else { return nil }
        try bounded(QueryBinder.keyPathTexts(text).count, "distinct")
        return try bound("distinct", text) { binder, text throws(QueryError) in
            try binder.bindDistinct(text, class: objectClass)
        }
    }

    /// Parses a key path with one value per object.
    package func path(_ text: String, _ objectClass: ClassSchema, in parameter: String) throws(Problem) -> BoundPath {
        try bound(parameter, text) { binder, text throws(QueryError) in
            try binder.bindPath(text, class: objectClass)
        }
    }

    /// Parses an aggregate of a key path, from the parameter named like the function or from the given one.
    package func aggregate(
        _ function: AggregateRequest.Function, _ text: String, _ objectClass: ClassSchema, in parameter: String? = nil
    ) throws(Problem) -> AggregateRequest {
        guard let known, element == nil else {
            return try parsedAggregate(function, text, objectClass, in: parameter)
        }
        return try known.aggregate(function, text, objectClass.id, of: schema, limits) { () throws(Problem) in
            try parsedAggregate(function, text, objectClass, in: parameter)
        }
    }

    private func parsedAggregate(
        _ function: AggregateRequest.Function, _ text: String, _ objectClass: ClassSchema, in parameter: String?
    ) throws(Problem) -> AggregateRequest {
        try bound(parameter ?? function.rawValue, text) { binder, text throws(QueryError) in
            try binder.bindAggregate(function, text, class: objectClass)
        }
    }

    /// Parses the distinct key paths of `by` for groups.
    package func groups(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [NamedPath] {
        guard let text = parameters["by"] else { return [] }
        let texts = QueryBinder.keyPathTexts(text).map(\.text)
        try bounded(texts.count, "by")
        let paths = try bound("by", text) { binder, text throws(QueryError) in
            try binder.bindGroup(text, class: objectClass)
        }
        var named: [NamedPath] = []
        for (name, path) in zip(texts, paths) where !named.contains(where: { $0.name == name }) {
            named.append(NamedPath(name: name, path: path))
        }
        return named
    }

    /// Parses the key of `by` for sections.
    package func section(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> SectionKey {
        guard let text = parameters["by"] else {
            throw Problem(
                .parameterMissing,
                "Give 'by', the key of the sections: a key path, or one with a function such as name.first.",
                parameter: "by")
        }
        return try bound("by", text) { binder, text throws(QueryError) in
            try binder.bindSection(text, class: objectClass)
        }
    }

    private func bound<R>(
        _ parameter: String, _ text: String, _ bind: (QueryBinder, String) throws(QueryError) -> R
    ) throws(Problem) -> R {
        do {
            return try bind(QueryBinder(schema: schema, element: element, checksSums: true), text)
        } catch {
            throw Problem(error, parameter: parameter, text: text)
        }
    }
}

/// A key path with its text from the client.
package struct NamedPath: Sendable {
    package let name: String
    package let path: BoundPath

    /// How its values are written in the keys of groups.
    package var key: AggregateForm.Key { AggregateForm.Key(name, isMixed: path.givesMixed) }
}

extension ResultStep {
    /// The number of key paths that the step reads; 1 for a limit.
    fileprivate var keyCount: Int {
        switch self {
        case .sort(let keys): keys.count
        case .distinct(let paths): paths.count
        case .limit: 1
        }
    }
}
