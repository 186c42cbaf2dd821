package import Logging

/// Runs for a request that matched a route. Thrown errors are rendered as in ``HTTPErrorConvertible``.
package typealias Handler = @Sendable (Request, PathParameters) throws -> Reply

/// Runs around every request, matched or not; `next` never throws: errors have become replies by then.
package typealias Middleware =
    @Sendable (Request, _ next: @escaping @Sendable (Request) -> Reply) throws -> Reply

/// Maps method and path to handlers. Built before the server starts, a constant afterwards.
///
/// A pattern is a path whose components may be `:name`, which takes one segment, or, at the end, `*name`,
/// which takes all segments that are left, at least one. Literal components win over parameters, and those over `*`.
/// `HEAD` falls back to `GET`; `OPTIONS` is answered with 204 and `Allow` unless a route of its own exists.
package struct Router: Sendable {
    /// Where the body of a request is kept until its handler runs.
    package enum BodyHandling: Sendable, Hashable {
        /// In memory, up to the server's limit.
        case memory
        /// In a file without a name, up to so many bytes; the handler always finds a `bodyFile`, also an empty one.
        case file(limit: Int)
    }

    package struct Route: Sendable, Hashable {
        package let method: HTTPMethod
        package let pattern: String
    }

    /// A middleware, which an array would wrap in conversions that each call goes through.
    private struct Layer: Sendable {
        let run: Middleware
    }

    /// All routes in the order registered.
    package private(set) var routes: [Route] = []

    private var root = RouteNode()
    private var middlewares: [Layer] = []
    private var admissions: [@Sendable (Request) throws -> Void] = []
    private let logger: Logger

    package init(logger: Logger = Logger(label: "http")) {
        self.logger = logger
    }

    /// Registers a route; one registered before for the same method and pattern is replaced.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, body: BodyHandling = .memory, _ handler: @escaping Handler
    ) {
        let route = Route(method: method, pattern: pattern)
        if !routes.contains(route) { routes.append(route) }
        let index = routes.firstIndex(of: route) ?? 0
        let handler: Handler = { request, path in
            request.trace?.take(route, index: index)
            return try handler(request, path)
        }
        root.insert(pattern.split(separator: "/")[...], names: [], method: method, body: body, handler: handler)
    }

    package mutating func get(_ pattern: String, _ handler: @escaping Handler) { on(.get, pattern, handler) }
    package mutating func post(_ pattern: String, _ handler: @escaping Handler) { on(.post, pattern, handler) }
    package mutating func put(_ pattern: String, _ handler: @escaping Handler) { on(.put, pattern, handler) }
    package mutating func patch(_ pattern: String, _ handler: @escaping Handler) { on(.patch, pattern, handler) }
    package mutating func delete(_ pattern: String, _ handler: @escaping Handler) { on(.delete, pattern, handler) }

    /// Adds a middleware inside those added before: the first one added sees the request first.
    package mutating func use(_ middleware: @escaping Middleware) {
        middlewares.append(Layer(run: middleware))
    }

    /// Adds a check that runs before a body is let into a file: what it throws is the answer, and the body is
    /// not read. The request that it sees has no body yet. It runs on the loop's thread, before and besides all
    /// middlewares.
    package mutating func beforeFile(_ check: @escaping @Sendable (Request) throws -> Void) {
        admissions.append(check)
    }

    /// Where the body of a request to this path is to be kept.
    func bodyHandling(_ method: HTTPMethod, _ segments: [String]) -> BodyHandling {
        var values: [String] = []
        return root.find(segments[...], &values)?.endpoint(for: method)?.body ?? .memory
    }

    /// The refusal of a request whose body is about to go into a file.
    func refusal(of request: Request) -> Response? {
        do {
            for check in admissions { try check(request) }
            return nil
        } catch {
            return response(to: error, of: request)
        }
    }

    /// Answers a request, as anything may ask that has no socket.
    package func respond(to request: Request) -> Reply { responder(request) }

    /// What answers requests by the routes and middlewares there are now, put together once for many of them.
    var responder: @Sendable (Request) -> Reply {
        var responder: @Sendable (Request) -> Reply = { [self] request in
            do {
                return try dispatch(request)
            } catch {
                return .now(response(to: error, of: request))
            }
        }
        for layer in middlewares.reversed() {
            responder = { [self, run = layer.run, next = responder] request in
                do {
                    return try run(request, next)
                } catch {
                    return .now(response(to: error, of: request))
                }
            }
        }
        return responder
    }

    private func response(to error: any Error, of request: Request) -> Response {
        if let error = error as? any HTTPErrorConvertible { return error.httpResponse }
        logger.error(
            "A handler failed.",
            metadata: ["request": "\(request.id)", "method": "\(request.method)", "error": "\(error)"])
        return HTTPError.internalError.httpResponse
    }

    private func dispatch(_ request: Request) throws -> Reply {
        var values: [String] = []
        guard let node = root.find(request.segments[...], &values) else {
            if request.target == "*", request.method == .options { return .now(.empty(204)) }
            throw HTTPError.notFound("There is nothing at this path. Check it against /openapi.json.")
        }
        if let endpoint = node.endpoint(for: request.method) {
            let parameters = PathParameters(names: endpoint.names, values: values)
            guard endpoint.body != .memory, request.bodyFile == nil else {
                return try endpoint.handler(request, parameters)
            }
            // The request has no body, or was made in memory.
            var request = request
            request.bodyFile = try BodyFile(request.body)
            request.body = []
            return try endpoint.handler(request, parameters)
        }
        let allowed = node.allowedMethods
        guard request.method == .options else {
            throw HTTPError(
                405, code: "method_not_allowed",
                detail: "\(request.method) is not possible here; the path takes \(allowed).",
                headers: ["Allow": allowed])
        }
        return .now(Response(status: 204, headers: ["Allow": allowed]))
    }
}

/// The values that a pattern's parameters took.
package struct PathParameters: Sendable {
    let names: [String]
    /// In the order of the pattern; everything a final `*name` took follows one by one.
    package let values: [String]

    /// The value of a parameter of the pattern; for a final `*name` its first segment. `nil` for a name that
    /// the pattern does not have.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }

    /// All segments that a final `*name` took.
    package var rest: ArraySlice<String> { values[max(names.count - 1, 0)...] }
}
