import AdministrationEndpoints
package import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
package import Logging
import LongPolling
import ObjectModel
import OpenAPIDescription
import OperationEndpoints
import ReadEndpoints
package import RequestHandling
import ServerLog
import SnapshotEndpoints
package import StoreContract
import StreamEndpoints
import SyncSubscriptions
import Synchronization
import TransferEndpoints
import WireProtocol
import WriteEndpoints

/// The HTTP resources of a store: schema, objects, aggregates, sections, live queries, health, the API description and
/// the console. Composes the endpoints, each kind of which is a module, and has the routes to them and the middlewares
/// around them. Owns no connections; pass `router` to a server.
package final class Gateway: Sendable {
    let context: GatewayContext
    let reads: ReadEndpoints
    let longPolling: LongPolling
    let writes: WriteEndpoints
    let streams: StreamEndpoints
    let subscriptions: SubscriptionEndpoints
    let snapshots: SnapshotEndpoints
    let history: HistoryEndpoints
    let transfers: TransferEndpoints
    let schema: SchemaEndpoints
    let access: AccessEndpoints
    let operations: OperationEndpoints
    let files: StaticFiles
    private let eventMemory: EventMemory
    /// The counters of the server that uses the router.
    package let serverCounters = ServerCounters()
    let requestMetrics = RequestMetrics()
    /// The routes of the router that was created last.
    let knownRoutes = KnownRoutes()

    /// Reads the static files and begins to observe the store. Throws if a directory cannot be read or the store is
    /// closed.
    package init(
        store: any Store, configuration: GatewayConfiguration = GatewayConfiguration(),
        logger: Logger = Logger(label: "gateway")
    ) throws {
        let logs = configuration.recentLog ?? RecentLog()
        let logger = configuration.recentLog == nil ? logger.recording(in: logs) : logger
        files = try StaticFiles(configuration)
        let context = GatewayContext(store: store, configuration: configuration, logger: logger)
        self.context = context
        eventMemory = EventMemory(limit: configuration.eventMemory)
        let topics = try Topics(context, eventMemory)
        reads = ReadEndpoints(context)
        let longPolling = LongPolling(context, topics)
        self.longPolling = longPolling
        writes = WriteEndpoints(context)
        streams = StreamEndpoints(context, reads, topics)
        subscriptions = SubscriptionEndpoints(context, streams)
        snapshots = SnapshotEndpoints(context)
        history = HistoryEndpoints(context)
        transfers = TransferEndpoints(context)
        schema = SchemaEndpoints(context, try StaticFiles.description(configuration).map { APIDescription($0) })
        access = AccessEndpoints(context)
        operations = OperationEndpoints(
            context,
            MetricSources(
                requests: requestMetrics, server: serverCounters, topics: topics, subscriptions: subscriptions.sets,
                transfers: transfers.pool, queries: reads.queries, longPolls: { longPolling.count },
                routes: { [knownRoutes] in knownRoutes.all }),
            logs)
        context.waits.begin(at: try store.snapshot().version)
        store.onCommit { [waits = context.waits, weak longPolling] changes in
            if let replaced = changes.last(where: \.schemaChanged) { longPolling?.noteSchema(at: replaced.version) }
            if let newest = changes.last?.version { waits.reach(newest) }
        }
        configuration.accessControl?.onChange { [weak context, weak longPolling] in
            context?.endStreams()
            longPolling?.endInvalid()
            context?.checkRoles()
        }
        context.checkRoles()
        operations.recordHistory()
    }

    /// The present settings; see `GatewayContext`.
    package var configuration: GatewayConfiguration {
        _read { yield context.settings.now }
    }

    /// Applies the settings that can change while requests are handled, from the next request on: origins of pages,
    /// rates, and limits per request. The other settings stay as they were at the start.
    package func update(_ configuration: GatewayConfiguration) {
        context.update(configuration)
        transfers.update(configuration)
        subscriptions.update(configuration)
    }

    // MARK: The end

    /// The last event of every stream when the server stops: it tells clients to reconnect.
    package static let closingEvent: SharedBytes = {
        let json = JSONWriter(capacity: 64)
        json.closing(code: "gateway.draining")
        return SharedBytes.event(name: EventKind.closing.rawValue, retry: 2000, data: json.bytes)
    }()

    /// Reports the server as not ready from now on, because it is about to stop. Reads that wait for a change are
    /// answered.
    package func beginDraining() {
        context.isDraining.store(true, ordering: .sequentiallyConsistent)
        longPolling.endAll()
    }

    // MARK: For tests

    /// Waits until every commit so far has been passed to the event streams. Must not be called from a handler.
    package func settle() { streams.topics.settle() }

    /// The number of different collections that are observed at present.
    package var topicCount: Int { streams.topics.count }

    /// The memory for large events that clients have not yet read, in bytes.
    package var eventBytes: Int { eventMemory.bytes }

    /// Deletes expired subscription sets, which otherwise happens periodically.
    package func expireSubscriptions() { subscriptions.sets.expire() }

    /// Releases expired snapshots, which otherwise happens within seconds.
    package func expireSnapshots() { context.snapshots.expire() }

    /// Ends the long polls whose time is up, which otherwise happens by itself.
    package func expireLongPolls() { longPolling.expire() }

    /// The number of results that are kept up to date.
    package var liveResultCount: Int { streams.topics.resultCount }

    /// The number of long polls that wait.
    package var longPollCount: Int { longPolling.count }

    /// The number of snapshots at present.
    package var snapshotCount: Int { context.snapshots.count }

    /// Records the present numbers of the metrics, which otherwise happens every few seconds.
    package func recordMetrics() { operations.recordMetrics() }
}
