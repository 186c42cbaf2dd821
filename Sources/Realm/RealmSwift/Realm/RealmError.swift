public import Foundation
import ObjectModel
import StoreContract

extension Realm {
    /// An error on opening, committing or copying a file.
    public struct Error: Swift.Error, CustomNSError, LocalizedError, Sendable, Hashable {
        /// The error codes, with Realm's numbers.
        public enum Code: Int, Sendable {
            /// Any error without a code of its own. The message says more.
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
            /// The classes do not fit the file: a migration is missing or failed, or the schema version is lower than
            /// that of the file.
            case schemaMismatch = 10
            /// The file is in use: by another process, by a realm that is still open, or by a migration.
            case alreadyOpen = 12
            /// A setting or an argument is not valid, or the file is open with other settings.
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

        /// Creates an error from the `userInfo` keys of Foundation: the message, and the path or URL of the file.
        public init(_ code: Code, userInfo: [String: Any] = [:]) {
            self.init(
                code, userInfo[NSLocalizedDescriptionKey] as? String ?? "",
                fileURL: userInfo[NSURLErrorKey] as? URL
                    ?? (userInfo[NSFilePathErrorKey] as? String).map { URL(fileURLWithPath: $0) })
        }

        /// Creates an error with a sentence for people and the file concerned.
        public init(_ code: Code, _ message: String, fileURL: URL? = nil) {
            self.code = code
            self.message = message
            self.fileURL = fileURL
        }

        init(_ code: Code, _ message: String, path: String?) {
            self.init(code, message, fileURL: path.map { URL(fileURLWithPath: $0) })
        }

        public static var errorDomain: String { "io.realm" }
        public var errorCode: Int { code.rawValue }
        /// See `errorUserInfo`.
        public var userInfo: [String: Any] { errorUserInfo }
        public var errorDescription: String? { message }

        /// The message and the code, and the path and URL of the file if there is one.
        public var errorUserInfo: [String: Any] {
            var info: [String: Any] = ["Error Code": code.rawValue]
            if !message.isEmpty { info[NSLocalizedDescriptionKey] = message }
            if let fileURL {
                info[NSURLErrorKey] = fileURL
                info[NSFilePathErrorKey] = fileURL.path
            }
            return info
        }
        public var localizedDescription: String { message }

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
            case .migrationRequired, .schemaVersionTooLow, .migrationFailed, .schemaInvalid: .schemaMismatch
            default: .fail
            }
        self.init(code, error.message, path: path)
    }

    /// Returns the code for a file that cannot be accessed, according to whether its directory exists.
    private static func accessFault(_ directory: String) -> Code {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory) else { return .fileNotFound }
        return isDirectory.boolValue ? .filePermissionDenied : .fileAccess
    }
}
