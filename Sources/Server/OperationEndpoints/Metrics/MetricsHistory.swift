import Dispatch
import HTTPServer
import ObjectModel
import StoreContract
import Synchronization

/// The readings of the last hour, for people without a monitoring system. The memory is allocated once: 360 points of
/// 14 numbers, 40 KB. Older points are overwritten.
final class MetricsHistory: Sendable {
    /// The series of a point, in the order of its values.
    enum Series: String, CaseIterable {
        case requests, failures, latencyP50, latencyP99, commits, commitP50, commitP99, streams, liveQueries
        case storeBytes, versionsPinned, residentBytes, cpu
    }

    /// The time between two readings, in seconds.
    static let interval = 10
    /// One hour.
    static let capacity = 3600 / interval

    /// The counters at one moment.
    struct Reading {
        var time: Timestamp
        /// Seconds of a clock that never goes back.
        var moment: Double
        var requests: Int
        var failures: Int
        var durations: [Int]
        var commits: Int
        var commitDurations: [Int]
        var cpuSeconds: Double
        /// The values that are shown as they are.
        var gauges: [Series: Double]
    }

    struct Point {
        /// Milliseconds since 1970.
        var time: Int64
        /// In the order of `Series`; NaN where there is none.
        var values: [Double]
    }

    private struct Ring {
        var times = [Int64](repeating: 0, count: MetricsHistory.capacity)
        var values = [Double](repeating: .nan, count: MetricsHistory.capacity * Series.allCases.count)
        /// The number of points so far, those that were overwritten included.
        var count = 0
        var last: Reading?
    }

    private let ring = Mutex(Ring())
    private let queue = DispatchQueue(label: "realmgate.metrics")

    /// Reads every ten seconds, while this object exists. Cost: the sums of the counters of all routes.
    func readRegularly(_ read: @escaping @Sendable () -> Reading?) {
        if let reading = read() { add(reading) }
        queue.asyncAfter(deadline: .now() + .seconds(Self.interval)) { [weak self] in self?.readRegularly(read) }
    }

    /// Adds a point. The first reading gives none of the values that are differences of two.
    func add(_ reading: Reading) {
        ring.withLock { ring in
            let values = Self.values(reading, after: ring.last)
            let slot = ring.count % Self.capacity
            ring.times[slot] =
                reading.time.floored.seconds * 1000 + Int64(reading.time.floored.fraction / 1_000_000)
            for (index, series) in Series.allCases.enumerated() {
                ring.values[slot * Series.allCases.count + index] = values[series] ?? .nan
            }
            ring.count += 1
            ring.last = reading
        }
    }

    /// The points, the oldest first.
    var points: [Point] {
        ring.withLock { ring in
            let width = Series.allCases.count
            let first = max(0, ring.count - Self.capacity)
            return (first..<ring.count).map { number in
                let slot = number % Self.capacity
                return Point(
                    time: ring.times[slot], values: Array(ring.values[slot * width..<(slot + 1) * width]))
            }
        }
    }

    private static func values(_ now: Reading, after last: Reading?) -> [Series: Double] {
        var values = now.gauges
        guard let last, now.moment > last.moment else { return values }
        let seconds = now.moment - last.moment
        values[.requests] = Double(now.requests - last.requests) / seconds
        values[.failures] = Double(now.failures - last.failures) / seconds
        values[.commits] = Double(now.commits - last.commits) / seconds
        values[.cpu] = (now.cpuSeconds - last.cpuSeconds) / seconds
        let durations = zip(now.durations, last.durations).map { $0 - $1 }
        values[.latencyP50] = quantile(0.5, of: durations, RequestMetrics.bounds)
        values[.latencyP99] = quantile(0.99, of: durations, RequestMetrics.bounds)
        let commits = zip(now.commitDurations, last.commitDurations).map { $0 - $1 }
        values[.commitP50] = quantile(0.5, of: commits, StoreStatistics.Durations.bounds)
        values[.commitP99] = quantile(0.99, of: commits, StoreStatistics.Durations.bounds)
        return values
    }

    /// A quantile of a histogram, interpolated within its bucket; nil without values, and the highest bound for values
    /// beyond it.
    static func quantile(_ share: Double, of buckets: [Int], _ bounds: [Double]) -> Double? {
        let all = buckets.reduce(0, +)
        guard all > 0 else { return nil }
        let wanted = share * Double(all)
        var below = 0.0
        var low = 0.0
        for (count, bound) in zip(buckets, bounds) {
            if below + Double(count) >= wanted, count > 0 {
                return low + (bound - low) * (wanted - below) / Double(count)
            }
            below += Double(count)
            low = bound
        }
        return low
    }
}
