/// A run of elements that are adjacent both in the old and in the new order, and so stay or move together.
struct OrderedBlock {
    /// The block's position in the old order, unique in 0..<number of blocks.
    var oldPosition: Int
    /// The number of elements.
    var length: Int
    /// The number of modified elements.
    var modified: Int
}

/// The blocks that stay when a list is reordered.
enum LongestIncreasingSubsequence {
    /// Chooses from blocks, given in the new order, those that stay: in ascending old order, with the most elements
    /// and, among those choices, the fewest modified ones, so that modified elements are the ones that move. Returns
    /// indices into `blocks`, ascending. Cost: n log n in the number of blocks.
    static func staying(_ blocks: [OrderedBlock]) -> [Int] {
        if zip(blocks, blocks.dropFirst()).allSatisfy({ $0.oldPosition < $1.oldPosition }) {
            return Array(blocks.indices)
        }
        var best = [Choice](repeating: Choice(score: Score(), block: nil), count: blocks.count + 1)
        var previous = [Int?](repeating: nil, count: blocks.count)
        var end = Choice(score: Score(), block: nil)
        for (index, block) in blocks.enumerated() {
            // The best run over old positions below this one, from a tree of prefix maxima.
            var before = Choice(score: Score(), block: nil)
            var node = block.oldPosition
            while node > 0 {
                if before.score < best[node].score { before = best[node] }
                node -= node & -node
            }
            previous[index] = before.block
            let score = Score(
                length: before.score.length + block.length, modified: before.score.modified + block.modified)
            let choice = Choice(score: score, block: index)
            if end.score < score { end = choice }
            node = block.oldPosition + 1
            while node <= blocks.count {
                if best[node].score < score { best[node] = choice }
                node += node & -node
            }
        }
        var run: [Int] = []
        var next = end.block
        while let block = next {
            run.append(block)
            next = previous[block]
        }
        return run.reversed()
    }

    private struct Choice {
        var score: Score
        var block: Int?
    }

    private struct Score: Comparable {
        var length = 0
        var modified = 0

        static func < (a: Score, b: Score) -> Bool {
            a.length != b.length ? a.length < b.length : a.modified > b.modified
        }
    }
}
