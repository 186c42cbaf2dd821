package import AccessRules
import FairScheduling
package import HTTPMessages
package import HTTPServer
import JSONCoding
import ObjectCoding
package import ObjectModel
package import StoreContract
package import QueryLanguage

extension GatewayContext {
    /// Returns the store as visible to the caller. Every read of a request uses it.
    package func snapshot(for request: Request) throws -> any Snapshot {
        let whole = try store.snapshot()
        let limited = request.isOnLoop ? try whole.limited(by: queryBudget(for: request)) : whole
        return try show(limited, to: try caller(of: request))
    }

    /// Whether versions need not be restricted with `show`.
    package func seesEverything(_ request: Request) -> Bool {
        (request.context as? CallerContext)?.seesEverything ?? false
    }

    /// Restricts a version of the store to what the caller can see.
    package func show(_ whole: any Snapshot, to caller: Caller) throws -> any Snapshot {
        let seen = try caller.view.restrict(whole)
        if let access = BoundAccess.of(seen) { ruleProblems.report(access) }
        return seen
    }

    /// Returns the budget of a request's queries. It is small on a loop's thread, because a worker continues. It is
    /// even smaller while long requests wait for processors, because work that the loop begins in vain delays all
    /// requests.
    package func queryBudget(for request: Request) -> QueryBudget {
        budget(for: request, settings.now)
    }

    /// A function of its own, so that the settings are read in place: a copy would cost more than the rest of it.
    private func budget(for request: Request, _ settings: GatewayConfiguration) -> QueryBudget {
        guard request.isOnLoop else {
            return QueryBudget(
                rows: settings.queryRows, milliseconds: settings.queryMilliseconds, pace: RequestPace.current)
        }
        let part = workers.isCrowded ? 4 : 1
        let budget = QueryBudget(
            rows: settings.queryRows, effort: settings.inlineRows / part, bytes: settings.inlineBytes / part,
            milliseconds: min(settings.queryMilliseconds ?? .max, max(settings.inlineMilliseconds / part, 1)))
        settings.watchLoop?(budget)
        return budget
    }

    /// Does a read here and now. On a loop's thread a read of many objects or values is for a worker.
    ///
    /// - Parameters:
    ///   - snapshot: the snapshot, if queries do all of the reading: then its budget ends a read that takes too long.
    ///   - asked: what is read, to be noted if it takes long.
    package func reply(
        reading size: Int, from snapshot: (any Snapshot)? = nil, for request: Request,
        asking asked: @autoclosure () -> AskedQuery? = nil, _ read: () throws -> Response
    ) throws -> Reply {
        guard !request.isOnLoop || snapshot?.budget != nil || size <= settings.now.inlineObjects else {
            throw NeedsWorker()
        }
        let start = monotonicNanoseconds()
        let response: Response
        do {
            response = try read()
        } catch  where request.isOnLoop || error is TextMemory.Exhausted {
            // It begins again: on a worker, or when there is memory.
            throw error
        } catch {
            record(asked(), request, hasFailed: true, since: start)
            throw error
        }
        record(asked(), request, since: start)
        return .now(response)
    }

    /// Notes a query that took long.
    private func record(
        _ asked: @autoclosure () -> AskedQuery?, _ request: Request, hasFailed: Bool = false, since start: Int64
    ) {
        let spent = monotonicNanoseconds() - start
        guard spent >= settings.now.slowQueryNanoseconds, let asked = asked() else { return }
        slowQueries.record(
            asked, request, hasFailed: hasFailed, nanoseconds: spent, at: settings.now.clock())
    }

    // MARK: Earlier versions

    /// Returns the unrestricted store at the version that a parameter names. Throws 410 if the caller has no such
    /// snapshot, 503 if it may still come.
    package func frozen(_ id: String, _ request: Request, parameter: String) throws -> any Snapshot {
        guard let found = try frozen(id, request) else {
            throw Problem(.snapshotGone, Self.noSnapshot(id), parameter: parameter)
        }
        return found.snapshot
    }

    /// Returns a snapshot of the caller's; nil if it has none with that id. Throws if another gateway may have made it
    /// and this one has not heard of it yet. Requests that name it in their target have waited for it before.
    package func frozen(_ id: String, _ request: Request) throws -> FrozenVersion? {
        if let version = sharedVersion(of: id), version > waits.announced {
            throw StoreError(
                .behind,
                "This server does not have the snapshot's version \(version) yet. Repeat the request, here or at another server."
            )
        }
        return snapshots.find(id, of: FrozenVersion.Owner(try caller(of: request).principal))
    }

    /// The version of a snapshot that another gateway may have made.
    package func sharedVersion(of id: String) -> Version? {
        store.sharedVersions == nil ? nil : FrozenVersions.version(of: id)
    }

    /// The error text for a caller that has no such snapshot.
    package static func noSnapshot(_ id: String) -> String {
        "There is no snapshot '\(id)' of yours: it has expired, or it was deleted. Create a new one with POST /v1/snapshots, and begin again with it."
    }

    /// Returns the version from which a client can resume: the one that it has, if the path led to the same target
    /// then. Nil if the path led elsewhere, or the client has no version.
    package func resumable(
        _ version: Version?, _ hopQueries: [BoundQuery], _ view: AccessView, _ request: Request
    ) throws -> Version? {
        guard !hopQueries.isEmpty else { return version }
        try request.requireWorker()
        return try resumable(version, hopQueries, view)
    }

    /// The same where there is time to read an earlier version.
    package func resumable(_ version: Version?, _ hopQueries: [BoundQuery], _ view: AccessView) throws -> Version? {
        guard let version, !hopQueries.isEmpty else { return version }
        guard let past = try store.asOf(version, before: try store.snapshot()) else { return version }
        let reads = try view.restrict(past: past.reads)
        for step in hopQueries where try reads.select(step, Window(limit: 1)).isEmpty { return nil }
        return version
    }
}
