import FairScheduling
import HTTPMessages
package import HTTPServer
import LiveQueries
import LiveStreams
import ObjectModel
import RequestHandling
import RequestParameters
import StoreContract
import SyncSubscriptions
import Synchronization
import WireProtocol
import WriteRequests

extension OperationEndpoints {
    /// `GET /metrics`, for administrators unless the configuration makes it public.
    package func getMetrics(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        // Some of the numbers wait for others' locks.
        return context.workers.reply(for: request.limitKey) { [self] in
            .now(
                Response(
                    headers: ["Content-Type": MetricsText.contentType, "Cache-Control": "no-store"],
                    body: .bytes(Array(metrics.utf8))))
        }
    }

    /// All metrics as text.
    package var metrics: String {
        var text = MetricsText()
        writeProcess(&text)
        writeRequests(&text)
        writeConnections(&text)
        writeStore(&text)
        writeLive(&text)
        return text.text
    }

    private func writeProcess(_ text: inout MetricsText) {
        let process = ProcessNumbers.now()
        text.family("realmgate_build_info", .gauge, "Always 1; the label has the version of the program.")
        text.sample(["version": context.settings.now.version], 1)
        text.single(
            "realmgate_uptime_seconds", .gauge, "Seconds since the gateway was started.",
            (ContinuousClock.now - started) / .seconds(1))
        text.single("process_cpu_seconds_total", .counter, "User and system CPU time spent.", process.cpuSeconds)
        text.single(
            "process_resident_memory_bytes", .gauge, "Memory in use, mapped files included.", process.residentBytes)
        text.single(
            "realmgate_mapped_memory_bytes", .gauge,
            "The part of that memory that is in mapped files: the database's pages that were read, and the program itself. The system takes them back when it needs memory.",
            process.mappedBytes)
        text.single("process_virtual_memory_bytes", .gauge, "Address space in use.", process.virtualBytes)
        text.single("process_open_fds", .gauge, "Open file descriptors.", process.openFiles)
        text.single("process_max_fds", .gauge, "The limit of open file descriptors.", process.maximumFiles)
    }

