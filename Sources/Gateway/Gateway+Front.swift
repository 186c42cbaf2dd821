import HTTPServer
import Identity
import Synchronization

/// What every request goes through before a route sees it, and every answer on its way out.
extension Gateway {
    /// The order matters: a limit by address is asked before a credential is looked at, so that nobody guesses keys fast;
    /// refusals of everything inside are labelled, logged, compressed and readable by pages.
    func useFront(_ router: inout Router) {
        router.use(traceRequests(logger, level: configuration.requestLogLevel, into: requestMetrics))
        router.use(secureAnswers(strictTransportSeconds: configuration.strictTransportSeconds))
        var origins = CrossOriginPolicy(origins: configuration.allowedOrigins)
        origins.allowsCredentials = configuration.allowsCredentials
        let access = configuration.accessControl
        if let access { origins.isForThisMachine = { access.isOpen } }
        router.use(allowCrossOrigin(origins))
        if let access, configuration.isForThisMachine { router.use(refuseForeignHosts { access.isOpen }) }
        if let limit = configuration.addressRate {
            router.use(
                limitRates(
                    RateLimiter(limit),
                    refused: { [front] in front.limitedAddresses.add(1, ordering: .relaxed) }))
        }
        if configuration.compresses { router.use(compressAnswers()) }
        router.use { [self] request, next in try identifyCaller(request, next) }
        if let limit = configuration.callerRate {
            router.use(
                limitRates(
                    RateLimiter(limit),
                    refused: { [front] in front.limitedCallers.add(1, ordering: .relaxed) }, by: Self.callerKey))
        }
        if let most = configuration.streamsPerCaller {
            router.use(
                limitStreams(
                    Quota(limit: most), refused: { [front] in front.limitedStreams.add(1, ordering: .relaxed) },
                    by: Self.streamKey))
        }
        let limit = configuration.bodyLimit
        router.use { request, next in
            guard request.body.count > limit else { return next(request) }
            throw Problem(
                413, "body_too_large",
                "The body is larger than \(limit) bytes. Send the objects in smaller batches.")
        }
        router.use(expandRequests(limit: limit, elsewhere: workers.reply))
    }

    /// Finds out who calls, also for the log. Metrics that are for everybody take no credential.
    private func identifyCaller(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        var isIdentified = false
        do {
            return try identify(request) { known in
                isIdentified = true
                known.trace?.caller = (known.context as? Caller)?.principal.name
                return next(known)
            }
        } catch {
            guard !isIdentified else { throw error }
            front.unidentified.add(1, ordering: .relaxed)
            guard configuration.metricsAreOpen, request.segments == ["metrics"] else { throw error }
            return next(request)
        }
    }

    /// Whose requests are counted together; nil for those of nobody in particular, whose address is counted.
    private static let callerKey: @Sendable (Request) -> LimitKey? = { request in
        (request.context as? Caller)?.principal.name.map(LimitKey.caller)
    }

    private static let streamKey: @Sendable (Request) -> LimitKey? = { request in
        callerKey(request) ?? LimitKey(request.remoteAddress)
    }
}

extension Principal {
    /// What the log calls it, and what limits go by; nil for nobody in particular.
    fileprivate var name: String? {
        switch credential {
        case .none: nil
        case .key(let id): "key:\(id)"
        case .token: "subject:\(subject ?? "")"
        }
    }
}
