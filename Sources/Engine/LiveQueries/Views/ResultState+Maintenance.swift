import ObjectModel
import QueryExecution
import QueryLanguage
import StoreContract

extension ResultState {
    /// Testing objects one by one pays while they are fewer than this part of the class, and some more. With an order by
    /// values it costs a few reads more for each.
    private static let retestShare = 64
    private static let retestShareSorted = 2_048
    private static let retestMinimum = 64

    /// Takes the result over a step, in whichever direction. It becomes the same however it is found, but for which of
    /// two elements moved where both are as good. After a throw it is of no use.
    ///
    /// - Parameters:
    ///   - query: as it is observed, with names of objects.
    ///   - route: the query's, under the schema after the step.
    ///   - classCount: how many objects running the query again looks at.
    ///   - quick: the query's predicate, as far as it can be told quickly.
    ///   - learns: whether to keep what was read for the next step, which is of use only if this is no copy.
    ///   - suspects: the route's for this step; nil where they cannot be found out. Asked at most once.
    ///   - touched: the objects that rather move than others when one of two must.
    mutating func advance(
        by step: VersionDelta, of query: BoundQuery, along dependencies: QueryDependencies, classCount: Int,
        quick: ValuePredicate? = nil, learns: Bool, affectedKeys: () throws -> AffectedKeys?,
        touched: () throws -> Set<ObjectKey>
    ) throws -> ResultOutcome {
        let isOrdered = dependencies.maintenance == .incremental
        var resolved = self.query
        var isSame = true
        if step.changes.schemaChanged || dependencies.mayRename(step.changes) {
            resolved = try query.resolved(step.after)
            isSame = !step.changes.schemaChanged && resolved == self.query
        }
        // Where the store took the earlier version back, the new one, and what the result was, are enough.
        let outcome = try VersionDelta.ifKept { () -> ResultOutcome? in
            guard isSame else { return nil }
            if !isOrdered, let (state, indices) = try followed(step) {
                self = state
                return ResultOutcome(indices: indices)
            }
            guard case .objects(let affectedKeys)? = try affectedKeys() else { return nil }
            if affectedKeys.isEmpty { return ResultOutcome() }
            let share = dependencies.sortKeys.isEmpty ? Self.retestShare : Self.retestShareSorted
            guard isOrdered, affectedKeys.count <= Self.retestMinimum + classCount / share else { return nil }
            return try advance(
                by: step, affectedKeys: affectedKeys, count: { try dependencies.count(of: $0, in: step.after) },
                touched: touched, quick: quick, learns: learns)
        }
        if let outcome = outcome ?? nil { return outcome }
        let (state, indices) = try replaced(by: resolved, isOrdered: isOrdered, step.after, touched: touched)
        self = state
        return ResultOutcome(indices: indices)
    }

    /// The same for a copy.
    func advanced(
        by step: VersionDelta, of query: BoundQuery, along dependencies: QueryDependencies, classCount: Int,
        affectedKeys: () throws -> AffectedKeys?, touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        var next = self
        let outcome = try next.advance(
            by: step, of: query, along: dependencies, classCount: classCount, learns: false, affectedKeys: affectedKeys,
            touched: touched)
        return (next, outcome.indices)
    }

    /// The same for all of a list's elements, by what was done to the list; nil where that cannot be said.
    private func followed(_ step: VersionDelta) throws -> (ResultState, IndexChanges)? {
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
