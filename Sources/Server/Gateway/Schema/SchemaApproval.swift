package import ObjectCoding
package import ObjectModel
package import StoreContract

/// Approves schema changes, if the store's classes belong to a program whose code depends on them.
package protocol SchemaApproval: Sendable {
    /// Returns the reason to reject the schema; nil to accept it. Not called if nothing would change.
    func refusal(from present: Schema, to wanted: Schema) -> Problem?

    /// Calls `Store.replaceSchema`, unless there is a reason to reject the schema by then. Returns at once.
    func replaceSchema(
        with schema: Schema, migration: Migration, completion: @escaping @Sendable (Result<Version, any Error>) -> Void)
}

extension Gateway {
    /// Returns why a document cannot be applied or is not permitted; nil if only the data can still prevent it.
    func refusal(of plan: SchemaPlan, _ present: Schema) -> Problem? {
        if let keeper = configuration.schemaApproval, !plan.isEmpty,
            let refusal = keeper.refusal(from: present, to: plan.document.schema)
        {
            return refusal
        }
        return plan.refusal
    }

    func replaceSchema(
        with document: SchemaDocument, completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        let migration = Migration(steps: document.steps)
        guard let keeper = configuration.schemaApproval else {
            return store.replaceSchema(with: document.schema, migration: migration, completion: completion)
        }
        keeper.replaceSchema(with: document.schema, migration: migration, completion: completion)
    }
}
