package import ObjectModel
package import QueryOperators
package import QueryLanguage
package import StoreContract

extension ResultState {
    /// Testing objects one by one pays while they are fewer than this fraction of the class, and some more. With an
    /// order by values it costs a few more reads for each.
    private static let retestShare = 64
    private static let retestShareSorted = 2_048
    private static let retestMinimum = 64

    /// Advances the result over a step, in either direction. The new result does not depend on the method, but which
    /// of two elements moved may, where both are equally good. After a throw it must no longer be used.
    ///
    /// - Parameters:
    ///   - query: the query as observed, with objects by their primary keys.
    ///   - dependencies: the query's, under the schema after the step.
    ///   - classCount: the number of objects that running the query again examines.
    ///   - quick: the part of the query's predicate that can be evaluated quickly.
    ///   - learns: whether to keep the positions that were read for the next step, which is useful only if this is not
    ///     a copy.
    ///   - affectedKeys: the dependencies' for this step; nil where they cannot be determined. Called at most once.
    ///   - touched: the objects that preferably move when one of two must.
    package mutating func advance(
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
        // Where the store released the earlier version, the new one and the old result suffice.
        let outcome = try VersionDelta.ifRetained { () -> ResultOutcome? in
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

    /// Advances a copy.
    package func advanced(
        by step: VersionDelta, of query: BoundQuery, along dependencies: QueryDependencies, classCount: Int,
        affectedKeys: () throws -> AffectedKeys?, touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        var next = self
        let outcome = try next.advance(
            by: step, of: query, along: dependencies, classCount: classCount, learns: false, affectedKeys: affectedKeys,
            touched: touched)
        return (next, outcome.indices)
    }

    /// Follows the edit of a list for a result of all its elements; nil where that is impossible.
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
    /// The query with its objects looked up by their primary keys.
    package func resolved(_ reads: any ObjectReads) throws -> BoundQuery {
        try namingObjects { try reads.key(of: $0, primaryKey: $1) }
    }
}
