import HTTPServer
import LiveStreams
import RequestHandling

/// A connection with its numbers, which change while others are compared.
struct ConnectionReading: Sendable {
    let connection: OpenConnection
    let traffic: EventStream.Traffic
    let cost: StreamCost?

    init(_ connection: OpenConnection) {
        self.connection = connection
        traffic = connection.traffic
        cost = connection.cost
    }
}

/// The order in which connections are listed, with `-` for the newest or largest first.
enum ConnectionOrder: String, CaseIterable {
    case since
    case newest = "-since"
    case events
    case mostEvents = "-events"
    case bytes
    case mostBytes = "-bytes"
    case waitingBytes
    case mostWaitingBytes = "-waitingBytes"
    case lastEvent
    case latestEvent = "-lastEvent"
    case seconds
    case mostSeconds = "-seconds"

    private var isDescending: Bool { rawValue.hasPrefix("-") }

    /// Cost: one reading of each.
    func sorted(_ all: [OpenConnection]) -> [ConnectionReading] {
        let read = all.map { connection in
            let reading = ConnectionReading(connection)
            return (rank: rank(of: reading), reading: reading)
        }
        return read.sorted { one, other in
            // Those that are equal are in the order in which they came.
            let (low, high) = isDescending ? (other, one) : (one, other)
            return low.rank != high.rank
                ? low.rank < high.rank : low.reading.connection.number < high.reading.connection.number
        }.map(\.reading)
    }

    private func rank(of reading: ConnectionReading) -> Int64 {
        switch self {
        case .since, .newest: Int64(clamping: reading.connection.number)
        case .events, .mostEvents: Int64(reading.traffic.events)
        case .bytes, .mostBytes: Int64(reading.traffic.sentBytes)
        case .waitingBytes, .mostWaitingBytes: Int64(reading.traffic.waitingBytes)
        case .lastEvent, .latestEvent: reading.traffic.lastEvent ?? .min
        case .seconds, .mostSeconds: reading.cost?.nanoseconds ?? -1
        }
    }
}