    private func writeRequests(_ text: inout MetricsText) {
        // The requests without a route come last.
        let routes = sources.routes()
        let all =
            routes.indices.map { (routes[$0].method.description, routes[$0].pattern, $0 as Int?) } + [("-", "-", nil)]
        let seen = all.map { ($0.0, $0.1, sources.requests.numbers(ofRoute: $0.2)) }.filter { $0.2.count > 0 }
        text.family(
            "realmgate_http_requests_total", .counter,
            "Responses by the method and pattern of the route, and the first digit of the status.")
        for (method, route, numbers) in seen {
            for (index, count) in numbers.classes.enumerated() where count > 0 {
                text.sample(["method": method, "route": route, "status": "\(index + 1)xx"], count)
            }
        }
        text.family(
            "realmgate_http_request_duration_seconds", .histogram,
            "Time until the response was known, by the method and pattern of the route; for event streams until they opened."
        )
        for (method, route, numbers) in seen {
            text.histogram(
                ("method", method), ("route", route), bounds: RequestMetrics.bounds, buckets: numbers.buckets,
                sum: numbers.seconds)
        }
        text.single(
            "realmgate_http_malformed_total", .counter, "Requests rejected before routing: malformed or too large.",
            sources.server.refusals)
        text.family("realmgate_limited_total", .counter, "Requests rejected and connections closed because of a limit.")
        text.sample(["limit": "address_rate"], context.requestCounters.limitedAddresses.load(ordering: .relaxed))
        text.sample(["limit": "caller_rate"], context.requestCounters.limitedCallers.load(ordering: .relaxed))
        text.sample(["limit": "caller_streams"], context.requestCounters.limitedStreams.load(ordering: .relaxed))
        text.sample(["limit": "address_connections"], sources.server.crowdedConnections)
        text.sample(["limit": "connections"], sources.server.refusedConnections)
        text.sample(["limit": "idle_connections"], sources.server.displacedConnections)
        text.sample(["limit": "caller_queries"], context.workers.limited.load(ordering: .relaxed))
        text.sample(["limit": "caller_transfers"], sources.transfers.limited.load(ordering: .relaxed))
        text.sample(["limit": "caller_snapshots"], context.snapshots.limited.load(ordering: .relaxed))
        text.sample(["limit": "caller_subscription_sets"], sources.subscriptions.limited.load(ordering: .relaxed))
        text.sample(["limit": "caller_idempotency"], context.repetitions.limited.load(ordering: .relaxed))
        text.sample(["limit": "worker_queue"], context.workers.refused.load(ordering: .relaxed))
        text.sample(["limit": "transfer_queue"], sources.transfers.refused.load(ordering: .relaxed))
        text.single(
            "realmgate_unidentified_total", .counter, "Requests without a valid credential.",
            context.requestCounters.unidentified.load(ordering: .relaxed))
        text.single(
            "realmgate_reads_moved_total", .counter,
            "Reads that began on an event loop and were passed to a worker because they took too long.",
            context.requestCounters.movedReads.load(ordering: .relaxed))
        text.single(
            "realmgate_queries_cached", .gauge,
            "Queries and key paths whose parsed form is cached for the next request with the same text, or with the same but for its literals; at most 256.",
            sources.queries.count)
        text.family(
            "realmgate_query_cache_lookups_total", .counter,
            "Queries and key paths looked up in that cache: found by the same text, found by a text with other literals, or parsed."
        )
        text.sample(["found": "text"], sources.queries.foundTexts.load(ordering: .relaxed))
        text.sample(["found": "template"], sources.queries.foundTemplates.load(ordering: .relaxed))
        text.sample(["found": "none"], sources.queries.parsed.load(ordering: .relaxed))
        text.single(
            "realmgate_slow_queries_total", .counter, "Queries that took 5 ms or more; see GET /v1/slow-queries.",
            context.slowQueries.requestCount)
        text.single(
            "realmgate_slow_query_forms", .gauge,
            "Different forms of these within the last hour that are kept for administrators; at most 100, in 5 MB.",
            context.slowQueries.count(at: context.settings.now.clock()))
        // The older name, for dashboards, until version 0.2.
        text.single(
            "realmgate_queries_kept", .gauge, "The older name of realmgate_queries_cached.", sources.queries.count)
        text.single(
            "realmgate_worker_queue_length", .gauge, "Long requests that run or wait for their turn.",
            context.workers.length)
        text.single(
            "realmgate_workers_begun", .gauge, "Long requests that have begun.", context.workers.begun)
        text.single(
            "realmgate_transfer_queue_length", .gauge, "Imports and backups that run or wait for their turn.",
            sources.transfers.length)
    }

    private func writeConnections(_ text: inout MetricsText) {
        text.single(
            "realmgate_connections_open", .gauge, "Open connections, event streams not counted.",
            sources.server.openConnections)
        text.single(
            "realmgate_answers_bytes", .gauge, "Bytes of large responses that wait for their clients.",
            sources.server.answerBytes)
        text.single(
            "realmgate_answers_limit_bytes", .gauge, "The limit of realmgate_answers_bytes; limits.memory.",
            sources.server.responseLimit)
        text.single(
            "realmgate_answers_refused_total", .counter, "Large responses rejected because of that limit.",
            sources.server.refusedResponses)
        text.single(
            "realmgate_answers_stuck_total", .counter,
            "Connections closed because their client read nothing of a large response.", sources.server.stalledResponses
        )
        text.single("realmgate_streams_open", .gauge, "Open event streams.", sources.server.openStreams)
        text.single(
            "realmgate_streams_queued_bytes", .gauge, "Bytes that wait for the clients of event streams.",
            sources.server.streamBytes)
        text.single(
            "realmgate_streams_stuck_total", .counter, "Event streams closed because their client read nothing.",
            sources.server.stuckStreams)
    }

