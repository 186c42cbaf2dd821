import ObjectCoding
import ObjectModel
import Synchronization

/// Caches how whole objects are written, by class, for the latest schema.
final class PlanCache: Sendable {
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
