import HTTPMessages
package import HTTPServer
import JSONCoding
import LiveStreams
import RequestHandling
import RequestParameters
import StoreContract

extension OperationEndpoints {
    /// `GET /v1/metrics/history`, for those who may read the metrics.
    package func getMetricsHistory(_ request: Request, _ path: PathParameters) throws -> Reply {
        _ = try QueryParameters(request, single: [])
        let points = history.points
        let json = JSONWriter(capacity: 64 * (points.count + 8))
        json.beginObject()
        json.name("seconds")
        json.int(MetricsHistory.interval)
        json.name("times")
        json.beginArray()
        for point in points { json.int(point.time) }
        json.endArray()
        json.name("series")
        json.beginObject()
        for (index, series) in MetricsHistory.Series.allCases.enumerated() {
            json.name(series.rawValue)
            json.beginArray()
            for point in points {
                let value = point.values[index]
                if value.isNaN { json.null() } else { json.double(value) }
            }
            json.endArray()
        }
        json.endObject()
        json.endObject()
        var response = Response.json(json.bytes)
        response.headers["Cache-Control"] = "no-store"
        return .now(response)
    }

    /// Begins to record the history.
    package func recordHistory() {
        history.readRegularly { [weak self] in self?.reading() }
    }

    /// Records the present numbers, which otherwise happens every few seconds.
    package func recordMetrics() { history.add(reading()) }

    private func reading() -> MetricsHistory.Reading {
        let store = context.store.statistics()
        let process = ProcessNumbers.now()
        var reading = MetricsHistory.Reading(
            time: context.settings.now.clock(), moment: (ContinuousClock.now - started) / .seconds(1), requests: 0,
            failures: 0, durations: [Int](repeating: 0, count: RequestMetrics.bounds.count + 1),
            commits: store.commits.count, commitDurations: store.commits.buckets, cpuSeconds: process.cpuSeconds,
            gauges: [
                .streams: Double(sources.server.openStreams), .liveQueries: Double(sources.topics.count),
                .storeBytes: Double(store.usedBytes), .versionsPinned: Double(store.pinnedVersions),
                .residentBytes: Double(process.residentBytes),
            ])
        for route in sources.routes().indices.map(Optional.some) + [nil] {
            let numbers = sources.requests.numbers(ofRoute: route)
            reading.requests += numbers.count
            // 4xx and 5xx.
            reading.failures += numbers.classes[3] + numbers.classes[4]
            for index in numbers.buckets.indices { reading.durations[index] += numbers.buckets[index] }
        }
        return reading
    }
}
