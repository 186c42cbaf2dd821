package import HTTPMessages
package import Logging

/// Handles a request that matched a route. Thrown errors are rendered as in ``HTTPErrorConvertible``.
package typealias Handler = @Sendable (Request, PathParameters) throws -> Reply

/// Runs around every request, whether it matched or not. `next` never throws: errors have become replies by then.
package typealias Middleware =
    @Sendable (Request, _ next: @escaping @Sendable (Request) -> Reply) throws -> Reply

/// Maps methods and paths to handlers. Built before the server starts, constant afterwards.
///
/// A pattern is a path whose components may be `:name`, which matches one segment, or, at the end, `*name`, which
/// matches all remaining segments, at least one. Literal components take precedence over parameters, and those over
/// `*`. `HEAD` falls back to `GET`; `OPTIONS` is answered with 204 and `Allow` unless it has a route of its own.
package struct Router: Sendable {
    /// The storage of a request's body until its handler runs.
    package enum BodyHandling: Sendable, Hashable {
        /// In memory, up to the server's limit.
        case memory
        /// In a file without a name, up to the limit in bytes; the handler always gets a `bodyFile`, even an empty one.
        case file(limit: Int)
    }

    package struct Route: Sendable, Hashable {
        package let method: HTTPMethod
        package let pattern: String
    }

    /// A middleware in a struct: an array of closures would wrap each in conversions that every call passes through.
    private struct Layer: Sendable {
        let run: Middleware
    }

    /// All routes in the order of registration.
    package private(set) var routes: [Route] = []

    private var root = RouteNode()
    private var middlewares: [Layer] = []
    private var admissions: [@Sendable (Request) throws -> Void] = []
    private var refusalChanges: [@Sendable (RefusedRequest, inout Response) -> Void] = []
    private let logger: Logger

    package init(logger: Logger = Logger(label: "http")) {
        self.logger = logger
    }

    /// Registers a route. Replaces an earlier one with the same method and pattern.
    package mutating func on(
        _ method: HTTPMethod, _ pattern: String, body: BodyHandling = .memory, _ handler: @escaping Handler
    ) {
        let route = Route(method: method, pattern: pattern)
        if !routes.contains(route) { routes.append(route) }
        let index = routes.firstIndex(of: route) ?? 0
        let handler: Handler = { request, path in
            request.trace?.record(route, index: index)
            return try handler(request, path)
        }
        root = root.inserting(
            pattern.split(separator: "/")[...], names: [], method: method, body: body, handler: handler)
    }

    package mutating func get(_ pattern: String, _ handler: @escaping Handler) { on(.get, pattern, handler) }
    package mutating func post(_ pattern: String, _ handler: @escaping Handler) { on(.post, pattern, handler) }
    package mutating func put(_ pattern: String, _ handler: @escaping Handler) { on(.put, pattern, handler) }
    package mutating func patch(_ pattern: String, _ handler: @escaping Handler) { on(.patch, pattern, handler) }
    package mutating func delete(_ pattern: String, _ handler: @escaping Handler) { on(.delete, pattern, handler) }

    /// Adds a middleware inside those added before: the first one sees the request first.
    package mutating func use(_ middleware: @escaping Middleware) {
        middlewares.append(Layer(run: middleware))
    }

    /// Adds a check that runs before a body is received into a file. If it throws, the error is the response, and the
    /// body is not read. The request that it sees has no body yet. It runs on the loop's thread, before and apart from
    /// all middlewares.
    package mutating func beforeFile(_ check: @escaping @Sendable (Request) throws -> Void) {
        admissions.append(check)
    }

    /// Adds a change to the responses to requests that the server refuses before any middleware sees them, such as those
    /// with too long a header. It runs on the loop's thread.
    package mutating func changeRefusals(_ change: @escaping @Sendable (RefusedRequest, inout Response) -> Void) {
        refusalChanges.append(change)
    }

    /// Returns the response to a request that no middleware sees.
    func changed(_ response: Response, to request: RefusedRequest) -> Response {
        var response = response
        for change in refusalChanges { change(request, &response) }
        return response
    }

    /// Returns where the body of a request to this path is kept.
    func bodyHandling(_ method: HTTPMethod, _ segments: [String]) -> BodyHandling {
        var values: [String] = []
        return root.find(segments, &values)?.endpoint(for: method)?.body ?? .memory
    }

    /// Returns the error response for a request whose body is about to be received into a file; nil if it is accepted.
    func refusal(of request: Request) -> Response? {
        do {
            for check in admissions { try check(request) }
            return nil
        } catch {
            return response(to: error, of: request)
        }
    }

    /// Answers a request, also for callers without a socket.
    package func respond(to request: Request) -> Reply { responder(request) }

    /// Answers a request as part of another request's handler: without middlewares, and with its errors thrown.
    package func forward(_ request: Request) throws -> Reply { try dispatch(request) }

    /// Answers requests with the present routes and middlewares, composed once for many requests.
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
        guard let node = root.find(request.segments, &values) else {
            if request.target == "*", request.method == .options { return .now(.empty(204)) }
            throw HTTPError.notFound("There is nothing at this path. Check it against /openapi.json.")
        }
        if let endpoint = node.endpoint(for: request.method) {
            let parameters = PathParameters(names: endpoint.names, values: values)
            guard endpoint.body != .memory, request.bodyFile == nil else {
                return try endpoint.handler(request, parameters)
            }
            // The request has no body, or was created in memory.
            var request = request
            request.bodyFile = try BodyFile(request.body)
            request.body = []
            return try endpoint.handler(request, parameters)
        }
        let allowed = node.allowedMethods
        guard request.method == .options else {
            throw HTTPError(
                .methodNotAllowed,
                detail: "\(request.method) is not supported here; the path supports \(allowed).",
                headers: ["Allow": allowed])
        }
        return .now(Response(status: 204, headers: ["Allow": allowed]))
    }
}

/// The values of a pattern's parameters.
package struct PathParameters: Sendable {
    let names: [String]
    /// The values in the order of the pattern; the segments of a final `*name` follow one by one.
    package let values: [String]

    package init(names: [String], values: [String]) {
        self.names = names
        self.values = values
    }

    /// The value of a parameter; for a final `*name` its first segment. `nil` for a name that the pattern does not
    /// have.
    package subscript(name: String) -> String? {
        names.firstIndex(of: name).map { values[$0] }
    }

    /// All segments that a final `*name` matched.
    package var rest: ArraySlice<String> { values[max(names.count - 1, 0)...] }
}
