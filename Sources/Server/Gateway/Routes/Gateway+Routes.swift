import HTTPServer
import WireProtocol

extension Gateway {
    /// Every route. Tests compare it with `openapi/`, and try each row as every kind of caller.
    package var routeTable: [Route] {
        [reads, objectWrites, subscriptionRoutes, transferRoutes, administration, pages].flatMap { $0 }
    }

    /// Reads and event streams.
    private var reads: [Route] {
        // Each can wait for a change of what it reads.
        func read(_ pattern: String, _ handler: @escaping Handler) -> Route { .query(pattern, polled(handler)) }
        return [
            read("/v1/objects/:class", getCollection),
            read("/v1/objects/:class/:key", getObject),
            read("/v1/objects/:class/:key/:property", getHeldCollection),
            read("/v1/objects/:class/:key/:property/*steps", getHeldCollection),
            read("/v1/aggregates/objects/:class", getAggregates),
            read("/v1/aggregates/objects/:class/:key/:property", getHeldAggregates),
            read("/v1/aggregates/objects/:class/:key/:property/*steps", getHeldAggregates),
            read("/v1/sections/objects/:class", getSections),
            read("/v1/sections/objects/:class/:key/:property", getHeldSections),
            read("/v1/sections/objects/:class/:key/:property/*steps", getHeldSections),
            read("/v1/index/objects/:class", getIndex),
            read("/v1/index/objects/:class/:key/:property", getHeldIndex),
            read("/v1/index/objects/:class/:key/:property/*steps", getHeldIndex),
            read("/v1/values/objects/:class", getValues),
            read("/v1/values/objects/:class/:key/:property", getHeldValues),
            read("/v1/values/objects/:class/:key/:property/*steps", getHeldValues),
            Route(.get, "/v1/history/objects/:class/:key", getHistory),
            .query("/v1/observe/objects/:class", observeCollection),
            .query("/v1/observe/objects/:class/:key", observeObject),
            .query("/v1/observe/objects/:class/:key/:property", observeHeldCollection),
            .query("/v1/observe/objects/:class/:key/:property/*steps", observeHeldCollection),
            .query("/v1/observe/sections/:class", observeSections),
            .query("/v1/observe/sections/:class/:key/:property", observeHeldSections),
            .query("/v1/observe/sections/:class/:key/:property/*steps", observeHeldSections),
            .query("/v1/observe/aggregates/objects/:class", observeAggregates),
            .query("/v1/observe/aggregates/objects/:class/:key/:property", observeHeldAggregates),
            .query("/v1/observe/aggregates/objects/:class/:key/:property/*steps", observeHeldAggregates),
            .query("/v1/observe/index/objects/:class", observeIndex),
            .query("/v1/observe/index/objects/:class/:key/:property", observeHeldIndex),
            .query("/v1/observe/index/objects/:class/:key/:property/*steps", observeHeldIndex),
            .query("/v1/observe/values/objects/:class", observeValues),
            .query("/v1/observe/values/objects/:class/:key/:property", observeHeldValues),
            .query("/v1/observe/values/objects/:class/:key/:property/*steps", observeHeldValues),
        ]
    }

    /// Writes of objects, and edits of what they hold.
    private var objectWrites: [Route] {
        [
            Route(.post, "/v1/objects/:class", body: .lists, createObjects),
            Route(.patch, "/v1/objects/:class", body: .lists, patchCollection),
            Route(.delete, "/v1/objects/:class", deleteCollection),
            Route(.put, "/v1/objects/:class/:key", body: .lists, putObject),
            Route(.patch, "/v1/objects/:class/:key", body: .lists, patchObject),
            Route(.delete, "/v1/objects/:class/:key", deleteObject),
            Route(.post, "/v1/objects/:class/:key/:property", body: .lists, addElements),
            Route(.put, "/v1/objects/:class/:key/:property", body: .lists, putPlace),
            Route(.patch, "/v1/objects/:class/:key/:property", body: .lists, patchPlace),
            Route(.delete, "/v1/objects/:class/:key/:property", body: .lists, deletePlace),
            Route(.post, "/v1/objects/:class/:key/:property/*steps", body: .lists, addElements),
            Route(.put, "/v1/objects/:class/:key/:property/*steps", body: .lists, putPlace),
            Route(.patch, "/v1/objects/:class/:key/:property/*steps", body: .lists, patchPlace),
            Route(.delete, "/v1/objects/:class/:key/:property/*steps", body: .lists, deletePlace),
            Route(.put, "/v1/values/objects/:class", body: .lists, putValues),
            Route(.put, "/v1/values/objects/:class/:key/:property", body: .lists, putHeldValues),
            Route(.put, "/v1/values/objects/:class/:key/:property/*steps", body: .lists, putHeldValues),
            Route(.post, Endpoint.transactions.pattern, body: .lists, transact),
        ]
    }

