import JSONCoding
import ObjectModel
import QueryLanguage

/// Reads the parameters that select objects of a class.
struct QueryReader {
    let schema: Schema
    let configuration: GatewayConfiguration

    /// The query of `filter`, `args`, `sort` and `distinct`; what the filter's text says itself comes first.
    func query(_ parameters: QueryParameters, _ objectClass: ClassSchema) throws(Problem) -> BoundQuery {
        let binder = QueryBinder(schema: schema)
        let arguments = try parameters["args"].map { text throws(Problem) in try self.arguments(text) } ?? []
        var query = BoundQuery(classID: objectClass.id)
        if let filter = parameters["filter"] {
            guard filter.utf8.count <= configuration.filterLimit else {
                throw Problem(
                    400, "query.too_long",
                    "The filter is longer than \(configuration.filterLimit) bytes. Pass long lists in 'args'.",
                    parameter: "filter")
            }
            query = try bound("filter", filter) { text throws(QueryError) in
                try binder.bind(text, class: objectClass, arguments: arguments)
            }
        }
        if let sort = parameters["sort"] {
            query.steps.append(
                .sort(
                    try bound("sort", sort) { text throws(QueryError) in
                        try binder.bindSort(text, class: objectClass)
                    }))
        }
        if let distinct = parameters["distinct"] {
            query.steps.append(
                .distinct(
                    try bound("distinct", distinct) { text throws(QueryError) in
                        try binder.bindDistinct(text, class: objectClass)
                    }))
        }
        return query
    }

    /// A key path to one value.
    func path(_ text: String, parameter: String, _ objectClass: ClassSchema) throws(Problem) -> BoundPath {
        try bound(parameter, text) { text throws(QueryError) in
            try QueryBinder(schema: schema).bindPath(text, class: objectClass)
        }
    }

    private func bound<R>(
        _ parameter: String, _ text: String, _ bind: (String) throws(QueryError) -> R
    ) throws(Problem) -> R {
        do {
            return try bind(text)
        } catch {
            throw Problem(error, parameter: parameter, text: text)
        }
    }

    // MARK: Arguments

    private func arguments(_ text: String) throws(Problem) -> [QueryArgument] {
        let json: JSONValue
        do {
            json = try JSONValue.parse(text)
        } catch {
            throw Problem(error, parameter: "args")
        }
        guard case .array(let elements) = json else {
            throw Problem(
                400, "parameter.invalid", "'args' takes a JSON array, not \(json.inWords).", parameter: "args")
        }
        var remaining = configuration.argumentLimit
        var arguments: [QueryArgument] = []
        for (index, element) in elements.enumerated() {
            remaining -= 1
            if case .array(let list) = element {
                remaining -= list.count
                var values: [Value] = []
                if remaining >= 0 { for element in list { values.append(try value(element, at: index)) } }
                arguments.append(.list(values))
            } else if remaining >= 0 {
                if let link = try link(element, at: index) {
                    arguments.append(link)
                } else {
                    arguments.append(.value(try value(element, at: index)))
                }
            }
            guard remaining >= 0 else {
                throw Problem(
                    400, "parameter.invalid", "'args' has more than \(configuration.argumentLimit) values.",
                    parameter: "args")
            }
        }
        return arguments
    }

    private func value(_ json: JSONValue, at index: Int) throws(Problem) -> Value {
        do {
            switch try ValueCoding.mixed(json).complete {
            case .list?, .dictionary?, nil: break
            case let value?: return value
            }
        } catch {
            throw Problem(
                400, "query.argument", "Argument \(index)\(error.path) is \(error.got), not \(error.expected).",
                parameter: "args")
        }
        throw Problem(
            400, "query.argument",
            "Argument \(index) is no value: write plain JSON or a typed object such as {\"$date\": …} or {\"$link\": …}.",
            parameter: "args")
    }

    /// An object given as `{"$link": {"class", "key"}}`; nil for anything else.
    private func link(_ json: JSONValue, at index: Int) throws(Problem) -> QueryArgument? {
        guard json["$link"] != nil else { return nil }
        guard let link = LinkForm(json) else {
            throw Problem(
                400, "query.argument",
                "Argument \(index): write a link as {\"$link\": {\"class\": \"Dog\", \"key\": 7}}.", parameter: "args")
        }
        guard let target = schema[link.className] else {
            throw Problem(
                400, "query.unknown_class", "Argument \(index): there is no class '\(link.className)'.",
                parameter: "args", hint: schema.classes.map(\.name).nearest(to: link.className))
        }
        do {
            let type = target.primaryKeyProperty?.type ?? PropertyType(.int)
            return .object(className: link.className, primaryKey: try ValueCoding.decode(link.key, as: type))
        } catch {
            throw Problem(
                400, "query.argument", "Argument \(index): " + error.sentence("$link.key"), parameter: "args")
        }
    }
}

extension BoundQuery {
    /// The keys that cursors of the result belong to; nil when it takes none, because it is not ordered by its last
    /// sort and creation alone.
    var cursorSort: [SortKey]? {
        guard let first = steps.first else { return [] }
        guard steps.count == 1, case .sort(let keys) = first else { return nil }
        return keys
    }
}
