import HTTPServer
import ObjectCoding
import ObjectModel
import StoreContract
import Transfer

/// Ends a command with a sentence for its user and an exit code.
struct CommandFailure: Error {
    var message: String
    var exitCode: Int32

    init(_ message: String, exitCode: Int32 = 1) {
        self.message = message
        self.exitCode = exitCode
    }

    /// Converts an error of another module; nil if it has no message for people.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError: self.init(error)
        case let fault as TransferFault: self.init(fault.message)
        case let fault as ObjectImporter.TooLarge:
            self.init(
                "--atomic accepts files of up to \(fault.limit >> 20) MiB, because the transaction is in memory until it is on disk. Raise --atomic-limit, or omit --atomic: with --update modified an interrupted import can be repeated."
            )
        case let failure as ObjectImporter.Failure:
            guard let cause = CommandFailure(failure.cause) else { return nil }
            self = cause
        case let problem as Problem: self.init(withHint(problem.detail, problem.hint))
        default: return nil
        }
    }

    /// The exit codes are those of sysexits.h.
    init(_ error: ServerError) {
        let exitCode: Int32 =
            switch error {
            case .unreadableFile: 66
            case .badHost: 68
            case .addressInUse, .unsupportedLibrary: 69
            case .system, .alreadyStarted: 71
            case .permissionDenied: 77
            case .badCertificate, .badKey, .keyMismatch, .noTLS: 78
            }
        self.init(error.description, exitCode: exitCode)
    }

    init(_ error: StoreError) { self.init(withHint(error.message, error.hint)) }
}
