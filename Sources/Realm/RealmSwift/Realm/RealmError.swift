public import Foundation
import ObjectModel
import StoreContract

extension Realm {
    /// An error on opening, committing or copying a file.
    public struct Error: Swift.Error, CustomNSError, LocalizedError, CustomStringConvertible, Sendable, Hashable {
        /// The error codes, with Realm's numbers.
        public enum Code: Int, Sendable {
            /// Any error without a code of its own: a class that is declared wrongly, a schema version lower than that of
            /// the file, a migration that failed, a realm that is open with other settings on another thread. The message
            /// says more.
            case fail = 1
            /// The file cannot be opened, for example because the path is that of a directory.
            case fileAccess = 2
            /// The process may not read or write the file.
            case filePermissionDenied = 3
            /// The destination of a copy exists.
            case fileExists = 4
            /// The file of a read-only realm, or the directory of a file, does not exist.
            case fileNotFound = 5
            /// Never thrown. It exists for code written for Realm.
            case fileFormatUpgradeRequired = 6
            /// Never thrown. It exists for code written for Realm.
            case incompatibleLockFile = 8
            /// Never thrown. It exists for code written for Realm.
            case addressSpaceExhausted = 9
            /// The classes do not fit the file: a migration is missing.
            case schemaMismatch = 10
            /// The file is in use: by another process, by a realm that is still open, or by a migration.
            case alreadyOpen = 12
            /// A setting or an argument is not valid.
            case invalidInput = 13
            /// The disk is full, or the file has reached its maximum size.
            case outOfDiskSpace = 14
            /// Never thrown. It exists for code written for Realm.
            case incompatibleSession = 15
            /// The file was written by a version of this library that uses another format.
            case unsupportedFileFormatVersion = 16
            /// The gateway rejected a subscription, or its objects did not arrive in time.
            case subscriptionFailed = 18
            /// Reading, writing or copying a file failed.
            case fileOperationFailed = 19
            /// The file is not a database, or is damaged.
            case invalidDatabase = 20
            /// Never thrown. It exists for code written for Realm.
            case incompatibleHistories = 21
            /// Never thrown. It exists for code written for Realm.
            case noSubscriptionForWrite = 22

            /// Supports `catch Realm.Error.fileAccess`.
            public static func ~= (pattern: Code, error: any Swift.Error) -> Bool {
                (error as? Error)?.code == pattern
            }
        }

        /// The kind of the error.
        public let code: Code
        /// A sentence for people.
        public let message: String
        /// The file concerned.
        public let fileURL: URL?
        private let extra: Extra

        /// Further entries of `userInfo`. Sendable because nothing changes them, and only who made the error knows what
        /// is in them.
        private struct Extra: @unchecked Sendable {
            let entries: [String: Any]
        }

