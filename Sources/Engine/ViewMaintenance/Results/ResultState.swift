import Basics
package import ObjectModel
package import QueryOperators
package import QueryLanguage
package import StoreContract

/// A query's result at one version, with the data needed to bring it to another one: forwards to a commit, or backwards
/// to the version that an observer saw last. A value: a copy costs nothing, and advancing one does not change others.
///
/// Each DISTINCT, and each LIMIT, is a stage with its input objects in order; sorts are the orders of the stages and of
/// the result. Untouched objects have the same position before and after, so that a search among them needs the values
/// of a few only. Memory: eight bytes a key in the result and in each stage.
package struct ResultState: Sendable {
    private enum Stage: Sendable {
        case limit(LimitStage)
        case distinct(DistinctStage)
        /// While a stage is being processed.
        case none
    }

    /// The query with its objects looked up by their primary keys.
    package let query: BoundQuery
    /// Whether membership and position of objects can be tested one by one.
    package let isOrdered: Bool
    private var stages: [Stage]
    private var result: OrderedKeys

    package var keys: KeySequence { result.keys }
    package var order: ResultOrder { result.order }

    /// Runs the query. Cost: for each DISTINCT or LIMIT after another one, that of the query once more.
    ///
    /// - Parameters:
    ///   - isOrdered: whether the objects are in the order of their creation before they are sorted.
    ///   - keys: the query's result, if it is already known.
    package init(_ query: BoundQuery, isOrdered: Bool, _ reads: any ObjectReads, keys: KeySequence? = nil) throws {
        self.query = query
        self.isOrdered = isOrdered
        stages = []
        var order = ResultOrder(query.classID)
        let keys = try keys ?? KeySequence(reads.select(query, .all))
        result = OrderedKeys(order: order, keys: keys)
        guard isOrdered else { return }
        var input = query
        input.steps = []
        for step in query.steps {
            switch step {
            case .sort(let keys):
                // A later sort is more significant: it keeps the earlier order among ties.
                order = ResultOrder(query.classID, by: keys + order.keys)
            case .distinct(let paths):
                stages.append(.distinct(try DistinctStage(paths, order, of: input, reads)))
            case .limit(let most):
                // After another stage the beginning cannot be read without the stages before.
                let stage =
                    stages.isEmpty
                    ? try LimitStage(order, most: most, from: input, reads)
                    : try LimitStage(order, most: most, keepingAll: input, reads)
                stages.append(.limit(stage))
            }
            input.steps.append(step)
        }
        result = OrderedKeys(order: order, keys: keys)
    }

    /// Advances the result over a step.
    ///
    /// - Parameters:
    ///   - affectedKeys: the objects whose membership or position may differ. All others are assumed to be unchanged.
    ///   - count: returns how often an object occurs in the scope, if it matches.
    ///   - touched: the objects that preferably move when one of two must.
    ///   - quick: the part of the predicate that can be evaluated quickly.
    ///   - learns: whether to keep the positions that were read for the next step, which is useful only if this is not
    ///     a copy.
    /// - Precondition: `isOrdered`.
    package mutating func advance(
        by step: VersionDelta, affectedKeys: Set<ObjectKey>, count: (ObjectKey) throws -> Int,
        touched: () throws -> Set<ObjectKey>, quick: ValuePredicate?, learns: Bool
    ) throws -> ResultOutcome {
        var change = try membership(step, affectedKeys, count, quick)
        var outcome = ResultOutcome()
        outcome.settled = affectedKeys
        if change.isEmpty {
            if learns { forget(affectedKeys) }
            return outcome
        }
        var isFirst = true
        for index in stages.indices {
            // Taken out, so that it is not copied when it changes.
            let stage = stages[index]
            stages[index] = .none
            switch consume stage {
            case .limit(var stage):
                change = try stage.advance(
                    change, in: step, touched: affectedKeys, removingAll: isFirst, learns: learns)
                stages[index] = .limit(stage)
            case .distinct(var stage):
                change = try stage.advance(
                    change, in: step, touched: affectedKeys, removingAll: isFirst, learns: learns)
                stages[index] = .distinct(stage)
            case .none: break
            }
            isFirst = false
        }
        let reader = result.begin(step, touched: affectedKeys, learns: learns)
        defer { result.end(reader) }
        let edit = try result.edit(change, reader, removingAll: isFirst)
        if edit.isEmpty { return outcome }
        outcome.indices = try edit.indexChanges {
            try Self.positions(
                of: touched(), in: OrderedKeys(order: order, keys: edit.old), isOrdered, step.before, reader.before)
        }
        outcome.arrivals = zip(edit.arrivals, edit.newIndices).map { ($0.key, $1) }
        // Otherwise the old sequence is the new one.
        if !outcome.indices.deletions.isEmpty || !outcome.indices.insertions.isEmpty { result.keys = edit.applied() }
        return outcome
    }

    /// Drops cached positions of objects that changed, as `advance` does: one that is not in a stage may have been
    /// earlier.
    package mutating func forget(_ affectedKeys: some Collection<ObjectKey>) {
        for index in stages.indices {
            let stage = stages[index]
            stages[index] = .none
            switch consume stage {
            case .limit(var stage):
                stage.forget(affectedKeys)
                stages[index] = .limit(stage)
            case .distinct(var stage):
                stage.forget(affectedKeys)
                stages[index] = .distinct(stage)
            case .none: break
            }
        }
        result.forget(affectedKeys)
    }

    /// The affected objects that may have been in the result, and those that match now.
    private func membership(
        _ step: VersionDelta, _ affectedKeys: Set<ObjectKey>, _ count: (ObjectKey) throws -> Int,
        _ quick: ValuePredicate?
    ) throws -> StageChange {
        let classID = query.classID
        let changes = step.changes.classes[classID]
        var change = StageChange()
        for key in affectedKeys {
            // A deletion or modification implies that the object existed; others may come from a link.
            let isModified = changes?.modifications[key] != nil
            let isNew = !isModified && changes?.insertions.contains(key) == true
            let isDeleted = !isModified && changes?.deletions.contains(key) == true
            if try !isNew && (isModified || isDeleted || step.before.exists(classID, key)) {
                let matched = try quick?.holds { try step.valueBefore(classID, key, $0) }
                if matched != false { change.leaving.append(key) }
            }
            if try !isDeleted && (isModified || isNew || step.after.exists(classID, key)) {
                let matches = try quick?.holds { try step.valueAfter(classID, key, $0) }
                guard try matches ?? step.after.matches(query, key) else { continue }
                for _ in 0..<(try count(key)) { change.coming.append(key) }
            }
        }
        return change
    }

    /// Advances a copy, which keeps nothing for another step; modifications are left empty.
    package func advanced(
        by step: VersionDelta, affectedKeys: Set<ObjectKey>, count: (ObjectKey) throws -> Int,
        touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        var next = self
        let outcome = try next.advance(
            by: step, affectedKeys: affectedKeys, count: count, touched: touched, quick: nil, learns: false)
        return (next, outcome.indices)
    }

    /// The new result of a query, and its difference from this one.
    func replaced(
        by query: BoundQuery, isOrdered: Bool, _ after: any ObjectReads, touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        let next = try ResultState(query, isOrdered: isOrdered, after)
        let touched = try touched()
        return (next, KeyDiff.between(keys, next.keys, isModified: touched.contains))
    }

    /// The result, which must be a whole list of links as stored, after an edit of the list, and its difference; nil
    /// when the edit does not fit the list. `elements` returns the list's elements after the edit. An assigned element
    /// is a modification if it is the same object as before.
    func edited(
        by edit: ListEdit, _ elements: (Range<Int>) throws -> [ObjectKey]
    ) rethrows -> (ResultState, IndexChanges)? {
        let remaining = keys.count - edit.deletions.runs.reduce(0) { $0 + $1.count }
        guard remaining >= 0, edit.deletions.runs.last.map({ $0.upperBound <= keys.count }) != false else { return nil }
        var indices = IndexChanges(
            deletions: edit.deletions.runs.flatMap { $0 }, insertions: edit.insertions.runs.flatMap { $0 })
        var arrivals: [ObjectKey] = []
        for run in edit.insertions.runs {
            let new = try elements(run)
            guard new.count == run.count else { return nil }
            arrivals += new
        }
        let ranks = indices.insertions.indices.map { indices.insertions[$0] - $0 }
        guard ranks.last.map({ $0 <= remaining }) != false else { return nil }
        var edited = keys.removing(indices.deletions).inserting(Array(zip(arrivals, ranks)))
        var replaced: [(old: Int, new: Int)] = []
        for run in edit.modifications.runs {
            let assigned = try elements(run)
            guard assigned.count == run.count, run.upperBound <= edited.count else { return nil }
            for (position, key) in zip(run, assigned) {
                guard let old = indices.oldIndex(ofNew: position) else { continue }
                if keys[old] == key {
                    indices.modifications.append(old)
                    indices.modificationsNew.append(position)
                } else {
                    edited.remove(at: position)
                    edited.insert(key, at: position)
                    replaced.append((old, position))
                }
            }
        }
        indices.deletions = (indices.deletions + replaced.map(\.old)).sorted()
        indices.insertions = (indices.insertions + replaced.map(\.new)).sorted()
        var next = self
        next.result.keys = edited
        return (next, indices)
    }

    /// The difference that led to this result together with the elements that count as modified; those that the
    /// difference already contains are among them.
    package func adding(
        _ modified: Set<ObjectKey>, to indices: IndexChanges, _ reads: any ObjectReads
    ) throws -> IndexChanges {
        try adding(modified, to: ResultOutcome(indices: indices), reads) { _ in false }
    }

    /// The difference with the modified elements after a step.
    ///
    /// - Parameter isAbsent: whether an object is certainly not in this result.
    package func adding(
        _ modified: Set<ObjectKey>, to outcome: ResultOutcome, _ reads: any ObjectReads,
        isAbsent: (ObjectKey) throws -> Bool
    ) throws -> IndexChanges {
        var change = outcome.indices
        change.modifications = []
        change.modificationsNew = []
        var positions = outcome.arrivals.filter { modified.contains($0.key) }.map(\.index)
        let unsettled = outcome.settled.isEmpty ? modified : modified.subtracting(outcome.settled)
        if !unsettled.isEmpty { positions += try self.positions(of: unsettled.filter { try !isAbsent($0) }, reads) }
        positions += outcome.indices.modificationsNew
        if positions.count > 1 { positions = Set(positions).sorted() }
        change.addModifications(atNew: positions)
        return change
    }

    /// The positions of those of the objects that are in the result, ascending. Cost: a search for each, or a pass over
    /// the result.
    package func positions(of objects: Set<ObjectKey>, _ reads: any ObjectReads) throws -> [Int] {
        let order = order
        return try Self.positions(of: objects, in: result, isOrdered, reads) { try order.position(of: $0, reads) }
    }

    private static func positions(
        of objects: Set<ObjectKey>, in elements: OrderedKeys, _ isOrdered: Bool, _ reads: any ObjectReads,
        _ read: (ObjectKey) throws -> ResultPosition
    ) throws -> [Int] {
        let (order, keys) = (elements.order, elements.keys)
        if objects.isEmpty || keys.isEmpty { return [] }
        guard isOrdered, objects.count <= keys.count / (order.isByCreation ? 16 : 1_024) + 4 else {
            return scan(keys, for: objects)
        }
        var positions: [Int] = []
        for key in objects {
            // An object that does not exist has no position.
            guard try order.isByCreation || reads.exists(order.classID, key) else { continue }
            let index = try keys.position(of: read(key), by: order, read)
            positions += keys.run(of: key, from: index)
        }
        return positions.sorted()
    }

    private static func scan(_ keys: KeySequence, for objects: Set<ObjectKey>) -> [Int] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [] }
        var positions: [Int] = []
        var position = 0
        keys.forEachChunk { chunk in
            // The range saves most look-ups in the set: objects that change together were often created together.
            for key in chunk {
                if key >= lowest, key <= highest, objects.contains(key) { positions.append(position) }
                position += 1
            }
            return true
        }
        return positions
    }
}

/// The changes that a step made to a result.
package struct ResultOutcome {
    /// Objects whose membership and position in the new result are known: only the arrivals are in it.
    var settled: Set<ObjectKey> = []
    /// The settled objects that are in the result, with their new positions.
    var arrivals: [(key: ObjectKey, index: Int)] = []
    /// The difference of the results. It includes only modifications that the recorded edit of a list contains.
    package var indices = IndexChanges()

    package init(indices: IndexChanges = IndexChanges()) { self.indices = indices }
}
