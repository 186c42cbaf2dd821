import AdministrationEndpoints
import HTTPMessages
import HTTPServer
import LongPolling
import OperationEndpoints
import ReadEndpoints
import RequestHandling
import SnapshotEndpoints
import StreamEndpoints
import TransferEndpoints
import WireProtocol
import WriteEndpoints

extension Gateway {
    /// Every route. Tests compare it with `openapi/`, and try each row as every kind of caller.
    package var routeTable: [Route] {
        [
            readRoutes, streamRoutes, writeRoutes, subscriptionRoutes, snapshotRoutes, transferRoutes, administration,
            pages,
        ]
        .flatMap { $0 }
    }

    /// Reads.
    private var readRoutes: [Route] {
        // Each can wait for a change of what it reads.
        func read(_ pattern: String, _ handler: @escaping Handler) -> Route {
            .query(pattern, longPolling.polled(handler))
        }
        return [
            read("/v1/objects/:class", reads.getCollection),
            read("/v1/objects/:class/:key", reads.getObject),
            read("/v1/objects/:class/:key/:property", reads.getPropertyCollection),
            read("/v1/objects/:class/:key/:property/*steps", reads.getPropertyCollection),
            read("/v1/aggregates/objects/:class", reads.getAggregates),
            read("/v1/aggregates/objects/:class/:key/:property", reads.getPropertyAggregates),
            read("/v1/aggregates/objects/:class/:key/:property/*steps", reads.getPropertyAggregates),
            read("/v1/sections/objects/:class", reads.getSections),
            read("/v1/sections/objects/:class/:key/:property", reads.getPropertySections),
            read("/v1/sections/objects/:class/:key/:property/*steps", reads.getPropertySections),
            read("/v1/index/objects/:class", reads.getIndex),
            read("/v1/index/objects/:class/:key/:property", reads.getPropertyIndex),
            read("/v1/index/objects/:class/:key/:property/*steps", reads.getPropertyIndex),
            read("/v1/values/objects/:class", reads.getValues),
            read("/v1/values/objects/:class/:key/:property", reads.getPropertyValues),
            read("/v1/values/objects/:class/:key/:property/*steps", reads.getPropertyValues),
            Route(.get, "/v1/history/objects/:class/:key", history.getHistory),
        ]
    }

    /// Event streams.
    private var streamRoutes: [Route] {
        [
            .query("/v1/observe/objects/:class", streams.observeCollection),
            .query("/v1/observe/objects/:class/:key", streams.observeObject),
            .query("/v1/observe/objects/:class/:key/:property", streams.observePropertyCollection),
            .query("/v1/observe/objects/:class/:key/:property/*steps", streams.observePropertyCollection),
            .query("/v1/observe/sections/:class", streams.observeSections),
            .query("/v1/observe/sections/:class/:key/:property", streams.observePropertySections),
            .query("/v1/observe/sections/:class/:key/:property/*steps", streams.observePropertySections),
            .query("/v1/observe/aggregates/objects/:class", streams.observeAggregates),
            .query("/v1/observe/aggregates/objects/:class/:key/:property", streams.observePropertyAggregates),
            .query("/v1/observe/aggregates/objects/:class/:key/:property/*steps", streams.observePropertyAggregates),
            .query("/v1/observe/index/objects/:class", streams.observeIndex),
            .query("/v1/observe/index/objects/:class/:key/:property", streams.observePropertyIndex),
            .query("/v1/observe/index/objects/:class/:key/:property/*steps", streams.observePropertyIndex),
            .query("/v1/observe/values/objects/:class", streams.observeValues),
            .query("/v1/observe/values/objects/:class/:key/:property", streams.observePropertyValues),
            .query("/v1/observe/values/objects/:class/:key/:property/*steps", streams.observePropertyValues),
        ]
    }

    /// Writes of objects, and edits of what they hold.
    private var writeRoutes: [Route] {
        [
            Route(.post, "/v1/objects/:class", body: .lists, writes.createObjects),
            Route(.patch, "/v1/objects/:class", body: .lists, writes.patchCollection),
            Route(.delete, "/v1/objects/:class", writes.deleteCollection),
            Route(.put, "/v1/objects/:class/:key", body: .lists, writes.putObject),
            Route(.patch, "/v1/objects/:class/:key", body: .lists, writes.patchObject),
            Route(.delete, "/v1/objects/:class/:key", writes.deleteObject),
            Route(.post, "/v1/objects/:class/:key/:property", body: .lists, writes.addElements),
            Route(.put, "/v1/objects/:class/:key/:property", body: .lists, writes.putProperty),
            Route(.patch, "/v1/objects/:class/:key/:property", body: .lists, writes.patchProperty),
            Route(.delete, "/v1/objects/:class/:key/:property", body: .lists, writes.deleteProperty),
            Route(.post, "/v1/objects/:class/:key/:property/*steps", body: .lists, writes.addElements),
            Route(.put, "/v1/objects/:class/:key/:property/*steps", body: .lists, writes.putProperty),
            Route(.patch, "/v1/objects/:class/:key/:property/*steps", body: .lists, writes.patchProperty),
            Route(.delete, "/v1/objects/:class/:key/:property/*steps", body: .lists, writes.deleteProperty),
            Route(.put, "/v1/values/objects/:class", body: .lists, writes.putValues),
            Route(.put, "/v1/values/objects/:class/:key/:property", body: .lists, writes.putPropertyValues),
            Route(.put, "/v1/values/objects/:class/:key/:property/*steps", body: .lists, writes.putPropertyValues),
            Route(.post, Endpoint.transactions.pattern, body: .lists, writes.transact),
        ]
    }

