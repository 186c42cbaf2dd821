package import ViewMaintenance
package import ObjectModel
package import QueryLanguage
package import StoreContract

extension LiveQueries {
    /// The method for the query. Throws `unknownClass` and `unknownProperty` when it does not fit the schema.
    package static func maintenance(of query: BoundQuery, under schema: Schema) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, schema: schema).maintenance
    }

    /// The method for the query's sectioned result: the result is maintained as without sections, and only the sections
    /// that changed objects leave or enter are updated. Throws as the other does, also for the key.
    package static func maintenance(
        of query: BoundQuery, by key: SectionKey, under schema: Schema
    ) throws(StoreError) -> Maintenance {
        try QueryDependencies(query, alsoReading: [key.path], schema: schema).maintenance
    }
}
