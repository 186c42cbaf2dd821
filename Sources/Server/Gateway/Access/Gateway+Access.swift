import AccessRules
import HTTPServer
import ObjectCoding
import ObjectModel
import StoreContract

extension Gateway {
    /// Determines the caller, for the handlers inside.
    func identify(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        guard let access else { return next(request) }
        let reply = next(try access.identified(request))
        guard request.segments.first == "v1" else { return reply }
        // Tags identify versions, which all callers share, so a cached response must not be given to another caller.
        return reply.mapHead { $0.headers.vary("Authorization, X-API-Key") }
    }

    /// Returns the caller. Throws 401 for a request that was not authenticated although that is required.
    func caller(of request: Request) throws(Problem) -> Caller {
        if let known = request.context as? CallerContext { return known.caller }
        guard access == nil else {
            throw Problem(.authRequired, "This request requires a credential in a header 'Authorization: Bearer …'.")
        }
        return .unrestricted
    }

    /// Throws 403 unless the caller has full access.
    func requireAdministrator(_ request: Request) throws(Problem) {
        guard try caller(of: request).view.isUnrestricted else {
            throw Problem(
                StoreError.Code.accessDenied, "This request requires a key or token with an administrator's role.")
        }
    }

    /// Throws 403 unless the caller may read the metrics.
    func requireMetrics(_ request: Request) throws(Problem) {
        guard !configuration.metricsAreOpen else { return }
        guard try caller(of: request).readsMetrics else {
            throw Problem(
                StoreError.Code.accessDenied,
                "This request requires a key or token with an administrator's role; the key may be read-only.")
        }
    }

    /// Returns the store as visible to the caller. Every read of a request uses it.
    func snapshot(for request: Request) throws -> any Snapshot {
        let whole = try store.snapshot()
        let limited = request.isOnLoop ? try whole.limited(by: queryBudget(for: request)) : whole
        return try show(limited, to: try caller(of: request))
    }

    /// Whether versions need not be restricted with `show`.
    func seesEverything(_ request: Request) -> Bool { (request.context as? CallerContext)?.seesEverything ?? false }

    /// Restricts a version of the store to what the caller can see.
    func show(_ whole: any Snapshot, to caller: Caller) throws -> any Snapshot {
        let seen = try caller.view.restrict(whole)
        if let access = BoundAccess.of(seen) { ruleProblems.report(access) }
        return seen
    }

    /// Logs rules that do not fit the schema.
    func checkRoles() {
        guard let access, let schema = try? store.snapshot().schema else { return }
        ruleProblems.report(of: access.roles, schema)
    }

    /// Registers a stream, which ends when its caller's permissions change.
    func opened(_ stream: EventStream, by caller: Caller) {
        guard let access else { return }
        streams.add(stream, of: caller)
        // They may have changed since the caller was authenticated.
        if !access.isValid(caller) { endStreams() }
    }

    /// Ends the streams of callers whose permissions were lost or have changed.
    func endStreams() {
        guard let access else { return }
        streams.end { access.isValid($0) }
        heldReads.endInvalid()
    }
}
