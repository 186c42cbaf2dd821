package import ObjectModel

extension QueryPrinter {
    /// A query of the binder as text that binds, in RQL and against the same schema, to an equal query: what
    /// logs show and what a stored subscription keeps. Its scope is not part of the text.
    ///
    /// Nil when the schema does not have what the query names, as after a schema change, and for what RQL has
    /// no words for: a `between` for some of several values, which only predicate formats have, and arguments
    /// of which there are no constants: an object of a class with a primary key by its object key, a decimal or
    /// an infinite Float beside other numbers or mixed values.
    package static func text(_ query: BoundQuery, schema: Schema) -> String? {
        guard let root = schema[query.classID] else { return nil }
        let unbinding = Unbinding(schema: schema, root: root)
        guard let predicate = unbinding.predicate(query.predicate),
            let steps = unbinding.all(query.steps, unbinding.step)
        else { return nil }
        return text(ParsedQuery(predicate, steps))
    }
}
