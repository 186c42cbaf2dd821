import HTTPServer
import Synchronization

/// What every request goes through before a route sees it, and every answer on its way out.
extension Gateway {
    /// The order matters: a limit by address is asked before a credential is looked at, so that nobody guesses keys fast;
    /// refusals of everything inside are labelled, logged, compressed and readable by pages.
    func useFront(_ router: inout Router) {
        router.use(nameClients)
        useOutside(&router)
        router.use(limitAddresses)
        if configuration.compresses { router.use(compressAnswers()) }
        router.use { [self] request, next in try identifyCaller(request, next) }
        router.use(limitCallers)
        router.use(
            limitStreams(
                limits.streams, refused: { [edge] in edge.limitedStreams.add(1, ordering: .relaxed) },
                by: Self.streamKey))
        let limit = configuration.bodyLimit
        router.use { request, next in
            guard request.body.count > limit else { return next(request) }
            throw Problem(
                413, "body_too_large",
                "The body is larger than \(limit) bytes. Send the objects in smaller batches.")
        }
        router.use(
            expandRequests(limit: limit) { [workers] request, work in
                workers.reply(for: Self.limitKey(request), work)
            })
        admitFiles(&router)
    }

    /// What labels, logs, and fits every answer for browsers.
    private func useOutside(_ router: inout Router) {
        router.use(
            traceRequests(
                configuration.requestLog ?? LoggerRequestLog(logger), level: configuration.requestLogLevel,
                into: requestMetrics))
        router.use(secureAnswers(strictTransportSeconds: configuration.strictTransportSeconds))
        router.use(allowCrossOrigin { [limits] in limits.now.origins })
        refuseForeigners(&router)
    }

    /// What an open server refuses, because browsers would let any page have it.
    private func refuseForeigners(_ router: inout Router) {
        if let access, configuration.isForThisMachine { router.use(refuseForeignHosts { access.isOpen }) }
        router.use(refuseForeignPages { [limits] in limits.now.origins })
    }

    /// Lets a body into a file only for those who are known and have not come too often. Refusals look like all others.
    private func admitFiles(_ router: inout Router) {
        var gate = Router(logger: logger)
        refuseForeigners(&gate)
        gate.use(nameClients)
        gate.use(limitAddresses)
        gate.use { [self] request, next in try identifyCaller(request, next) }
        gate.use(limitCallers)
        gate.use { _, _ in .now(.empty(Self.admitted)) }
        router.beforeFile { [gate, self] request in
            guard case .now(let answer) = gate.respond(to: request), answer.status != Self.admitted else { return }
            var outside = Router(logger: logger)
            outside.use(nameClients)
            useOutside(&outside)
            outside.use { _, _ in .now(answer) }
            guard case .now(let refusal) = outside.respond(to: request) else { return }
            throw FileRefusal(httpResponse: refusal)
        }
    }

    private static let admitted = 204

    private var nameClients: Middleware { trustProxies { [limits] in limits.now.proxies } }

    private var limitAddresses: Middleware {
        limitRates(
            { [limits] in limits.now.addresses },
            refused: { [edge] in edge.limitedAddresses.add(1, ordering: .relaxed) },
            by: { Self.isCounted($0) ? nil : LimitKey($0.remoteAddress) })
    }

    private var limitCallers: Middleware {
        limitRates(
            { [limits] in limits.now.callers }, refused: { [edge] in edge.limitedCallers.add(1, ordering: .relaxed) },
            by: { Self.isCounted($0) ? nil : Self.callerKey($0) })
    }

    /// Whether the request was counted before its body was let into a file.
    private static func isCounted(_ request: Request) -> Bool { request.bodyFile != nil }

    /// Finds out who calls, also for the log. Metrics that are for everybody take no credential.
    private func identifyCaller(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        var isIdentified = false
        do {
            return try identify(request) { known in
                isIdentified = true
                known.trace?.caller = (known.context as? CallerContext)?.name
                return next(known)
            }
        } catch {
            guard !isIdentified else { throw error }
            edge.unidentified.add(1, ordering: .relaxed)
            guard configuration.metricsAreOpen, request.segments == ["metrics"] else { throw error }
            return next(request)
        }
    }

    /// Whose requests are counted together; nil for those of nobody in particular, whose address is counted.
    private static let callerKey: @Sendable (Request) -> LimitKey? = { request in
        (request.context as? CallerContext)?.name.map(LimitKey.caller)
    }

    private static let streamKey: @Sendable (Request) -> LimitKey? = { request in
        callerKey(request) ?? LimitKey(request.remoteAddress)
    }

    /// Whose quotas a request uses: its caller's, or those of the address that it comes from.
    static func limitKey(_ request: Request) -> LimitKey { streamKey(request) ?? RequestWork.ownCaller }
}

/// The answer to a request whose body may not come.
private struct FileRefusal: HTTPErrorConvertible {
    let httpResponse: Response
}
