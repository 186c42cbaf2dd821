/// A set of positions as ascending runs that do not touch. A million neighbouring positions are one run.
package struct IndexRuns: Hashable, Sendable {
    package private(set) var runs: [Range<Int>] = []

    package init() {}

    package init(_ indices: some Sequence<Int>) {
        for index in indices { insert(index) }
    }

    /// From runs in any order; empty ones are left out, overlapping ones joined.
    package init(runs: [Range<Int>]) {
        for run in runs.sorted(by: { $0.lowerBound < $1.lowerBound }) where !run.isEmpty {
            if let last = self.runs.last, last.upperBound >= run.lowerBound {
                self.runs[self.runs.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                self.runs.append(run)
            }
        }
    }

    package var isEmpty: Bool { runs.isEmpty }
    package var count: Int { runs.reduce(0) { $0 + $1.count } }
    package var indices: [Int] { runs.flatMap { Array($0) } }

    package func contains(_ index: Int) -> Bool {
        let place = firstRun(endingAfter: index)
        return place < runs.count && runs[place].contains(index)
    }

    /// The members below `index`.
    package func count(below index: Int) -> Int {
        var total = 0
        for run in runs {
            if run.lowerBound >= index { break }
            total += min(run.upperBound, index) - run.lowerBound
        }
        return total
    }

    package mutating func insert(_ index: Int) { insert(index..<index + 1) }

    package mutating func insert(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        var lower = range.lowerBound
        var upper = range.upperBound
        // Runs that overlap or touch are swallowed.
        let first = firstRun(endingAfter: lower - 1)
        var end = first
        while end < runs.count, runs[end].lowerBound <= upper {
            lower = min(lower, runs[end].lowerBound)
            upper = max(upper, runs[end].upperBound)
            end += 1
        }
        runs.replaceSubrange(first..<end, with: [lower..<upper])
    }

    /// Whether the index was a member.
    @discardableResult
    package mutating func remove(_ index: Int) -> Bool {
        let place = firstRun(endingAfter: index)
        guard place < runs.count, runs[place].contains(index) else { return false }
        let run = runs[place]
        runs.replaceSubrange(
            place...place, with: [run.lowerBound..<index, index + 1..<run.upperBound].filter { !$0.isEmpty })
        return true
    }

    /// Makes room at `index`: members from there on move up by one. The new place is not a member.
    package mutating func openGap(at index: Int) {
        let place = firstRun(endingAfter: index)
        guard place < runs.count else { return }
        var following = place
        if runs[place].lowerBound < index {
            let run = runs[place]
            runs.replaceSubrange(place...place, with: [run.lowerBound..<index, index..<run.upperBound])
            following += 1
        }
        for position in following..<runs.count {
            runs[position] = runs[position].lowerBound + 1..<runs[position].upperBound + 1
        }
    }

    /// Takes the place `index` out: members above move down by one. Whether it was a member.
    @discardableResult
    package mutating func closeGap(at index: Int) -> Bool {
        let wasMember = remove(index)
        let place = firstRun(endingAfter: index)
        for position in place..<runs.count {
            runs[position] = runs[position].lowerBound - 1..<runs[position].upperBound - 1
        }
        if place > 0, place < runs.count, runs[place - 1].upperBound == runs[place].lowerBound {
            runs[place - 1] = runs[place - 1].lowerBound..<runs[place].upperBound
            runs.remove(at: place)
        }
        return wasMember
    }

    /// The position of the first place that is no member and has `rank` such places before it: where the
    /// element that is now number `rank` of those that were left stood among all.
    package func position(ofNonMember rank: Int) -> Int {
        var position = rank
        for run in runs {
            if run.lowerBound > position { break }
            position += run.count
        }
        return position
    }

    private func firstRun(endingAfter index: Int) -> Int {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].upperBound <= index { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
