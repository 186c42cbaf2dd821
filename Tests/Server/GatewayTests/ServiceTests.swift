import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import JSONCoding
import QueryLanguage
import RepositoryFiles
import RequestHandling
import StoreContract
import StoreTesting
import Testing

private func root() -> URL { URL(fileURLWithPath: Checkout.root) }

@Suite("Schema, description, files and errors")
struct ServiceTests {
    @Test("the routes and the description of the API are the same")
    func description() throws {
        let document = try JSONValue.parse(
            Array(try Data(contentsOf: root().appendingPathComponent("openapi/openapi.json"))))
        guard case .object(let paths)? = document["paths"] else {
            Issue.record("no paths")
            return
        }
        var described: Set<String> = []
        for path in paths.members {
            guard case .object(let item) = path.value else { continue }
            for method in item.members where method.name != "parameters" {
                described.insert("\(method.name.uppercased()) \(Self.plain(path.name))")
            }
        }
        let routes = Set(try TestGateway().router.routes.map { "\($0.method) \(Self.plain($0.pattern))" })
        #expect(routes.subtracting(described) == [], "not described")
        #expect(described.subtracting(routes) == [], "described and not there")
    }

    /// Returns a path with `*` for each parameter.
    private static func plain(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.hasPrefix(":") || $0.hasPrefix("*") || $0.hasPrefix("{") ? "*" : String($0) }
            .joined(separator: "/")
    }

    @Test("the schema is given back as it was put, with a tag")
    func schema() throws {
        let gateway = try TestGateway()
        let read = try gateway.get("/v1/schema")
        #expect(try read.json == JSONValue.parse(TestGateway.schema))
        let tag = try #require(read.headers["ETag"])
        #expect(try gateway.get("/v1/schema", headers: ["If-None-Match": tag]).status == 304)
        let new = TestGateway.schema.replacingOccurrences(of: #"{"name":"age","type":"int?"},"#, with: "")
        let put = try gateway.send(.put, "/v1/schema", new)
        #expect(put.status == 200, "\(put.text)")
        #expect(try put.json == JSONValue.parse(new))
        #expect(put.headers["ETag"] != tag)
        #expect(try gateway.get("/v1/objects/Dog?sort=age").status == 400)
    }

    @Test("files are served by name alone, with their types, a policy and a tag")
    func files() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("gateway-\(UUID().uuidString)")
        let content = directory.appendingPathComponent("public")
        try FileManager.default.createDirectory(
            at: content.appendingPathComponent("deep"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("secret".utf8).write(to: directory.appendingPathComponent("secret.txt"))
        try Data("<p>".utf8).write(to: content.appendingPathComponent("index.html"))
        try Data("let a".utf8).write(to: content.appendingPathComponent("deep/a.js"))
        try Data("{}".utf8).write(to: content.appendingPathComponent("openapi.json"))
        try Data("hidden".utf8).write(to: content.appendingPathComponent(".hidden"))
        let gateway = try TestGateway {
            $0.staticDirectory = content.path
            $0.openapiDirectory = content.path
        }
        let page = try gateway.get("/")
        #expect(page.text == "<p>")
        #expect(page.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(page.headers["Content-Security-Policy"]?.contains("default-src 'none'") == true)
        #expect(page.headers["X-Content-Type-Options"] == "nosniff")
        let tag = try #require(page.headers["ETag"])
        #expect(try gateway.get("/", headers: ["If-None-Match": tag]).status == 304)
        let script = try gateway.get("/static/deep/a.js")
        #expect(script.text == "let a")
        #expect(script.headers["Content-Type"] == "text/javascript; charset=utf-8")
        #expect(try gateway.get("/openapi.json").headers["Content-Type"] == "application/json")
        for path in [
            "/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/..%2fsecret.txt", "/static/.hidden",
            "/static/deep", "/static/deep/../index.html", "/static//index.html", "/static/nothing",
        ] {
            #expect(try gateway.get(path).status == 404, "\(path)")
        }
    }

    @Test("the JavaScript client is served beside the console, with the types of its files")
    func client() throws {
        let gateway = try TestGateway { $0.clientDirectory = Checkout.root + "/clients/javascript/lib" }
        let module = try gateway.get("/static/client/realmgate.js")
        #expect(module.status == 200 && module.text.contains("export class Realmgate"))
        #expect(module.headers["Content-Type"] == "text/javascript; charset=utf-8")
        let types = try gateway.get("/static/client/realmgate.d.ts")
        #expect(types.headers["Content-Type"] == "application/typescript; charset=utf-8")
        #expect(try gateway.get("/").text.contains("Realmgate is running"))
    }

    @Test("the schema is also there as TypeScript, with a tag of its own")
    func typescript() throws {
        let gateway = try TestGateway()
        let response = try gateway.get("/v1/schema?format=typescript")
        #expect(response.headers["Content-Type"] == "application/typescript; charset=utf-8")
        #expect(
            response.text.contains("export interface Dog {") && response.text.contains("export interface Classes {"))
        let tag = try #require(response.headers["ETag"])
        #expect(try gateway.get("/v1/schema").headers["ETag"] != tag)
        #expect(
            try gateway.get("/v1/schema?format=typescript", headers: ["If-None-Match": tag]).status == 304)
        #expect(try gateway.get("/v1/schema?format=json").text == gateway.get("/v1/schema").text)
        let refusal = try gateway.get("/v1/schema?format=java")
        #expect(refusal.status == 400 && refusal.member("code") == .string("parameter.invalid"))
    }

    @Test("a directory that is not there is an error at the start")
    func missingFiles() {
        #expect(throws: Unreadable.self) { try TestGateway { $0.staticDirectory = "/nonexistent" } }
        #expect(throws: Unreadable.self) { try TestGateway { $0.openapiDirectory = "/nonexistent" } }
    }

    @Test("a closed store is not ready, and says so")
    func closed() throws {
        let gateway = try TestGateway()
        #expect(try gateway.get("/readyz").status == 200)
        gateway.store.close()
        #expect(try gateway.get("/healthz").status == 200)
        for (method, target) in [
            (HTTPMethod.get, "/readyz"), (.get, "/v1/objects/Dog"), (.post, "/v1/objects/Dog"), (.get, "/v1/schema"),
        ] {
            let response = try gateway.send(method, target, method == .post ? "{}" : nil)
            #expect(response.status == 503)
            #expect(response.headers["Retry-After"] == "1")
            #expect(response.member("code") == .string("store.closed"))
        }
    }

    @Test("any page may call, and is told so before it does")
    func crossOrigin() throws {
        let gateway = try TestGateway()
        let preflight = try gateway.send(
            .options, "/v1/objects/Dog",
            headers: ["Origin": "https://a.example", "Access-Control-Request-Method": "POST"])
        #expect(preflight.status == 204)
        #expect(preflight.headers["Access-Control-Allow-Origin"] == "*")
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("POST") == true)
        let refusal = try gateway.get("/v1/objects/Cat", headers: ["Origin": "https://a.example"])
        #expect(refusal.headers["Access-Control-Allow-Origin"] == "*")
        let strict = try TestGateway { $0.allowedOrigins = ["https://b.example"] }
        let other = try strict.get("/v1/schema", headers: ["Origin": "https://a.example"])
        #expect(other.headers["Access-Control-Allow-Origin"] == nil)
    }
}
