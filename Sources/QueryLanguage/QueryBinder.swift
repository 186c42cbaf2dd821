package import ObjectModel

/// Resolves names and types of queries against a schema.
///
/// The meaning of names and constants, and the sentences of its errors, follow query-language.md §3-§6 and §9
/// and data-model.md §2.
package struct QueryBinder: Sendable {
    let schema: Schema

    package init(schema: Schema) { self.schema = schema }

    /// Reads and binds a query text.
    package func bind(
        _ text: String, class objectClass: ClassSchema, arguments: [QueryArgument] = [], dialect: QueryDialect = .rql
    ) throws(QueryError) -> BoundQuery {
        try bind(try QueryParser.parse(text), class: objectClass, arguments: arguments, dialect: dialect)
    }

    package func bind(
        _ query: ParsedQuery, class objectClass: ClassSchema, arguments: [QueryArgument] = [],
        dialect: QueryDialect = .rql
    ) throws(QueryError) -> BoundQuery {
        let binding = Binding(
            schema: schema, root: objectClass, arguments: arguments, source: query.source.value, dialect: dialect)
        var steps: [ResultStep] = []
        for step in query.steps { steps.append(try binding.step(step)) }
        return BoundQuery(classID: objectClass.id, predicate: try binding.predicate(query.predicate), steps: steps)
    }

    /// The wire's form of sort keys: `breed,-weight,owner.name`.
    package func bindSort(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [SortKey] {
        var keys: [SortKey] = []
        for part in parts(text) {
            let isDescending = part.text.hasPrefix("-")
            let name = isDescending || part.text.hasPrefix("+") ? String(part.text.dropFirst()) : part.text
            let path = try bindValuePath(
                name, offset: part.offset + part.text.unicodeScalars.count - name.unicodeScalars.count, objectClass,
                clause: .sort)
            keys.append(SortKey(path, ascending: !isDescending))
        }
        return keys
    }

    /// The wire's form of distinct key paths: `breed,owner.name`.
    package func bindDistinct(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> [BoundPath] {
        var paths: [BoundPath] = []
        for part in parts(text) {
            paths.append(try bindValuePath(part.text, offset: part.offset, objectClass, clause: .distinct))
        }
        return paths
    }

    /// A key path that gives one value per object, through to-one links: what sorting, distinct and aggregates take.
    package func bindPath(_ text: String, class objectClass: ClassSchema) throws(QueryError) -> BoundPath {
        try bindValuePath(text, offset: 0, objectClass, clause: .aggregate)
    }

    private func bindValuePath(
        _ text: String, offset: Int, _ objectClass: ClassSchema, clause: PathClause
    ) throws(QueryError) -> BoundPath {
        do throws(QueryError) {
            let (path, source) = try QueryParser.parsePath(text)
            let binding = Binding(schema: schema, root: objectClass, arguments: [], source: source)
            return try binding.valuePath(path, clause: clause)
        } catch {
            var shifted = error
            shifted.position += offset
            throw shifted
        }
    }

    /// The parts between commas, trimmed, with their places in scalars.
    private func parts(_ text: String) -> [(text: String, offset: Int)] {
        var parts: [(text: String, offset: Int)] = []
        var offset = 0
        for piece in text.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false) {
            let leading = piece.prefix { $0 == " " }.count
            var trimmed = String(String.UnicodeScalarView(piece.dropFirst(leading)))
            while trimmed.hasSuffix(" ") { trimmed.removeLast() }
            parts.append((trimmed, offset + leading))
            offset += piece.count + 1
        }
        return parts
    }
}
