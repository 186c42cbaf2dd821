import Basics
import HTTPServer
import ObjectCoding
import ObjectModel
import PostgresLog
import StoreContract
import Transfer

/// Ends a command with a sentence for its user and an exit code.
struct CommandError: Error {
    var message: String
    var exitCode: Int32

    init(_ message: String, exitCode: Int32 = 1) {
        self.message = message
        self.exitCode = exitCode
    }

    /// Converts an error of another module; nil if it has no message for people.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandError: self = failure
        case let error as StoreError: self.init(error)
        case let fault as LogConfigurationError: self.init(fault.description, exitCode: 78)
        case let fault as TransferError: self.init(fault.message, exitCode: fault.isUnreadableFile ? 66 : 1)
        case let fault as ObjectImporter.TooLarge:
            self.init(
                "--atomic accepts files of up to \(fault.limit >> 20) MiB, because the transaction is in memory until it is on disk. Raise --atomic-limit, or omit --atomic: with --update modified an interrupted import can be repeated."
            )
        case let failure as ObjectImporter.Failure:
            guard let cause = CommandError(failure.cause) else { return nil }
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
            case .addressInUse, .unsuitableLibrary: 69
            case .system, .alreadyStarted: 71
            case .permissionDenied: 77
            case .badCertificate, .badKey, .keyMismatch, .noTLS: 78
            }
        self.init(error.description, exitCode: exitCode)
    }

    /// The exit codes are those of sysexits.h; 1 for what is wrong with objects, queries and schemas.
    init(_ error: StoreError) {
        let exitCode: Int32 =
            switch error.code {
            case .invalidFile: 65
            case .fileAccess: 66
            case .logUnavailable: 69
            case .full, .inputOutput: 74
            case .busy: 75
            default: 1
            }
        self.init(withHint(error.message, error.hint), exitCode: exitCode)
    }

    /// A database file that is to be there.
    static func noDatabase(_ path: String, _ advice: String = "") -> CommandError {
        CommandError("There is no database file '\(path)'.\(advice)", exitCode: 66)
    }
}
