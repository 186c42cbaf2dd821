package import Logging

/// Lets web pages of the given origins call the server, as browsers require; preflight requests are answered here.
///
/// - Parameter origins: such as `https://app.example.com`; `*` allows every page, without credentials.
package func allowCrossOrigin(_ origins: Set<String>) -> Middleware {
    let anyOrigin = origins.contains("*")
    return { request, next in
        guard let origin = request.header("Origin"), anyOrigin || origins.contains(origin) else {
            // The answer depends on the origin all the same, and caches must know.
            return anyOrigin ? next(request) : next(request).mapHead { $0.headers.add("Vary", "Origin") }
        }
        let isPreflight = request.method == .options && request.header("Access-Control-Request-Method") != nil
        let requestedHeaders = isPreflight ? request.header("Access-Control-Request-Headers") : nil
        return next(request).mapHead { head in
            head.headers["Access-Control-Allow-Origin"] = anyOrigin ? "*" : origin
            if !anyOrigin { head.headers.add("Vary", "Origin") }
            if isPreflight {
                head.headers["Access-Control-Allow-Methods"] = head.headers["Allow"]
                head.headers["Access-Control-Allow-Headers"] = requestedHeaders
                head.headers["Access-Control-Max-Age"] = "600"
            } else {
                head.headers["Access-Control-Expose-Headers"] = "ETag, Location, Retry-After"
            }
        }
    }
}

/// Logs one line per request once its answer is known, an event stream when it opens. Query strings, which may hold
/// data, are left out.
package func logRequests(_ logger: Logger, level: Logger.Level = .info) -> Middleware {
    { request, next in
        guard logger.logLevel <= level else { return next(request) }
        let start = monotonicMilliseconds()
        return next(request).mapHead { head in
            logger.log(
                level: level, "\(request.method) \(request.path) \(head.status)",
                metadata: [
                    "id": "\(request.id)", "peer": "\(request.remoteAddress)",
                    "milliseconds": "\(monotonicMilliseconds() - start)", "bytes": "\(head.contentLength)",
                ])
        }
    }
}
