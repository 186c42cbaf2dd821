import HTTPMessages
import HTTPServer
import HTTPTesting
import Testing

@Suite("Middlewares")
struct MiddlewareTests {
    private func head(
        _ origins: Set<String>, _ method: HTTPMethod = .get, _ target: String = "/a", _ headers: HeaderFields
    ) throws -> Response {
        var router = Router()
        router.use(allowCrossOrigin { CrossOriginPolicy(origins: origins) })
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

    @Test("a page may read what it needs and send the fields that the API knows")
    func exposedFields() throws {
        let answer = try head(["*"], .get, "/a", ["Origin": "https://a.example"])
        let exposed = try #require(answer.headers["Access-Control-Expose-Headers"])
        for name in ["ETag", "Location", "Retry-After", "X-Request-Id", "RateLimit-Remaining"] {
            #expect(exposed.contains(name))
        }
        let asked = "authorization, if-match, idempotency-key, last-event-id"
        let preflight = try head(
            ["https://a.example"], .options, "/a",
            [
                "Origin": "https://a.example", "Access-Control-Request-Method": "PUT",
                "Access-Control-Request-Headers": asked,
            ])
        #expect(preflight.headers["Access-Control-Allow-Headers"] == asked)
        #expect(preflight.headers["Vary"] == "Origin, Access-Control-Request-Headers")
        #expect(preflight.headers["Access-Control-Allow-Credentials"] == nil)
    }

    @Test("credentials are allowed for listed origins alone, and when that was asked for", arguments: [true, false])
    func credentials(isAny: Bool) throws {
        var policy = CrossOriginPolicy(origins: isAny ? ["*"] : ["https://a.example"])
        policy.allowsCredentials = true
        var router = Router()
        router.use(allowCrossOrigin { [policy] in policy })
        router.get("/a") { _, _ in .now(.text("a")) }
        let answer = try router.answer(try Request(.get, "/a", headers: ["Origin": "https://a.example"]))
        #expect(answer.headers["Access-Control-Allow-Credentials"] == (isAny ? nil : "true"))
    }

    @Test(
        "while nobody is asked for credentials, any page means none, and listed ones are allowed",
        arguments: [
            ("http://localhost:5173", false), ("http://127.0.0.1", false), ("null", false), ("*", false),
            ("https://evil.example", false), ("file://localhost", false), ("https://listed.example", true),
        ])
    func pagesOfOpenServers(origin: String, isAllowed: Bool) throws {
        var policy = CrossOriginPolicy(origins: ["*", "https://listed.example", "null"])
        policy.isOpen = { true }
        var router = Router()
        router.use(allowCrossOrigin { [policy] in policy })
        router.get("/a") { _, _ in .now(.text("a")) }
        let answer = try router.answer(try Request(.get, "/a", headers: ["Origin": origin]))
        #expect(answer.headers["Access-Control-Allow-Origin"] == (isAllowed ? origin : nil))
        #expect(answer.headers["Vary"] == "Origin")
    }

    @Test(
        "a request for another host than this machine is refused as long as that is asked for",
        arguments: [
            ("localhost:8080", 200), ("LOCALHOST", 200), ("127.0.0.1:80", 200), ("[::1]:8080", 200), ("[::1]", 200),
            ("evil.example", 421), ("evil.example:8080", 421), ("[::2]:80", 421), ("[::1]evil", 421),
            ("127.0.0.1.evil.example", 421), ("localhost:80:90", 421), ("10.0.0.1", 421), ("", 421),
            ("app.LocalHost:1", 200), ("LOCALHOST.", 200), ("localhost.:80", 200), ("localhost..", 421), (".", 421),
            ("evillocalhost", 421), ("127.255.255.255", 200), ("127.0.0.256", 421),
            ("127.0.0", 421), ("127.0.0.", 421), ("127.0.0.1.", 421), ("127.0..1", 421), ("localhost:", 200),
            ("localhost:8a", 421), ("[::1", 421), ("[::1]:8a", 421), ("127.99999999999999999999.0.1", 421),
        ])
    func foreignHosts(host: String, status: Int) throws {
        for isOpen in [true, false] {
            var router = Router()
            router.use(refuseUnknownHosts { isOpen })
            router.get("/a") { _, _ in .now(.text("a")) }
            let answer = try router.answer(try Request(.get, "/a", headers: ["Host": host]))
            #expect(answer.status == (isOpen ? status : 200))
        }
    }

    @Test("every answer, also a refusal, keeps browsers from doing more with it than it was made for")
    func security() throws {
        var router = Router()
        router.use(addSecurityHeaders(strictTransportSeconds: 60))
        router.get("/page") { _, _ in .now(Response(headers: ["Content-Security-Policy": "default-src 'self'"])) }
        for target in ["/page", "/nothing"] {
            let answer = try router.answer(try Request(.get, target))
            #expect(answer.headers["X-Content-Type-Options"] == "nosniff")
            #expect(answer.headers["Referrer-Policy"] == "no-referrer")
            #expect(answer.headers["Cross-Origin-Resource-Policy"] == "same-origin")
            #expect(answer.headers["Strict-Transport-Security"] == "max-age=60")
            #expect(
                answer.headers["Content-Security-Policy"]
                    == (target == "/page" ? "default-src 'self'" : "default-src 'none'; frame-ancestors 'none'"))
        }
    }
}
