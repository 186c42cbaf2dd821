import Logging
import ServerLog
import Synchronization

/// The log level of the process, which can change at any time. Reading it never waits.
final class LiveLogLevel: Sendable {
    /// The index among all levels.
    private let index: Atomic<Int>

    init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

    var value: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    /// Whether lines of that level are written.
    func takes(_ level: Logger.Level) -> Bool { value <= level }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}

/// Writes logs to standard error if the level includes them, and keeps the newest ones.
struct LiveLogHandler: LogHandler {
    private var inner: LineLogHandler
    private let level: LiveLogLevel
    private let recent: RecentLog?

    init(label: String, _ format: LogFormat, _ level: LiveLogLevel, _ recent: RecentLog? = nil) {
        inner = LineLogHandler(label: label, format: format, level: .trace)
        self.level = level
        self.recent = recent
    }

    /// The level of the process; a logger has none of its own.
    var logLevel: Logger.Level {
        get { level.value }
        set {}
    }

    var metadata: Logger.Metadata {
        get { inner.metadata }
        set { inner.metadata = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { inner[metadataKey: key] }
        set { inner[metadataKey: key] = newValue }
    }

    func log(event: LogEvent) {
        inner.log(event: event)
        recent?.add(event, inner.metadata, label: inner.label)
    }
}
