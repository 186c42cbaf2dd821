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
            let limited = try whole.limited(by: queryBudget())
            return seesEverything(request) ? limited : try show(limited, to: try caller(of: request))
        } catch let error as StoreError where error.code == .versionGone && id != nil {
            throw Problem(410, "snapshot.gone", error.message, parameter: Self.snapshotParameter)
        }
    }

    /// What the queries of one request may cost, from now on.
    func queryBudget() -> QueryBudget {
        let settings = settings.now
        return QueryBudget(rows: settings.all.queryRows, milliseconds: settings.all.queryMilliseconds)
    }

    /// The parameter of all reads that names a kept version.
    static let snapshotParameter = "snapshot"
}

extension HTTPMethod {
    /// Whether nothing is changed by it.
    var isRead: Bool { self == .get || self == .head }
}
