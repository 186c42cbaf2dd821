package import ObjectModel
package import QueryLanguage
package import StoreContract

/// How a query's result is kept current when something was committed.
package enum Maintenance: Hashable, Sendable {
    /// Only objects that changed, and those that reach them on the query's route, are tested.
    case incremental
    /// The query is run again and the results compared, and why.
    case recompute(reason: String)
}

extension LiveQueries {
    /// How the query would be kept current. Throws `unknownClass` and `unknownProperty` when it does not fit the
    /// schema.
    package static func maintenance(of query: BoundQuery, under schema: Schema) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, schema: schema).maintenance
    }

    /// How the query's result in sections would be kept current: as the result is, and of its sections only those that
    /// changed objects leave or enter. Throws as the other does, also for the key.
    package static func maintenance(
        of query: BoundQuery, by key: SectionKey, under schema: Schema
    ) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, alsoReading: [key.path], schema: schema).maintenance
    }
}
