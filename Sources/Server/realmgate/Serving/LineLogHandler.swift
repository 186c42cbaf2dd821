import Glibc
import JSONCoding
import Logging
import ObjectModel

/// The format of log lines.
enum LogFormat: String, CaseIterable, Sendable {
    /// For people: time, level, message, then `name=value`.
    case text
    /// For programs: one JSON object per line.
    case json
}

/// Writes each message as one line to standard error, with one system call, so that lines of several threads do not
/// mix.
struct LineLogHandler: LogHandler {
    var logLevel: Logger.Level = .info
    var metadata: Logger.Metadata = [:]
    let label: String
    let format: LogFormat
    /// Writes a line, which includes its line break.
    let write: @Sendable ([UInt8]) -> Void

    init(
        label: String, format: LogFormat, level: Logger.Level,
        write: @escaping @Sendable ([UInt8]) -> Void = LineLogHandler.standardError
    ) {
        self.label = label
        self.format = format
        logLevel = level
        self.write = write
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var all = event.metadata.map { metadata.merging($0) { _, new in new } } ?? metadata
        if let error = event.error { all["error"] = "\(error)" }
        let fields = all.sorted { $0.key < $1.key }
        switch format {
        case .text: write(Self.text(event.level, label, event.message, fields))
        case .json: write(Self.json(event.level, label, event.message, fields))
        }
    }

    private static func text(
        _ level: Logger.Level, _ label: String, _ message: Logger.Message,
        _ fields: [(key: String, value: Logger.Metadata.Value)]
    ) -> [UInt8] {
        var line = TextLine(level, label, "\(message)")
        for (name, value) in fields { line.field(name, "\(value)") }
        return line.ended()
    }

    private static func json(
        _ level: Logger.Level, _ label: String, _ message: Logger.Message,
        _ fields: [(key: String, value: Logger.Metadata.Value)]
    ) -> [UInt8] {
        let writer = begun(level, label, "\(message)")
        for (name, value) in fields where !["time", "level", "label", "message"].contains(name) {
            writer.name(name)
            write(value, to: writer)
        }
        writer.endObject()
        writer.endLine()
        return writer.bytes
    }

    /// Returns an object with the members of every line.
    static func begun(_ level: Logger.Level, _ label: String, _ message: String) -> JSONWriter {
        let writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.name("time")
        writer.string(Timestamp.now().rfc3339)
        for (name, value) in [("level", level.rawValue), ("label", label), ("message", message)] {
            writer.name(name)
            writer.string(value)
        }
        return writer
    }

    private static func write(_ value: Logger.Metadata.Value, to writer: JSONWriter) {
        switch value {
        case .string(let text): writer.string(text)
        case .stringConvertible(let number as Int): writer.int(number)
        case .stringConvertible(let number as Double): writer.double(number)
        case .stringConvertible(let flag as Bool): writer.bool(flag)
        case .stringConvertible(let other): writer.string(other.description)
        case .array(let elements):
            writer.beginArray()
            for element in elements { write(element, to: writer) }
            writer.endArray()
        case .dictionary(let members):
            writer.beginObject()
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                writer.name(name)
                write(member, to: writer)
            }
            writer.endObject()
        }
    }

    static let standardError: @Sendable ([UInt8]) -> Void = { bytes in
        // The program continues if its log cannot be written.
        _ = bytes.withUnsafeBytes { Glibc.write(2, $0.baseAddress, $0.count) }
    }
}
