import HTTPProblems
import HTTPMessages
import HTTPServer
import JSONCoding
package import Logging
package import ObjectCoding
import RealmFiles
import RealmImport
import StoreContract
import Transfer

extension Problem {
    /// Converts any error; nil for internal errors, which are logged and not shown to clients.
    package init?(of error: any Error) {
        switch error {
        case let problem as Problem: self = problem
        // Its code is that of work that costs too much, of which nobody must be told here.
        case let error as StoreError where error == .abandoned:
            self.init(.clientGone, "The client disconnected before the end.")
        case let error as StoreError: self.init(error)
        case let fault as RealmFileError: self.init(fault)
        case let fault as RealmImportError: self.init(fault)
        case let fault as TransferError: self.init(fault)
        case let refusal as ObjectImporter.Refusal: self.init(refusal)
        case let failure as ObjectImporter.Failure:
            guard let problem = Problem(failure) else { return nil }
            self = problem
        case let fault as ObjectImporter.TooManyFaults: self.init(fault)
        case is ClientLeft:
            self.init(.clientGone, "The client disconnected before the end.")
        case let tooLarge as ObjectImporter.TooLarge: self.init(tooLarge)
        case let error as HTTPError: self.init(error.code, error.detail)
        case is TextMemory.Exhausted:
            self.init(
                HTTPError.Code.answerNoMemory,
                "Too many large responses are being written. Try again in a moment, or request less at a time.")
            retryAfter = 1
        default: return nil
        }
    }

    /// Converts any error; internal errors are logged and not shown.
    package init(of error: any Error, _ logger: Logger, request: String? = nil) {
        var metadata: Logger.Metadata { ["error": "\(error)", "request": "\(request ?? "-")"] }
        guard let problem = Problem(of: error) else {
            logger.error("A request failed.", metadata: metadata)
            self = .internalError
            if let failure = error as? ObjectImporter.Failure {
                imported = ImportedPart(failure.outcome, line: failure.line)
            }
            return
        }
        if problem.status == 500 || problem.code == StoreError.Code.inputOutput.rawValue {
            logger.error("The store failed.", metadata: metadata)
        }
        self = problem
    }
}

/// Thrown by work that ends because no client waits for it any more.
package struct ClientLeft: Error {
    package init() {}
}
