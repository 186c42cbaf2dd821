import HTTPServer
import JSONCoding
import ObjectCoding
import ObjectModel
import Synchronization

/// Caches how whole objects are written, by class, for the latest schema.
final class KnownPlans: Sendable {
    private struct State {
        var schema = Schema.empty
        var plans: [ClassID: RowPlan] = [:]
    }

    private let state = Mutex(State())

    /// Cost: a comparison of references, as long as all callers have the same schema.
    func plan(_ objectClass: ClassSchema, of schema: Schema) -> RowPlan {
        state.withLock { state in
            if state.schema != schema { state.plans = [:] }
            // Comparing is slow with an equal schema that another version of the store has allocated separately.
            state.schema = schema
            if let plan = state.plans[objectClass.id] { return plan }
            let plan = RowPlan(objectClass, of: schema)
            state.plans[objectClass.id] = plan
            return plan
        }
    }
}

extension Gateway {
    /// Returns the plan for whole objects, for a request without `fields`, `expand` and `types`.
    ///
    /// - Parameter isPart: whether the objects are reached through their owners.
    func plainPlan(
        _ objectClass: ClassSchema, of schema: Schema, for request: Request, isPart: Bool = false
    ) -> RowPlan {
        // Callers with restricted access have schemas of their own.
        seesEverything(request) && !isPart
            ? plans.plan(objectClass, of: schema) : RowPlan(objectClass, of: schema, isPart: isPart)
    }

    /// Returns the queries that were parsed before; nil for callers with restricted access, who have schemas of their own.
    func knownQueries(for request: Request) -> KnownQueries? { seesEverything(request) ? queries : nil }

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
