package import ObjectModel

/// Resolves names and types of queries against a schema.
///
/// The meaning of names and constants is that of Realm's query language, and so are most sentences of its errors, so that
/// users of Realm meet words they know. docs/reference/query-language.md has the rules.
package struct QueryBinder: Sendable {
    let schema: Schema
    let element: ElementClass?
    let checksSums: Bool

    /// - Parameters:
    ///   - element: of queries that choose among the elements of one collection; the class that they are bound to is
    ///     this one's.
    ///   - checksSums: whether sums of integers that are beyond those are errors; else they wrap, as in Realm.
    package init(schema: Schema, element: ElementClass? = nil, checksSums: Bool = false) {
        self.schema = schema
        self.element = element
        self.checksSums = checksSums
    }

    /// Reads and binds a query text.
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

/// What `$0`, `%@` or `$K0` stands for.
package enum QueryArgument: Hashable, Sendable {
    /// Also an object, as a `reference`; a list or set counts as `list`.
    case value(Value)
    /// A number with a fraction, and the text that it was read from, which may say more than the number holds.
    case floating(Value, text: String)
    case list([Value])
    /// A list among whose elements are objects by their primary keys.
    case elements([Element])
    /// An object by its class and primary key, or object key where the class has no primary key.
    case object(className: String, primaryKey: Value)
    /// For GEOWITHIN.
    case shape(GeoShape)

    package enum Element: Hashable, Sendable {
        case value(Value)
        case floating(Value, text: String)
        case object(className: String, primaryKey: Value)
    }
}
