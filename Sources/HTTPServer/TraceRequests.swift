package import Logging

/// Gives every request a label, and counts, times and logs it once its answer is known, an event stream when it opens.
/// To be used first, so that it sees everything.
///
/// The log has the route's pattern and not the target, whose query and keys may be data, and no header. Cost: about a
/// microsecond, and another two for a line of log.
///
/// - Parameter level: at which lines are written; answers that are our own fault are warnings at least. Nil for none.
package func traceRequests(
    _ logger: Logger, level: Logger.Level? = .info, into metrics: RequestMetrics? = nil
) -> Middleware {
    { request, next in
        let trace = RequestTrace(label: RequestLabel.of(request))
        var traced = request
        traced.trace = trace
        let (method, peer) = (request.method, request.remoteAddress)
        return next(traced).mapHead { head in
            head.label(trace.label)
            let duration = monotonicNanoseconds() - trace.start
            metrics?.count(route: trace.routeIndex, status: head.status, nanoseconds: duration)
            guard let level else { return }
            let isFault = head.status >= 500 && head.status != 503
            let lineLevel = isFault ? max(level, .warning) : level
            guard logger.logLevel <= lineLevel else { return }
            let route = trace.route?.pattern ?? "-"
            var metadata: Logger.Metadata = [
                "request": "\(trace.label)", "method": "\(method)", "route": "\(route)",
                "status": .stringConvertible(head.status),
                "milliseconds": .stringConvertible(Double(duration / 1000) / 1000), "peer": "\(peer)",
            ]
            if let bytes = head.knownLength { metadata["bytes"] = .stringConvertible(bytes) }
            if let caller = trace.caller { metadata["caller"] = "\(caller)" }
            logger.log(level: lineLevel, "Answered.", metadata: metadata)
        }
    }
}

extension Response {
    /// The body's length in bytes; nil for one in pieces.
    fileprivate var knownLength: Int? {
        if case .pieces = body { nil } else { contentLength }
    }
}
