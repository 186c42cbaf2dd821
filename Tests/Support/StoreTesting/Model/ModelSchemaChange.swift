import ObjectModel
import StoreContract

/// Replaces the schema of a model store; see `Store.replaceSchema` and `Migration`.
enum ModelSchemaChange {
    /// The state under the new schema. Throws as `Store.replaceSchema`, and the errors of the migration's block.
    static func apply(_ schema: Schema, _ migration: Migration?, to state: ModelState) throws -> ModelState {
        try StoreError.check(schema)
        guard schema.version >= state.schema.version else {
            throw StoreError(
                .schemaVersionTooLow,
                "Provided schema version \(schema.version) is less than last set version \(state.schema.version).")
        }
        let rises = schema.version > state.schema.version
        let plan = MigrationPlan(from: state.schema, to: schema, steps: rises ? migration?.steps ?? [] : [])
        if let fault = plan.faults.first { throw fault.error }
        if !plan.isMigration {
            try StoreError.checkAutomatic(plan) { name in
                state.schema[name].map { !state.keys(of: $0.id).isEmpty } ?? false
            }
        }
        let transaction = ModelMigration(state, plan)
        for step in plan.steps { try transaction.perform(step) }
        if rises || migration?.addsObjects == true { try migration?.block?(transaction) }
        return try transaction.finish()
    }
}
