import JSONCoding
import ObjectModel
import QueryLanguage

/// Reads the parameters that select objects of a class.
struct QueryReader {
    let schema: Schema
    let configuration: GatewayConfiguration

    /// The parameters that `query` reads.
    static let parameters = ["filter", "args", "sort", "distinct"]

    /// The query of `filter`, `args`, `sort` and `distinct`; what the filter's text says itself comes first.
    func query(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, in scope: QueryScope = .all
    ) throws(Problem) -> BoundQuery {
        var query = try filter(parameters, objectClass, in: scope)
        if let sort = try sort(parameters, objectClass) { query.steps.append(.sort(sort)) }
        if let distinct = try distinct(parameters, objectClass) { query.steps.append(.distinct(distinct)) }
        return query
    }

    /// The query of `filter` and `args` alone.
    func filter(
        _ parameters: QueryParameters, _ objectClass: ClassSchema, in scope: QueryScope = .all
    ) throws(Problem) -> BoundQuery {
        let arguments =
            try parameters["args"].map { text throws(Problem) in
                try ArgumentReader(schema: schema, limit: configuration.argumentLimit).arguments(text)
            } ?? []
        var query = BoundQuery(classID: objectClass.id)
        if let filter = parameters["filter"] {
            guard filter.utf8.count <= configuration.filterLimit else {
                throw Problem(
                    400, "query.too_long",
                    "The filter is longer than \(configuration.filterLimit) bytes. Pass long lists in 'args'.",
                    parameter: "filter")
            }
            query = try bound("filter", filter) { binder, text throws(QueryError) in
                try binder.bind(text, class: objectClass, arguments: arguments)
            }
        }
        query.scope = scope
        return query
    }

    /// The keys of `sort`; nil when it is not given.
    func sort(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [SortKey]? {
        guard let text = parameters["sort"] else { return nil }
        return try bound("sort", text) { binder, text throws(QueryError) in
            try binder.bindSort(text, class: objectClass)
        }
    }

    /// The key paths of `distinct`; nil when it is not given.
    func distinct(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [BoundPath]? {
        guard let text = parameters["distinct"] else { return nil }
        return try bound("distinct", text) { binder, text throws(QueryError) in
            try binder.bindDistinct(text, class: objectClass)
        }
    }

    /// An aggregate over a key path, in the parameter that is called as the function.
    func aggregate(
        _ function: AggregateRequest.Function, _ text: String, _ objectClass: ClassSchema
    ) throws(Problem) -> AggregateRequest {
        try bound(function.rawValue, text) { binder, text throws(QueryError) in
            try binder.bindAggregate(function, text, class: objectClass)
        }
    }

    /// The key paths of `by` that groups are made by, each once.
    func groups(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> [NamedPath] {
        guard let text = parameters["by"] else { return [] }
        let paths = try bound("by", text) { binder, text throws(QueryError) in
            try binder.bindGroup(text, class: objectClass)
        }
        var named: [NamedPath] = []
        for (name, path) in zip(Self.names(text), paths) where !named.contains(where: { $0.name == name }) {
            named.append(NamedPath(name: name, path: path))
        }
        return named
    }

    /// The key of `by` that sections are made by.
    func section(_ text: String, _ objectClass: ClassSchema) throws(Problem) -> SectionKey {
        try bound("by", text) { binder, text throws(QueryError) in
            try binder.bindSection(text, class: objectClass)
        }
    }

    /// The parts between commas, without blanks around them.
    private static func names(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { part in
            var part = part.drop { $0 == " " }
            while part.last == " " { part.removeLast() }
            return String(part)
        }
    }

    private func bound<R>(
        _ parameter: String, _ text: String, _ bind: (QueryBinder, String) throws(QueryError) -> R
    ) throws(Problem) -> R {
        do {
            return try bind(QueryBinder(schema: schema), text)
        } catch {
            throw Problem(error, parameter: parameter, text: text)
        }
    }
}

/// A key path with what the client calls it.
struct NamedPath: Sendable {
    let name: String
    let path: BoundPath
}

extension BoundPath {
    /// Whether the values may be of any type.
    var givesMixed: Bool {
        guard case .property(_, let type) = end, type.isMixed else { return false }
        return switch steps.last {
        case .size, .length, .typeName, .keys: false
        case .elements, nil: true
        }
    }
}

extension BoundQuery {
    /// The keys that cursors of the result belong to; nil when it takes none, because it is not ordered by its last
    /// sort and creation alone.
    var cursorSort: [SortKey]? {
        guard scope == .all else { return nil }
        guard let first = steps.first else { return [] }
        guard steps.count == 1, case .sort(let keys) = first else { return nil }
        return keys
    }
}
