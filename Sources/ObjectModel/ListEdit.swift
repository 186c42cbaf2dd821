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

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// An element was put in at `index`.
    package mutating func recordInsertion(at index: Int) {
        modifications.openGap(at: index)
        insertions.openGap(at: index)
        insertions.insert(index)
    }

    /// The element at `index` was taken out.
    package mutating func recordDeletion(at index: Int) {
        let before = positionBefore(index)
        modifications.closeGap(at: index)
        if !insertions.closeGap(at: index) { deletions.insert(before) }
    }

    /// The element at `index` was assigned.
    package mutating func recordModification(at index: Int) {
        if !insertions.contains(index) { modifications.insert(index) }
    }

    package mutating func recordMove(from: Int, to: Int) {
        guard from != to else { return }
        recordDeletion(at: from)
        recordInsertion(at: to)
    }

    /// Takes in what happened after this. Cost: the runs of both, for each position of the later one.
    package mutating func merge(_ later: ListEdit) {
        for run in later.deletions.runs.reversed() {
            for index in run.reversed() { recordDeletion(at: index) }
        }
        for run in later.insertions.runs {
            for index in run { recordInsertion(at: index) }
        }
        for run in later.modifications.runs {
            for index in run { recordModification(at: index) }
        }
    }

    /// Where an element that is now at `index`, and was not put in, stood before.
    private func positionBefore(_ index: Int) -> Int {
        deletions.position(ofNonMember: index - insertions.count(below: index))
    }
}
