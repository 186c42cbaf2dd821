package import Logging

/// What the log has of one request and its answer.
package struct RequestRecord: Sendable {
    /// What client and log call the request.
    package var label: String
    package var method: HTTPMethod
    /// The route's pattern, `-` for a request that took none.
    package var route: String
    package var status: Int
    /// Until the answer was known.
    package var microseconds: Int64
    package var peer: RemoteAddress
    /// The body's length; nil for one in pieces.
    package var bytes: Int?
    /// Who called, as far as the log may have it.
    package var caller: String?

    package init(
        label: String, method: HTTPMethod, route: String, status: Int, microseconds: Int64, peer: RemoteAddress,
        bytes: Int? = nil, caller: String? = nil
    ) {
        self.label = label
        self.method = method
        self.route = route
        self.status = status
        self.microseconds = microseconds
        self.peer = peer
        self.bytes = bytes
        self.caller = caller
    }

    /// What every line says.
    package static let message = "Answered."

    /// For a log of any kind.
    package var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "request": "\(label)", "method": "\(method)", "route": "\(route)", "status": .stringConvertible(status),
            "milliseconds": .stringConvertible(Double(microseconds) / 1000), "peer": "\(peer)",
        ]
        if let bytes { metadata["bytes"] = .stringConvertible(bytes) }
        if let caller { metadata["caller"] = "\(caller)" }
        return metadata
    }
}

/// Where the lines about requests go: through a logger, or, as there are many, in a way of their own.
package protocol RequestLog: Sendable {
    /// Whether lines of that level are written now.
    func takes(_ level: Logger.Level) -> Bool
    func write(_ record: RequestRecord, at level: Logger.Level)
}

/// Lines about requests that go the way of all others.
package struct LoggerRequestLog: RequestLog {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func takes(_ level: Logger.Level) -> Bool { logger.logLevel <= level }

    package func write(_ record: RequestRecord, at level: Logger.Level) {
        logger.log(level: level, "\(RequestRecord.message)", metadata: record.metadata)
    }
}
