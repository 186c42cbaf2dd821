import AccessRules
import HTTPServer
import StoreContract

extension Gateway {
    /// What a request reads from: the version that `snapshot` names or the newest one, as it exists for the caller, with
    /// the budget of one request. Throws 410 for a snapshot that is not there, or no longer.
    func readSnapshot(for request: Request) throws -> any Snapshot {
        let id = request.query(Self.snapshotParameter)
        let whole =
            try id.map { try frozen($0, request, parameter: Self.snapshotParameter) } ?? store.snapshot()
        do {
            let limited = try whole.limited(by: queryBudget(for: request))
            return seesEverything(request) ? limited : try show(limited, to: try caller(of: request))
        } catch let error as StoreError where error.code == .versionGone && id != nil {
            throw Problem(410, "snapshot.gone", error.message, parameter: Self.snapshotParameter)
        }
    }

    /// What the queries of one request may cost; on a loop's thread little, for a worker goes on then. While long
    /// requests wait for processors it is less: what is begun there in vain is nobody's turn.
    func queryBudget(for request: Request) -> QueryBudget {
        // Read in place: a copy of all settings costs more than the rest of this.
        let now = settings.now
        guard request.isOnLoop else {
            return QueryBudget(
                rows: now.all.queryRows, milliseconds: now.all.queryMilliseconds, pace: RequestWork.current)
        }
        let part = workers.isCrowded ? 4 : 1
        let budget = QueryBudget(
            rows: min(now.all.queryRows ?? .max, now.all.inlineRows / part), bytes: now.all.inlineBytes / part,
            milliseconds: min(now.all.queryMilliseconds ?? .max, max(now.all.inlineMilliseconds / part, 1)))
        now.all.watchLoop?(budget)
        return budget
    }

    /// Does a read here and now. On a loop's thread a read of many objects or values is for a worker.
    ///
    /// - Parameter snapshot: what is read from, if all of it is read by queries: a budget ends those that take too long.
    func reply(
        reading size: Int, from snapshot: (any Snapshot)? = nil, for request: Request, _ read: () throws -> Response
    ) throws -> Reply {
        guard !request.isOnLoop || snapshot?.budget != nil || size <= settings.now.all.inlineObjects else {
            throw NeedsWorker()
        }
        return .now(try read())
    }

    /// The parameter of all reads that names a kept version.
    static let snapshotParameter = "snapshot"
}

/// Says that what was begun on a loop's thread takes too long there.
struct NeedsWorker: Error {
    /// Whether an error means that, on a loop's thread, where budgets are small.
    static func isMeant(by error: any Error) -> Bool {
        error is NeedsWorker || (error as? StoreError)?.code == .tooExpensive
    }
}

extension Request {
    /// Throws on a loop's thread, for work that has no small bound.
    func requireWorker() throws(NeedsWorker) {
        if isOnLoop { throw NeedsWorker() }
    }
}

extension HTTPMethod {
    /// Whether nothing is changed by it.
    var isRead: Bool { self == .get || self == .head }
}
