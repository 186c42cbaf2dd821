import HTTPServer
import Testing

@Suite("Middlewares")
struct MiddlewareTests {
    private func head(
        _ origins: Set<String>, _ method: HTTPMethod = .get, _ target: String = "/a", _ headers: HeaderFields
    ) throws -> Response {
        var router = Router()
        router.use(allowCrossOrigin(origins))
        router.get("/a") { _, _ in .now(.text("a")) }
        router.put("/a") { _, _ in .now(.text("a")) }
        router.get("/events") { _, _ in .events { _ in } }
        switch router.respond(to: try Request(method, target, headers: headers)) {
        case .now(let response): return response
        case .events(let headers, _): return Response(headers: headers)
        case .later: throw HTTPError.notFound("unexpected")
        }
    }

    @Test("a listed origin may read answers, errors and streams; another may not", arguments: ["/a", "/b", "/events"])
    func origins(target: String) throws {
        let allowed = try head(["https://a.example"], .get, target, ["Origin": "https://a.example"])
        #expect(allowed.headers["Access-Control-Allow-Origin"] == "https://a.example")
        #expect(allowed.headers["Vary"] == "Origin")
        let refused = try head(["https://a.example"], .get, target, ["Origin": "https://b.example"])
        #expect(refused.headers["Access-Control-Allow-Origin"] == nil)
        #expect(refused.headers["Vary"] == "Origin")
        let any = try head(["*"], .get, target, ["Origin": "https://b.example"])
        #expect(any.headers["Access-Control-Allow-Origin"] == "*")
        #expect(try head(["*"], .get, target, [:]).headers["Access-Control-Allow-Origin"] == nil)
    }

    @Test("a preflight names the methods that the path takes")
    func preflight() throws {
        let answer = try head(
            ["*"], .options, "/a",
            [
                "Origin": "https://a.example", "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": "if-match, content-type",
            ])
        #expect(answer.status == 204)
        #expect(answer.headers["Access-Control-Allow-Methods"] == "GET, PUT, HEAD, OPTIONS")
        #expect(answer.headers["Access-Control-Allow-Headers"] == "if-match, content-type")
    }
}