    private var subscriptionRoutes: [Route] {
        [
            Route(.get, Endpoint.subscriptionSet.pattern, ofRecords(getSubscriptions)),
            Route(.post, Endpoint.subscriptionSet.pattern, ofRecords(postSubscription)),
            Route(.delete, Endpoint.subscriptionSet.pattern, ofRecords(deleteSubscriptions)),
            Route(.get, Endpoint.subscriptionStream.pattern, ofRecords(streamSubscriptions)),
            Route(.get, Endpoint.subscription.pattern, ofRecords(getSubscription)),
            Route(.put, Endpoint.subscription.pattern, ofRecords(putSubscription)),
            Route(.delete, Endpoint.subscription.pattern, ofRecords(deleteSubscription)),
            Route(.put, Endpoint.barrier.pattern, ofRecords(putBarrier)),
            Route(.post, "/v1/snapshots", makeSnapshot),
            Route(.get, "/v1/snapshots", listSnapshots),
            Route(.get, "/v1/snapshots/:snapshot", getSnapshot),
            Route(.delete, "/v1/snapshots/:snapshot", deleteSnapshot),
            Route(.get, "/v1/snapshots/:snapshot/changes", compareSnapshots),
        ]
    }

    /// What reads and writes whole files.
    private var transferRoutes: [Route] {
        [
            Route(.get, "/v1/export/:class", exportObjects),
            Route(
                .post, "/v1/import/:class", body: .file { [self] in _ = try importTerms($0, $1) }, importObjects),
            Route(
                .post, "/v1/import", for: .administrators, body: .file { [self] in _ = try realmTerms($0, $1) },
                importRealmFile),
            Route(
                .post, "/v1/schema/inference", for: .administrators,
                body: .file { [self] in _ = try inferenceTerms($0, $1) }, inferSchema),
            Route(.get, "/v1/backup", for: .administrators, getBackup),
            Route(
                .post, "/v1/backup/check", for: .administrators, body: .file { [self] in try checkTerms($0, $1) },
                checkBackup),
            Route(.get, "/v1/demo", for: .administrators, getDemo),
            Route(.post, "/v1/demo", for: .administrators, loadDemo),
        ]
    }

    /// The schema, keys, roles, logs, health and metrics.
    private var administration: [Route] {
        [
            Route(.get, "/v1/schema", getSchema),
            Route(.put, "/v1/schema", for: .administrators, putSchema),
            Route(.post, "/v1/schema/plan", for: .administrators, planSchema),
            Route(.get, "/v1/whoami", whoAmI),
            Route(.get, "/v1/roles", for: .administrators, listRoles),
            Route(.get, "/v1/keys", for: .administrators, listKeys),
            Route(.post, "/v1/keys", for: .administrators, createKey),
            Route(.get, "/v1/keys/:id", for: .administrators, getKey),
            Route(.delete, "/v1/keys/:id", for: .administrators, revokeKey),
            Route(.get, "/v1/logs", for: .administrators, getLogs),
            Route(.get, "/v1/observe/logs", for: .administrators, observeLogs),
            Route(.get, Endpoint.health.pattern, for: .everyone, getHealth),
            Route(.get, "/readyz", for: .everyone, getReadiness),
            Route(.get, "/metrics", for: .metricsReaders, getMetrics),
            Route(.get, "/v1/metrics/history", for: .metricsReaders, getMetricsHistory),
        ]
    }

    /// The console and the description of the API.
    private var pages: [Route] {
        [
            Route(.get, "/openapi.json", for: .everyone, getDescription),
            Route(.get, "/docs", for: .everyone) { [files] request, _ in try files.reader(request) },
            Route(.get, "/", for: .everyone) { [files] request, _ in try files.index(request) },
            Route(.get, "/static/*path", for: .everyone) { [files] request, path in
                try files.file(path.rest.joined(separator: "/"), request)
            },
        ]
    }
}
