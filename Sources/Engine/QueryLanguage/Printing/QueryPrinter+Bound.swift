package import ObjectModel
package import QuerySyntax

extension QueryPrinter {
    /// A bound query as text that binds, in RQL and against the same schema, to an equal query, for logs and for stored
    /// subscriptions. Its scope is not part of the text.
    ///
    /// Nil when the schema lacks a name of the query, as after a schema change, and for what RQL cannot express: a
    /// `between` for some of several values, which only predicate formats have, and arguments without a constant form:
    /// an object of a class with a primary key by its object key, a decimal or an infinite Float beside other numbers
    /// or mixed values.
    package static func text(_ query: BoundQuery, schema: Schema) -> String? {
        guard let root = schema[query.classID] else { return nil }
        let unparser = Unparser(schema: schema, root: root)
        guard let predicate = unparser.predicate(query.predicate),
            let steps = unparser.all(query.steps, unparser.step)
        else { return nil }
        return text(ParsedQuery(predicate, steps))
    }
}
