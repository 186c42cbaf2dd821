import AccessRules
import HTTPMessages
package import HTTPServer
import ObjectCoding
import RequestHandling
import RequestParameters
import StoreContract
import Synchronization

extension Gateway {
    /// All routes, with their middlewares.
    package var router: Router {
        var router = Router(logger: context.logger)
        let table = routeTable
        useMiddlewares(&router, table)
        router.use { [context] request, next in context.awaitVersions(request, next) }
        router.use(negotiate)
        for route in table { add(route, to: &router) }
        let queries = queryRouter(table)
        let form = Route(.post, "/v1/query/*path") { [self] request, _ in try query(request, by: queries) }
        add(form, to: &router)
        knownRoutes.set(router.routes)
        return router
    }

    private func add(_ route: Route, to router: inout Router) {
        let (inlineBody, handler) = (configuration.inlineBody, admitting(route, route.handler))
        let (handling, folds): (Router.BodyHandling, Bool) =
            switch route.body {
            case .memory: (.memory, false)
            case .lists: (.memory, true)
            case .file: (.file(limit: configuration.importLimit), false)
            }
        router.on(route.method, route.pattern, body: handling) { [context] request, path in
            guard request.body.count > inlineBody else { return context.runShort(request, path, handler) }
            return context.runLong(request, path, folds: folds, handler)
        }
    }

    /// The queries only, for requests that come as forms.
    private func queryRouter(_ table: [Route]) -> Router {
        var router = Router(logger: context.logger)
        for route in table where route.isQuery {
            router.on(route.method, route.pattern, admitting(route, route.handler))
        }
        return router
    }

    /// Returns work for a route that begins with the check of who sent the request.
    func admitting<Result>(
        _ route: Route, _ work: @escaping @Sendable (Request, PathParameters) throws -> Result
    ) -> @Sendable (Request, PathParameters) throws -> Result {
        switch route.audience {
        case .everyone, .anonymous, .callers: work
        case .administrators:
            { [self] request, path in
                try requireAdministrator(request)
                return try work(request, path)
            }
        case .metricsReaders:
            { [self] request, path in
                try requireMetrics(request)
                return try work(request, path)
            }
        }
    }

    /// `POST /v1/query/…`: a read whose parameters are a form in the body, because they would be too long for a URL.
    /// The path after `query` is that of the resource.
    ///
    /// - Parameter router: has the routes of queries.
    private func query(_ request: Request, by router: Router) throws -> Reply {
        let type = request.header("Content-Type").map { FieldElement($0) }
        guard request.body.isEmpty || type?.name == "application/x-www-form-urlencoded" && type?.isUTF8 == true else {
            throw Problem(
                .unsupportedMediaType,
                "Send the parameters as a form in UTF-8 with Content-Type: application/x-www-form-urlencoded.")
        }
        guard String(validating: request.body, as: UTF8.self) != nil else {
            throw Problem(.malformedForm, "The form is not UTF-8. Percent-encode it as you would a query.")
        }
        // The segments after `v1` and `query`. The omitted fields do not concern the resource that a GET would name.
        let resource = ["v1"] + request.segments.dropFirst(2)
        // Errors are thrown to the handler of this request, which knows which of them mean that a worker must do it.
        return try router.forward(
            request.read(of: resource, form: request.body, without: ["If-None-Match", "Content-Type"]))
    }

    /// Throws 403 unless the caller has full access.
    private func requireAdministrator(_ request: Request) throws(Problem) {
        guard try context.caller(of: request).view.isUnrestricted else {
            throw Problem(
                StoreError.Code.accessDenied, "This request requires a key or token with an administrator's role.")
        }
    }

    /// Throws 403 unless the caller may read the metrics.
    private func requireMetrics(_ request: Request) throws(Problem) {
        guard !configuration.metricsAreOpen else { return }
        guard try context.caller(of: request).readsMetrics else {
            throw Problem(
                StoreError.Code.accessDenied,
                "This request requires a key or token with an administrator's role; the key may be read-only.")
        }
    }
}

/// The routes of the router that was created last, for metrics.
final class KnownRoutes: Sendable {
    private let routes = Mutex<[Router.Route]>([])

    var all: [Router.Route] { routes.withLock { $0 } }

    func set(_ all: [Router.Route]) { routes.withLock { $0 = all } }
}
