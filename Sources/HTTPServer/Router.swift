package import Logging

/// Runs for a request that matched a route. Thrown errors are rendered as in ``HTTPErrorConvertible``.
package typealias Handler = @Sendable (Request, PathParameters) throws -> Reply

/// Runs around every request, matched or not; `next` never throws: errors have become replies by then.
package typealias Middleware =
    @Sendable (Request, _ next: @escaping @Sendable (Request) -> Reply) throws -> Reply

/// Maps method and path to handlers. Built before the server starts, a constant afterwards.
///
/// A pattern is a path whose components may be `:name`, which takes one non-empty segment, or, at the end, `*name`,
/// which takes all segments that are left, at least one. Literal components win over parameters, and those over `*`.
/// `HEAD` falls back to `GET`; `OPTIONS` is answered with 204 and `Allow` unless a route of its own exists.
package struct Router: Sendable {
    /// Where the body of a request is kept until its handler runs.
    package enum BodyHandling: Sendable, Hashable {
        /// In memory, up to the server's limit.
        case memory
        /// In a file without a name, up to so many bytes.
        case file(limit: Int)
    }

    package struct Route: Sendable, Hashable {
        package let method: HTTPMethod
        package let pattern: String
    }

    /// All routes in the order registered.
    package private(set) var routes: [Route] = []

    private var root = RouteNode()
    private var middlewares: [Middleware] = []
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
        root.insert(pattern.split(separator: "/")[...], names: [], method: method, handler: handler)
    }

    package mutating func get(_ pattern: String, _ handler: @escaping Handler) { on(.get, pattern, handler) }
    package mutating func post(_ pattern: String, _ handler: @escaping Handler) { on(.post, pattern, handler) }
    package mutating func put(_ pattern: String, _ handler: @escaping Handler) { on(.put, pattern, handler) }
    package mutating func patch(_ pattern: String, _ handler: @escaping Handler) { on(.patch, pattern, handler) }
    package mutating func delete(_ pattern: String, _ handler: @escaping Handler) { on(.delete, pattern, handler) }

    /// Adds a middleware inside those added before: the first one added sees the request first.
    package mutating func use(_ middleware: @escaping Middleware) {
        middlewares.append(middleware)
    }

    /// Answers a request; the server calls this, and so can anything that has no socket.
    package func respond(to request: Request) -> Reply {
        run(request, middlewares[...])
    }

    private func run(_ request: Request, _ chain: ArraySlice<Middleware>) -> Reply {
        do {
            guard let first = chain.first else { return try dispatch(request) }
            return try first(request) { run($0, chain.dropFirst()) }
        } catch let error as any HTTPErrorConvertible {
            return .now(error.httpResponse)
        } catch {
            logger.error(
                "A handler failed.",
                metadata: ["request": "\(request.id)", "method": "\(request.method)", "error": "\(error)"])
            return .now(HTTPError.internalError.httpResponse)
        }
    }

    private func dispatch(_ request: Request) throws -> Reply {
        var values: [String] = []
        guard let node = root.find(request.segments[...], &values) else {
            if request.target == "*", request.method == .options { return .now(.empty(204)) }
            throw HTTPError.notFound("There is nothing at this path. Check it against /openapi.json.")
        }
        if let endpoint = node.endpoint(for: request.method) {
            return try endpoint.handler(request, PathParameters(names: endpoint.names, values: values))
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
