import Logging
import Synchronization

/// The level of all logs of the process, which may change while they are written.
final class LiveLogLevel: Sendable {
    private let level: Mutex<Logger.Level>

    init(_ level: Logger.Level) { self.level = Mutex(level) }

    var value: Logger.Level {
        get { level.withLock { $0 } }
        set { level.withLock { $0 = newValue } }
    }
}

/// Writes logs to standard error as far as the level asks for them.
struct LiveLogHandler: LogHandler {
    private var inner: LineLogHandler
    private let level: LiveLogLevel

    init(label: String, _ format: LogFormat, _ level: LiveLogLevel) {
        inner = LineLogHandler(label: label, format: format, level: .trace)
        self.level = level
    }

    /// The one of the process; a logger has none of its own.
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

    func log(event: LogEvent) { inner.log(event: event) }
}
