import AccessRules
import HTTPServer
import ObjectModel
import StoreContract

extension Gateway {
    /// Finds out who calls, for the handlers inside.
    func identify(_ request: Request, _ next: (Request) -> Reply) throws -> Reply {
        guard let access else { return next(request) }
        let reply = next(try access.identified(request))
        guard request.segments.first == "v1" else { return reply }
        // Tags are of versions, which all callers share: what was kept for one must not be shown to another.
        return reply.mapHead { $0.headers.vary("Authorization, X-API-Key") }
    }

    /// Throws 401 for a request that nobody was found to have made, although that matters.
    func caller(of request: Request) throws(Problem) -> Caller {
        if let known = request.context as? CallerContext { return known.caller }
        guard access == nil else {
            throw Problem(401, "auth.required", "Say who you are in a header 'Authorization: Bearer …'.")
        }
        return .unrestricted
    }

    /// Throws 403 when the caller may not do everything.
    func requireAdministrator(_ request: Request) throws(Problem) {
        guard try caller(of: request).view.isUnrestricted else {
            throw Problem(403, "access.denied", "This takes a key or token of an administrator's role.")
        }
    }

    /// The store as it exists for the caller. Everything that a request reads is read from here.
    func snapshot(for request: Request) throws -> any Snapshot {
        let whole = try store.snapshot()
        let limited = request.isOnLoop ? try whole.limited(by: queryBudget(for: request)) : whole
        return try show(limited, to: try caller(of: request))
    }

    /// Whether a version needs no `show`.
    func seesEverything(_ request: Request) -> Bool { (request.context as? CallerContext)?.seesEverything ?? false }

    /// A version of the store as it exists for the caller.
    func show(_ whole: any Snapshot, to caller: Caller) throws -> any Snapshot {
        let seen = try caller.view.restrict(whole)
        if let access = BoundAccess.of(seen) { ruleProblems.tell(access) }
        return seen
    }

    /// Tells the log of rules that do not fit the schema.
    func checkRoles() {
        guard let access, let schema = try? store.snapshot().schema else { return }
        ruleProblems.tell(of: access.roles, schema)
    }

    /// Notes a stream that ends when its caller may not see any more what it saw when it was opened.
    func opened(_ stream: EventStream, by caller: Caller) {
        guard let access else { return }
        streams.add(stream, of: caller)
        // It may have changed since the caller was let in.
        if !access.isValid(caller) { endStreams() }
    }

    /// Ends the streams of callers that are not let in any more, or may do other things now.
    func endStreams() {
        guard let access else { return }
        streams.end { access.isValid($0) }
    }
}
