package import HTTPMessages
package import Logging

/// The log record of one request and its response.
package struct RequestRecord: Sendable {
    /// The identifier of the request.
    package var label: String
    package var method: HTTPMethod
    /// The route's pattern; `-` if no route matched.
    package var route: String
    package var status: Int
    /// The time until the response was known.
    package var microseconds: Int64
    package var peer: RemoteAddress
    /// The body's length in bytes; nil for a streamed body.
    package var bytes: Int?
    /// The caller, in a form that may be logged.
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

    /// The message of every record.
    package static let message = "Answered."

    /// The record as metadata, for a logger.
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

/// Receives the records of requests: a logger, or a faster implementation, because there are many.
package protocol RequestLog: Sendable {
    /// Returns whether lines of that level are written at present.
    func takes(_ level: Logger.Level) -> Bool
    func write(_ record: RequestRecord, at level: Logger.Level)
}

/// Writes the records of requests to a logger.
package struct LoggerRequestLog: RequestLog {
    private let logger: Logger

    package init(_ logger: Logger) { self.logger = logger }

    package func takes(_ level: Logger.Level) -> Bool { logger.logLevel <= level }

    package func write(_ record: RequestRecord, at level: Logger.Level) {
        logger.log(level: level, "\(RequestRecord.message)", metadata: record.metadata)
    }
}
