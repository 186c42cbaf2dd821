import AccessRules
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import RequestHandling
import Testing

@testable import OperationEndpoints

@Suite("The metrics of the last hour over HTTP")
struct MetricsHistoryEndpointTests {
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
