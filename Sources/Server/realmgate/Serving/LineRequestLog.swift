import HTTPServer
import HTTPMessages
import JSONCoding
import Logging
import ServerLog

/// Writes the log lines of requests byte for byte as `LineLogHandler` would, but without a logger's metadata
/// dictionary: a busy server writes little else.
struct LineRequestLog: RequestLog {
    let label: String
    let format: LogFormat
    let level: LiveLogLevel
    /// Keeps the newest lines; nil to keep none.
    var recent: RecentLog?
    /// Writes a line, which includes its line break.
    var put: @Sendable ([UInt8]) -> Void = LineLogHandler.standardError

    func takes(_ level: Logger.Level) -> Bool { self.level.takes(level) }

    func write(_ record: RequestRecord, at level: Logger.Level) {
        recent?.add(record, at: level, label: label)
        switch format {
        case .text: put(text(record, level))
        case .json: put(json(record, level))
        }
    }

    private func text(_ record: RequestRecord, _ level: Logger.Level) -> [UInt8] {
        var line = TextLine(level, label, RequestRecord.message)
        if let bytes = record.bytes { line.field("bytes", bytes) }
        if let caller = record.caller { line.field("caller", caller) }
        line.field("method", record.method.description)
        line.field("milliseconds", thousandths: Int(record.microseconds))
        line.field("peer", record.peer)
        line.field("request", record.label)
        line.field("route", record.route)
        line.field("status", record.status)
        return line.ended()
    }

    private func json(_ record: RequestRecord, _ level: Logger.Level) -> [UInt8] {
        let line = LineLogHandler.begun(level, label, RequestRecord.message)
        func field(_ name: String, _ value: String) {
            line.name(name)
            line.string(value)
        }
        if let bytes = record.bytes {
            line.name("bytes")
            line.int(bytes)
        }
        if let caller = record.caller { field("caller", caller) }
        field("method", record.method.description)
        line.name("milliseconds")
        line.double(Double(record.microseconds) / 1000)
        field("peer", record.peer.description)
        field("request", record.label)
        field("route", record.route)
        line.name("status")
        line.int(record.status)
        line.endObject()
        line.endLine()
        return line.bytes
    }
}