    private func writeStore(_ text: inout MetricsText) {
        let store = context.store.statistics()
        text.family(
            "realmgate_store_commit_duration_seconds", .histogram,
            "Time of a durable commit, from the start of its transactions until it is on disk.")
        text.histogram(
            bounds: StoreStatistics.Durations.bounds, buckets: store.commits.buckets, sum: store.commits.seconds)
        text.single("realmgate_store_commits_total", .counter, "Durable commits.", store.commits.count)
        text.single(
            "realmgate_store_works_total", .counter,
            "Write transactions made durable; divided by the commits, the size of a group.", store.works)
        text.single(
            "realmgate_store_works_failed_total", .counter, "Write transactions that failed.", store.failedWorks)
        text.single(
            "realmgate_store_works_waiting", .gauge, "Write transactions that wait for the writer.", store.waitingWorks)
        text.single("realmgate_store_file_bytes", .gauge, "Size of the database file.", store.fileBytes)
        text.single(
            "realmgate_store_used_bytes", .gauge, "Size of the database file up to its last page in use.",
            store.usedBytes)
        if let free = store.freeDiskBytes {
            text.single("realmgate_store_disk_free_bytes", .gauge, "Bytes free on the database's disk.", free)
        }
        text.single(
            "realmgate_store_versions_pinned", .gauge, "Versions that are retained because they are in use.",
            store.pinnedVersions
        )
        text.single(
            "realmgate_store_oldest_pinned_seconds", .gauge,
            "The time since the oldest of them stopped being the latest version.", store.oldestPinnedSeconds)
        if let newest = store.newestVersion {
            text.single("realmgate_store_version", .gauge, "The latest version.", Int(clamping: newest.rawValue))
        }
        if let floor = store.changeLogFloor {
            text.single(
                "realmgate_store_change_log_floor", .gauge, "The oldest version that streams can resume from.",
                Int(clamping: floor.rawValue))
        }
        text.single(
            "realmgate_store_stopped", .gauge, "1 when a failed write has stopped the store.", store.hasStopped ? 1 : 0)
        if let log = store.log { writeLog(log, applied: store.newestVersion, &text) }
    }

    private func writeLive(_ text: inout MetricsText) {
        text.single("realmgate_live_queries", .gauge, "Different live queries of event streams.", sources.topics.count)
        text.single("realmgate_live_results", .gauge, "Results that are kept current.", sources.topics.resultCount)
        text.single(
            "realmgate_live_branches", .gauge, "Callers whose costly live queries have a thread of their own.",
            sources.topics.branchCount)
        text.single(
            "realmgate_reads_waiting", .gauge, "Reads that wait for a change of their answer.", sources.longPolls())
        text.single("realmgate_subscription_sets", .gauge, "Subscription sets.", sources.subscriptions.count)
        text.single("realmgate_snapshots", .gauge, "Snapshots of callers.", context.snapshots.count)
    }
}

extension OperationEndpoints {
    /// The numbers of the log that several gateways share.
    func writeLog(_ log: LogStatistics, applied: Version?, _ text: inout MetricsText) {
        text.family("realmgate_log_appends_total", .counter, "Appends to the log in PostgreSQL, by how they ended.")
        for outcome in LogStatistics.Outcome.allCases {
            text.sample(["outcome": outcome.rawValue], log.appends[outcome] ?? 0)
        }
        text.family(
            "realmgate_log_append_duration_seconds", .histogram, "Time of an append that PostgreSQL has taken.")
        text.histogram(
            bounds: StoreStatistics.Durations.bounds, buckets: log.appendDurations.buckets,
            sum: log.appendDurations.seconds)
        text.single(
            "realmgate_log_turns_total", .counter, "Times that this gateway kept others from appending meanwhile.",
            log.turns)
        text.single(
            "realmgate_log_entries_applied_total", .counter, "Versions of other gateways that were read from the log.",
            log.entries)
        text.single(
            "realmgate_log_hints_total", .counter, "Messages of PostgreSQL that there are new entries.", log.hints)
        if let newest = log.newest {
            text.single(
                "realmgate_log_version", .gauge, "The latest version of the log that this gateway knows of.",
                Int(clamping: newest.rawValue))
            let behind = newest.rawValue.subtractingReportingOverflow(applied?.rawValue ?? 0)
            text.single(
                "realmgate_log_behind_versions", .gauge, "Versions of the log that this gateway has not applied yet.",
                behind.overflow ? 0 : Int(clamping: behind.partialValue))
        }
        text.single(
            "realmgate_log_contact_seconds", .gauge, "The time since PostgreSQL last responded.", log.contactSeconds)
    }
}