        /// Creates an error from a dictionary for Foundation's `NSError`, which `userInfo` contains again: the message,
        /// the path or URL of the file, and whatever else there is.
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.init(
                code, userInfo[NSLocalizedDescriptionKey] as? String ?? "",
                fileURL: userInfo[NSURLErrorKey] as? URL
                    ?? (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) }, userInfo)
        }

        /// Creates an error with a sentence for people and the file concerned.
        public init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.init(code, message, fileURL: fileURL, [:])
        }

        private init(_ code: Code, _ message: String, fileURL: URL?, _ entries: [String: Any]) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
            extra = Extra(entries: entries)
        }

        /// - Parameter name: Realm's name for the fault, if it is not that of the code.
        init(_ code: Code, _ message: String, path: String?, name: String? = nil) {
            self.init(
                code, message, fileURL: path.map { URL(fileURLWithPath: $0) },
                (name ?? code.faultName).map { [Self.nameKey: $0] } ?? [:])
        }

        private static let nameKey = "Error Name"

        public static var errorDomain: String { "io.realm" }
        public var errorCode: Int { code.rawValue }
        /// See `errorUserInfo`.
        public var userInfo: [String: Any] { errorUserInfo }
        public var errorDescription: String? { message }

        /// The message, the number of the code (`Error Code`), Realm's name for the fault (`Error Name`) in errors of
        /// this library, the path and URL of the file if there is one, and what else the error was made with.
        public var errorUserInfo: [String: Any] {
            var info = extra.entries
            info["Error Code"] = code.rawValue
            if !message.isEmpty { info[NSLocalizedDescriptionKey] = message }
            if let fileURL {
                info[NSURLErrorKey] = fileURL
                info[NSFilePathErrorKey] = fileURL.path
            }
            return info
        }
        public var localizedDescription: String { message }

        /// The domain, the code, the message and the rest of `userInfo`, as Foundation prints its errors.
        public var description: String {
            let info = errorUserInfo.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ", ")
            return "Error Domain=\(Self.errorDomain) Code=\(code.rawValue) \"\(message)\" UserInfo={\(info)}"
        }

        public static func == (a: Error, b: Error) -> Bool { a.code == b.code }
        public func hash(into hasher: inout Hasher) { hasher.combine(code) }

        // The codes, so that `catch` and `error.code ==` can name them; `Realm.Error(.fail)` makes an error.
        /// See `Code.fail`.
        public static let fail = Code.fail
        /// See `Code.fileAccess`.
        public static let fileAccess = Code.fileAccess
        /// See `Code.filePermissionDenied`.
        public static let filePermissionDenied = Code.filePermissionDenied
        /// See `Code.fileExists`.
        public static let fileExists = Code.fileExists
        /// See `Code.fileNotFound`.
        public static let fileNotFound = Code.fileNotFound
        /// See `Code.fileFormatUpgradeRequired`.
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        /// See `Code.incompatibleLockFile`.
        public static let incompatibleLockFile = Code.incompatibleLockFile
        /// See `Code.addressSpaceExhausted`.
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        /// See `Code.schemaMismatch`.
        public static let schemaMismatch = Code.schemaMismatch
        /// See `Code.alreadyOpen`.
        public static let alreadyOpen = Code.alreadyOpen
        /// See `Code.invalidInput`.
        public static let invalidInput = Code.invalidInput
        /// See `Code.outOfDiskSpace`.
        public static let outOfDiskSpace = Code.outOfDiskSpace
        /// See `Code.incompatibleSession`.
        public static let incompatibleSession = Code.incompatibleSession
        /// See `Code.unsupportedFileFormatVersion`.
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        /// See `Code.subscriptionFailed`.
        public static let subscriptionFailed = Code.subscriptionFailed
        /// See `Code.fileOperationFailed`.
        public static let fileOperationFailed = Code.fileOperationFailed
        /// See `Code.invalidDatabase`.
        public static let invalidDatabase = Code.invalidDatabase
        /// See `Code.incompatibleHistories`.
        public static let incompatibleHistories = Code.incompatibleHistories
        /// See `Code.noSubscriptionForWrite`.
        public static let noSubscriptionForWrite = Code.noSubscriptionForWrite
    }
}

extension Realm.Error.Code {
    /// The name that Realm gives a fault with this code; nil if there are several, or none.
    fileprivate var faultName: String? {
        switch self {
        case .fail, .fileAccess, .invalidInput: nil
        case .filePermissionDenied: "PermissionDenied"
        case .fileExists: "FileAlreadyExists"
        case .fileNotFound: "FileNotFound"
        case .fileFormatUpgradeRequired: "FileFormatUpgradeRequired"
        case .incompatibleLockFile: "IncompatibleLockFile"
        case .addressSpaceExhausted: "AddressSpaceExhausted"
        case .schemaMismatch: "SchemaMismatch"
        case .alreadyOpen: "DeleteOnOpenRealm"
        case .outOfDiskSpace: "OutOfDiskSpace"
        case .incompatibleSession: "IncompatibleSession"
        case .unsupportedFileFormatVersion: "UnsupportedFileFormatVersion"
        case .subscriptionFailed: "SubscriptionFailed"
        case .fileOperationFailed: "FileOperationFailed"
        case .invalidDatabase: "InvalidDatabase"
        case .incompatibleHistories: "IncompatibleHistories"
        case .noSubscriptionForWrite: "NoSubscriptionForWrite"
        }
    }
}

extension Realm.Error {
    init(_ error: StoreError, path: String) {
        let code: Code =
            switch error.code {
            case .fileAccess:
                Self.accessFault(URL(fileURLWithPath: path).deletingLastPathComponent().path)
            case .invalidFile: .invalidDatabase
            case .unsupportedFormat: .unsupportedFileFormatVersion
            case .full: .outOfDiskSpace
            case .inputOutput: .fileOperationFailed
            case .busy: .alreadyOpen
            case .migrationRequired: .schemaMismatch
            default: .fail
            }
        // Realm has no codes of their own for these.
        let name: String? =
            switch error.code {
            case .schemaVersionTooLow: Fault.schemaVersion
            case .migrationFailed: "MigrationFailed"
            case .schemaInvalid: Fault.schema
            default: nil
            }
        self.init(code, error.message, path: path, name: name)
    }

    /// Realm's names for faults whose code is `fail`.
    enum Fault {
        static let schema = "SchemaValidationFailed"
        static let schemaVersion = "InvalidSchemaVersion"
        static let schemaChange = "InvalidSchemaChange"
        static let configuration = "MismatchedConfig"
    }

    /// Returns the code for a file that cannot be accessed, according to whether its directory exists.
    private static func accessFault(_ directory: String) -> Code {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else { return .fileNotFound }
        return isDirectory.boolValue ? .filePermissionDenied : .fileAccess
    }
}
