import Foundation
import Synchronization

/// The severity of a message.
public enum LogLevel: UInt, Comparable, Sendable, CaseIterable {
    /// Nothing.
    case off
    /// Errors that end the program.
    case fatal
    /// Errors.
    case error
    /// Possible mistakes.
    case warn
    /// Rare events: files that are opened and migrated.
    case info
    /// More frequent events: sync sessions and their subscriptions.
    case detail
    /// Each transaction and observer.
    case debug
    /// Each query.
    case trace
    /// Everything.
    case all

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// The subject of a message: `Category` and its nested types.
public protocol LogCategory: Sendable {
    /// The dotted path of the category and of all categories that contain it.
    var rawValue: String { get }
}

/// The subjects of messages. Setting the level of a category also sets that of all categories within it.
public enum Category: String, LogCategory {
    /// All messages.
    case realm = "Realm"
    /// Opening files, and migrations.
    case sdk = "Realm.SDK"
    /// Exists for code written for Realm. It has no messages.
    case app = "Realm.App"

    /// The database.
    public enum Storage: String, LogCategory {
        /// The database: files that are opened and closed, and the messages of the categories below.
        case all = "Realm.Storage"
        /// Write transactions.
        case transaction = "Realm.Storage.Transaction"
        /// Queries, with the number of objects that they found.
        case query = "Realm.Storage.Query"
        /// Exists for code written for Realm. It has no messages.
        case object = "Realm.Storage.Object"
        /// Calls of observers.
        case notification = "Realm.Storage.Notification"
    }

    /// The communication between a realm and its gateway.
    public enum Sync: String, LogCategory {
        /// All messages of this communication.
        case all = "Realm.Sync"
        /// Exists for code written for Realm. It has no messages.
        case server = "Realm.Sync.Server"

        /// The part of the realm's own process.
        public enum Client: String, LogCategory {
            /// All messages of this part.
            case all = "Realm.Sync.Client"
            /// Connections that are made, and errors.
            case session = "Realm.Sync.Client.Session"
            /// Exists for code written for Realm. It has no messages.
            case changeset = "Realm.Sync.Client.Changeset"
            /// Exists for code written for Realm. It has no messages.
            case network = "Realm.Sync.Client.Network"
            /// Exists for code written for Realm. It has no messages.
            case reset = "Realm.Sync.Client.Reset"
        }
    }
}

/// Receives the library's messages: opened files, migrations and compactions (`Category.sdk`), transactions, queries
/// and notifications (`Category.Storage`), and sync sessions (`Category.Sync`). Levels apply to the whole process:
/// `Logger.setLogLevel(.debug, for: Category.Storage.all)`; the initial level of all is `info`. `Logger.shared` writes
/// to standard error, and can be replaced:
///
/// ```swift
/// Logger.shared = Logger { level, category, message in log.info("\(category.rawValue) \(message)") }
/// ```
///
/// Cost: below a category's level, one atomic read.
public final class Logger: Sendable {
    private let function: @Sendable (LogLevel, any LogCategory, String) -> Void

    /// Creates a logger that calls the function with each message, on any thread, possibly on several at once.
    public init(function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void) {
        self.function = function
    }

    /// Creates a logger that calls the function with each message, and sets the level of all categories.
    @available(*, deprecated, message: "Use init(function:) and setLogLevel(_:for:).")
    public convenience init(
        level: LogLevel, function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void
    ) {
        self.init(function: function)
        Logger.setLogLevel(level)
    }

    /// Creates a logger that calls the function with the level and the text of each message, and sets the level of all
    /// categories.
    @available(*, deprecated, message: "Use init(function:) and setLogLevel(_:for:).")
    public convenience init(level: LogLevel, logFunction: @escaping @Sendable (LogLevel, String) -> Void) {
        self.init { level, _, message in logFunction(level, message) }
        Logger.setLogLevel(level)
    }

    /// The logger in use.
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The level of all categories.
    @available(*, deprecated, message: "Use logLevel(for:) and setLogLevel(_:for:).")
    public var level: LogLevel {
        get { Logger.logLevel(for: Category.realm) }
        set { Logger.setLogLevel(newValue) }
    }

    /// Sets the level of a category and of all categories within it.
    public static func setLogLevel(_ level: LogLevel, for category: any LogCategory = Category.realm) {
        let name = category.rawValue
        let highest = levels.withLock { levels in
            for key in levels.keys where key == name || key.hasPrefix(name + ".") { levels[key] = level }
            levels[name] = level
            return levels.values.map(\.rawValue).max() ?? 0
        }
        Logger.highest.store(highest, ordering: .relaxed)
    }

    /// Returns the level of a category.
    public static func logLevel(for category: any LogCategory) -> LogLevel {
        levels.withLock { levels in
            var name = category.rawValue
            while true {
                if let level = levels[name] { return level }
                guard let dot = name.lastIndex(of: ".") else { return levels["Realm"] ?? .info }
                name = String(name[..<dot])
            }
        }
    }

    private static let current = Mutex(
        Logger { level, category, message in
            FileHandle.standardError.write(Data("\(level) \(category.rawValue): \(message)\n".utf8))
        })
    /// The levels by category. A category without an entry has the level of the one that contains it.
    private static let levels = Mutex<[String: LogLevel]>(["Realm": .info])
    /// The highest of all levels.
    private static let highest = Atomic(LogLevel.info.rawValue)

    /// Logs a message. The message is built only if the category's level includes it.
    static func log(_ level: LogLevel, _ category: any LogCategory, _ message: @autoclosure () -> String) {
        guard highest.load(ordering: .relaxed) >= level.rawValue, logLevel(for: category) >= level else { return }
        shared.function(level, category, message())
    }
}
