import Foundation
import Synchronization

/// How much is logged.
public enum LogLevel: UInt, Comparable, Sendable, CaseIterable {
    /// Nothing.
    case off
    /// What ends the program.
    case fatal
    /// What failed.
    case error
    /// What may be a mistake.
    case warn
    /// What happens once in a while: files that are opened and migrated.
    case info
    /// What happens more often: sessions and their subscriptions.
    case detail
    /// Each transaction and observer.
    case debug
    /// Each query.
    case trace
    /// Everything.
    case all

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }
}

/// What a message is about: `Category` and the types in it.
public protocol LogCategory: Sendable {
    /// The way to it through the categories that it is part of, with dots.
    var rawValue: String { get }
}

/// What messages are about. To set the level of one sets that of all that are part of it.
public enum Category: String, LogCategory {
    case realm = "Realm"
    /// Opening files, and migrations.
    case sdk = "Realm.SDK"
    case app = "Realm.App"

    /// The database.
    public enum Storage: String, LogCategory {
        case all = "Realm.Storage"
        case transaction = "Realm.Storage.Transaction"
        case query = "Realm.Storage.Query"
        case object = "Realm.Storage.Object"
        case notification = "Realm.Storage.Notification"
    }

    /// What goes between a realm and its gateway.
    public enum Sync: String, LogCategory {
        case all = "Realm.Sync"
        case server = "Realm.Sync.Server"

        public enum Client: String, LogCategory {
            case all = "Realm.Sync.Client"
            case session = "Realm.Sync.Client.Session"
            case changeset = "Realm.Sync.Client.Changeset"
            case network = "Realm.Sync.Client.Network"
            case reset = "Realm.Sync.Client.Reset"
        }
    }
}

/// Where messages of the library go: files that are opened, migrations and compactions (`Category.sdk`), transactions,
/// queries and notifications (`Category.Storage`), and sessions (`Category.Sync`). The levels are those of the process:
/// `Logger.setLogLevel(.debug, for: Category.Storage.all)`; at first `info` for everything. `Logger.shared` writes to the
/// standard error, and can be replaced:
///
/// ```swift
/// Logger.shared = Logger { level, category, message in log.info("\(category.rawValue) \(message)") }
/// ```
///
/// Cost: below a category's level, one look at a number.
public final class Logger: Sendable {
    private let function: @Sendable (LogLevel, any LogCategory, String) -> Void

    /// A logger that gives its messages to the function, which is called on any thread, also on several at once.
    public init(function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void) {
        self.function = function
    }

    /// The same, and sets the level for everything.
    @available(*, deprecated, message: "Use init(function:) and setLogLevel(_:for:).")
    public convenience init(
        level: LogLevel, function: @escaping @Sendable (LogLevel, any LogCategory, String) -> Void
    ) {
        self.init(function: function)
        Logger.setLogLevel(level)
    }

    /// The one that is used.
    public static var shared: Logger {
        get { current.withLock { $0 } }
        set { current.withLock { $0 = newValue } }
    }

    /// The level of everything.
    @available(*, deprecated, message: "Use logLevel(for:) and setLogLevel(_:for:).")
    public var level: LogLevel {
        get { Logger.logLevel(for: Category.realm) }
        set { Logger.setLogLevel(newValue) }
    }

    /// Sets the level of a category and of all that are part of it.
    public static func setLogLevel(_ level: LogLevel, for category: any LogCategory = Category.realm) {
        let name = category.rawValue
        let highest = levels.withLock { levels in
            for key in levels.keys where key == name || key.hasPrefix(name + ".") { levels[key] = level }
            levels[name] = level
            return levels.values.map(\.rawValue).max() ?? 0
        }
        Logger.highest.store(highest, ordering: .relaxed)
    }

    /// The level of a category.
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
    /// By category; one that is not here has that of the category around it.
    private static let levels = Mutex<[String: LogLevel]>(["Realm": .info])
    /// Of all categories.
    private static let highest = Atomic(LogLevel.info.rawValue)

    /// Logs a message, which is only made if the category's level asks for it.
    static func log(_ level: LogLevel, _ category: any LogCategory, _ message: @autoclosure () -> String) {
        guard highest.load(ordering: .relaxed) >= level.rawValue, logLevel(for: category) >= level else { return }
        shared.function(level, category, message())
    }
}
