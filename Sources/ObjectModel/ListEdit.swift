/// What was done to a list, by positions: take out `deletions` (positions before), then put in `insertions`
/// (positions after); `modifications` (positions after) were assigned. An element that moved is a deletion and
/// an insertion.
package struct ListEdit: Hashable, Sendable {
    package private(set) var deletions = IndexRuns()
    package private(set) var insertions = IndexRuns()
    package private(set) var modifications = IndexRuns()

    package init() {}

    package init(deletions: IndexRuns, insertions: IndexRuns, modifications: IndexRuns) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
    }

    /// All of `before` elements taken out and `after` new ones put in.
    package init(replacing before: Int, with after: Int) {
        deletions.insert(0..<before)
        insertions.insert(0..<after)
    }

    /// What leads back. Cost: the runs.
    package var inverted: ListEdit {
        // Assigned elements stayed, so each has a place among those that are neither deleted nor inserted.
        let before = modifications.runs.flatMap { run in
            insertions.gaps(in: run).flatMap { stayed in
                let rank = stayed.lowerBound - insertions.count(below: stayed.lowerBound)
                return deletions.positions(ofNonMembers: rank..<rank + stayed.count)
            }
        }
        return ListEdit(deletions: insertions, insertions: deletions, modifications: IndexRuns(runs: before))
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// An element was put in at `index`.
    package mutating func recordInsertion(at index: Int) { recordInsertions(at: index..<index + 1) }

    /// The element at `index` was taken out.
    package mutating func recordDeletion(at index: Int) { recordDeletions(at: index..<index + 1) }

    /// The element at `index` was assigned.
    package mutating func recordModification(at index: Int) { recordModifications(at: index..<index + 1) }

    /// The element at `from` was taken out and put in again at `to`.
    package mutating func recordMove(from: Int, to: Int) {
        guard from != to else { return }
        recordDeletion(at: from)
        recordInsertion(at: to)
    }

    /// Elements were put in that stand at `range` now. Cost: the runs.
    package mutating func recordInsertions(at range: Range<Int>) {
        modifications.openGap(at: range.lowerBound, count: range.count)
        insertions.openGap(at: range.lowerBound, count: range.count)
        insertions.insert(range)
    }

    /// The elements at `range` were taken out. Cost: the runs.
    package mutating func recordDeletions(at range: Range<Int>) {
        // Only those count that were there before; the runs of `deletions` tell where they stood.
        let before = insertions.gaps(in: range).flatMap { old in
            let rank = old.lowerBound - insertions.count(below: old.lowerBound)
            return deletions.positions(ofNonMembers: rank..<rank + old.count)
        }
        for run in before { deletions.insert(run) }
        modifications.closeGap(range)
        insertions.closeGap(range)
    }

    /// The elements at `range` were assigned. Cost: the runs.
    package mutating func recordModifications(at range: Range<Int>) {
        for old in insertions.gaps(in: range) { modifications.insert(old) }
    }

    /// Takes in what happened after this. Cost: the runs of both, multiplied.
    package mutating func merge(_ later: ListEdit) {
        for run in later.deletions.runs.reversed() { recordDeletions(at: run) }
        for run in later.insertions.runs { recordInsertions(at: run) }
        for run in later.modifications.runs { recordModifications(at: run) }
    }
}
