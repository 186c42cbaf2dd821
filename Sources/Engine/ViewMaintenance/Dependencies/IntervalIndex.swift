/// Closed intervals of numbers, one of each view, and a search for those that contain a number.
///
/// Cost of a look-up: the logarithm of the number of intervals for each one found, and a look at the few that were added
/// lately. Adding costs, on average, the square of the logarithm.
struct IntervalIndex {
    private struct Entry {
        let range: ClosedRange<Double>
        let view: Int
        /// Tells the interval of a view from one that was removed.
        let serial: Int
    }

    /// By their lower bounds. Some may have been removed.
    private var sorted: [Entry] = []
    /// A binary search tree over `sorted`, in which a range's root is its middle: the greatest upper bound below each.
    private var greatest: [Double] = []
    /// Those that are not sorted yet.
    private var recent: [Entry] = []
    /// The serial number of each view's interval.
    private var serials: [Int: Int] = [:]
    private var next = 0

    var isEmpty: Bool { serials.isEmpty }

    /// - Precondition: the view has no interval.
    mutating func add(_ range: ClosedRange<Double>, of view: Int) {
        next += 1
        serials[view] = next
        recent.append(Entry(range: range, view: view, serial: next))
        if recent.count > 32 + sorted.count / 8 { sort() }
    }

    mutating func remove(_ view: Int) {
        serials[view] = nil
        if sorted.count + recent.count > 64 + serials.count * 2 { sort() }
    }

    func collect(containing number: Double, _ found: inout Set<Int>) {
        for entry in recent where entry.range.contains(number) && isKept(entry) { found.insert(entry.view) }
        collect(0..<sorted.count, number, &found)
    }

    func collectAll(_ found: inout Set<Int>) { found.formUnion(serials.keys) }

    private func isKept(_ entry: Entry) -> Bool { serials[entry.view] == entry.serial }

    private func collect(_ part: Range<Int>, _ number: Double, _ found: inout Set<Int>) {
        guard !part.isEmpty else { return }
        let middle = part.lowerBound + part.count / 2
        guard number <= greatest[middle] else { return }
        collect(part.lowerBound..<middle, number, &found)
        let entry = sorted[middle]
        guard entry.range.lowerBound <= number else { return }
        if number <= entry.range.upperBound, isKept(entry) { found.insert(entry.view) }
        collect(middle + 1..<part.upperBound, number, &found)
    }

    private mutating func sort() {
        sorted = (sorted + recent).filter(isKept).sorted { $0.range.lowerBound < $1.range.lowerBound }
        recent = []
        greatest = Array(repeating: -.infinity, count: sorted.count)
        _ = fill(0..<sorted.count)
    }

    private mutating func fill(_ part: Range<Int>) -> Double {
        guard !part.isEmpty else { return -.infinity }
        let middle = part.lowerBound + part.count / 2
        let below = max(fill(part.lowerBound..<middle), fill(middle + 1..<part.upperBound))
        greatest[middle] = max(below, sorted[middle].range.upperBound)
        return greatest[middle]
    }
}
