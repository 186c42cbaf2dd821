import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import QueryLanguage
package import RequestHandling
package import RequestParameters
import StoreContract
import WireProtocol
import WriteRequests

/// Reads of objects, of the values in them, and of what follows from both.
///
/// Each read takes a snapshot as the caller sees it, parses its parameters, tells what its answer depends on, and runs:
/// on the loop's thread within a small budget, else again on a worker.
package final class ReadEndpoints: Sendable {
    let context: GatewayContext
    /// The queries that were parsed before.
    package let queries = QueryCache()
    private let plans = PlanCache()

    package init(_ context: GatewayContext) { self.context = context }

    /// Returns the version that a request reads: the one that `snapshot` names or the latest, as visible to the caller,
    /// with the budget of one request. Throws 410 for a snapshot that does not exist or has expired.
    func readSnapshot(for request: Request) throws -> any Snapshot {
        let id = request.query(ParameterName.snapshot)
        let whole =
            try id.map { try context.frozen($0, request, parameter: ParameterName.snapshot) } ?? request.probe?.pinned
            ?? context.store.snapshot()
        do {
            let limited = try whole.limited(by: context.queryBudget(for: request))
            return context.seesEverything(request)
                ? limited : try context.show(limited, to: context.caller(of: request))
        } catch let error as StoreError where error.code == .versionGone && id != nil {
            throw Problem(.snapshotGone, error.message, parameter: ParameterName.snapshot)
        }
    }

    /// Returns 304 if the client has the response of this state. Called when the request is known to have no errors.
    ///
    /// - Parameters:
    ///   - snapshot: the state, as the caller sees it.
    ///   - dependence: returns what the response depends on.
    func notModified(
        _ request: Request, _ snapshot: any Snapshot, _ dependence: () throws -> ReadDependence
    ) throws -> Response? {
        guard request.header("If-None-Match") != nil else { return nil }
        if let probe = request.probe { try probe.record(try dependence(), snapshot) }
        let mark = snapshot.mark
        return try request.notModified(EntityTag(mark), at: mark)
    }

    // MARK: What is kept between requests

    /// Returns the plan for whole objects, for a request without `fields`, `expand` and `types`.
    ///
    /// - Parameter isPart: whether the objects are reached through their owners.
    func plainPlan(
        _ objectClass: ClassSchema, of schema: Schema, for request: Request, isPart: Bool = false
    ) -> RowPlan {
        // Callers with restricted access have schemas of their own.
        context.seesEverything(request) && !isPart
            ? plans.plan(objectClass, of: schema) : RowPlan(objectClass, of: schema, isPart: isPart)
    }

    /// Returns the queries that were parsed before; nil for callers with restricted access, who have schemas of their own.
    func knownQueries(for request: Request) -> QueryCache? { context.seesEverything(request) ? queries : nil }

    /// Returns the plan that `fields`, `expand` and `types` request; nil without them.
    func chosenPlan(
        _ objectClass: ClassSchema, of schema: Schema, _ parameters: QueryParameters, isPart: Bool = false
    ) throws -> RowPlan? {
        let style = try parameters.choice("types", default: TypeStyle.plain)
        guard style != .plain || parameters["fields"] != nil || parameters["expand"] != nil else { return nil }
        return try RowPlan(
            objectClass, of: schema, fields: parameters["fields"], expand: parameters["expand"], style: style,
            isPart: isPart)
    }
}
