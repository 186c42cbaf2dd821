import Foundation
import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import RepositoryFiles
import StoreContract
import StoreTesting
import Testing

@Suite("Schema and service over the wire")
struct WireServiceTests {
    @Test("a schema that was read can be written back and changes nothing but the version number of the store")
    func schemaRoundTrip() throws {
        let wire = try Wire.populated()
        let read = try wire.get("/v1/schema")
        #expect(read.status == 200)
        #expect(read["schemaVersion"] == 1)
        let dog = read["classes"]?[0]
        #expect(dog?["name"] == "Dog")
        #expect(dog?["primaryKey"] == "_id")
        #expect(dog?["properties"]?.asArray?.map { $0["name"] }.first == "_id")
        #expect(
            dog?["properties"]?[1]?.canonical == [
                "default": "Stray", "indexed": .bool(true), "name": "name", "type": "string",
            ])
        #expect(dog?["properties"]?[9]?["type"] == "linkingObjects(Person.favourite)")
        let written = try wire.send(.put, "/v1/schema", read.text)
        #expect(written.status == 200, "\(written)")
        #expect(try wire.get("/v1/schema").text == read.text)
        #expect(try wire.get("/v1/objects/Dog").items("name") == ["Rex", "Fido"])
    }

    @Test("added properties are there at once, empty in the objects that exist and with their default in new ones")
    func schemaGrows() throws {
        let wire = try Wire.populated()
        let text = try wire.get("/v1/schema").text
        let grown = text.replacingOccurrences(
            of: #"{"name":"weight","type":"double"}"#,
            with: #"{"name":"weight","type":"double"},{"name":"colour","type":"string","default":"grey"}"#
        ).replacingOccurrences(of: "\"schemaVersion\":1", with: "\"schemaVersion\":2")
        #expect(grown != text)
        let answer = try wire.send(.put, "/v1/schema", grown)
        #expect(answer.status == 200, "\(answer)")
        #expect(try wire.get("/v1/objects/Dog", ["filter": "colour == ''"]).items("_id") == [1, 2])
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":3}"#)["colour"] == "grey")
    }

    @Test("every fault of a schema is listed, each with its place")
    func schemaFaults() throws {
        let wire = try Wire.populated()
        let faulty =
            #"{"schemaVersion":1,"classes":[{"name":"Cat","primaryKey":"key","properties":[{"name":"a","type":"integer?<"},"#
            + #"{"name":"b","type":"Dgo?"},{"nmae":"c","type":"int"},{"name":"d","type":"int","default":"x"}]}]}"#
        let answer = try wire.send(.put, "/v1/schema", faulty)
        #expect(answer.status == 422, "\(answer)")
        let faults = answer["faults"]?.asArray ?? []
        #expect(faults.count >= 3, "\(answer)")
        for location in ["properties[0]", "properties[2]", "properties[3]"] {
            #expect(answer.text.contains(location), "\(location) is not named in \(answer)")
        }
        let unfit =
            #"{"schemaVersion":1,"classes":[{"name":"Cat","primaryKey":"key","properties":[{"name":"b","type":"Dgo?"}]}]}"#
        let other = try wire.send(.put, "/v1/schema", unfit)
        #expect(other.status == 422, "\(other)")
        #expect(other.text.contains("Dgo"))
        #expect(other.text.contains("Cat.key"))
        #expect(try wire.get("/v1/schema")["classes"]?[0]?["name"] == "Dog")
    }

    @Test("a change that would convert values needs a migration; an older version is refused")
    func schemaConflicts() throws {
        let wire = try Wire.populated()
        let text = try wire.get("/v1/schema").text
        let converted = text.replacingOccurrences(
            of: #""name":"weight","type":"double""#, with: #""name":"weight","type":"string""#)
        let migration = try wire.send(.put, "/v1/schema", converted)
        #expect(migration.status == 409, "\(migration)")
        #expect(migration.code == "schema.migration_required")
        let older = try wire.send(
            .put, "/v1/schema", text.replacingOccurrences(of: "\"schemaVersion\":1", with: "\"schemaVersion\":0"))
        #expect(older.status == 409)
        #expect(older.code == "schema.version_too_low")
    }

    @Test("health and readiness are told, also apart")
    func health() throws {
        let wire = try Wire.populated()
        #expect(try wire.get("/healthz").status == 200)
        #expect(try wire.get("/readyz").status == 200)
        wire.store.close()
        #expect(try wire.get("/healthz").status == 200)
        let closed = try wire.get("/readyz")
        #expect(closed.status == 503)
        #expect(closed.code == "store.closed")
        #expect(try wire.get("/v1/objects/Dog").status == 503)
        #expect(try wire.send(.post, "/v1/objects/Dog", #"{"_id":9}"#).status == 503)
    }

    @Test("web pages of other origins may call, with any method that a path takes")
    func crossOrigin() throws {
        let wire = try Wire.populated()
        let preflight = try wire.send(
            .options, "/v1/objects/Dog/1",
            headers: [
                "Origin": "https://app.example", "Access-Control-Request-Method": "PATCH",
                "Access-Control-Request-Headers": "content-type, if-match",
            ])
        #expect((200...204).contains(preflight.status))
        #expect(preflight.headers["Access-Control-Allow-Origin"] == "*")
        #expect(preflight.headers["Access-Control-Allow-Methods"]?.contains("PATCH") == true)
        let read = try wire.send(.get, "/v1/objects/Dog/99", headers: ["Origin": "https://app.example"])
        #expect(read.headers["Access-Control-Allow-Origin"] == "*", "also an error must be readable")
    }

    /// Reads the API description in the repository.
    private static func openAPI() throws -> JSONValue {
        let root = URL(fileURLWithPath: Checkout.root)
        return try JSONValue.parse(Array(Data(contentsOf: root.appendingPathComponent("openapi/openapi.json"))))
    }

    private static let methods: [(name: String, method: HTTPMethod)] = [
        ("get", .get), ("put", .put), ("post", .post), ("patch", .patch), ("delete", .delete),
    ]

    @Test("each route of the API takes the parameters that are described, and no others")
    func describedParameters() throws {
        let wire = try Wire.populated()
        let document = try Self.openAPI()
        let components = document["components"]?["parameters"]
        /// Returns the query parameters of an operation.
        func names(_ list: JSONValue?) -> Set<String> {
            Set(
                (list?.asArray ?? []).compactMap { entry in
                    let name = entry["$ref"]?.asString?.split(separator: "/").last.map(String.init)
                    let parameter = name.flatMap { components?[$0] } ?? entry
                    return parameter["in"] == "query" ? parameter["name"]?.asString : nil
                })
        }
        let all = names(.array((components?.memberNames ?? []).compactMap { components?[$0] }))
        #expect(all.count > 15)
        // A form has the parameters of its resource.
        let described = (document["paths"]?.memberNames ?? []).filter { $0 != "/v1/query/{resource}" }
        for path in described where path.hasPrefix("/v1/") {
            for (name, method) in Self.methods {
                guard let operation = document["paths"]?[path]?[name] else { continue }
                let described = names(operation["parameters"])
                for parameter in all {
                    let target = path.replacing("{class}", with: "Dog").replacing("{key}", with: "1")
                        .replacing("{property}", with: path.hasSuffix("{steps}") ? "owner" : "fans")
                        .replacing("{steps}", with: "dogs")
                    let reply = wire.router.respond(to: try Request(method, "\(target)?\(parameter)=x"))
                    var isTaken = true
                    if case .now(let response) = reply {
                        // Without access control there are no keys, whatever the request.
                        isTaken = !["parameter.unknown", "snapshot.not_possible", "keys.unavailable"].contains(
                            WireResponse(response).code)
                    }
                    #expect(isTaken == described.contains(parameter), "\(method) \(path) \(parameter)")
                }
            }
        }
    }

    @Test("every code that a store, a query or JSON can fail with has a status of its own choosing")
    func documentedStatuses() throws {
        let wire = try Wire.populated()
        // No error response of the matrix is an internal error.
        for row in WireRefusalTests.reads + WireRefusalTests.writes {
            let answer = try wire.send(row.method, row.target, row.body)
            #expect(answer.status < 500, "\(row.testDescription): \(answer)")
        }
    }
}

