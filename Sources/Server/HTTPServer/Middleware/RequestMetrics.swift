/// How many requests took which route, how they ended and how long they took. Any thread may count and read; counting
/// costs three atomic additions.
package final class RequestMetrics: Sendable {
    /// The numbers of one route.
    package struct Numbers: Sendable, Hashable {
        /// Answers by the first digit of their status, from 1 to 5.
        package var classes: [Int]
        /// Answers that took no longer than the bound with the same index and longer than the one before; the last one
        /// counts all that took longer than every bound.
        package var buckets: [Int]
        /// Of all answers.
        package var seconds: Double

        package var count: Int { classes.reduce(0, +) }
    }

    /// Upper bounds of the buckets, in seconds.
    package static let bounds: [Double] = [
        0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    private static let nanoseconds = bounds.map { Int64($0 * 1e9) }
    /// Five classes, the buckets with the last one, the time.
    private static let stride = 5 + bounds.count + 1 + 1

    private let cells: AtomicCells
    private let capacity: Int

    /// - Parameter capacity: most routes; the ones beyond count as none.
    package init(capacity: Int = 256) {
        self.capacity = capacity
        cells = AtomicCells(count: (capacity + 1) * Self.stride)
    }

    /// - Parameter route: the place among the router's routes; nil for a request that took none.
    func count(route: Int?, status: Int, nanoseconds: Int64) {
        let slot = route.map { $0 < capacity ? $0 : capacity } ?? capacity
        let base = slot * Self.stride
        cells.add(1, at: base + min(max(status / 100, 1), 5) - 1)
        let bucket = Self.nanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.nanoseconds.count
        cells.add(1, at: base + 5 + bucket)
        cells.add(Int(nanoseconds), at: base + Self.stride - 1)
    }

    /// The numbers of a route by its place among the router's routes; nil for the requests that took none.
    package func numbers(ofRoute route: Int?) -> Numbers {
        let base = min(route ?? capacity, capacity) * Self.stride
        return Numbers(
            classes: (0..<5).map { cells[base + $0] },
            buckets: (0...Self.bounds.count).map { cells[base + 5 + $0] },
            seconds: Double(cells[base + Self.stride - 1]) / 1e9)
    }
}
