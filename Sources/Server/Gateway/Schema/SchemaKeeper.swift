package import ObjectModel
package import StoreContract

/// Whoever decides about other classes in a store that does not belong to the gateway alone: of a program whose own
/// code depends on them.
package protocol SchemaKeeper: Sendable {
    /// Why the store may not get those classes; nil when it may. Not asked when nothing would change.
    func refusal(from present: Schema, to wanted: Schema) -> Problem?

    /// `Store.replaceSchema`, unless there is a reason for a refusal by then. Returns at once.
    func replaceSchema(
        with schema: Schema, migration: Migration, completion: @escaping @Sendable (Result<Version, any Error>) -> Void)
}

extension Gateway {
    /// Why a document cannot be applied, or may not; nil when only the data can still say no.
    func refusal(of plan: SchemaPlan, _ present: Schema) -> Problem? {
        if let keeper = configuration.schemaKeeper, !plan.isEmpty,
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
        guard let keeper = configuration.schemaKeeper else {
            return store.replaceSchema(with: document.schema, migration: migration, completion: completion)
        }
        keeper.replaceSchema(with: document.schema, migration: migration, completion: completion)
    }
}
