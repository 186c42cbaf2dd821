import FairScheduling
import HTTPProblems
package import HTTPServer
import JSONCoding
import LiveQueries
import LiveStreams
package import Logging
import ObjectCoding
import ObjectModel
import OpenAPIDescription
package import StoreContract
import SyncSubscriptions
import Synchronization
import Transfer
import WriteRequests

/// The HTTP resources of a store: schema, objects, aggregates, sections, live queries, health, the API description and
/// the console. Owns no connections; pass `router` to a server.
package final class Gateway: Sendable {
    let store: any Store
    let settings: LiveConfiguration
    /// Authenticates callers and determines their permissions; nil for full access for every caller.
    let access: AccessControl?
    /// The rate limits and quotas of requests.
    let limits: EdgeLimits
    let logger: Logger
    let workers: WorkerPool
    /// Runs transfers, whose duration depends on the size of a file.
    let transfers: WorkerPool
    let topics: Topics
    /// Runs requests that wait for the records that gateways share.
    let recordWorkers: WorkerPool
    private let eventMemory: EventMemory
    /// The memory for the values in the bodies of requests, until these are answered.
    let values: MemoryQueue
    /// How much of it one request may have.
    let bodyValues: Int
    /// The turn of the transfer that reads a long line.
    let lineTurns = MemoryQueue(limit: 1)
    /// The memory for long responses of requests that found none at first.
    let turns: MemoryQueue
    /// The open event streams of all callers.
    let streams = OpenStreams()
    let subscriptions: SubscriptionSets
    let description: APIDescription?
    let snapshots: FrozenVersions
    /// Accounts for the stored responses to repeatable requests.
    let repetitions = Repetitions()
    let waits = VersionWaits()
    let heldReads: HeldReads
    let plans = KnownPlans()
    let queries = KnownQueries()
    let demo = DemoState()
    let ruleProblems: RuleProblems
    let files: StaticFiles
    /// The counters of the server that uses the router.
    package let serverCounters = ServerCounters()
    let requestMetrics = RequestMetrics()
    let edge = EdgeCounters()
    let history = MetricsHistory()
    /// The newest lines of the log.
    let logs: RecentLog
    let logStreams: LogStreams
    let isDraining = Atomic(false)
    let started = ContinuousClock.now
    let routes = Mutex<[Router.Route]>([])

    /// Reads the static files and begins to observe the store. Throws if a directory cannot be read or the store is
    /// closed.
    package init(
        store: any Store, configuration: GatewayConfiguration = GatewayConfiguration(),
        logger: Logger = Logger(label: "gateway")
    ) throws {
        self.store = store
        let settings = LiveConfiguration(configuration)
        self.settings = settings
        let logs = configuration.recentLog ?? RecentLog()
        let logger = configuration.recentLog == nil ? logger.kept(in: logs) : logger
        self.logs = logs
        logStreams = LogStreams(logs)
        self.logger = logger
        access = configuration.accessControl
        limits = EdgeLimits(configuration)
        let live = try LiveQueries(store, .forAll(configuration, settings))
        // Texts that are complete and wait for their clients have more.
        bodyValues = configuration.eventMemory / 2 * 3
        values = MemoryQueue(limit: configuration.eventMemory, whenFreed: configuration.whenMemoryIsFreed)
        turns = MemoryQueue(limit: configuration.eventMemory / 8 * 3)
        let workers = WorkerPool(queriesOf: configuration, TextMemory(limit: configuration.eventMemory / 8 * 3))
        self.workers = workers
        transfers = WorkerPool(transfersOf: configuration)
        recordWorkers = WorkerPool(recordsOf: configuration)
        eventMemory = EventMemory(limit: configuration.eventMemory)
        topics = Topics(
            TopicContext(
                live: live, workers: workers,
                limits: EventLimits(
                    memory: eventMemory, eventBytes: { settings.value.eventBytes },
                    answerBytes: { settings.value.answerBytes }),
                largest: { settings.value.maximumObserved },
                problem: { [logger] in Problem(of: $0, logger) }, newest: { try store.snapshot().mark },
                mark: { version in (try? store.tag(of: version)).flatMap { $0 }.map { Mark(version, $0) } },
                schema: { try store.snapshot().schema },
                exists: { (try? store.snapshot().exists($0.classID, $0.key)) ?? false }),
            branch: { try live.branch(.branch(for: $0, settings, workers)) })
        subscriptions = SubscriptionSets({ settings.now.all.subscriptions }, logger, store.sharedRecords)
        files = try StaticFiles(configuration)
        description = try StaticFiles.description(configuration).map { APIDescription($0) }
        snapshots = FrozenVersions(settings)
        heldReads = HeldReads(configuration.uptime)
        ruleProblems = RuleProblems(logger)
        if let versions = store.sharedVersions { snapshots.share(with: versions) }
        waits.begin(at: try store.snapshot().version)
        store.onCommit { [waits, heldReads] changes in
            if let replaced = changes.last(where: \.schemaChanged) { heldReads.noteSchema(at: replaced.version) }
            if let newest = changes.last?.version { waits.reach(newest) }
        }
        subscriptions.expireRegularly()
        subscriptions.watch()
        snapshots.expireRegularly()
        configuration.accessControl?.onChange { [weak self] in
            self?.endStreams()
            self?.checkRoles()
        }
        checkRoles()
        recordHistory()
    }

    /// The present settings. They are lent without a copy: copying all of them would cost a request more than reading
    /// the few that it needs.
    package var configuration: GatewayConfiguration {
        _read {
            let now = settings.now
            yield now.all
        }
    }

    /// Applies the settings that can change while requests are handled, from the next request on: origins of pages,
    /// rates, and limits per request. The other settings stay as they were at the start.
    package func update(_ configuration: GatewayConfiguration) {
        settings.update(configuration)
        limits.update(configuration)
        workers.quota.limit = configuration.queriesPerCaller ?? .max
        transfers.quota.limit = configuration.transfersPerCaller ?? .max
        recordWorkers.quota.limit = configuration.queriesPerCaller ?? .max
    }

    /// The number of attempts at a request whose schema is replaced between its preparation and its write.
    private static let maximumAttempts = 5

    func answer(
        _ request: Request, _ path: PathParameters, _ handler: @escaping Handler, attempt: Int = 1
    ) -> Reply {
        do {
            return try handler(repeatable(request, path, handler, attempt), path)
        } catch is TextMemory.Exhausted where request.isRead && !request.hasTurn {
            return answerInTurn(request, path, handler)
        } catch {
            return refusal(of: request, error)
        }
    }

    /// Runs a write that can be prepared again.
    private func repeatable(
        _ request: Request, _ path: PathParameters, _ handler: @escaping Handler, _ attempt: Int
    ) -> Request {
        guard !request.isRead, attempt < Self.maximumAttempts else { return request }
        var known = request
        known.again = { [self] in answer(request, path, handler, attempt: attempt + 1) }
        return known
    }

    /// Handles a request on the loop's thread if it is short, and passes it to a worker if it turns out not to be. By
    /// then the handler has only read, and it begins again there.
    func answerHere(_ request: Request, _ path: PathParameters, _ handler: @escaping Handler) -> Reply {
        var here = repeatable(request, path, handler, 1)
        here.isOnLoop = true
        do {
            return try handler(here, path)
        } catch  where NeedsWorker.isMeant(by: error) {
            edge.movedReads.add(1, ordering: .relaxed)
            return workers.reply(for: Self.limitKey(request)) { [self] in answer(request, path, handler) }
        } catch {
            return refusal(of: request, error)
        }
    }

    /// The routes of the router that was created last.
    var knownRoutes: [Router.Route] { routes.withLock { $0 } }

    /// Waits until every commit so far has been passed to the event streams. Must not be called from a handler.
    package func settle() { topics.settle() }

    /// The number of different collections that are observed at present.
    package var topicCount: Int { topics.count }

    /// The memory for large events that clients have not yet read, in bytes.
    package var eventBytes: Int { eventMemory.bytes }

    /// Deletes expired subscription sets, which otherwise happens periodically.
    package func expireSubscriptions() { subscriptions.expire() }

    /// Releases expired snapshots, which otherwise happens within seconds.
    package func expireSnapshots() { snapshots.expire() }

    /// Ends the waiting reads whose time is up, which otherwise happens by itself.
    package func expireHeldReads() { heldReads.expire() }

    /// The number of results that are kept up to date.
    package var liveResultCount: Int { topics.resultCount }

    /// The number of reads that wait for a change.
    package var heldReadCount: Int { heldReads.count }

    /// The number of snapshots at present.
    package var snapshotCount: Int { snapshots.count }

    /// Renders any error. Internal errors are logged with the request's identifier, and not shown.
    func response(to error: any Error, of request: Request? = nil) -> Response {
        Problem(of: error, logger, request: request?.trace?.label).httpResponse
    }

    func problem(of error: any Error) -> Problem { Problem(of: error, logger) }
}

extension Request {
    /// Parses the body as JSON. Throws 415 for another content type, and 400 for invalid JSON.
    ///
    /// - Parameter folding: whether long lists of plain values stay text.
    func json(folding: Bool = false) throws(Problem) -> JSONValue {
        // An empty body is not JSON, whatever its content type is.
        guard body.isEmpty || Self.isJSON(header("Content-Type") ?? "") else {
            throw Problem(
                .unsupportedMediaType, "Send the body as UTF-8 with Content-Type: application/json.")
        }
        do {
            return folding ? try JSONValue.parseFolding(body) : try JSONValue.parse(body)
        } catch {
            throw Problem(error)
        }
    }

    /// Whether a media type is that of JSON in UTF-8.
    static func isJSON(_ mediaType: String) -> Bool {
        // Nearly every request says this.
        guard mediaType != "application/json" else { return true }
        let type = FieldElement(mediaType)
        guard type.name == "application/json" || type.name.hasSuffix("+json") else { return false }
        return type.isUTF8
    }
}
