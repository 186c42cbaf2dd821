/// What was done to a list, by positions: take out `deletions` (positions before), then put in `insertions`
/// (positions after); `modifications` (positions after) were assigned. An element that moved is a deletion and
/// an insertion, unless it was moved back.
package struct ListEdit: Hashable, Sendable {
    /// An element that was taken out and put in again at another place.
    package struct Move: Hashable, Sendable {
        /// The position before, which is among the deletions.
        package var from: Int
        /// The position after, which is among the insertions.
        package var to: Int
        /// Whether it was assigned, too, which counts again once it is moved back.
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
    /// Which insertions are the same elements as which deletions. Ascending by `from`.
    package private(set) var moves: [Move] = []

    package init() {}

    package init(deletions: IndexRuns, insertions: IndexRuns, modifications: IndexRuns, moves: [Move] = []) {
        self.deletions = deletions
        self.insertions = insertions
        self.modifications = modifications
        self.moves = moves.sorted { $0.from < $1.from }
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
        return ListEdit(
            deletions: insertions, insertions: deletions, modifications: IndexRuns(runs: before),
            moves: moves.map { Move(from: $0.to, to: $0.from, isModified: $0.isModified) })
    }

    package var isEmpty: Bool { deletions.isEmpty && insertions.isEmpty && modifications.isEmpty }

    /// An element was put in at `index`.
    package mutating func recordInsertion(at index: Int) { recordInsertions(at: index..<index + 1) }

    /// The element at `index` was taken out.
    package mutating func recordDeletion(at index: Int) { recordDeletions(at: index..<index + 1) }

    /// The element at `index` was assigned.
    package mutating func recordModification(at index: Int) { recordModifications(at: index..<index + 1) }

    /// The element at `from` was taken out and put in again at `to`. One that is back among the neighbours that it had
    /// counts as never taken out. Cost: the runs and the moves.
    package mutating func recordMove(from: Int, to: Int) {
        guard from != to else { return }
        let move = origin(of: from)
        recordDeletion(at: from)
        recordInsertion(at: to)
        if let move { take(Move(from: move.from, to: to, isModified: move.isModified)) }
    }

    /// Elements were put in that stand at `range` now. Cost: the runs and the moves.
    package mutating func recordInsertions(at range: Range<Int>) {
        modifications.openGap(at: range.lowerBound, count: range.count)
        insertions.openGap(at: range.lowerBound, count: range.count)
        insertions.insert(range)
        for index in moves.indices where moves[index].to >= range.lowerBound { moves[index].to += range.count }
    }

    /// The elements at `range` were taken out. Cost: the runs and the moves.
    package mutating func recordDeletions(at range: Range<Int>) {
        // Only those count that were there before; the runs of `deletions` tell where they stood.
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

    /// The elements at `range` were assigned. Cost: the runs and the moves.
    package mutating func recordModifications(at range: Range<Int>) {
        for old in insertions.gaps(in: range) { modifications.insert(old) }
        for index in moves.indices where range.contains(moves[index].to) { moves[index].isModified = true }
    }

    /// Takes in what happened after this. Cost: the runs and moves of both, multiplied.
    package mutating func merge(_ later: ListEdit) {
        let moved = later.moves.compactMap { move in
            origin(of: move.from).map {
                Move(from: $0.from, to: move.to, isModified: $0.isModified || move.isModified)
            }
        }
        for run in later.deletions.runs.reversed() { recordDeletions(at: run) }
        for run in later.insertions.runs { recordInsertions(at: run) }
        for run in later.modifications.runs { recordModifications(at: run) }
        for move in moved { take(move) }
    }

    /// Where the element that stands at `index` stood before; nil for one that was put in.
    private func origin(of index: Int) -> Move? {
        if let move = moves.first(where: { $0.to == index }) { return move }
        guard !insertions.contains(index) else { return nil }
        let rank = index - insertions.count(below: index)
        guard let before = deletions.positions(ofNonMembers: rank..<rank + 1).first else { return nil }
        return Move(from: before.lowerBound, to: index, isModified: modifications.contains(index))
    }

    /// Notes that a deletion and an insertion are one element, or drops both when it is where it was anyway.
    private mutating func take(_ move: Move) {
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
