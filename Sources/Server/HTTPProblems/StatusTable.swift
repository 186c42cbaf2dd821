package import HTTPMessages
package import JSONCoding
package import ObjectCoding
package import QuerySyntax
package import StoreContract

/// The HTTP status of each error code. A code has the same status wherever the error occurs. `HTTPError.Code` has the
/// statuses of the HTTP layer's errors.
package enum StatusTable {
    /// All codes that the gateway sends.
    package static let statuses: [String: Int] = {
        var all = Dictionary(uniqueKeysWithValues: store.map { ($0.key.rawValue, $0.value) })
        func add<Code: ErrorCode & CaseIterable>(_ status: (Code) -> Int) {
            for code in Code.allCases { all[code.rawValue] = status(code) }
        }
        add { (code: Problem.Code) in status(of: code) }
        add { (code: QueryError.Code) in status(of: code) }
        add { (code: JSONError.Code) in status(of: code) }
        add { (code: HTTPError.Code) in code.status }
        return all
    }()

    package static func status(of code: Problem.Code) -> Int {
        switch code {
        case .parameterInvalid, .parameterMissing, .parameterRepeated, .parameterUnknown, .parameterExpansionTooLarge:
            400
        case .queryTooManyKeys, .aggregateTooManyGroups, .aggregateValues: 400
        case .sectionNotFound: 404
        case .sectionsTooLarge, .sectionsTooMany, .sectionsValues: 400
        case .valuesTooMany, .valuesValues: 400
        case .answerTooLarge: 400
        case .cursorInvalid, .cursorMismatch: 400
        case .cursorGone: 410

        case .objectInvalidKey, .objectInvalidIndex: 400
        case .objectUnknownIndex, .objectUnknownMapKey: 404
        case .objectChanged: 409
        case .pathUnknownProperty: 404
        case .pathNotACollection: 400

        case .unsupportedMediaType: 415
        case .notAcceptable: 406
        case .malformedForm, .headerInvalid: 400

        case .transactionInvalid, .transactionUnknownClass: 422
        case .transactionTooLarge: 413
        case .transactionRequirementFailed, .transactionVersionChanged: 412
        case .idempotencyInvalidKey: 400
        case .idempotencyMismatch: 422
        case .idempotencyLimited: 429

        case .observeTooLarge: 400
        case .observePathChanged: 409
        case .snapshotNotFound: 404
        case .snapshotGone, .snapshotChangesGone: 410
        case .snapshotLimited: 429
        case .snapshotTooMany: 503
        case .snapshotNoBody, .snapshotNotPossible: 400
        case .subscriptionInvalid, .subscriptionInvalidName, .subscriptionTooMany: 400
        case .subscriptionUnknownSet: 404
        case .subscriptionOtherClass: 409
        case .subscriptionTooManySets, .subscriptionSetsLimited, .subscriptionTooManyBarriers: 429
        case .subscriptionTimeout: 504

        case .importEmpty, .importUnreadable: 400
        case .importTooLarge, .importExpandsTooFar: 413
        case .importRefused, .importTooManyFaults, .importStalled: 422
        case .realmFileUnknown, .realmFileDamaged, .realmFileUnknownName: 400
        case .realmFileFormat, .realmFileKey, .realmFileUnsuitable, .realmFileNoClasses, .realmFileValue: 422
        case .realmFileDifferentClass, .realmFileDuplicate: 409
        case .realmFileRepeatedKey, .realmFileTooLarge: 422
        case .realmFileInUse, .realmFileUnreadable: 503
        case .exportImpossible, .backupTooSlow: 422
        case .clientGone: 499

        case .schemaFixed, .demoNotEmpty: 409
        case .demoUnavailable: 404

        case .authRequired, .authInvalid, .authExpired, .authNotYetValid, .accessEnded: 401
        case .authNoRole: 403
        case .keysInvalid: 400
        case .keysNotFound, .keysUnavailable: 404
        case .keysUnsaved: 503

        case .connectionNotFound: 404
        case .connectionEnded: 503
        case .queriesLimited, .transfersLimited: 429
        case .gatewayBusy, .gatewayDraining: 503
        case .storeStopped, .storeDiskNearlyFull: 503
        }
    }

    /// The store's codes are an open set: programs add codes that no client receives.
    package static func status(of code: StoreError.Code) -> Int { store[code] ?? 500 }

    package static let store: [StoreError.Code: Int] = [
        .unknownClass: 404, .notFound: 404,
        .unknownProperty: 422, .invalidValue: 422, .missingValue: 422, .invalidMapKey: 422, .indexOutOfBounds: 422,
        .notACollection: 422, .tooDeep: 422, .noPrimaryKey: 422, .embeddedWithoutOwner: 422, .embeddedOwned: 422,
        .duplicateKey: 409, .keyImmutable: 409,
        .preconditionFailed: 412,
        .valueTooLarge: 413,
        .keyPathTooWide: 400, .tooExpensive: 400, .sumOverflow: 400,

        .accessDenied: 403, .hiddenElements: 403,

        .schemaInvalid: 422,
        .schemaVersionTooLow: 409, .migrationRequired: 409, .migrationFailed: 409,

        .nestedWrite: 500, .fileAccess: 500, .invalidFile: 500, .unsupportedFormat: 500,
        .full: 507,
        .tooManyVersions: 503, .schemaReplaced: 503, .inputOutput: 503, .busy: 503, .closed: 503, .versionGone: 503,
        .logUnavailable: 503, .logOutcomeUnknown: 503, .logRefused: 503, .logDamaged: 503, .behind: 503, .diverged: 503,
        .historyLost: 409, .isReplica: 409,
    ]

    package static func status(of code: QueryError.Code) -> Int {
        switch code {
        case .syntax, .tooDeep, .tooLong, .unknownProperty, .unknownClass, .typeMismatch, .invalid, .argument,
            .unsupported:
            400
        }
    }

    package static func status(of code: JSONError.Code) -> Int {
        switch code {
        case .syntax, .truncated, .invalidUTF8, .duplicateName, .numberRange, .tooDeep: 400
        case .outOfMemory: 503
        case .tooLarge: 413
        }
    }
}

extension HTTPError.Code: ErrorCode {}
