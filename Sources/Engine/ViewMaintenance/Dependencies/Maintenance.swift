/// The method that keeps a query's result current after commits.
package enum Maintenance: Hashable, Sendable {
    /// Only objects that changed, and those that reach them on the query's paths, are tested.
    case incremental
    /// The query is run again and the results are compared; with the reason.
    case recompute(reason: String)
}
