import HTTPServer
package import JSONCoding
import ObjectModel
package import QueryLanguage
package import StoreContract

extension Problem {
    /// The status code of each store error.
    package static let storeStatuses: [StoreError.Code: Int] = [
        .unknownClass: 404, .unknownProperty: 422, .notFound: 404, .duplicateKey: 409, .keyImmutable: 409,
        .invalidValue: 422, .missingValue: 422, .valueTooLarge: 413, .preconditionFailed: 412,
        .embeddedWithoutOwner: 422, .embeddedOwned: 422, .invalidMapKey: 422, .indexOutOfBounds: 422,
        .notACollection: 422, .tooDeep: 422, .noPrimaryKey: 422, .keyPathTooWide: 400, .tooExpensive: 400,
        .sumOverflow: 400,
        .accessDenied: 403, .hiddenElements: 403,
        .schemaInvalid: 422, .schemaVersionTooLow: 409, .migrationRequired: 409, .migrationFailed: 409,
        .nestedWrite: 500, .tooManyVersions: 503, .schemaReplaced: 503,
        .fileAccess: 500, .invalidFile: 500, .unsupportedFormat: 500, .full: 507, .inputOutput: 503,
        .busy: 503, .closed: 503, .versionGone: 503,
    ]

    /// The status code of each query error.
    package static let queryStatuses: [QueryError.Code: Int] = [
        .syntax: 400, .tooDeep: 400, .tooLong: 400, .unknownProperty: 400, .unknownClass: 400, .typeMismatch: 400,
        .invalid: 400, .argument: 400, .unsupported: 400,
    ]

    /// The status code of each JSON error.
    package static func status(of code: JSONError.Code) -> Int {
        switch code {
        case .syntax, .truncated, .invalidUTF8, .duplicateName, .numberRange, .tooDeep: 400
        case .outOfMemory: 503
        }
    }

    init(_ error: StoreError) {
        let status = Self.storeStatuses[error.code] ?? 500
        self.init(
            status, error.code.rawValue, error.message, property: error.property, hint: error.hint)
        if status == 503 { retryAfter = 1 }
    }

    /// - Parameters:
    ///   - text: the text that the error's position refers to.
    init(_ error: QueryError, parameter: String, text: String) {
        let rest = text.unicodeScalars.dropFirst(max(0, error.position))
        self.init(
            Self.queryStatuses[error.code] ?? 400, error.code.rawValue, error.message, parameter: parameter,
            position: text.utf8.count - rest.reduce(0) { $0 + UTF8.width($1) }, hint: error.hint)
        length = rest.prefix(max(0, error.length)).reduce(0) { $0 + UTF8.width($1) }
        expected = error.expected
    }

    /// - Parameter parameter: the query parameter that contains the JSON; nil for the body.
    init(_ error: JSONError, parameter: String? = nil) {
        let place = error.line > 1 ? "line \(error.line), column \(error.column)" : "column \(error.column)"
        let detail = parameter.map { "\($0), \(place): \(error.message)" } ?? "Body, \(place): \(error.message)"
        self.init(
            Self.status(of: error.code), error.code.rawValue, detail, parameter: parameter, position: error.position)
    }

    /// Converts any error; nil for internal errors, which are logged and not shown to clients.
    init?(of error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        case let error as StoreError: self.init(error)
        case let fault as TransferFault: self.init(fault)
        case let refusal as ObjectImporter.Refusal: self.init(refusal)
        case let failure as ObjectImporter.Failure:
            guard let problem = Problem(failure) else { return nil }
            self = problem
        case let fault as ObjectImporter.TooManyFaults: self.init(fault)
        case is TransferWatch.Abandoned:
            self.init(499, "client.gone", "The client did not wait for the end.")
        case let tooLarge as ObjectImporter.TooLarge: self.init(tooLarge)
        case let error as HTTPError: self.init(error.status, error.code, error.detail)
        default: return nil
        }
    }

    /// The response to an internal error.
    static let internalError = Problem(
        500, "internal_error", "The server could not answer this request. Its log says why.")
}
