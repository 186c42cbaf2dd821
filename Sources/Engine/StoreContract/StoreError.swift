package import ObjectModel

/// An error that a store reports. `code` is stable and never reused; `message` is a sentence for people that includes
/// the remedy.
package struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// An open set, grouped by the part before the dot.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        // The request does not fit the schema or the data.
        package static let unknownClass = Code(rawValue: "object.unknown_class")
        package static let unknownProperty = Code(rawValue: "object.unknown_property")
        package static let notFound = Code(rawValue: "object.not_found")
        package static let duplicateKey = Code(rawValue: "object.duplicate_key")
        package static let keyImmutable = Code(rawValue: "object.key_immutable")
        package static let invalidValue = Code(rawValue: "object.invalid_value")
        package static let missingValue = Code(rawValue: "object.missing_value")
        package static let valueTooLarge = Code(rawValue: "object.value_too_large")
        package static let embeddedWithoutOwner = Code(rawValue: "object.embedded_without_owner")
        package static let embeddedOwned = Code(rawValue: "object.embedded_owned")
        package static let invalidMapKey = Code(rawValue: "object.invalid_map_key")
        package static let indexOutOfBounds = Code(rawValue: "object.index_out_of_bounds")
        package static let notACollection = Code(rawValue: "object.not_a_collection")
        package static let tooDeep = Code(rawValue: "object.too_deep")
        package static let noPrimaryKey = Code(rawValue: "object.no_primary_key")
        package static let keyPathTooWide = Code(rawValue: "object.key_path_too_wide")
        package static let preconditionFailed = Code(rawValue: "object.precondition_failed")
        package static let tooExpensive = Code(rawValue: "query.too_expensive")
        package static let sumOverflow = Code(rawValue: "query.sum_overflow")

        // The caller lacks permission.
        package static let accessDenied = Code(rawValue: "access.denied")
        package static let hiddenElements = Code(rawValue: "access.hidden_elements")

        // The schema.
        package static let schemaInvalid = Code(rawValue: "schema.invalid")
        package static let schemaVersionTooLow = Code(rawValue: "schema.version_too_low")
        package static let migrationRequired = Code(rawValue: "schema.migration_required")

        package static let migrationFailed = Code(rawValue: "schema.migration_failed")

        // Transactions and versions.
        package static let nestedWrite = Code(rawValue: "store.nested_write")
        package static let tooManyVersions = Code(rawValue: "store.too_many_versions")
        /// Work that was prepared for one schema was run under another.
        package static let schemaReplaced = Code(rawValue: "store.schema_replaced")

        // The file and the machine.
        package static let fileAccess = Code(rawValue: "store.file_access")
        package static let invalidFile = Code(rawValue: "store.invalid_file")
        package static let unsupportedFormat = Code(rawValue: "store.unsupported_format")
        package static let full = Code(rawValue: "store.full")
        package static let inputOutput = Code(rawValue: "store.io")
        package static let busy = Code(rawValue: "store.busy")
        package static let closed = Code(rawValue: "store.closed")
        package static let versionGone = Code(rawValue: "store.version_gone")

        // The log that several stores share.
        /// The log cannot be reached; nothing was written.
        package static let logUnavailable = Code(rawValue: "store.unavailable")
        /// It is not known whether the log has taken the write.
        package static let logOutcomeUnknown = Code(rawValue: "store.outcome_unknown")
        /// The log refuses the write for good.
        package static let logRefused = Code(rawValue: "store.log_refused")
        /// The log contradicts itself.
        package static let logDamaged = Code(rawValue: "store.log_damaged")
        /// The store does not have a version yet that the log may have.
        package static let behind = Code(rawValue: "store.behind")
        /// Versions of the store are not in the log's history.
        package static let historyLost = Code(rawValue: "store.history_lost")
        /// Applying an entry of the log did not lead to the state that its writer had.
        package static let diverged = Code(rawValue: "store.diverged")
        /// The file is a replica, which only a store with its log may write.
        package static let isReplica = Code(rawValue: "store.is_replica")
    }

    package var code: Code
    package var message: String
    /// The property that the error is about.
    package var property: String?
    /// The nearest existing name, when a name does not exist.
    package var hint: String?

    package init(_ code: Code, _ message: String, property: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.property = property
        self.hint = hint
    }

    package var description: String { "\(message) (\(code.rawValue))" }

    /// For a sum of integers that exceeds 64 bits.
    package static let sumOverflow = StoreError(
        .sumOverflow,
        "The sum is outside the range of integers, -2^63 to 2^63 - 1. Sum fewer objects, or request the average and the count."
    )
}

/// Errors about objects and properties that do not exist.
extension StoreError {
    package static func unknownClass(_ id: ClassID) -> StoreError {
        StoreError(
            .unknownClass, "The schema no longer has a class with number \(id.rawValue). Look the class up again.")
    }

    package static func unknownProperty(_ id: PropertyID, in objectClass: ClassSchema) -> StoreError {
        StoreError(
            .unknownProperty,
            "Class '\(objectClass.name)' has no stored property with number \(id.rawValue). Look the property up again."
        )
    }

    package static func notFound(_ key: ObjectKey, in objectClass: ClassSchema) -> StoreError {
        StoreError(.notFound, "There is no object of class '\(objectClass.name)' with object key \(key.rawValue).")
    }

    package static func notACollection(_ property: PropertySchema, in objectClass: ClassSchema) -> StoreError {
        StoreError(
            .notACollection,
            "Property '\(objectClass.name).\(property.name)' of type '\(property.type)' is not a collection that supports this operation.",
            property: property.name)
    }
}

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
