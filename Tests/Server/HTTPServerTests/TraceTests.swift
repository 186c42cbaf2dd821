import HTTPMessages
import HTTPServer
import HTTPTesting
import Logging
import Synchronization
import Testing

@Suite("Request ids, the log and counting")
struct TraceTests {
    private final class Lines: Sendable {
        let all = Mutex<[(level: Logger.Level, metadata: Logger.Metadata)]>([])
    }

    private struct Recorder: LogHandler {
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        let lines: Lines
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) { lines.all.withLock { $0.append((event.level, event.metadata ?? [:])) } }
    }

    private func router(_ lines: Lines = Lines(), _ metrics: RequestMetrics? = nil) -> Router {
        var router = Router()
        router.use(traceRequests(Logger(label: "t") { _ in Recorder(lines: lines) }, into: metrics))
        router.use { request, next in
            request.trace?.caller = "key:abc"
            return next(request)
        }
        router.get("/dogs/:key") { _, _ in .now(.text("dog")) }
        router.get("/late") { _, _ in .later { $0.send(.text("late")) } }
        router.get("/events") { _, _ in .events { _ in } }
        router.get("/fault") { _, _ in .now(HTTPError.internalError.httpResponse) }
        return router
    }

    @Test("a sane id of the client is kept, another is replaced, and each answer has one")
    func ids() throws {
        let router = router()
        func id(_ given: String?, _ target: String = "/dogs/1") throws -> String {
            var headers: HeaderFields = [:]
            headers["X-Request-Id"] = given
            return try #require(try router.answer(try Request(.get, target, headers: headers)).headers["X-Request-Id"])
        }
        #expect(try id("a-B_1.~+/=:@") == "a-B_1.~+/=:@")
        for bad in ["", "a b", "a\"b", "ä", String(repeating: "a", count: 129), "a,b", "a;b", "<x>"] {
            let made = try id(bad)
            #expect(made != bad && !made.isEmpty)
        }
        let made = try ["/dogs/1", "/late", "/events", "/fault", "/nothing"].map { try id(nil, $0) }
        #expect(Set(made).count == made.count)
    }

    @Test("a problem names its request")
    func problems() throws {
        let answer = try router().answer(try Request(.get, "/nothing", headers: ["X-Request-Id": "mine"]))
        #expect(String(decoding: answer.bodyBytes, as: UTF8.self).hasSuffix(",\"requestId\":\"mine\"}"))
    }

    @Test("a line has the route, the outcome and the caller, and nothing that the client sent but its id")
    func lines() throws {
        let lines = Lines()
        let router = router(lines)
        let headers: HeaderFields = ["X-Request-Id": "mine", "Authorization": "Bearer secret"]
        _ = try router.answer(try Request(.get, "/dogs/secret?filter=secret", headers: headers))
        _ = try router.answer(try Request(.get, "/secret?x=secret", headers: headers))
        _ = try router.answer(try Request(.get, "/late"))
        _ = try router.answer(try Request(.get, "/fault"))
        let all = lines.all.withLock { $0 }
        #expect(all.count == 4)
        #expect(!"\(all)".contains("secret"))
        let first = all[0].metadata
        #expect(first["request"] == "mine")
        #expect(first["method"] == "GET")
        #expect(first["route"] == "/dogs/:key")
        #expect(first["caller"] == "key:abc")
        #expect(first["status"].map { "\($0)" } == "200")
        #expect(first["bytes"].map { "\($0)" } == "3")
        #expect(first["milliseconds"] != nil && first["peer"] != nil)
        #expect(all[1].metadata["route"] == "-")
        #expect(all.map(\.level) == [.info, .info, .info, .warning])
    }

    @Test("requests are counted by route, status and duration, also those without a route")
    func counting() throws {
        let metrics = RequestMetrics()
        let router = router(Lines(), metrics)
        for target in ["/dogs/1", "/dogs/2", "/late", "/fault", "/x", "/y"] {
            _ = try router.answer(try Request(.get, target))
        }
        #expect(router.routes.map(\.pattern) == ["/dogs/:key", "/late", "/events", "/fault"])
        #expect(metrics.numbers(ofRoute: 0).classes == [0, 2, 0, 0, 0])
        #expect(metrics.numbers(ofRoute: 1).classes == [0, 1, 0, 0, 0])
        #expect(metrics.numbers(ofRoute: 2).count == 0)
        #expect(metrics.numbers(ofRoute: 3).classes == [0, 0, 0, 0, 1])
        #expect(metrics.numbers(ofRoute: nil).classes == [0, 0, 0, 2, 0])
        let dogs = metrics.numbers(ofRoute: 0)
        #expect(dogs.buckets.reduce(0, +) == 2)
        #expect(dogs.buckets.count == RequestMetrics.bounds.count + 1)
        #expect(dogs.seconds > 0)
    }
}