    private var subscriptionRoutes: [Route] {
        // Sets that gateways share are read from their log.
        func recorded(_ handler: @escaping Handler) -> Handler { subscriptions.ofRecords(handler) }
        return [
            Route(.get, Endpoint.subscriptionSet.pattern, recorded(subscriptions.getSubscriptions)),
            Route(.post, Endpoint.subscriptionSet.pattern, recorded(subscriptions.postSubscription)),
            Route(.delete, Endpoint.subscriptionSet.pattern, recorded(subscriptions.deleteSubscriptions)),
            Route(.get, Endpoint.subscriptionStream.pattern, recorded(subscriptions.streamSubscriptions)),
            Route(.get, Endpoint.subscription.pattern, recorded(subscriptions.getSubscription)),
            Route(.put, Endpoint.subscription.pattern, recorded(subscriptions.putSubscription)),
            Route(.delete, Endpoint.subscription.pattern, recorded(subscriptions.deleteSubscription)),
            Route(.put, Endpoint.barrier.pattern, recorded(subscriptions.putBarrier)),
        ]
    }

    private var snapshotRoutes: [Route] {
        [
            Route(.post, "/v1/snapshots", snapshots.makeSnapshot),
            Route(.get, "/v1/snapshots", snapshots.listSnapshots),
            Route(.get, "/v1/snapshots/:snapshot", snapshots.getSnapshot),
            Route(.delete, "/v1/snapshots/:snapshot", snapshots.deleteSnapshot),
            Route(.get, "/v1/snapshots/:snapshot/changes", snapshots.compareSnapshots),
        ]
    }

    /// What reads and writes whole files.
    private var transferRoutes: [Route] {
        [
            Route(.get, "/v1/export/:class", transfers.exportObjects),
            Route(
                .post, "/v1/import/:class", body: .file { [transfers] in _ = try transfers.importTerms($0, $1) },
                transfers.importObjects),
            Route(
                .post, "/v1/import", for: .administrators,
                body: .file { [transfers] in _ = try transfers.realmTerms($0, $1) },
                transfers.importRealmFile),
            Route(
                .post, "/v1/schema/inference", for: .administrators,
                body: .file { [transfers] in _ = try transfers.inferenceTerms($0, $1) }, transfers.inferSchema),
            Route(.get, "/v1/backup", for: .administrators, transfers.getBackup),
            Route(
                .post, "/v1/backup/check", for: .administrators,
                body: .file { [transfers] in try transfers.checkTerms($0, $1) },
                transfers.checkBackup),
            Route(.get, "/v1/demo", for: .administrators, transfers.getDemo),
            Route(.post, "/v1/demo", for: .administrators, transfers.loadDemo),
        ]
    }

    /// The schema, keys, roles, logs, health and metrics.
    private var administration: [Route] {
        [
            Route(.get, "/v1/schema", schema.getSchema),
            Route(.put, "/v1/schema", for: .administrators, schema.putSchema),
            Route(.post, "/v1/schema/plan", for: .administrators, schema.planSchema),
            Route(.get, "/v1/whoami", access.whoAmI),
            Route(.get, "/v1/roles", for: .administrators, access.listRoles),
            Route(.get, "/v1/keys", for: .administrators, access.listKeys),
            Route(.post, "/v1/keys", for: .administrators, access.createKey),
            Route(.get, "/v1/keys/:id", for: .administrators, access.getKey),
            Route(.delete, "/v1/keys/:id", for: .administrators, access.revokeKey),
            Route(.get, "/v1/logs", for: .administrators, operations.getLogs),
            Route(.get, "/v1/observe/logs", for: .administrators, operations.observeLogs),
            Route(.get, "/v1/slow-queries", for: .administrators, operations.getSlowQueries),
            Route(.get, "/v1/connections", for: .administrators, operations.getConnections),
            Route(.delete, "/v1/connections/:id", for: .administrators, operations.endConnection),
            Route(.get, Endpoint.health.pattern, for: .everyone, operations.getHealth),
            Route(.get, "/readyz", for: .everyone, operations.getReadiness),
            Route(.get, "/metrics", for: .metricsReaders, operations.getMetrics),
            Route(.get, "/v1/metrics/history", for: .metricsReaders, operations.getMetricsHistory),
        ]
    }

    /// The console and the description of the API.
    private var pages: [Route] {
        [
            Route(.get, "/openapi.json", for: .anonymous, schema.getDescription),
            Route(.get, "/docs", for: .everyone) { [files] request, _ in try files.reader(request) },
            Route(.get, "/llms.txt", for: .everyone) { [files] request, _ in try files.file("llms.txt", request) },
            Route(.get, "/", for: .everyone) { [files] request, _ in try files.index(request) },
            Route(.get, "/static/*path", for: .everyone) { [files] request, path in
                try files.file(path.rest.joined(separator: "/"), request)
            },
        ]
    }
}
