import HTTPServer
import HTTPMessages
package import Logging
package import ObjectModel

/// A line of the log, as the gateway keeps it for administrators.
package struct LogLine: Sendable {
    package let time: Timestamp
    package let level: Logger.Level
    /// The part of the program that wrote the line.
    package let label: String
    package let message: String
    /// In the order of their names.
    package let fields: [(name: String, value: String)]

    /// Bytes of a message or of a value; the rest is cut off.
    static let textLimit = 1024
    private static let fieldLimit = 24

    init(
        time: Timestamp, level: Logger.Level, label: String, message: String, fields: [(name: String, value: String)]
    ) {
        self.time = time
        self.level = level
        self.label = label
        self.message = message
        self.fields = fields
    }

    /// A line of a logger. Secrets that somebody put into it are not kept.
    init(_ event: LogEvent, _ metadata: Logger.Metadata, label: String, at time: Timestamp) {
        var all = event.metadata.map { metadata.merging($0) { _, new in new } } ?? metadata
        if let error = event.error { all["error"] = "\(error)" }
        self.init(
            time: time, level: event.level, label: label, message: Self.shown("\(event.message)"),
            fields: all.sorted { $0.key < $1.key }.prefix(Self.fieldLimit).map { name, value in
                (Self.short(name), LogSecrets.isName(name) ? LogSecrets.mask : Self.shown("\(value)"))
            })
    }

    /// The line of a request.
    init(_ record: RequestRecord, at level: Logger.Level, label: String, time: Timestamp) {
        var fields: [(name: String, value: String)] = []
        if let bytes = record.bytes { fields.append(("bytes", String(bytes))) }
        if let caller = record.caller { fields.append(("caller", Self.short(caller))) }
        fields += [
            ("method", record.method.description), ("milliseconds", String(Double(record.microseconds) / 1000)),
            ("peer", record.peer.description), ("request", record.label), ("route", record.route),
            ("status", String(record.status)),
        ]
        self.init(time: time, level: level, label: label, message: RequestRecord.message, fields: fields)
    }

    private static func shown(_ text: String) -> String {
        short(LogSecrets.removed(from: text.utf8.count > textLimit * 4 ? String(text.prefix(textLimit * 4)) : text))
    }

    /// The beginning of a text, without control characters.
    private static func short(_ text: String) -> String {
        var bytes = Array(text.utf8.prefix(textLimit))
        for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7f { bytes[index] = 0x20 }
        guard text.utf8.count > textLimit else { return String(decoding: bytes, as: UTF8.self) }
        // Not in the middle of a character.
        while let last = bytes.last, last & 0xc0 == 0x80 { bytes.removeLast() }
        if let last = bytes.last, last >= 0xc0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self) + "…"
    }
}
