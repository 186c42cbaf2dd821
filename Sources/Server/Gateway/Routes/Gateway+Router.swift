package import HTTPServer
import Synchronization

extension Gateway {
    /// All routes, with their middlewares.
    package var router: Router {
        var router = Router(logger: logger)
        let table = routeTable
        useFront(&router, table)
        router.use { [self] request, next in awaitVersions(request, next) }
        router.use(negotiate)
        for route in table { add(route, to: &router) }
        let queries = queryRouter(table)
        let form = Route(.post, "/v1/query/*path") { [self] request, _ in try query(request, by: queries) }
        add(form, to: &router)
        routes.withLock { [all = router.routes] in $0 = all }
        return router
    }

    private func add(_ route: Route, to router: inout Router) {
        let (inlineBody, handler) = (configuration.inlineBody, admitting(route, route.handler))
        let (place, folds): (Router.BodyHandling, Bool) =
            switch route.body {
            case .memory: (.memory, false)
            case .lists: (.memory, true)
            case .file: (.file(limit: configuration.importLimit), false)
            }
        router.on(route.method, route.pattern, body: place) { [self] request, path in
            guard request.body.count > inlineBody else { return answerShort(request, path, handler) }
            return answerLong(request, path, folds: folds, handler)
        }
    }

    /// The queries only, for requests that come as forms.
    private func queryRouter(_ table: [Route]) -> Router {
        var router = Router(logger: logger)
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
        case .everyone, .callers: work
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
}
