import Logging
import ObjectCoding
import ObjectModel
import RequestParameters
import ServerLog

/// Which lines of the log a request wants.
struct LogFilter: Sendable {
    /// The lowest level.
    var level = Logger.Level.trace
    /// A text that the message, the label or a field has, whatever its case; empty for any.
    var text = ""
    /// The time from which on.
    var since: Timestamp?

    static let parameters = ["level", "text", "since"]

    /// Throws 400 for parameters without meaning.
    init(_ parameters: QueryParameters) throws(Problem) {
        if parameters["level"] != nil { level = try parameters.choice("level", default: Level.trace).level }
        text = parameters["text"]?.lowercased() ?? ""
        if let moment = parameters["since"] {
            guard let time = Timestamp(rfc3339: moment) else {
                throw Problem(
                    .parameterInvalid, "'since' must be a time such as 2026-01-31T12:00:00Z.", parameter: "since")
            }
            since = time
        }
    }

    func takes(_ line: LogLine) -> Bool {
        guard line.level >= level, since.map({ line.time >= $0 }) ?? true else { return false }
        guard !text.isEmpty else { return true }
        return line.message.lowercased().contains(text) || line.label.lowercased().contains(text)
            || line.fields.contains { $0.name.lowercased().contains(text) || $0.value.lowercased().contains(text) }
    }

    /// The levels by the names that lines have.
    enum Level: String, CaseIterable {
        case trace, debug, info, notice, warning, error, critical

        var level: Logger.Level { Logger.Level(rawValue: rawValue) ?? .trace }
    }
}
