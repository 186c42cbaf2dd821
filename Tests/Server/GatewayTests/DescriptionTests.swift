import AccessRules
import Foundation
import Gateway
import HTTPMessages
import HTTPServer
import Identity
import JSONCoding
import RepositoryFiles
import RequestHandling
import Testing

/// Checks the `/openapi.json` of a gateway for various schemas.
@Suite("The description of the API at run time")
struct DescriptionTests {
    private static let directory = Checkout.root + "/openapi"

    private static func gateway(
        _ schema: String = TestGateway.schema, _ configure: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> TestGateway {
        try TestGateway(schema: schema) {
            $0.openapiDirectory = directory
            configure(&$0)
        }
    }

    private static func document(_ gateway: TestGateway) throws -> JSONValue {
        let answer = try gateway.get("/openapi.json")
        #expect(answer.status == 200)
        return try answer.json
    }

    private static func operations(_ document: JSONValue) -> [(path: String, method: String, operation: JSONValue)] {
        (document["paths"]?.memberNames ?? []).flatMap { path in
            (document["paths"]?[path]?.memberNames ?? []).filter { $0 != "parameters" }.map { method in
                (path, method, document["paths"]?[path]?[method] ?? .null)
            }
        }
    }

    /// Returns every reference in a document.
    private static func references(_ json: JSONValue) -> [String] {
        switch json {
        case .object(let object):
            object.members.flatMap { member in
                if member.name == "$ref", let text = member.value.asString { return [text] }
                return references(member.value)
            }
        case .array(let elements): elements.flatMap { references($0) }
        default: []
        }
    }

    @Test(
        "every reference leads somewhere, operations have names of their own, tags are told",
        arguments: [
            TestGateway.schema, EveryTypeFixture.schema,
            #"{"schemaVersion":1,"classes":[]}"#,
            // Names that are used already, that components cannot have, and that have the same plural.
            #"""
            {"schemaVersion":1,"classes":[
              {"name":"Page","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"straße","type":"Straße?"}]},
              {"name":"Object","properties":[{"name":"a","type":"Object[]"}]},
              {"name":"Straße","properties":[{"name":"b","type":"double"}]},{"name":"City","properties":[{"name":"c","type":"bool"}]},
              {"name":"Cities","properties":[{"name":"c","type":"bool"}]},{"name":"PageInput","properties":[{"name":"c","type":"bool"}]},
              {"name":"Schema","properties":[{"name":"c","type":"mixed{}"}]},{"name":"Problem","properties":[{"name":"c","type":"data?"}]}]}
            """#,
        ])
    func sound(schema: String) throws {
        let document = try Self.document(try Self.gateway(schema))
        for reference in Set(Self.references(document)) {
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
        let operations = Self.operations(document)
        let names = operations.compactMap { $0.operation["operationId"]?.asString }
        #expect(names.count == operations.count)
        #expect(Set(names).count == names.count)
        let tags = Set((document["tags"]?.asArray ?? []).compactMap { $0["name"]?.asString })
        for (path, method, operation) in operations {
            let given = (operation["tags"]?.asArray ?? []).compactMap(\.asString)
            #expect(!given.isEmpty && Set(given).isSubset(of: tags), "\(method) \(path)")
        }
        for name in document["components"]?["schemas"]?.memberNames ?? [] {
            #expect(name.utf8.allSatisfy { $0 < 0x80 }, "\(name)")
        }
        #expect(!document.memberNames.contains { $0.hasPrefix("x-common") })
    }

    @Test("each class has its operations and the forms of its objects, as the wire has them")
    func classes() throws {
        let document = try Self.document(try Self.gateway())
        let names = Dictionary(
            Self.operations(document).map { ("\($0.method) \($0.path)", $0.operation["operationId"]?.asString ?? "") }
        ) { first, _ in first }
        #expect(names["get /v1/objects/Dog"] == "listDogs")
        #expect(names["post /v1/objects/Dog"] == "createDogs")
        #expect(names["patch /v1/objects/Dog/{key}"] == "patchDog")
        #expect(names["get /v1/observe/objects/Dog/{key}"] == "observeDog")
        #expect(names["get /v1/objects/{class}"] == "listObjects")
        #expect(names["patch /v1/objects/Dog"] == "patchDogs")
        #expect(names["put /v1/values/objects/Dog"] != nil)
        #expect(names["get /v1/index/objects/Dog"] != nil)

        let schemas = document["components"]?["schemas"]
        let dog = schemas?["Dog"]?["properties"]
        #expect(dog?["_id"]?["type"] == "integer")
        #expect(dog?["_id"]?["minimum"] == .int(.min))
        #expect(dog?["age"]?["type"] == ["integer", "null"])
        #expect(dog?["born"]?["format"] == "date-time")
        #expect(dog?["weight"]?["type"] == "number" && dog?["weight"]?["format"] == "double")
        #expect(dog?["weight"]?["x-nonFinite"] == ["NaN", "Infinity", "-Infinity"])
        #expect(schemas?["DogInput"]?["properties"]?["weight"]?["type"] == "number")
        #expect(dog?["owner"]?["anyOf"]?[0]?["type"] == "string")
        #expect(dog?["owner"]?["anyOf"]?[1]?["$ref"] == "#/components/schemas/Person")
        #expect(dog?["owner"]?["anyOf"]?[2]?["type"] == "null")
        #expect(dog?["fans"]?["readOnly"] == true)
        #expect(schemas?["DogInput"]?["required"] == ["_id"])
        #expect(schemas?["DogInput"]?["properties"]?["name"]?["default"] == "Rex")
        #expect(schemas?["DogInput"]?["properties"]?["fans"] == nil)
        #expect(schemas?["DogProperties"]?["required"] == nil)
        #expect(schemas?["Note"]?["required"] == ["$key"])
        #expect(schemas?["Note"]?["properties"]?["reply"]?["anyOf"]?[0]?["$ref"] == "#/components/schemas/NoteLink")
        #expect(schemas?["ClassName"]?["enum"] == ["Dog", "Person", "Note", "Badge"])
        #expect(schemas?["DogPage"]?["properties"]?["items"]?["items"]?["$ref"] == "#/components/schemas/Dog")
        let key = document["components"]?["parameters"]?["Badge.key"]
        #expect(key?["schema"]?["format"] == "uuid")
    }

    @Test("the document has a tag, and is another one as soon as the schema is")
    func tags() throws {
        let gateway = try Self.gateway()
        let first = try gateway.get("/openapi.json")
        let tag = try #require(first.headers["ETag"])
        #expect(try gateway.get("/openapi.json", headers: ["If-None-Match": tag]).status == 304)
        let more = TestGateway.schema.replacingOccurrences(
            of: #"{"name":"Badge""#,
            with: #"{"name":"Cat","properties":[{"name":"lives","type":"int"}]},{"name":"Badge""#)
        #expect(try gateway.send(.put, "/v1/schema", more).status == 200)
        let second = try gateway.get("/openapi.json", headers: ["If-None-Match": tag])
        #expect(second.status == 200)
        #expect(second.headers["ETag"] != tag)
        #expect(try second.json["paths"]?["/v1/objects/Cat"] != nil)
    }

    @Test("who must be said only where it must be")
    func security() throws {
        let open = try Self.document(try Self.gateway())
        #expect(open["security"] == nil)
        #expect(open["components"]?["securitySchemes"] == nil)
        let closed = try Self.document(try Self.gateway { $0.accessControl = AccessControl(roles: []) })
        #expect(closed["security"] == [["bearer": []], ["apiKey": []]])
        #expect(closed["paths"]?["/v1/schema"]?["get"]?["responses"]?["401"] != nil)
        #expect(closed["paths"]?["/healthz"]?["get"]?["security"] == [])
        // A caller without a credential sees no class.
        #expect(closed["paths"]?["/v1/objects/Dog"] == nil)
        #expect(closed["paths"]?["/v1/objects/{class}"] != nil)
    }

    @Test("a role that sees a part of the classes gets a description of that part")
    func restricted() throws {
        let keys = KeyRing()
        let clerk = Role(
            name: "clerk",
            classes: ["Dog": ClassRule(read: "age > 3", readableProperties: ["name"], writableProperties: ["name"])])
        let control = AccessControl(AccessControl.Rules(roles: [clerk], isRequired: true), keys: keys)
        let gateway = try Self.gateway { $0.accessControl = control }
        func bearer(_ role: String) throws -> HeaderFields {
            let secret = try keys.create(
                .init(name: role, roles: [role], claims: [:], expires: nil, scope: .all)
            ).secret
            return ["Authorization": "Bearer \(secret)"]
        }
        let whole = try gateway.get("/openapi.json", headers: bearer("admin"))
        let part = try gateway.get("/openapi.json", headers: bearer("clerk"))
        #expect(part.status == 200)
        #expect(part.headers["Vary"]?.hasPrefix("Authorization, X-API-Key") == true)
        #expect(part.headers["ETag"] != whole.headers["ETag"])

        let document = try part.json
        let schemas = document["components"]?["schemas"]
        #expect(schemas?["ClassName"]?["enum"] == ["Dog"])
        for form in ["Dog", "DogInput", "DogProperties"] {
            let names = schemas?[form]?["properties"]?.memberNames ?? []
            #expect(Set(names).isSubset(of: ["_id", "name"]) && names.contains("name"), "\(form): \(names)")
        }
        #expect(document["paths"]?["/v1/objects/Dog"] != nil)
        #expect(document["paths"]?["/v1/values/objects/Dog"] != nil)
        #expect(document["paths"]?["/v1/objects/Person"] == nil)
        for reference in Set(Self.references(document)) {
            let target = reference.split(separator: "/").dropFirst().reduce(Optional(document)) { $0?[String($1)] }
            #expect(target != nil, "\(reference)")
        }
        #expect(try whole.json["components"]?["schemas"]?["PersonInput"] != nil)
    }

    @Test(
        "every answer has the headers that all have, and every stream the event that it ends with when the server stops"
    )
    func common() throws {
        let document = try Self.document(try Self.gateway())
        let shared = document["components"]?["responses"]
        for (path, method, operation) in Self.operations(document) {
            for status in operation["responses"]?.memberNames ?? [] {
                guard var answer = operation["responses"]?[status] else { continue }
                if let name = answer["$ref"]?.asString?.split(separator: "/").last {
                    answer = try #require(shared?[String(name)])
                }
                let headers = Set(answer["headers"]?.memberNames ?? [])
                #expect(
                    headers.isSuperset(of: [
                        "X-Request-Id", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset",
                    ]),
                    "\(method) \(path) \(status)")
                guard let stream = answer["content"]?["text/event-stream"] else { continue }
                let events = stream["x-events"]?.memberNames ?? []
                #expect(events.contains("closing") && events.contains("error"), "\(method) \(path)")
                var kept = answer["headers"]?["Cache-Control"] ?? .null
                if let name = kept["$ref"]?.asString?.split(separator: "/").last {
                    kept = try #require(document["components"]?["headers"]?[String(name)])
                }
                // Where the answer can also be a document, the first value is that of the document.
                let value = kept["schema"]?["const"] ?? kept["schema"]?["enum"]?[1]
                #expect(value?.asString == EventStream.headers(adding: [:])["Cache-Control"], "\(method) \(path)")
            }
        }
        let said = try #require(
            String(decoding: Gateway.closingEvent.bytes, as: UTF8.self).split(separator: "data: ").last)
        let closingEvent = try JSONValue.parse(Array(said.utf8))
        let described = document["components"]?["schemas"]?["Closing"]?["properties"]
        #expect(closingEvent.memberNames == described?.memberNames)
        for name in closingEvent.memberNames {
            // Other codes tell that a stream was ended alone.
            let value = described?[name]?["const"] ?? described?[name]?["enum"]?[0]
            #expect(value == closingEvent[name], "\(name)")
        }
    }

    @Test("every refusal that the gateway is known to give is described for the operation")
    func refusals() throws {
        let document = try Self.document(try Self.gateway(TestGateway.schema))
        let operations = Self.operations(document)
        for row in WireRefusalTests.reads + WireRefusalTests.writes {
            let path = row.target.split(separator: "?")[0].split(separator: "/").map { String($0) }
            let method = "\(row.method)".lowercased()
            // The most general operation at the path: that of a class has the same responses.
            let found = operations.filter { operation in
                let pattern = operation.path.split(separator: "/")
                return operation.method == method && pattern.count == path.count
                    && zip(pattern, path).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
            }
            for operation in found {
                #expect(
                    operation.operation["responses"]?[String(row.status)] != nil,
                    "\(method) \(operation.path) may answer \(row.status) \(row.code ?? "")")
            }
        }
    }

    @Test("a description that is no JSON is an error at the start")
    func broken() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("broken-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try Data("{".utf8).write(to: directory.appendingPathComponent("openapi.json"))
        #expect(throws: Unreadable.self) { try TestGateway { $0.openapiDirectory = directory.path } }
    }
}
