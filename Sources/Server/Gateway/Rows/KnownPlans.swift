import ObjectModel
import Synchronization

/// How whole objects are written, by class, as the newest schema has them: made once, not for each request.
final class KnownPlans: Sendable {
    private struct State {
        var schema = Schema.empty
        var plans: [ClassID: RowPlan] = [:]
    }

    private let state = Mutex(State())

    /// Cost: comparing the schema with itself, as long as all ask with the same.
    func plan(_ objectClass: ClassSchema, of schema: Schema) -> RowPlan {
        state.withLock { state in
            if state.schema != schema { state.plans = [:] }
            // Comparing takes long for an equal one that another version of the store has in memory of its own.
            state.schema = schema
            if let plan = state.plans[objectClass.id] { return plan }
            let plan = RowPlan(objectClass, of: schema)
            state.plans[objectClass.id] = plan
            return plan
        }
    }
}
