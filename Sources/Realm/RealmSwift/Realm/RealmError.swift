public import Foundation
import ObjectModel
import StoreContract

extension Realm {
    /// An error on opening, committing or copying a file.
    public struct Error: Swift.Error, CustomNSError, LocalizedError, Sendable, Equatable {
        /// The error codes, with Realm's numbers.
        public enum Code: Int, Sendable {
            case fail = 1
            case fileAccess = 2
            case filePermissionDenied = 3
            case fileExists = 4
            case fileNotFound = 5
            case fileFormatUpgradeRequired = 6
            case incompatibleLockFile = 8
            case addressSpaceExhausted = 9
            case schemaMismatch = 10
            case alreadyOpen = 12
            case invalidInput = 13
            case outOfDiskSpace = 14
            case incompatibleSession = 15
            case unsupportedFileFormatVersion = 16
            case subscriptionFailed = 18
            case fileOperationFailed = 19
            case invalidDatabase = 20
            case incompatibleHistories = 21
            case noSubscriptionForWrite = 22

            /// Supports `catch Realm.Error.fileAccess`.
            public static func ~= (pattern: Code, error: any Swift.Error) -> Bool {
                (error as? Error)?.code == pattern
            }
        }

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

        // The codes, so that `catch` and `error.code ==` can name them; `Realm.Error(.fail)` makes an error.
        public static let fail = Code.fail
        public static let fileAccess = Code.fileAccess
        public static let filePermissionDenied = Code.filePermissionDenied
        public static let fileExists = Code.fileExists
        public static let fileNotFound = Code.fileNotFound
        public static let fileFormatUpgradeRequired = Code.fileFormatUpgradeRequired
        public static let incompatibleLockFile = Code.incompatibleLockFile
        public static let addressSpaceExhausted = Code.addressSpaceExhausted
        public static let schemaMismatch = Code.schemaMismatch
        public static let alreadyOpen = Code.alreadyOpen
        public static let invalidInput = Code.invalidInput
        public static let outOfDiskSpace = Code.outOfDiskSpace
        public static let incompatibleSession = Code.incompatibleSession
        public static let unsupportedFileFormatVersion = Code.unsupportedFileFormatVersion
        public static let subscriptionFailed = Code.subscriptionFailed
        public static let fileOperationFailed = Code.fileOperationFailed
        public static let invalidDatabase = Code.invalidDatabase
        public static let incompatibleHistories = Code.incompatibleHistories
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
