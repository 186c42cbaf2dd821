import FairScheduling
import HTTPProblems
import HTTPMessages
import HTTPServer
import ObjectCoding
import RequestHandling
import Synchronization
import WireProtocol

/// The middlewares for every request and every response.
extension Gateway {
    /// The order matters: the limit by address comes before authentication, so that keys cannot be guessed quickly.
    /// Errors from all middlewares inside get an identifier, are logged and compressed, and pages can read them.
    func useMiddlewares(_ router: inout Router, _ table: [Route]) {
        router.use(resolveClientAddresses)
        useOutside(&router)
        router.use(limitAddresses)
        if configuration.compresses { router.use(compressResponses()) }
        router.use(identifyCallers(table))
        router.use(limitCallers)
        router.use(
            limitStreams(
                context.limits.streams, setting: "limits.streamsPerCaller",
                refused: { [counters = context.requestCounters] in counters.limitedStreams.add(1, ordering: .relaxed) },
                by: { $0.callerKey ?? LimitKey($0.remoteAddress) }))
        let limit = configuration.bodyLimit
        router.use { request, next in
            guard request.body.count > limit else { return next(request) }
            throw Problem(
                HTTPError.Code.bodyTooLarge,
                "The body is larger than \(limit) bytes. Send the objects in smaller batches.")
        }
        router.use(
            expandRequests(limit: limit) { [workers = context.workers] request, work in
                workers.reply(for: request.limitKey, work)
            })
        admitFiles(&router, table)
    }

    /// Adds identifiers, the log, and the security headers for browsers.
    private func useOutside(_ router: inout Router) {
        router.use(
            traceRequests(
                configuration.requestLog ?? LoggerRequestLog(context.logger), level: configuration.requestLogLevel,
                into: requestMetrics))
        router.use(addSecurityHeaders(strictTransportSeconds: configuration.strictTransportSeconds))
        router.use(allowCrossOrigin { [limits = context.limits] in limits.now.origins })
        router.changeRefusals { [limits = context.limits] request, response in
            limits.now.origins.allowReading(&response, to: request)
        }
        checkOrigins(&router)
    }

    /// Rejects requests that browsers would let any page send to an unauthenticated server.
    private func checkOrigins(_ router: inout Router) {
        if let access = context.access, configuration.isForThisMachine {
            router.use(refuseUnknownHosts { access.isOpen })
        }
        router.use(refuseCrossSiteRequests { [limits = context.limits] in limits.now.origins })
    }

    /// Receives a body into a file only for authenticated callers within their rate limit, and only if what can be known
    /// of the request without its body is right. Its error responses look like all others.
    private func admitFiles(_ router: inout Router, _ table: [Route]) {
        var gate = Router(logger: context.logger)
        checkOrigins(&gate)
        gate.use(resolveClientAddresses)
        gate.use(limitAddresses)
        gate.use(identifyCallers(table))
        gate.use(limitCallers)
        for route in table {
            guard case .file(let check) = route.body else { continue }
            let admitted = admitting(route, check)
            gate.on(route.method, route.pattern) { [self] request, path in
                // A repeated request gets the answer of the first, and a version may have to be waited for.
                guard request.header(HeaderName.idempotencyKey) == nil, request.header(HeaderName.atLeast) == nil else {
                    return .now(.empty(Self.admitted))
                }
                do {
                    try admitted(request, path)
                    return .now(.empty(Self.admitted))
                } catch {
                    return .now(context.response(to: error, of: request))
                }
            }
        }
        router.beforeFile { [gate, self] request in
            guard case .now(let response) = gate.respond(to: request), response.status != Self.admitted else { return }
            var outside = Router(logger: context.logger)
            outside.use(resolveClientAddresses)
            useOutside(&outside)
            outside.use { _, _ in .now(response) }
            guard case .now(let refusal) = outside.respond(to: request) else { return }
            throw FileRefusal(httpResponse: refusal)
        }
    }

    private static let admitted = 204

    private var resolveClientAddresses: Middleware { trustProxies { [limits = context.limits] in limits.now.proxies } }

    private var limitAddresses: Middleware {
        limitRates(
            { [limits = context.limits] in limits.now.addresses },
            refused: { [counters = context.requestCounters] in counters.limitedAddresses.add(1, ordering: .relaxed) },
            by: { Self.isCounted($0) ? nil : LimitKey($0.remoteAddress) })
    }

    private var limitCallers: Middleware {
        limitRates(
            { [limits = context.limits] in limits.now.callers },
            refused: { [counters = context.requestCounters] in counters.limitedCallers.add(1, ordering: .relaxed) },
            by: { Self.isCounted($0) ? nil : $0.callerKey })
    }

    /// Whether the rate limit counted the request before its body was received into a file.
    private static func isCounted(_ request: Request) -> Bool { request.bodyFile != nil }

    /// Determines the caller of each request, also for the log.
    private func identifyCallers(_ table: [Route]) -> Middleware {
        let audiences = PathAudiences(table)
        return { [self] request, next in try identifyCaller(request, audiences[request.segments], next) }
    }

    /// Public metrics need no credential.
    private func identifyCaller(
        _ request: Request, _ audience: Audience?, _ next: (Request) -> Reply
    ) throws -> Reply {
        var isIdentified = false
        do {
            return try identify(request, audience) { known in
                isIdentified = true
                known.trace?.caller = (known.context as? CallerContext)?.name
                return next(known)
            }
        } catch {
            guard !isIdentified else { throw error }
            context.requestCounters.unidentified.add(1, ordering: .relaxed)
            guard configuration.metricsAreOpen, audience == .metricsReaders else { throw error }
            return next(request)
        }
    }

    /// Determines the caller, for the handlers inside.
    private func identify(
        _ request: Request, _ audience: Audience?, _ next: (Request) -> Reply
    ) throws -> Reply {
        guard let access = context.access else { return next(request) }
        let reply = next(try access.identified(request, for: audience ?? .callers))
        guard request.segments.first == "v1" else { return reply }
        // Tags identify versions, which all callers share, so a cached response must not be given to another caller.
        return reply.mapHead { $0.headers.vary("Authorization, X-API-Key") }
    }
}

/// The response to a request whose body is rejected.
private struct FileRefusal: HTTPErrorConvertible {
    let httpResponse: Response
}
