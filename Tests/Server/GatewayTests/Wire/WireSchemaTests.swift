import HTTPMessages
import HTTPServer
import JSONCoding
import ObjectModel
import StoreContract
import Testing

@Suite("Schema changes over the wire")
struct WireSchemaTests {
    /// A dog class as JSON.
    private static func document(_ version: Int, _ properties: String, migration: String? = nil) -> String {
        let steps = migration.map { #","migration":[\#($0)]"# } ?? ""
        return
            #"{"schemaVersion":\#(version),"classes":[{"name":"Dog","primaryKey":"_id","properties":[\#(properties)]}]\#(steps)}"#
    }

    private static let first =
        #"{"name":"_id","type":"int"},{"name":"name","type":"string"},{"name":"age","type":"string"}"#
    private static let second =
        #"{"name":"_id","type":"int"},{"name":"title","type":"string"},{"name":"age","type":"int"},{"name":"good","type":"bool"}"#

    private static func dogs() throws -> Wire {
        let wire = try Wire(.empty)
        let schema = try wire.send(.put, "/v1/schema", document(1, first))
        #expect(schema.status == 200, "\(schema)")
        let made = try wire.send(
            .post, "/v1/objects/Dog", #"[{"_id":1,"name":"Rex","age":"7"},{"_id":2,"name":"Fido","age":"old"}]"#)
        #expect(made.status == 201, "\(made)")
        return wire
    }

    @Test("steps rename, convert and set; the same document sent again changes nothing")
    func migration() throws {
        let wire = try Self.dogs()
        let document = Self.document(
            2, Self.second,
            migration: #"{"rename":{"class":"Dog","from":"name","to":"title"}},"#
                + #"{"convert":{"class":"Dog","from":"age","fallback":-1}},"#
                + #"{"default":{"class":"Dog","property":"good","value":true}}"#)
        let answer = try wire.send(.put, "/v1/schema", document)
        #expect(answer.status == 200, "\(answer)")
        #expect(answer["schemaVersion"]?.asInt == 2)
        #expect(answer["migration"] == nil)
        let rex = try wire.get("/v1/objects/Dog/1")
        #expect(rex["title"] == "Rex")
        #expect(rex["age"]?.asInt == 7)
        #expect(rex["good"] == .bool(true))
        #expect(try wire.get("/v1/objects/Dog/2")["age"]?.asInt == -1)
        #expect(try wire.send(.patch, "/v1/objects/Dog/1", #"{"age":8,"good":false}"#).status == 200)
        let again = try wire.send(.put, "/v1/schema", document)
        #expect(again.status == 200, "\(again)")
        let kept = try wire.get("/v1/objects/Dog/1")
        #expect(kept["age"]?.asInt == 8)
        #expect(kept["good"] == .bool(false))
    }

    @Test("a plan lists the changes with what covers them, and does nothing")
    func plan() throws {
        let wire = try Self.dogs()
        let version = try wire.store.snapshot().version
        let document = Self.document(
            2, Self.second + #",{"name":"new","type":"int","indexed":true}"#,
            migration: #"{"rename":{"class":"Dog","from":"name","to":"title"}}"#)
        let answer = try wire.send(.post, "/v1/schema/plan", document)
        #expect(answer.status == 200, "\(answer)")
        #expect(answer["from"]?.asInt == 1)
        #expect(answer["to"]?.asInt == 2)
        #expect(answer["applicable"] == .bool(false))
        #expect(answer["code"] == "schema.migration_required")
        let changes = answer["changes"]?.asArray ?? []
        let lines = changes.map { change in
            "\(change["path"] ?? .null) \(change["change"] ?? .null) \(change["effect"] ?? .null) \(change["objects"] ?? .null) \(change["steps"] ?? .null) \(change["covered"] ?? .null)"
        }
        #expect(changes.count == 4, "\(lines)")
        #expect(changes.compactMap { $0["path"] } == ["Dog.title", "Dog.age", "Dog.good", "Dog.new"])
        #expect(changes.compactMap { $0["effect"] } == ["needsMigration", "losesData", "automatic", "automatic"])
        #expect(changes.compactMap { $0["covered"] } == [.bool(true), .bool(false), .bool(true), .bool(true)])
        #expect(changes.first?["steps"]?.asArray == [.int(0)])
        #expect(changes.first?["objects"]?.asInt == 2)
        #expect(changes[1]["change"] == "Property 'Dog.age' has been changed from 'string' to 'int'.")
        #expect(answer.text.contains("a convert, copy or default step"))
        let refused = try wire.send(.put, "/v1/schema", document)
        #expect(refused.status == 409)
        #expect(refused.code == "schema.migration_required")
        #expect(refused["faults"]?[0]?["path"] == "Dog.age")
        #expect(try wire.store.snapshot().version == version)
        #expect(try wire.get("/v1/objects/Dog/1")["name"] == "Rex")

        let good = try wire.send(
            .post, "/v1/schema/plan",
            Self.document(
                2, Self.second,
                migration:
                    #"{"rename":{"class":"Dog","from":"name","to":"title"}},{"convert":{"class":"Dog","from":"age","to":"age"}}"#
            ))
        #expect(good["applicable"] == .bool(true), "\(good)")
        #expect(good["code"] == nil)
        let lower = try wire.send(.post, "/v1/schema/plan", Self.document(0, Self.first))
        #expect(lower["applicable"] == .bool(false))
        #expect(lower["code"] == "schema.version_too_low")
        let same = try wire.send(.post, "/v1/schema/plan", Self.document(1, Self.first))
        #expect(same["applicable"] == .bool(true))
        #expect(same["changes"]?.asArray == [])
    }

    @Test("a value that cannot be converted keeps everything as it was and is named with its object")
    func failingConversion() throws {
        let wire = try Self.dogs()
        let version = try wire.store.snapshot().version
        let answer = try wire.send(
            .put, "/v1/schema",
            Self.document(
                2, Self.second,
                migration:
                    #"{"rename":{"class":"Dog","from":"name","to":"title"}},{"convert":{"class":"Dog","from":"age"}}"#))
        #expect(answer.status == 409, "\(answer)")
        #expect(answer.code == "schema.migration_failed")
        #expect(answer.text.contains("'old'"))
        #expect(answer.text.contains("primary key '2'"))
        #expect(answer["property"] == "age")
        #expect(try wire.store.snapshot().version == version)
        #expect(try wire.get("/v1/objects/Dog/2")["age"] == "old")
    }

    struct Faulty: Sendable, CustomTestStringConvertible {
        let steps: String
        let status: Int
        let code: String
        let path: String
        var hint: String?
        var testDescription: String { steps }
    }

    @Test(
        "a faulty step is named with its place and the nearest name",
        arguments: [
            Faulty(
                steps: #"{"rename":{"class":"Dgo","from":"name","to":"title"}}"#, status: 409,
                code: "schema.migration_failed", path: "$.migration[0]", hint: "Dog"),
            Faulty(
                steps:
                    #"{"convert":{"class":"Dog","from":"age"}},{"rename":{"class":"Dog","from":"nmae","to":"title"}}"#,
                status: 409, code: "schema.migration_failed", path: "$.migration[1]", hint: "name"),
            Faulty(
                steps: #"{"default":{"class":"Dog","property":"aeg"}}"#, status: 409, code: "schema.migration_failed",
                path: "$.migration[0]", hint: "age"),
            Faulty(
                steps: #"{"default":{"class":"Dog","property":"age","value":"x"}}"#, status: 422,
                code: "schema.invalid", path: "$.migration[0].default.value"),
            Faulty(
                steps: #"{"convert":{"class":"Dog","from":"age","fallback":1.5}}"#, status: 422,
                code: "schema.invalid", path: "$.migration[0].convert.fallback"),
            Faulty(
                steps: #"{"rename":{"class":"Dog","from":"name"}}"#, status: 422, code: "schema.invalid",
                path: "$.migration[0].rename"),
            Faulty(
                steps: #"{"rename":{"class":"Dog","from":"name","too":"title","to":"title"}}"#, status: 422,
                code: "schema.invalid", path: "$.migration[0].rename.too", hint: "to"),
            Faulty(
                steps: #"{"renmae":{"class":"Dog"}}"#, status: 422, code: "schema.invalid",
                path: "$.migration[0].renmae", hint: "rename"),
            Faulty(
                steps: #"{"rename":{},"copy":{}}"#, status: 422, code: "schema.invalid", path: "$.migration[0]"),
            Faulty(steps: #"7"#, status: 422, code: "schema.invalid", path: "$.migration[0]"),
            Faulty(
                steps: #"{"deleteClass":7}"#, status: 422, code: "schema.invalid", path: "$.migration[0].deleteClass"),
            Faulty(
                steps: #"{"copy":7}"#, status: 422, code: "schema.invalid", path: "$.migration[0].copy"),
        ])
    func faultySteps(_ faulty: Faulty) throws {
        let wire = try Self.dogs()
        let version = try wire.store.snapshot().version
        let answer = try wire.send(.put, "/v1/schema", Self.document(2, Self.second, migration: faulty.steps))
        #expect(answer.status == faulty.status, "\(answer)")
        #expect(answer.code == faulty.code)
        #expect(answer["faults"]?.asArray?.contains { $0["path"] == .string(faulty.path) } == true, "\(answer)")
        if let hint = faulty.hint {
            #expect(answer["faults"]?.asArray?.contains { $0["hint"] == .string(hint) } == true, "\(answer)")
        }
        #expect(try wire.store.snapshot().version == version)
        let plan = try wire.send(.post, "/v1/schema/plan", Self.document(2, Self.second, migration: faulty.steps))
        #expect(plan.status == (faulty.status == 422 ? 422 : 200), "\(plan)")
        if plan.status == 200 {
            #expect(plan["applicable"] == .bool(false))
            #expect(plan["faults"]?.asArray?.contains { $0["path"] == .string(faulty.path) } == true)
        }
    }

    @Test("steps need a version that rises")
    func sameVersion() throws {
        let wire = try Self.dogs()
        let answer = try wire.send(
            .put, "/v1/schema",
            Self.document(
                1, Self.first + #",{"name":"good","type":"bool"}"#,
                migration: #"{"default":{"class":"Dog","property":"good","value":true}}"#))
        #expect(answer.status == 409, "\(answer)")
        #expect(answer.code == "schema.migration_required")
        #expect(answer.text.contains("above 1"))
    }

    @Test("what is removed goes with a higher version, and with the class that is named")
    func removal() throws {
        let wire = try Self.dogs()
        let schema =
            #"{"schemaVersion":2,"classes":[{"name":"Cat","properties":[{"name":"x","type":"int"}]}],"migration":[{"deleteClass":"Dog"}]}"#
        let plan = try wire.send(.post, "/v1/schema/plan", schema)
        #expect(plan["changes"]?[1]?["change"] == "Class 'Dog' has been removed.")
        #expect(plan["changes"]?[1]?["steps"]?.asArray == [.int(0)])
        #expect(try wire.send(.put, "/v1/schema", schema).status == 200)
        #expect(try wire.get("/v1/objects/Dog").status == 404)
    }
}
