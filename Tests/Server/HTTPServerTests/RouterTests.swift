import HTTPMessages
import HTTPServer
import Synchronization
import Testing

@Suite("The router, without a socket")
struct RouterTests {
    private struct Failure: Error {}

    private struct Teapot: HTTPErrorConvertible {
        var httpResponse: Response { Response(status: 418, headers: ["X-Tea": "yes"]) }
    }

    private func text(_ router: Router, _ method: HTTPMethod, _ target: String) throws -> String {
        guard case .now(let response) = router.respond(to: try Request(method, target)) else { return "later" }
        return response.status == 200
            ? String(decoding: response.bodyBytes, as: UTF8.self) : "\(response.status)"
    }

    private func table() -> Router {
        var router = Router()
        router.get("/") { _, _ in .now(.text("root")) }
        router.get("/v1/objects/:class") { _, p in .now(.text("class \(p["class"] ?? "")")) }
        router.get("/v1/objects/:class/:key") { _, p in .now(.text("\(p["class"] ?? "") \(p["key"] ?? "")")) }
        router.get("/v1/objects/special/:key") { _, p in .now(.text("special \(p["key"] ?? "")")) }
        router.get("/v1/observe/*path") { _, p in .now(.text(p.rest.joined(separator: "|"))) }
        router.get("/v1/:any/x/*tail") { _, p in .now(.text("\(p["any"] ?? "") \(p["tail"] ?? "") \(p.rest.count)")) }
        router.post("/v1/objects/:class") { _, _ in .now(.text("created")) }
        return router
    }

    @Test(
        "the most literal pattern wins, and parameters take one decoded segment",
        arguments: [
            ("/", "root"), ("/v1/objects/Dog", "class Dog"), ("/v1/objects/Dog/7", "Dog 7"),
            ("/v1/objects/a%2Fb/%20", "a/b  "), ("/v1/objects/special", "class special"),
            ("/v1/objects/special/1", "special 1"), ("/v1/observe/objects/Dog/1", "objects|Dog|1"),
            ("/v1/observe", "404"), ("/v1/objects/", "class "), ("/v1/objects/Dog/", "Dog "),
            ("/v1/objects/Dog/%FF", "Dog "),
            ("/v1/objects/Dog/1/2", "404"),
            ("/v2", "404"), ("//", "404"), ("/v1/objects/x/y", "x y"), ("/v1/o/x/y/z", "o y 2"), ("/v1", "404"),
        ])
    func matching(target: String, expected: String) throws {
        #expect(try text(table(), .get, target) == expected)
    }

    @Test("a known path with another method is 405 and names the methods it takes")
    func methods() throws {
        guard case .now(let response) = table().respond(to: try Request(.delete, "/v1/objects/Dog")) else {
            Issue.record("not answered at once")
            return
        }
        #expect(response.status == 405)
        #expect(response.headers["allow"] == "GET, POST, HEAD, OPTIONS")
        #expect(try text(table(), .head, "/v1/objects/Dog") == "class Dog")
        #expect(try text(table(), .options, "/v1/objects/Dog") == "204")
        #expect(try text(table(), .options, "*") == "204")
        #expect(try text(table(), .other("BREW"), "/") == "405")
        #expect(try text(table(), .other("BREW"), "/nowhere") == "404")
    }

    @Test("routes are listed in the order registered, without repeats")
    func listing() throws {
        var router = Router()
        router.get("/a") { _, _ in .now(.empty()) }
        router.put("/a") { _, _ in .now(.empty()) }
        router.get("/a") { _, _ in .now(.text("replaced")) }
        #expect(router.routes.map { "\($0.method) \($0.pattern)" } == ["GET /a", "PUT /a"])
        #expect(try text(router, .get, "/a") == "replaced")
    }

    @Test("thrown errors render themselves, and unknown ones say nothing")
    func errors() throws {
        var router = Router()
        router.get("/tea") { _, _ in throw Teapot() }
        router.get("/bad") { _, _ in throw HTTPError(.methodNotAllowed, detail: "A \"quoted\"\n\u{1}detail") }
        router.get("/secret") { _, _ in throw Failure() }
        #expect(try text(router, .get, "/tea") == "418")
        guard case .now(let refusal) = router.respond(to: try Request(.get, "/bad")),
            case .now(let secret) = router.respond(to: try Request(.get, "/secret"))
        else {
            Issue.record("not answered at once")
            return
        }
        #expect(refusal.status == 405)
        #expect(
            String(decoding: refusal.bodyBytes, as: UTF8.self)
                == #"{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"A \"quoted\"\n\u0001detail","code":"method_not_allowed"}"#
        )
        #expect(secret.status == 500)
        #expect(!String(decoding: secret.bodyBytes, as: UTF8.self).contains("Failure"))
    }

    @Test("middlewares wrap each other, see errors as replies, and may answer themselves")
    func middlewares() throws {
        let order = Recorder<String>()
        var router = Router()
        router.use { request, next in
            order.append("outer")
            return next(request).mapHead { $0.headers["X-Outer"] = "\($0.status)" }
        }
        router.use { request, next in
            order.append("inner")
            if request.query("stop") != nil { throw HTTPError(.rateLimited, detail: "Stop.") }
            return next(request)
        }
        router.get("/a") { _, _ in .now(.text("a")) }
        router.get("/later") { _, _ in .later { $0.send(.text("later", status: 202)) } }
        func outer(_ target: String) throws -> String? {
            let seen = Recorder<String>()
            switch router.respond(to: try Request(.get, target)) {
            case .now(let response): return response.headers["X-Outer"]
            case .later(let work):
                work(
                    Responder {
                        if case .response(let response) = $0 { seen.append(response.headers["X-Outer"] ?? "") }
                    })
                return seen.values.first
            case .events: return nil
            }
        }
        #expect(try outer("/a") == "200")
        #expect(order.takeAll() == ["outer", "inner"])
        #expect(try outer("/missing") == "404")
        #expect(try outer("/a?stop") == "429")
        #expect(try outer("/later") == "202")
    }
}
