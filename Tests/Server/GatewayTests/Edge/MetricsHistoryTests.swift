import AccessRules
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import Testing

@testable import Gateway

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

    @Test("the endpoint has a point for each reading, with the requests that were made")
    func endpoint() throws {
        let gateway = try TestGateway()
        try gateway.fill()
        _ = try gateway.get("/v1/objects/Cat")
        gateway.gateway.recordMetrics()
        let answer = try gateway.get("/v1/metrics/history")
        #expect(answer.status == 200)
        #expect(answer.headers["Cache-Control"] == "no-store")
        #expect(answer.member("seconds") == .int(10))
        let times = try #require(answer.member("times")?.asArray)
        #expect(times.count == 2)
        let series = try #require(answer.member("series"))
        for name in MetricsHistory.Series.allCases {
            #expect(series[name.rawValue]?.asArray?.count == times.count, "\(name)")
        }
        #expect(series["requests"]?.asArray?.first == .null)
        guard case .double(let requests)? = series["requests"]?.asArray?.last,
            case .double(let failures)? = series["failures"]?.asArray?.last
        else {
            Issue.record("no rates: \(answer.text)")
            return
        }
        #expect(requests > 0 && failures > 0 && failures < requests)
        #expect(try gateway.get("/v1/metrics/history?x=1").status == 400)
    }

    @Test("the callers of the metrics may read it, and no others", arguments: [true, false])
    func access(isOpen: Bool) throws {
        let guarded = try GuardedGateway([Role(name: "reader", others: ClassRule(read: "TRUEPREDICATE"))]) {
            $0.metricsAreOpen = isOpen
        }
        let path = "/v1/metrics/history"
        let reader: HeaderFields = ["X-API-Key": try guarded.secret("reader")]
        for headers in [HeaderFields(), reader] {
            let (history, metrics) = (
                try guarded.gateway.get(path, headers: headers), try guarded.gateway.get("/metrics", headers: headers)
            )
            #expect(history.status == metrics.status)
            #expect(history.status == 200 || !isOpen)
        }
        #expect(try guarded.gateway.get(path, headers: reader).status == (isOpen ? 200 : 403))
        #expect(try guarded.gateway.get(path, headers: try guarded.bearer("admin")).status == 200)
    }
}
