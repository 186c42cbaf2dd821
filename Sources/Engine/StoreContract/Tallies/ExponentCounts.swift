/// How many numbers of a sum have which exponent.
struct ExponentCounts: Sendable {
    /// Ascending.
    private var counts: [(exponent: Int, count: Int)] = []

    /// Nil if there are no numbers.
    var lowest: Int? { counts.first?.exponent }

    /// Cost: the number of exponents that are lower. Numbers of one origin have few, and most of them the lowest.
    mutating func add(_ exponent: Int, _ count: Int) {
        var place = 0
        while place < counts.count, counts[place].exponent < exponent { place += 1 }
        if place == counts.count || counts[place].exponent != exponent { counts.insert((exponent, 0), at: place) }
        counts[place].count += count
        if counts[place].count == 0 { counts.remove(at: place) }
    }

    mutating func merge(_ other: ExponentCounts) {
        for (exponent, count) in other.counts { add(exponent, count) }
    }
}
