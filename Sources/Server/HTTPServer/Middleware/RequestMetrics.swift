/// Counts requests by route, by outcome and by duration. Any thread may count and read; counting costs three atomic
/// additions.
package final class RequestMetrics: Sendable {
    /// The numbers of one route.
    package struct Numbers: Sendable, Hashable {
        /// Responses by the first digit of their status, from 1 to 5.
        package var classes: [Int]
        /// Responses that took at most the bound with the same index and longer than the one before; the last element
        /// counts those beyond every bound.
        package var buckets: [Int]
        /// The total duration of all responses.
        package var seconds: Double

        package var count: Int { classes.reduce(0, +) }
    }

    /// The upper bounds of the buckets, in seconds.
    package static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let nanoseconds = bounds.map { Int64($0 * 1e9) }
    /// Five classes, the buckets including the last one, and the total duration.
    private static let stride = 5 + bounds.count + 1 + 1

    private let cells: AtomicCells
    private let capacity: Int

    /// - Parameter capacity: the maximum number of routes; those beyond count as no route.
    package init(capacity: Int = 256) {
        self.capacity = capacity
        cells = AtomicCells(count: (capacity + 1) * Self.stride)
    }

    /// - Parameter route: the index among the router's routes; nil if no route matched.
    func count(route: Int?, status: Int, nanoseconds: Int64) {
        let slot = route.map { $0 < capacity ? $0 : capacity } ?? capacity
        let base = slot * Self.stride
        cells.add(1, at: base + min(max(status / 100, 1), 5) - 1)
        let bucket = Self.nanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.nanoseconds.count
        cells.add(1, at: base + 5 + bucket)
        cells.add(Int(nanoseconds), at: base + Self.stride - 1)
    }

    /// Returns the numbers of a route by its index among the router's routes; nil for requests that matched none.
    package func numbers(ofRoute route: Int?) -> Numbers {
        let base = min(route ?? capacity, capacity) * Self.stride
        return Numbers(
            classes: (0..<5).map { cells[base + $0] },
            buckets: (0...Self.bounds.count).map { cells[base + 5 + $0] },
            seconds: Double(cells[base + Self.stride - 1]) / 1e9)
    }
}
