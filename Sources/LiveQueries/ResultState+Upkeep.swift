import ObjectModel
import QueryLanguage
import StoreContract

extension ResultState {
    /// Testing objects one by one pays while they are fewer than this part of the class, and some more. With an order by
    /// values it costs a few reads more for each.
    private static let retestShare = 64
    private static let retestShareSorted = 2_048
    private static let retestMinimum = 64

    /// The result after a step, in whichever direction, and how it differs; of modifications only those that the
    /// recorded edit of a list names. It is the same however it was found, but for which of two elements moved where
    /// both are as good.
    ///
    /// - Parameters:
    ///   - query: as it is observed, with names of objects.
    ///   - route: the query's, under the schema after the step.
    ///   - classCount: how many objects running the query again looks at.
    ///   - touched: the objects that rather move than others when one of two must.
    func advanced(
        by step: LiveStep, of query: BoundQuery, along route: QueryRoute, classCount: Int,
        touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        let isOrdered = route.upkeep == .incremental
        var resolved = self.query
        if step.changes.schemaChanged || route.mayRename(step.changes) { resolved = try query.resolved(step.after) }
        if step.changes.schemaChanged || resolved != self.query {
            return try replaced(by: resolved, isOrdered: isOrdered, step.after, touched: touched)
        }
        do {
            if !isOrdered, let result = try followed(step) { return result }
            if case .objects(let suspects) = try route.suspects(in: step) {
                if suspects.isEmpty { return (self, IndexChanges()) }
                let share = route.sortKeys.isEmpty ? Self.retestShare : Self.retestShareSorted
                if isOrdered, suspects.count <= Self.retestMinimum + classCount / share {
                    return try advanced(
                        by: step, suspects: suspects, count: { try route.count(of: $0, in: step.after) },
                        touched: touched)
                }
            }
        } catch let error as StoreError where error.code == .versionGone {
            // The store took the earlier version back: the new one, and what the result was, are enough.
        }
        return try replaced(by: resolved, isOrdered: isOrdered, step.after, touched: touched)
    }

    /// The same for all of a list's elements, by what was done to the list; nil where that cannot be said.
    private func followed(_ step: LiveStep) throws -> (ResultState, IndexChanges)? {
        guard case .property(let holder, let property) = query.scope, query.steps.isEmpty,
            query.predicate == .constant(true),
            case .list(let edit) = step.changes.classes[holder.classID]?.edits[holder.key]?[property]
        else { return nil }
        return try edited(by: edit) { range in
            try step.after.elements(holder.classID, holder.key, property, range).flatMap(\.linkedKeys)
        }
    }
}

extension BoundQuery {
    /// With the objects that it names looked up.
    func resolved(_ reads: any ObjectReads) throws -> BoundQuery {
        try namingObjects { try reads.key(of: $0, primaryKey: $1) }
    }
}
