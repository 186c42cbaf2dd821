import FairScheduling
import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
import ObjectCoding
import ObjectModel
import RequestHandling
import RequestParameters

extension OperationEndpoints {
    private static let defaultConnections = 100
    private static let maximumConnections = 1000

    /// `GET /v1/connections`: the open requests, for administrators.
    package func getConnections(_ request: Request, _ path: PathParameters) throws -> Reply {
        let parameters = try QueryParameters(request, single: ["limit", "sort"])
        let limit = try parameters.integer("limit", in: 1...Self.maximumConnections) ?? Self.defaultConnections
        let order = try parameters.choice("sort", default: ConnectionOrder.newest)
        // There may be very many.
        return context.workers.reply(for: request.limitKey) { [self] in .now(connections(limit, order)) }
    }

    private func connections(_ limit: Int, _ order: ConnectionOrder) -> Response {
        let all = order.sorted(context.connections.all)
        let clocks = (now: context.settings.now.clock(), monotonic: monotonicNanoseconds())
        let json = JSONWriter(capacity: 512 * (min(all.count, limit) + 1))
        json.beginObject()
        json.name("connections")
        json.beginArray()
        for reading in all.prefix(limit) {
            json.connection(reading, id: context.connections.id(of: reading.connection)) { moment in
                clocks.now.before(nanoseconds: clocks.monotonic - moment)
            }
        }
        json.endArray()
        json.name("count")
        json.int(all.count)
        json.endObject()
        return .neverStored(json)
    }

    /// `DELETE /v1/connections/{id}`: ends one in an orderly way. Its client may connect again.
    package func endConnection(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let id = path["id"] ?? ""
        guard context.connections.end(id) else {
            throw Problem(
                .connectionNotFound, "There is no open connection '\(id)': it has ended, or another server has it.")
        }
        return .now(.empty(204))
    }
}

extension JSONWriter {
    /// - Parameter date: the time of day of a monotonic one.
    fileprivate func connection(_ reading: ConnectionReading, id: String, date: (Int64) -> Timestamp) {
        let (connection, traffic) = (reading.connection, reading.traffic)
        beginObject()
        name("id")
        string(id)
        name("kind")
        string(connection.stream == nil ? "read" : "stream")
        name("target")
        string(connection.target)
        name("since")
        self.date(connection.since)
        name("address")
        string(connection.address.description)
        name("caller")
        if let caller = connection.callerName { string(caller) } else { null() }
        name("role")
        string(connection.roleName)
        name("request")
        if let label = connection.label { string(label) } else { null() }
        name("events")
        int(traffic.events)
        name("bytes")
        int(traffic.sentBytes)
        name("waitingBytes")
        int(traffic.waitingBytes)
        name("lastEvent")
        if let last = traffic.lastEvent { self.date(date(last)) } else { null() }
        name("cost")
        if let cost = reading.cost {
            beginObject()
            name("seconds")
            double(Double(cost.nanoseconds) / 1e9)
            name("sharedBy")
            int(cost.sharedBy)
            endObject()
        } else {
            null()
        }
        endObject()
    }
}

extension Timestamp {
    /// The time some nanoseconds earlier.
    fileprivate func before(nanoseconds: Int64) -> Timestamp {
        let (seconds, fraction) = floored
        let whole = Int64(fraction) - nanoseconds % 1_000_000_000
        let borrowed: Int64 = whole < 0 ? 1 : 0
        return Timestamp(
            floorSeconds: seconds - nanoseconds / 1_000_000_000 - borrowed,
            fraction: Int32(whole + borrowed * 1_000_000_000))
    }
}
