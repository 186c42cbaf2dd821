package import JSONCoding
package import QuerySyntax
import QueryLanguage
package import StoreContract

/// The codes of one kind of error: stable, for programs. Different values have different codes.
package protocol ErrorCode: RawRepresentable, Hashable, Sendable where RawValue == String {}

extension StoreError.Code: ErrorCode {}
extension QueryError.Code: ErrorCode {}
extension JSONError.Code: ErrorCode {}

extension Problem {
    /// The codes that no lower layer defines. An error of the store, a query or a JSON text keeps its own code.
    package enum Code: String, CaseIterable, ErrorCode {
        // Parameters, and the size of a response.
        case parameterInvalid = "parameter.invalid"
        case parameterMissing = "parameter.missing"
        case parameterRepeated = "parameter.repeated"
        case parameterUnknown = "parameter.unknown"
        case parameterExpansionTooLarge = "parameter.expansion_too_large"
        case queryTooManyKeys = "query.too_many_keys"
        case aggregateTooManyGroups = "aggregate.too_many_groups"
        case aggregateValues = "aggregate.values"
        case sectionNotFound = "section.not_found"
        case sectionsTooLarge = "sections.too_large"
        case sectionsTooMany = "sections.too_many"
        case sectionsValues = "sections.values"
        case valuesTooMany = "values.too_many"
        case valuesValues = "values.values"
        case answerTooLarge = "answer.too_large"
        case cursorInvalid = "cursor.invalid"
        case cursorMismatch = "cursor.mismatch"
        case cursorGone = "cursor.gone"

        // The path of a URL. The same error in a body has another code, and another status.
        case objectInvalidKey = "object.invalid_key"
        case objectInvalidIndex = "object.invalid_index"
        case objectUnknownIndex = "object.unknown_index"
        case objectUnknownMapKey = "object.unknown_map_key"
        case objectChanged = "object.changed"
        case pathUnknownProperty = "path.unknown_property"
        case pathNotACollection = "path.not_a_collection"

        // Bodies and headers.
        case unsupportedMediaType = "unsupported_media_type"
        case notAcceptable = "not_acceptable"
        case malformedForm = "malformed_form"
        case headerInvalid = "header.invalid"

        // Transactions and repeated writes.
        case transactionInvalid = "transaction.invalid"
        case transactionUnknownClass = "transaction.unknown_class"
        case transactionTooLarge = "transaction.too_large"
        case transactionRequirementFailed = "transaction.requirement_failed"
        case transactionVersionChanged = "transaction.version_changed"
        case idempotencyInvalidKey = "idempotency.invalid_key"
        case idempotencyMismatch = "idempotency.mismatch"
        case idempotencyLimited = "idempotency.limited"

        // Streams, snapshots and subscriptions.
        case observeTooLarge = "observe.too_large"
        case observePathChanged = "observe.path_changed"
        case snapshotNotFound = "snapshot.not_found"
        case snapshotGone = "snapshot.gone"
        case snapshotChangesGone = "snapshot.changes_gone"
        case snapshotLimited = "snapshot.limited"
        case snapshotTooMany = "snapshot.too_many"
        case snapshotNoBody = "snapshot.no_body"
        case snapshotNotPossible = "snapshot.not_possible"
        case subscriptionInvalid = "subscription.invalid"
        case subscriptionInvalidName = "subscription.invalid_name"
        case subscriptionUnknownSet = "subscription.unknown_set"
        case subscriptionOtherClass = "subscription.other_class"
        case subscriptionTooMany = "subscription.too_many"
        case subscriptionTooManySets = "subscription.too_many_sets"
        case subscriptionTooManyBarriers = "subscription.too_many_barriers"
        case subscriptionSetsLimited = "subscription.sets_limited"
        case subscriptionTimeout = "subscription.timeout"

        // Imports, exports and backups.
        case importEmpty = "import.empty"
        case importUnreadable = "import.unreadable"
        case importRefused = "import.refused"
        case importTooLarge = "import.too_large"
        case importTooManyFaults = "import.too_many_faults"
        case importExpandsTooFar = "import.expands_too_far"
        case importStalled = "import.stalled"
        case realmFileUnknown = "realm_file.unknown"
        case realmFileFormat = "realm_file.format"
        case realmFileKey = "realm_file.key"
        case realmFileDamaged = "realm_file.damaged"
        case realmFileInUse = "realm_file.in_use"
        case realmFileUnreadable = "realm_file.unreadable"
        case realmFileUnknownName = "realm_file.unknown_name"
        case realmFileUnsuitable = "realm_file.unsuitable"
        case realmFileNoClasses = "realm_file.no_classes"
        case realmFileDifferentClass = "realm_file.different_class"
        case realmFileValue = "realm_file.value"
        case realmFileDuplicate = "realm_file.duplicate"
        case realmFileRepeatedKey = "realm_file.repeated_key"
        case realmFileTooLarge = "realm_file.too_large"
        case backupTooSlow = "backup.too_slow"
        case exportImpossible = "export.impossible"
        case clientGone = "client.gone"

        // The schema, and the demo.
        case schemaFixed = "schema.fixed"
        case demoUnavailable = "demo.unavailable"
        case demoNotEmpty = "demo.not_empty"

        // Authentication and access.
        case authRequired = "auth.required"
        case authInvalid = "auth.invalid"
        case authExpired = "auth.expired"
        case authNotYetValid = "auth.not_yet_valid"
        case authNoRole = "auth.no_role"
        case accessEnded = "access.ended"
        case keysInvalid = "keys.invalid"
        case keysNotFound = "keys.not_found"
        case keysUnavailable = "keys.unavailable"
        case keysUnsaved = "keys.unsaved"

        // Limits and the state of the server.
        case connectionNotFound = "connection.not_found"
        case connectionEnded = "connection.ended"
        case queriesLimited = "queries.limited"
        case transfersLimited = "transfers.limited"
        case gatewayBusy = "gateway.busy"
        case gatewayDraining = "gateway.draining"
        case storeStopped = "store.stopped"
        case storeDiskNearlyFull = "store.disk_nearly_full"
    }
}
