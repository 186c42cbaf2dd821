import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
import RequestHandling
import RequestParameters
import ServerLog
import WireProtocol

extension OperationEndpoints {
    private static let defaultLines = 200

    /// `GET /v1/logs`: the newest lines of the log that fit, for administrators.
    package func getLogs(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: LogFilter.parameters + ["limit", "after"])
        let filter = try LogFilter(parameters)
        let limit = try parameters.integer("limit", in: 1...RecentLog.capacity) ?? Self.defaultLines
        let known = parameters["after"]
        let after = known.flatMap { logs.number(of: $0) }
        // The id of a line from an earlier process precedes all lines of this one.
        let part = logs.lines(after: after ?? 0)
        let lines = part.lines.filter { filter.takes($0.line) }
        // With `after`, the page begins at the oldest line behind it; without, it ends with the newest line.
        let chosen = known == nil ? lines.suffix(limit) : lines.prefix(limit)
        let json = JSONWriter(capacity: 256 * (chosen.count + 1))
        json.beginObject()
        json.name("lines")
        json.beginArray()
        for (number, line) in chosen { json.line(line, id: logs.id(of: number)) }
        json.endArray()
        json.name("last")
        // The last line that was examined, whether or not it matches the filter.
        let isCut = known != nil && lines.count > chosen.count
        json.string(logs.id(of: isCut ? chosen.last?.number ?? part.newest : part.newest))
        json.name("lost")
        json.bool(known != nil && (part.lost > 0 || after == nil))
        json.name("capacity")
        json.int(RecentLog.capacity)
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return .now(response)
    }

    /// `GET /v1/observe/logs`: the kept lines that fit, or those after the last event that the client received, and then
    /// each new one.
    package func observeLogs(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: LogFilter.parameters + [ParameterName.lastEventID])
        let filter = try LogFilter(parameters)
        let first = request.lastEventID.flatMap { logs.number(of: $0) } ?? 0
        // A new client does not miss the lines that were overwritten before it came.
        let oldest = logs.lines(after: 0, atMost: 0)
        let from = request.lastEventID == nil ? max(first, oldest.lost) : first
        return .events { [self] stream in
            logStreams.add(stream, filter, after: from)
            context.opened(stream, for: request)
        }
    }
}
