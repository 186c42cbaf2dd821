import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
import StoreContract
import Transfer

extension Problem {
    init(_ error: StoreError) {
        self.init(error.code, error.message, property: error.property, hint: error.hint)
        if status == 503 { retryAfter = 1 }
    }

    /// - Parameters:
    ///   - text: the text that the error's position refers to.
    init(_ error: QueryError, parameter: String, text: String) {
        let rest = text.unicodeScalars.dropFirst(max(0, error.position))
        self.init(
            error.code, error.message, parameter: parameter,
            position: text.utf8.count - rest.reduce(0) { $0 + UTF8.width($1) }, hint: error.hint)
        length = rest.prefix(max(0, error.length)).reduce(0) { $0 + UTF8.width($1) }
        expected = error.expected
    }

    /// - Parameter parameter: the query parameter that contains the JSON; nil for the body.
    init(_ error: JSONError, parameter: String? = nil) {
        let place = error.line > 1 ? "line \(error.line), column \(error.column)" : "column \(error.column)"
        let detail = parameter.map { "\($0), \(place): \(error.message)" } ?? "Body, \(place): \(error.message)"
        self.init(error.code, detail, parameter: parameter, position: error.position)
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
            self.init(.clientGone, "The client disconnected before the end.")
        case let tooLarge as ObjectImporter.TooLarge: self.init(tooLarge)
        case let error as HTTPError: self.init(error.code, error.detail)
        default: return nil
        }
    }

    /// The response to an internal error.
    static let internalError = Problem(
        HTTPError.Code.internalError, "The server could not answer this request. Its log says why.")
}
