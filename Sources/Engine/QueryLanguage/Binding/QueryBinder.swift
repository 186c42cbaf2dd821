package import QuerySyntax
package import ObjectModel

/// Resolves names and types of queries against a schema.
///
/// Names and constants mean what they mean in Realm's query language, and most error sentences are Realm's, which its
/// users know. docs/reference/query-language.md has the rules.
package struct QueryBinder: Sendable {
    let schema: Schema
    let element: ElementClass?
    let checksSums: Bool

    /// - Parameters:
    ///   - element: for queries that select elements of one collection; the class that they are bound to is its class.
    ///   - checksSums: whether sums of integers that overflow are errors; otherwise they wrap, as in Realm.
    package init(schema: Schema, element: ElementClass? = nil, checksSums: Bool = false) {
        self.schema = schema
        self.element = element
        self.checksSums = checksSums
    }

    /// Parses and binds a query text.
    package func bind(
        _ text: String, class objectClass: ClassSchema, arguments: [QueryArgument] = [], dialect: QueryDialect = .rql
    ) throws(QueryError) -> BoundQuery {
        try bind(
            try QueryParser.parse(text, dialect: dialect), class: objectClass, arguments: arguments, dialect: dialect)
    }

    package func bind(
        _ query: ParsedQuery, class objectClass: ClassSchema, arguments: [QueryArgument] = [],
        dialect: QueryDialect = .rql
    ) throws(QueryError) -> BoundQuery {
        let binding = self.binding(objectClass, query.source.value, arguments: arguments, dialect: dialect)
        var steps: [ResultStep] = []
        for step in query.steps { steps.append(try binding.step(step)) }
        return BoundQuery(classID: objectClass.id, predicate: try binding.predicate(query.predicate), steps: steps)
    }

    func binding(
        _ objectClass: ClassSchema, _ source: SourceText, arguments: [QueryArgument] = [],
        dialect: QueryDialect = .rql
    ) -> Binding {
        Binding(
            schema: schema, root: objectClass, element: element, arguments: arguments, source: source,
            dialect: dialect, checksSums: checksSums)
    }
}

/// The value of `$0`, `%@` or `$K0`.
package enum QueryArgument: Hashable, Sendable {
    /// Any value, also an object, as a `reference`; a list or set is a `list`.
    case value(Value)
    /// A number with a fraction, and its source text, which may have more digits than the number.
    case floating(Value, text: String)
    case list([Value])
    /// A list that contains objects by their primary keys.
    case elements([Element])
    /// A list or dictionary, as one value that mixed values are compared with.
    case collection(Value)
    /// An object by its class and primary key, or object key where the class has no primary key.
    case object(className: String, primaryKey: Value)
    /// For GEOWITHIN.
    case shape(GeoShape)

    package enum Element: Hashable, Sendable {
        case value(Value)
        case collection(Value)
        case floating(Value, text: String)
        case object(className: String, primaryKey: Value)
    }
}
