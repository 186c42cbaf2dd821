import AccessRules
import FairScheduling
import HTTPServer
import ObjectCoding
import StoreContract

extension Gateway {
    /// Returns the version that a request reads: the one that `snapshot` names or the latest, as visible to the caller,
    /// with the budget of one request. Throws 410 for a snapshot that does not exist or has expired.
    func readSnapshot(for request: Request) throws -> any Snapshot {
        let id = request.query(Self.snapshotParameter)
        let whole =
            try id.map { try frozen($0, request, parameter: Self.snapshotParameter) } ?? request.probe?.pinned
            ?? store.snapshot()
        do {
            let limited = try whole.limited(by: queryBudget(for: request))
            return seesEverything(request) ? limited : try show(limited, to: try caller(of: request))
        } catch let error as StoreError where error.code == .versionGone && id != nil {
            throw Problem(.snapshotGone, error.message, parameter: Self.snapshotParameter)
        }
    }

    /// Returns the budget of a request's queries. It is small on a loop's thread, because a worker continues. It is
    /// even smaller while long requests wait for processors, because work that the loop begins in vain delays all
    /// requests.
    func queryBudget(for request: Request) -> QueryBudget {
        // Read in place: a copy of all settings would cost more than the rest of this function.
        let now = settings.now
        guard request.isOnLoop else {
            return QueryBudget(
                rows: now.all.queryRows, milliseconds: now.all.queryMilliseconds, pace: RequestPace.current)
        }
        let part = workers.isCrowded ? 4 : 1
        let budget = QueryBudget(
            rows: now.all.queryRows, effort: now.all.inlineRows / part, bytes: now.all.inlineBytes / part,
            milliseconds: min(now.all.queryMilliseconds ?? .max, max(now.all.inlineMilliseconds / part, 1)))
        now.all.watchLoop?(budget)
        return budget
    }

    /// Does a read here and now. On a loop's thread a read of many objects or values is for a worker.
    ///
    /// - Parameter snapshot: the snapshot, if queries do all of the reading: then its budget ends a read that takes
    ///   too long.
    func reply(
        reading size: Int, from snapshot: (any Snapshot)? = nil, for request: Request, _ read: () throws -> Response
    ) throws -> Reply {
        guard !request.isOnLoop || snapshot?.budget != nil || size <= settings.now.all.inlineObjects else {
            throw NeedsWorker()
        }
        return .now(try read())
    }

    /// The parameter of all reads that names a snapshot.
    static let snapshotParameter = "snapshot"
}

/// Thrown on a loop's thread for work that takes too long there.
struct NeedsWorker: Error {
    /// Whether an error on a loop's thread, where budgets are small, has this meaning.
    static func isMeant(by error: any Error) -> Bool {
        error is NeedsWorker || (error as? StoreError)?.code == .tooExpensive
    }
}

extension Request {
    /// Throws on a loop's thread, for work without a small bound.
    func requireWorker() throws(NeedsWorker) {
        if isOnLoop { throw NeedsWorker() }
    }
}

extension HTTPMethod {
    /// Whether the method changes nothing.
    var isRead: Bool { self == .get || self == .head }
}
