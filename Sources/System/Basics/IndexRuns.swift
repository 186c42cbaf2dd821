/// A set of positions as ascending runs that do not touch. A million neighbouring positions are one run.
package struct IndexRuns: Hashable, Sendable {
    package private(set) var runs: [Range<Int>] = []

    package init() {}

    package init(_ indices: some Sequence<Int>) {
        for index in indices { insert(index) }
    }

    /// Makes a set of runs in any order; empty ones are ignored, overlapping ones joined.
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
        let number = firstRun(endingAfter: index)
        return number < runs.count && runs[number].contains(index)
    }

    /// The number of members below `index`.
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
        // Runs that overlap or touch are merged.
        let first = firstRun(endingAfter: lower - 1)
        var end = first
        while end < runs.count, runs[end].lowerBound <= upper {
            lower = min(lower, runs[end].lowerBound)
            upper = max(upper, runs[end].upperBound)
            end += 1
        }
        runs.replaceSubrange(first..<end, with: [lower..<upper])
    }

    /// Removes the index; returns whether it was a member.
    @discardableResult
    package mutating func remove(_ index: Int) -> Bool {
        let number = firstRun(endingAfter: index)
        guard number < runs.count, runs[number].contains(index) else { return false }
        let run = runs[number]
        runs.replaceSubrange(
            number...number, with: [run.lowerBound..<index, index + 1..<run.upperBound].filter { !$0.isEmpty })
        return true
    }

    /// Makes room for `count` positions at `index`: members from there on move up. The new positions are not members.
    package mutating func openGap(at index: Int, count: Int = 1) {
        let number = firstRun(endingAfter: index)
        guard number < runs.count, count > 0 else { return }
        var following = number
        if runs[number].lowerBound < index {
            let run = runs[number]
            runs.replaceSubrange(number...number, with: [run.lowerBound..<index, index..<run.upperBound])
            following += 1
        }
        for position in following..<runs.count {
            runs[position] = runs[position].lowerBound + count..<runs[position].upperBound + count
        }
    }

    /// Removes positions: members above move down.
    package mutating func closeGap(_ range: Range<Int>) {
        guard !range.isEmpty else { return }
        let first = firstRun(endingAfter: range.lowerBound)
        var end = first
        var remaining: [Range<Int>] = []
        while end < runs.count, runs[end].lowerBound < range.upperBound {
            let run = runs[end]
            if run.lowerBound < range.lowerBound { remaining.append(run.lowerBound..<range.lowerBound) }
            if run.upperBound > range.upperBound { remaining.append(range.upperBound..<run.upperBound) }
            end += 1
        }
        runs.replaceSubrange(first..<end, with: remaining)
        for position in firstRun(endingAfter: range.lowerBound)..<runs.count {
            runs[position] = runs[position].lowerBound - range.count..<runs[position].upperBound - range.count
        }
        // The runs on both sides of the removed positions may touch now.
        let joint = firstRun(endingAfter: range.lowerBound)
        if joint > 0, joint < runs.count, runs[joint - 1].upperBound == runs[joint].lowerBound {
            runs[joint - 1] = runs[joint - 1].lowerBound..<runs[joint].upperBound
            runs.remove(at: joint)
        }
    }

    /// The positions of `range` that are not members.
    package func gaps(in range: Range<Int>) -> [Range<Int>] {
        var gaps: [Range<Int>] = []
        var start = range.lowerBound
        for run in runs[firstRun(endingAfter: start)...] {
            guard run.lowerBound < range.upperBound else { break }
            if start < run.lowerBound { gaps.append(start..<run.lowerBound) }
            start = run.upperBound
        }
        if start < range.upperBound { gaps.append(start..<range.upperBound) }
        return gaps
    }

    /// The positions of the non-members with the given ranks, counted among non-members: with the members 0 and 3,
    /// ranks 0..<3 are at 1..<3 and 4..<5.
    package func positions(ofNonMembers ranks: Range<Int>) -> [Range<Int>] {
        var positions: [Range<Int>] = []
        var rank = ranks.lowerBound
        var passed = 0
        for run in runs {
            let end = min(run.lowerBound - passed, ranks.upperBound)
            if rank < end {
                positions.append(rank + passed..<end + passed)
                rank = end
            }
            if rank == ranks.upperBound { return positions }
            passed += run.count
        }
        if rank < ranks.upperBound { positions.append(rank + passed..<ranks.upperBound + passed) }
        return positions
    }

    private func firstRun(endingAfter index: Int) -> Int {
        runs.partitioningIndex { $0.upperBound > index }
    }
}
