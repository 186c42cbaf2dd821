import ObjectModel
import QueryLanguage
import StoreContract

/// A query's result at one version, with what is needed to bring it to another one: forwards to what was committed, or
/// backwards to what an observer last heard of. A value: a copy costs nothing, and advancing one does not change others.
///
/// Each DISTINCT, and each LIMIT, is a stage with the objects that come into it, in order; sorts are the orders of the
/// stages and of the result. Untouched objects have the same place before and after, so that a search among them needs
/// the values of a few only. Memory: eight bytes a key in the result and in each stage.
struct ResultState: Sendable {
    private enum Stage: Sendable {
        case limit(LimitStage)
        case distinct(DistinctStage)
    }

    /// With the objects that it names looked up.
    let query: BoundQuery
    private(set) var keys: KeySequence
    /// Whether objects can be tested one by one for whether, and where, they belong in the result.
    let isOrdered: Bool
    private var stages: [Stage]
    private(set) var order: ResultOrder

    /// Runs the query. Cost: for each DISTINCT or LIMIT behind one, that of the query once more.
    ///
    /// - Parameters:
    ///   - isOrdered: whether the objects come in the order of their creation before they are sorted.
    ///   - keys: what the query gives, where that is known already.
    init(_ query: BoundQuery, isOrdered: Bool, _ reads: any ObjectReads, keys: KeySequence? = nil) throws {
        self.query = query
        self.isOrdered = isOrdered
        self.keys = try keys ?? KeySequence(reads.select(query, .all))
        stages = []
        order = ResultOrder(query.classID)
        guard isOrdered else { return }
        var input = query
        input.steps = []
        for step in query.steps {
            switch step {
            case .sort(let keys):
                // A later sort is the stronger one: it keeps the earlier order among ties.
                order = ResultOrder(query.classID, by: keys + order.keys)
            case .distinct(let paths):
                stages.append(.distinct(try DistinctStage(paths, order, of: input, reads)))
            case .limit(let most):
                // Behind another stage the beginning is not found without what comes before.
                let stage =
                    stages.isEmpty
                    ? try LimitStage(order, most: most, from: input, reads)
                    : try LimitStage(order, most: most, keepingAll: input, reads)
                stages.append(.limit(stage))
            }
            input.steps.append(step)
        }
    }

    /// The result after a step, and how it differs, by position; modifications are left empty.
    ///
    /// - Parameters:
    ///   - suspects: the objects whose membership or place may differ. All others are taken as they are.
    ///   - count: how often an object is among those to choose from, if it matches.
    ///   - touched: the objects that rather move than others when one of two must.
    /// - Precondition: `isOrdered`.
    func advanced(
        by step: LiveStep, suspects: Set<ObjectKey>, count: (ObjectKey) throws -> Int,
        touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        let changes = step.changes.classes[query.classID]
        var change = StageChange()
        for key in suspects {
            // A deletion or modification says that the object was there; others may come from a link.
            if changes?.insertions.contains(key) != true,
                try changes?.deletions.contains(key) == true || changes?.modifications[key] != nil
                    || step.before.exists(query.classID, key)
            {
                change.leaving.append(key)
            }
            if try step.after.matches(query, key) {
                for _ in 0..<(try count(key)) { change.coming.append(key) }
            }
        }
        var next = self
        var isFirst = true
        for index in stages.indices {
            switch stages[index] {
            case .limit(var stage):
                let places = PlaceReader(stage.input.order, step, touched: suspects)
                change = try stage.advance(change, removingAll: isFirst, places, step.after)
                next.stages[index] = .limit(stage)
            case .distinct(var stage):
                let places = PlaceReader(stage.input.order, step, touched: suspects)
                change = try stage.advance(change, removingAll: isFirst, places)
                next.stages[index] = .distinct(stage)
            }
            isFirst = false
            if change.isEmpty { return (next, IndexChanges()) }
        }
        let places = PlaceReader(order, step, touched: suspects)
        let edit = try OrderedKeys(order: order, keys: keys).edit(change, places, removingAll: isFirst)
        let indices = try edit.indexChanges { try positions(of: touched(), step.before, places.before) }
        // Otherwise the old sequence is the new one.
        if !indices.deletions.isEmpty || !indices.insertions.isEmpty { next.keys = edit.applied() }
        return (next, indices)
    }

