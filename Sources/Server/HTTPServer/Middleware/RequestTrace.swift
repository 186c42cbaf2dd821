import Basics
import Glibc
import HTTPMessages
package import Logging
import Synchronization

/// Collects information about a request on its way in, for the log and the metrics. All copies of the request share it.
package final class RequestTrace: Sendable {
    /// The identifier of the request: letters, digits and `._~+/=:@-`, at most 128.
    package let label: String
    /// The time of arrival, in monotonic nanoseconds.
    let start = monotonicNanoseconds()

    struct Found {
        var route: (index: Int, route: Router.Route)?
        var caller: String?
    }

    private let state = Mutex(Found())

    package init(label: String) { self.label = label }

    /// The caller in a form that may be logged: the id of a key or the subject of a token, never a secret.
    package var caller: String? {
        get { state.withLock { $0.caller } }
        set { state.withLock { $0.caller = newValue } }
    }

    /// The route that matched; the outermost router's if one is inside another.
    package var route: Router.Route? { state.withLock { $0.route?.route } }

    /// The information collected so far.
    var found: Found { state.withLock { $0 } }

    func record(_ route: Router.Route, index: Int) {
        state.withLock { state in
            if state.route == nil { state.route = (index, route) }
        }
    }
}

package func monotonicNanoseconds() -> Int64 { SystemClock.monotonic }

/// Gives every request an identifier; counts, times and logs it once its response is known, or, for an event stream,
/// when it opens. Use it first, so that it sees everything.
///
/// The log contains the route's pattern instead of the target, whose query and keys may be sensitive, and no header.
/// Cost: about half a microsecond, plus the log line.
///
/// - Parameter level: returns the level of the log lines; internal errors are at least warnings. Nil for none.
package func traceRequests(
    _ log: any RequestLog, level: Logger.Level? = .info, into metrics: RequestMetrics? = nil
) -> Middleware {
    { request, next in
        let trace = RequestTrace(label: RequestLabel.of(request))
        var traced = request
        traced.trace = trace
        let (method, peer) = (request.method, request.remoteAddress)
        return next(traced).mapHead { head in
            head.label(trace.label)
            let duration = monotonicNanoseconds() - trace.start
            let found = trace.found
            metrics?.count(route: found.route?.index, status: head.status, nanoseconds: duration)
            guard let level else { return }
            let isFault = head.status >= 500 && head.status != 503
            let lineLevel = isFault ? max(level, .warning) : level
            guard log.takes(lineLevel) else { return }
            log.write(
                RequestRecord(
                    label: trace.label, method: method, route: found.route?.route.pattern ?? "-", status: head.status,
                    microseconds: duration / 1000, peer: peer, bytes: head.knownLength, caller: found.caller),
                at: lineLevel)
        }
    }
}

/// Does the same with a logger.
package func traceRequests(
    _ logger: Logger, level: Logger.Level? = .info, into metrics: RequestMetrics? = nil
) -> Middleware { traceRequests(LoggerRequestLog(logger), level: level, into: metrics) }

extension Response {
    /// The body's length in bytes; nil for a streamed body.
    fileprivate var knownLength: Int? {
        if case .pieces = body { nil } else { contentLength }
    }
}
