package import ObjectModel

extension StoreError {
    /// Throws `schemaInvalid` with every fault of the schema; every store calls it before it adopts a schema.
    package static func check(_ schema: Schema) throws(StoreError) {
        let faults = schema.faults()
        guard faults.isEmpty else {
            throw StoreError(
                .schemaInvalid,
                "Schema validation failed due to the following errors:\n"
                    + faults.map { "- \($0)" }.joined(separator: "\n"))
        }
    }

    /// Throws `migrationRequired` with every change that is not automatic. `hasObjects` is called with names of classes
    /// of the older schema.
    package static func checkAutomatic(
        _ plan: MigrationPlan, hasObjects: (String) -> Bool
    ) throws(StoreError) {
        let reasons = plan.difference.migrationReasons(hasObjects: hasObjects)
        guard !reasons.isEmpty else { return }
        throw StoreError(
            .migrationRequired,
            "Migration is required due to the following errors:\n"
                + reasons.map { "- \($0.sentence)" }.joined(separator: "\n")
                + "\nIncrease the schema version above \(plan.old.version), and provide a migration for the data to keep."
        )
    }
}

extension StoreError {
    /// The error for work that was prepared under a schema that has been replaced since.
    package static var schemaReplaced: StoreError {
        StoreError(
            .schemaReplaced,
            "The schema was replaced while this request was prepared; nothing was changed. Send it again.")
    }

    /// Throws `schemaReplaced` unless the transaction has the schema that its work was prepared for.
    package static func check(_ transaction: any WriteTransaction, has schema: Schema) throws(StoreError) {
        guard transaction.schema == schema else { throw schemaReplaced }
    }
}