    /// The result that a query gives anew, and how it differs.
    func replaced(
        by query: BoundQuery, isOrdered: Bool, _ after: any ObjectReads, touched: () throws -> Set<ObjectKey>
    ) throws -> (ResultState, IndexChanges) {
        let next = try ResultState(query, isOrdered: isOrdered, after)
        let touched = try touched()
        return (next, KeyDiff.between(keys, next.keys, isModified: touched.contains))
    }

    /// The result, which must be a whole list of links as it is, after the list was edited, and how it differs; nil when
    /// the edit does not belong to the list. `elements` gives the list's elements after the edit. An assigned element is
    /// a modification if it is the same object as before.
    func edited(
        by edit: ListEdit, _ elements: (Range<Int>) throws -> [ObjectKey]
    ) rethrows -> (ResultState, IndexChanges)? {
        let kept = keys.count - edit.deletions.runs.reduce(0) { $0 + $1.count }
        guard kept >= 0, edit.deletions.runs.last.map({ $0.upperBound <= keys.count }) != false else { return nil }
        var indices = IndexChanges(
            deletions: edit.deletions.runs.flatMap { $0 }, insertions: edit.insertions.runs.flatMap { $0 })
        var arrivals: [ObjectKey] = []
        for run in edit.insertions.runs {
            let new = try elements(run)
            guard new.count == run.count else { return nil }
            arrivals += new
        }
        let ranks = indices.insertions.indices.map { indices.insertions[$0] - $0 }
        guard ranks.last.map({ $0 <= kept }) != false else { return nil }
        var result = keys.removing(indices.deletions).inserting(Array(zip(arrivals, ranks)))
        var replaced: [(old: Int, new: Int)] = []
        for run in edit.modifications.runs {
            let assigned = try elements(run)
            guard assigned.count == run.count, run.upperBound <= result.count else { return nil }
            for (position, key) in zip(run, assigned) {
                guard let old = indices.oldIndex(ofNew: position) else { continue }
                if keys[old] == key {
                    indices.modifications.append(old)
                    indices.modificationsNew.append(position)
                } else {
                    result.remove(at: position)
                    result.insert(key, at: position)
                    replaced.append((old, position))
                }
            }
        }
        indices.deletions = (indices.deletions + replaced.map(\.old)).sorted()
        indices.insertions = (indices.insertions + replaced.map(\.new)).sorted()
        var next = self
        next.keys = result
        return (next, indices)
    }

    /// The difference that led to this result together with the elements that count as modified; those that the
    /// difference names already are among them.
    func adding(
        _ modified: Set<ObjectKey>, to indices: IndexChanges, _ reads: any ObjectReads
    ) throws -> IndexChanges {
        var change = indices
        change.modifications = []
        change.modificationsNew = []
        let assigned = indices.modificationsNew
        var positions = try positions(of: modified, reads)
        if !assigned.isEmpty { positions = Set(positions).union(assigned).sorted() }
        change.addModifications(atNew: positions)
        return change
    }

    /// The positions of those of the objects that are in the result, ascending. Cost: a search for each, or a pass over
    /// the result.
    func positions(of objects: Set<ObjectKey>, _ reads: any ObjectReads) throws -> [Int] {
        try positions(of: objects, reads) { try order.place(of: $0, reads) }
    }

    private func positions(
        of objects: Set<ObjectKey>, _ reads: any ObjectReads, _ read: (ObjectKey) throws -> ResultPlace
    ) throws -> [Int] {
        if objects.isEmpty || keys.isEmpty { return [] }
        guard isOrdered, objects.count <= keys.count / (order.isByCreation ? 16 : 1_024) + 4 else {
            return scan(for: objects)
        }
        var positions: [Int] = []
        for key in objects {
            // One that does not exist has no place.
            guard try order.isByCreation || reads.exists(order.classID, key) else { continue }
            let index = try keys.position(of: read(key), by: order, read)
            positions += keys.run(of: key, from: index)
        }
        return positions.sorted()
    }

    private func scan(for objects: Set<ObjectKey>) -> [Int] {
        guard let lowest = objects.min(), let highest = objects.max() else { return [] }
        var positions: [Int] = []
        var position = 0
        keys.forEachChunk { chunk in
            // The range spares most look-ups in the set: what changes together was often made together.
            for key in chunk {
                if key >= lowest, key <= highest, objects.contains(key) { positions.append(position) }
                position += 1
            }
            return true
        }
        return positions
    }
}
