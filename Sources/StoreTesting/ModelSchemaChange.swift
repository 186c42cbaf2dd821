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
        var reasons = migrationReasons(from: state, to: schema)
        if schema.version == state.schema.version { reasons += losses(from: state, to: schema) }
        guard reasons.isEmpty else {
            throw StoreError(
                .migrationRequired,
                "Migration is required due to the following errors:\n"
                    + reasons.map { "- \($0)" }.joined(separator: "\n"))
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

    /// What a higher schema version is needed for: data that would be let go.
    private static func losses(from state: ModelState, to new: Schema) -> [String] {
        state.schema.classes.filter { !state.keys(of: $0.id).isEmpty }.flatMap { before -> [String] in
            guard let after = new[before.name] else { return ["Class '\(before.name)' has been removed."] }
            return before.storedProperties.filter { after[$0.name] == nil }.map {
                "Property '\(before.name).\($0.name)' has been removed."
            }
        }
    }

    private static func migrationReasons(from state: ModelState, to new: Schema) -> [String] {
        var reasons: [String] = []
        for after in new.classes {
            guard let before = state.schema[after.name], !state.keys(of: before.id).isEmpty else { continue }
            if before.primaryKey != after.primaryKey {
                reasons.append("The primary key of class '\(after.name)' has been changed.")
            }
            for property in after.properties {
                guard let same = before[property.name], same.type != property.type else { continue }
                guard !(same.type.isComputed && property.type.isComputed) else { continue }
                reasons.append(
                    "Property '\(after.name).\(property.name)' has been changed from '\(same.type)' to '\(property.type)'."
                )
            }
        }
        return reasons
    }
}
