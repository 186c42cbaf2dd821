import ObjectModel
import StoreContract

/// What replacing a schema does to a model store.
enum ModelSchemaChange {
    /// The state under the new schema. Objects keep the values of the properties that stay; new properties get null
    /// or zero. Throws `schemaInvalid`, `schemaVersionTooLow`, `migrationRequired`.
    static func apply(_ schema: Schema, to state: ModelState) throws -> ModelState {
        try StoreError.check(schema)
        guard schema.version >= state.schema.version else {
            throw StoreError(
                .schemaVersionTooLow,
                "Provided schema version \(schema.version) is less than last set version \(state.schema.version).")
        }
        let plan = MigrationPlan(from: state.schema, to: schema, steps: [])
        if !plan.isMigration {
            try StoreError.checkAutomatic(plan) { name in
                state.schema[name].map { !state.keys(of: $0.id).isEmpty } ?? false
            }
        }
        let numbered = schema.adoptingIdentities(of: state.schema)
        var next = ModelState(version: state.version.next, schema: numbered)
        for objectClass in numbered.classes {
            guard var table = state.tables[objectClass.id] else { continue }
            for (key, row) in table.rows {
                var kept: [PropertyID: Value] = [:]
                for property in objectClass.storedProperties {
                    kept[property.id] = row[property.id] ?? property.type.zeroValue
                }
                table.rows[key] = kept
            }
            next.tables[objectClass.id] = table
        }
        return next
    }
}