@Suite("Files over the wire")
struct WireFileTests {
    /// Creates a directory with a page and a script, and a secret file next to it.
    private static func site() throws -> (directory: URL, router: Router) {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("wire-\(UUID().uuidString)")
        let files = root.appendingPathComponent("static")
        let openapi = root.appendingPathComponent("openapi")
        for directory in [files, openapi] {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        }
        for (url, text) in [
            (files.appendingPathComponent("index.html"), "<!doctype html><title>Console</title>"),
            (files.appendingPathComponent("app.js"), "export const answer = 42;"),
            (files.appendingPathComponent("look.css"), "body{}"), (files.appendingPathComponent("icon.svg"), "<svg/>"),
            (root.appendingPathComponent("secret.txt"), "secret"),
            (openapi.appendingPathComponent("openapi.json"), #"{"openapi":"3.1.0","paths":{}}"#),
        ] { try Data(text.utf8).write(to: url) }
        let router = try wireRouter(
            over: try ModelStore(Wire.schema), staticDirectory: files.path, openapiDirectory: openapi.path)
        return (root, router)
    }

    private static func get(_ router: Router, _ target: String, headers: HeaderFields = [:]) throws -> WireResponse? {
        guard let request = try? Request(.get, target, headers: headers) else { return nil }
        guard case .now(let response) = router.respond(to: request) else { throw WireFailure("A file came late.") }
        return WireResponse(response)
    }

    @Test("the console and its files are served with their types and tags")
    func files() throws {
        let (directory, router) = try Self.site()
        defer { try? FileManager.default.removeItem(at: directory) }
        let index = try #require(try Self.get(router, "/"))
        #expect(index.status == 200)
        #expect(index.headers["Content-Type"]?.hasPrefix("text/html") == true)
        #expect(index.text.contains("Console"))
        let tag = try #require(index.headers["ETag"])
        let same = try #require(try Self.get(router, "/", headers: ["If-None-Match": tag]))
        #expect(same.status == 304)
        #expect(same.body.isEmpty)
        let description = try #require(try Self.get(router, "/openapi.json"))
        #expect(description["openapi"] == "3.1.0")
        #expect(description.headers["Content-Type"]?.hasPrefix("application/json") == true)
    }

    @Test(
        "no path leads out of the directory",
        arguments: [
            "/static/../secret.txt", "/static/%2e%2e/secret.txt", "/static/..%2fsecret.txt", "/../secret.txt",
            "/secret.txt",
            "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/%00", "/static/",
            "/static/..", "/static/./../secret.txt", "/..%2f..%2fetc/passwd", "/static/app.js%00.html",
        ])
    func traversal(target: String) throws {
        let (directory, router) = try Self.site()
        defer { try? FileManager.default.removeItem(at: directory) }
        guard let answer = try Self.get(router, target) else { return }
        #expect((400..<500).contains(answer.status), "\(target): \(answer)")
        #expect(!answer.text.contains("root:") && answer.text != "secret")
    }
}
