package import HTTPServer
package import Logging
import ObjectModel
import Synchronization

/// The newest lines of the log, for administrators without access to the machine. Older lines are overwritten: there
/// are at most 2,000, of some 300 bytes each, and a line never has more than 25 KB.
package final class RecentLog: Sendable {
    /// The number of lines that are kept.
    package static let capacity = 2000

    /// The source of a line, so that a request's line costs little until somebody reads it.
    private enum Content {
        case line(LogLine)
        case request(RequestRecord, Logger.Level, label: String, Timestamp)

        var line: LogLine {
            switch self {
            case .line(let line): line
            case .request(let record, let level, label: let label, let time):
                LogLine(record, at: level, label: label, time: time)
            }
        }
    }

    private struct Ring {
        var contents: [Content] = []
        /// The number of lines so far, those that were overwritten included.
        var count = 0
        var watch: (@Sendable () -> Void)?
    }

    /// Lines as they were at one moment.
    package struct Part {
        /// With their numbers, ascending.
        package var lines: [(number: Int, line: LogLine)]
        /// The number of lines that were asked for and are overwritten.
        package var lost: Int
        /// The number of the newest line; 0 if there is none.
        package var newest: Int
    }

    /// Tells the lines of this process from those of one before it.
    let run: String
    private let ring = Mutex(Ring())

    package init() {
        run = String(UInt64.random(in: 1 << 40...(1 << 60)), radix: 36)
    }

    /// Adds a line of a logger. Cost: a lock and a copy.
    package func add(_ event: LogEvent, _ metadata: Logger.Metadata, label: String) {
        add(.line(LogLine(event, metadata, label: label, at: .now())))
    }

    /// Adds the line of a request. Cost: a lock.
    package func add(_ record: RequestRecord, at level: Logger.Level, label: String) {
        add(.request(record, level, label: label, .now()))
    }

    private func add(_ content: Content) {
        let watch = ring.withLock { ring in
            let slot = ring.count % Self.capacity
            if slot < ring.contents.count {
                ring.contents[slot] = content
            } else {
                ring.contents.append(content)
            }
            ring.count += 1
            return ring.watch
        }
        watch?()
    }

    /// The lines after a number, at most `most` of them, the oldest first. Lines are numbered from 1.
    package func lines(after number: Int, atMost most: Int = RecentLog.capacity) -> Part {
        let (contents, first, lost, newest) = ring.withLock { ring in
            let oldest = max(0, ring.count - Self.capacity)
            let from = min(max(number, oldest, 0), ring.count)
            let numbers = from..<min(ring.count, from + most)
            return (
                numbers.map { ring.contents[$0 % Self.capacity] }, from, max(0, oldest - max(number, 0)), ring.count
            )
        }
        return Part(
            lines: contents.enumerated().map { (first + $0.offset + 1, $0.element.line) }, lost: lost, newest: newest)
    }

    /// Calls `action` after each line that is added, until another one is set. It must be quick, and must not log.
    package func watch(_ action: @escaping @Sendable () -> Void) { ring.withLock { $0.watch = action } }

    // MARK: Identifiers

    /// The identifier of a line, for clients.
    package func id(of number: Int) -> String { "\(run)-\(number)" }

    /// The number in an identifier; nil if it is not of this process.
    package func number(of id: String) -> Int? {
        guard let dash = id.lastIndex(of: "-"), id[..<dash] == run, let number = Int(id[id.index(after: dash)...]),
            number >= 0
        else { return nil }
        return number
    }
}

/// Hands the lines of another handler on, and keeps them.
package struct KeepingLogHandler: LogHandler {
    private var base: any LogHandler
    private let label: String
    private let log: RecentLog

    package init(_ base: any LogHandler, label: String, in log: RecentLog) {
        self.base = base
        self.label = label
        self.log = log
    }

    package var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    package var metadata: Logger.Metadata {
        get { base.metadata }
        set { base.metadata = newValue }
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { base[metadataKey: key] }
        set { base[metadataKey: key] = newValue }
    }

    package func log(event: LogEvent) {
        base.log(event: event)
        log.add(event, metadata, label: label)
    }
}

extension Logger {
    /// The same logger, whose lines are also kept.
    package func recording(in log: RecentLog) -> Logger {
        var base = handler
        base.metadata = [:]
        var recording = Logger(label: label) { [base] in KeepingLogHandler(base, label: $0, in: log) }
        for (name, value) in handler.metadata { recording[metadataKey: name] = value }
        return recording
    }
}
