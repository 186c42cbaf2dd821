package import Basics

/// The edit of a list, by positions: remove `deletions` (positions before), then insert `insertions` (positions after);
/// `modifications` (positions after) were assigned. An element that moved is a deletion and an insertion, unless it was
/// moved back.
package struct ListEdit: Hashable, Sendable {
    /// An element that was removed and inserted again at another position.
    package struct Move: Hashable, Sendable {
        /// The position before, which is among the deletions.
        package var from: Int
        /// The position after, which is among the insertions.
        package var to: Int
        /// Whether it was also assigned, which counts again once it is moved back.
        package var isModified: Bool

        package init(from: Int, to: Int, isModified: Bool = false) {
            self.from = from
            self.to = to
            self.isModified = isModified
        }
    }

    package private(set) var deletions = IndexRuns()
    package private(set) var insertions = IndexRuns()
    package private(set) var modifications = IndexRuns()
    /// The pairs of deletions and insertions that are the same element. Ascending by `from`.
    package private(set) var moves: [Move] = []

    package init() {}

    package init(deletions: IndexRuns, insertions: IndexRuns, modifications: IndexRuns, moves: [Move] = []) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves.sorted { $0.from < $1.from }
    }

    /// An edit that removes all of `before` elements and inserts `after` new ones.
    package init(replacing before: Int, with after: Int) {
        deletions.insert(0..<before)
        insertions.insert(0..<after)
    }

    /// The edit that undoes this one. Cost: the runs.
    package var inverted: ListEdit {
        // Assigned elements stayed, so each has a position among those that are neither deleted nor inserted.
        let before = modifications.runs.flatMap { run in
            insertions.gaps(in: run).flatMap { stayed in
                let rank = stayed.lowerBound - insertions.count(below: stayed.lowerBound)
                return deletions.positions(ofNonMembers: rank..<rank + stayed.count)
            }
        }
        return ListEdit(
            deletions: insertions, insertions: deletions, modifications: IndexRuns(runs: before),
            moves: moves.map { Move(from: $0.to, to: $0.from, isModified: $0.isModified) })
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// Records that an element was inserted at `index`.
    package mutating func recordInsertion(at index: Int) { recordInsertions(at: index..<index + 1) }

    /// Records that the element at `index` was removed.
    package mutating func recordDeletion(at index: Int) { recordDeletions(at: index..<index + 1) }

    /// Records that the element at `index` was assigned.
    package mutating func recordModification(at index: Int) { recordModifications(at: index..<index + 1) }

    /// Records that the element at `from` was removed and inserted again at `to`. An element that is back among its
    /// former neighbours counts as never removed. Cost: the runs and the moves.
    package mutating func recordMove(from: Int, to: Int) {
        guard from != to else { return }
        let move = origin(of: from)
        recordDeletion(at: from)
        recordInsertion(at: to)
        if let move { addMove(Move(from: move.from, to: to, isModified: move.isModified)) }
    }

    /// Records that elements were inserted, which are at `range` now. Cost: the runs and the moves.
    package mutating func recordInsertions(at range: Range<Int>) {
        modifications.openGap(at: range.lowerBound, count: range.count)
        insertions.openGap(at: range.lowerBound, count: range.count)
        insertions.insert(range)
        for index in moves.indices where moves[index].to >= range.lowerBound { moves[index].to += range.count }
    }

    /// Records that the elements at `range` were removed. Cost: the runs and the moves.
    package mutating func recordDeletions(at range: Range<Int>) {
        // Only elements that existed before count; the runs of `deletions` give their former positions.
        let before = insertions.gaps(in: range).flatMap { old in
            let rank = old.lowerBound - insertions.count(below: old.lowerBound)
            return deletions.positions(ofNonMembers: rank..<rank + old.count)
        }
        for run in before { deletions.insert(run) }
        modifications.closeGap(range)
        insertions.closeGap(range)
        guard !moves.isEmpty else { return }
        moves.removeAll { range.contains($0.to) }
        for index in moves.indices where moves[index].to >= range.upperBound { moves[index].to -= range.count }
    }

    /// Records that the elements at `range` were assigned. Cost: the runs and the moves.
    package mutating func recordModifications(at range: Range<Int>) {
        for old in insertions.gaps(in: range) { modifications.insert(old) }
        for index in moves.indices where range.contains(moves[index].to) { moves[index].isModified = true }
    }

    /// Merges an edit that happened after this one. Cost: the runs and moves of both, multiplied.
    package mutating func merge(_ later: ListEdit) {
        let moved = later.moves.compactMap { move in
            origin(of: move.from).map {
                Move(from: $0.from, to: move.to, isModified: $0.isModified || move.isModified)
            }
        }
        for run in later.deletions.runs.reversed() { recordDeletions(at: run) }
        for run in later.insertions.runs { recordInsertions(at: run) }
        for run in later.modifications.runs { recordModifications(at: run) }
        for move in moved { addMove(move) }
    }

    /// The former position of the element at `index`; nil for one that was inserted.
    private func origin(of index: Int) -> Move? {
        if let move = moves.first(where: { $0.to == index }) { return move }
        guard !insertions.contains(index) else { return nil }
        let rank = index - insertions.count(below: index)
        guard let before = deletions.positions(ofNonMembers: rank..<rank + 1).first else { return nil }
        return Move(from: before.lowerBound, to: index, isModified: modifications.contains(index))
    }

    /// Records that a deletion and an insertion are one element, or drops both when its position is unchanged.
    private mutating func addMove(_ move: Move) {
        let rankBefore = move.from - deletions.count(below: move.from)
        let rankAfter = move.to - insertions.count(below: move.to)
        if rankBefore == rankAfter {
            deletions.remove(move.from)
            insertions.remove(move.to)
            if move.isModified { modifications.insert(move.to) }
        } else {
            moves.insert(move, at: moves.partitioningIndex { $0.from >= move.from })
        }
    }
}
