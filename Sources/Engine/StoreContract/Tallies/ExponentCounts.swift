/// How many numbers of a sum have which exponent.
struct ExponentCounts: Sendable {
    /// Ascending.
    private var counts: [(exponent: Int, count: Int)] = []

    /// Nil if there are no numbers.
    var lowest: Int? { counts.first?.exponent }

    /// Cost: the number of exponents that are lower. Numbers of one origin have few, and most of them the lowest.
    mutating func add(_ exponent: Int, _ count: Int) {
        var index = 0
        while index < counts.count, counts[index].exponent < exponent { index += 1 }
        if index == counts.count || counts[index].exponent != exponent { counts.insert((exponent, 0), at: index) }
        counts[index].count += count
        if counts[index].count == 0 { counts.remove(at: index) }
    }

    mutating func merge(_ other: ExponentCounts) {
        for (exponent, count) in other.counts { add(exponent, count) }
    }
}
