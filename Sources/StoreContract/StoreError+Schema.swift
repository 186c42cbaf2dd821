package import ObjectModel

extension StoreError {
    /// Throws `schemaInvalid` with every fault of the schema, as all stores do before they take one over.
    package static func check(_ schema: Schema) throws(StoreError) {
        let faults = schema.faults()
        guard faults.isEmpty else {
            throw StoreError(
                .schemaInvalid,
                "Schema validation failed due to the following errors:\n"
                    + faults.map { "- \($0)" }.joined(separator: "\n"))
        }
    }
}
