import HTTPMessages
import HTTPServer
import ObjectModel
import StoreContract
import Testing
@testable import OperationEndpoints

@Suite("The metrics of the last hour")
struct MetricsHistoryTests {
    private static func reading(_ second: Int, requests: Int, streams: Double = 0) -> MetricsHistory.Reading {
        var durations = [Int](repeating: 0, count: RequestMetrics.bounds.count + 1)
        durations[1] = requests
        return MetricsHistory.Reading(
            time: Timestamp(seconds: Int64(second)), moment: Double(second), requests: requests, failures: requests / 2,
            durations: durations, commits: 0,
            commitDurations: [Int](repeating: 0, count: StoreStatistics.Durations.bounds.count + 1),
            cpuSeconds: Double(second) / 4, gauges: [.streams: streams])
    }

    private static func value(_ point: MetricsHistory.Point, _ series: MetricsHistory.Series) -> Double {
        MetricsHistory.Series.allCases.firstIndex(of: series).map { point.values[$0] } ?? .nan
    }

    @Test("rates and times are those between two readings; the first has none")
    func rates() throws {
        let history = MetricsHistory()
        history.add(Self.reading(100, requests: 7, streams: 2))
        history.add(Self.reading(110, requests: 47, streams: 3))
        let points = history.points
        #expect(points.map(\.time) == [100_000, 110_000])
        let (first, second) = (try #require(points.first), try #require(points.last))
        #expect(Self.value(first, .requests).isNaN && Self.value(first, .latencyP50).isNaN)
        #expect(Self.value(first, .streams) == 2)
        #expect(Self.value(second, .requests) == 4)
        #expect(Self.value(second, .failures) == 2)
        #expect(Self.value(second, .cpu) == 0.25)
        // All between half a millisecond and one.
        #expect(Self.value(second, .latencyP50) == 0.00075)
        // Without commits there is no time of one.
        #expect(Self.value(second, .commits) == 0)
        #expect(Self.value(second, .commitP99).isNaN)
    }

    @Test("an hour is kept, and older points are dropped")
    func bound() throws {
        let history = MetricsHistory()
        for index in 0..<MetricsHistory.capacity + 25 { history.add(Self.reading(index * 10, requests: index)) }
        let points = history.points
        #expect(points.count == MetricsHistory.capacity)
        #expect(points.first?.time == 250_000)
        #expect(points.last?.time == Int64(MetricsHistory.capacity + 24) * 10_000)
        #expect(zip(points, points.dropFirst()).allSatisfy { $0.time < $1.time })
    }

    @Test("a quantile is interpolated, and values beyond the bounds have the highest")
    func quantiles() {
        #expect(MetricsHistory.quantile(0.5, of: [0, 0, 0], [1, 2]) == nil)
        #expect(MetricsHistory.quantile(0.5, of: [2, 2, 0], [1, 2]) == 1)
        #expect(MetricsHistory.quantile(0.75, of: [2, 2, 0], [1, 2]) == 1.5)
        #expect(MetricsHistory.quantile(0.99, of: [0, 0, 5], [1, 2]) == 2)
    }
}
