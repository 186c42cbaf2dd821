import AccessRules
package import FairScheduling
package import HTTPMessages
import HTTPProblems
package import HTTPServer
import JSONCoding
package import LiveStreams
package import Logging
package import ObjectCoding
import ObjectModel
package import StoreContract
package import Synchronization
package import WriteRequests

/// What the endpoints of a gateway share: the store, the present settings, the callers, and the threads and memory that
/// requests take turns with.
///
/// Endpoints read through `snapshot(for:)` and write through `write(for:preparedFrom:_:)`, which apply the rules of the
/// caller.
package final class GatewayContext: Sendable {
    package let store: any Store
    package let settings: LiveConfiguration
    /// Authenticates callers and determines their permissions; nil for full access for every caller.
    package let access: AccessControl?
    /// The rate limits and quotas of requests.
    package let limits: RequestLimits
    package let logger: Logger
    /// Runs long requests.
    package let workers: WorkerPool
    /// The memory for the values in the bodies of requests, until these are answered.
    package let values: MemoryQueue
    /// How much of it one request may have.
    package let bodyValues: Int
    /// The memory for long responses of requests that found none at first.
    package let responseMemory: MemoryQueue
    /// The event streams and long polls of all callers.
    package let connections = OpenConnections()
    /// The snapshots of all callers.
    package let snapshots: FrozenVersions
    /// Accounts for the stored responses to repeatable requests.
    package let repetitions = Repetitions()
    /// The requests that wait for a version.
    package let waits = VersionWaits()
    let ruleProblems: RuleProblems
    package let requestCounters = RequestCounters()
    package let slowQueries = SlowQueries()
    /// Whether the server is about to stop.
    package let isDraining = Atomic(false)

    /// The owner tells `waits` of commits.
    package init(store: any Store, configuration: GatewayConfiguration, logger: Logger) {
        self.store = store
        self.logger = logger
        settings = LiveConfiguration(configuration)
        access = configuration.accessControl
        limits = RequestLimits(configuration)
        // Texts that are complete and wait for their clients have more.
        bodyValues = configuration.eventMemory / 2 * 3
        values = MemoryQueue(limit: configuration.eventMemory, whenFreed: configuration.whenMemoryIsFreed)
        responseMemory = MemoryQueue(limit: configuration.eventMemory / 8 * 3)
        workers = WorkerPool(
            count: configuration.workers, begun: max(configuration.workerThreads, configuration.workers),
            limit: configuration.workerQueue, perCaller: configuration.queriesPerCaller ?? .max,
            WorkerPool.Names(
                limited: .queriesLimited, busy: .gatewayBusy, work: "long requests",
                remedy: "Wait for some of them to be answered before you send more.",
                setting: "limits.queriesPerCaller"),
            memory: TextMemory(limit: configuration.eventMemory / 8 * 3))
        snapshots = FrozenVersions(settings)
        ruleProblems = RuleProblems(logger)
        if let versions = store.sharedVersions { snapshots.share(with: versions) }
        snapshots.expireRegularly()
    }

    /// Applies the settings that can change while requests are handled.
    package func update(_ configuration: GatewayConfiguration) {
        settings.update(configuration)
        limits.update(configuration)
        workers.quota.limit = configuration.queriesPerCaller ?? .max
    }

    // MARK: Errors

    /// Renders any error. Internal errors are logged with the request's identifier, and not shown.
    package func response(to error: any Error, of request: Request? = nil) -> Response {
        Problem(of: error, logger, request: request?.trace?.label).httpResponse
    }

    package func problem(of error: any Error) -> Problem { Problem(of: error, logger) }

    // MARK: Callers

    /// Returns the caller. Throws 401 for a request that was not authenticated although that is required.
    package func caller(of request: Request) throws(Problem) -> Caller {
        if let known = request.context as? CallerContext { return known.caller }
        guard access == nil else {
            throw Problem(.authRequired, "This request requires a credential in a header 'Authorization: Bearer …'.")
        }
        return .unrestricted
    }

    /// Registers a request's stream, which ends when its caller's permissions change.
    ///
    /// - Parameter owner: what sends its events, if that knows their cost.
    package func opened(_ stream: EventStream, for request: Request, costing owner: (any CostedStream)? = nil) {
        connections.add(stream, costing: owner, of: request, since: settings.now.clock())
        // They may have changed since the caller was authenticated.
        if let access, let caller = try? self.caller(of: request), !access.isValid(caller) { endStreams() }
    }

    /// Ends the streams of callers whose permissions were lost or have changed.
    package func endStreams() {
        guard let access else { return }
        connections.endStreams { access.isValid($0) }
    }

    /// Logs rules that do not fit the schema.
    package func checkRoles() {
        guard let access, let schema = try? store.snapshot().schema else { return }
        ruleProblems.report(of: access.roles, schema)
    }
}
