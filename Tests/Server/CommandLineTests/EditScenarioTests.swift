import Foundation
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// A sequence of a shop's writes with curl, as a reader of the documentation would do them.
@Suite("Edits, transactions and files with curl")
struct EditScenarioTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Person", "primaryKey": "handle", "properties": [
            {"name": "handle", "type": "string"}, {"name": "tags", "type": "string[]"},
            {"name": "marks", "type": "int<>"}, {"name": "prices", "type": "double{}"}, {"name": "dogs", "type": "Dog[]"},
            {"name": "favourite", "type": "Dog?"}]},
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "age", "type": "int"}, {"name": "good", "type": "bool"},
            {"name": "owners", "type": "linkingObjects(Person.dogs)"}]}]}
        """

    private struct Shop {
        let directory: TestDirectory
        let server: RunningServer

        init(_ directory: TestDirectory, data: String) throws {
            self.directory = directory
            let schema = try directory.write(EditScenarioTests.schema, to: "schema.json")
            server = try RunningServer(["--data", directory.file(data), "--schema", schema], in: directory)
        }

        /// Returns the response's status and body.
        func curl(_ method: String, _ path: String, _ body: String? = nil, _ more: [String] = []) throws -> (
            status: Int, text: String
        ) {
            var arguments =
                ["curl", "-sS", "--max-time", "\(TestRun.patience)", "-w", "\n%{http_code}", "-X", method] + more
            if let body { arguments += ["-H", "Content-Type: application/json", "--data-binary", body] }
            let process = try ChildProcess(
                "/usr/bin/env", arguments + [server.address + path], directory: directory.path)
            guard try process.wait() == 0 else { throw TestFailure("curl \(arguments): \(process.errors)") }
            let parts = process.output.split(separator: "\n", omittingEmptySubsequences: false)
            guard let status = parts.last.flatMap({ Int($0) }) else { throw TestFailure(process.output) }
            return (status, parts.dropLast().joined(separator: "\n"))
        }

        /// Returns a value as the server writes it.
        func value(_ path: String) throws -> String { try curl("GET", path).text }
    }

    @Test("lists, sets and maps are edited in place")
    func collections() throws {
        let shop = try Shop(try TestDirectory(), data: "a.realmgate")
        #expect(try shop.curl("POST", "/v1/objects/Dog", #"[{"id":1,"age":3},{"id":2,"age":8}]"#).status == 201)
        #expect(try shop.curl("POST", "/v1/objects/Person", #"{"handle":"ada","dogs":[1]}"#).status == 201)
        let ada = "/v1/objects/Person/ada"
        let steps: [(method: String, path: String, body: String?, result: String, property: String)] = [
            ("POST", "/tags", #""b""#, #"["b"]"#, "tags"),
            ("POST", "/tags", #"["c","d"]"#, #"["b","c","d"]"#, "tags"),
            ("POST", "/tags?index=0", #""a""#, #"["a","b","c","d"]"#, "tags"),
            ("PUT", "/tags/2", #""C""#, #"["a","b","C","d"]"#, "tags"),
            ("POST", "/tags/move", #"{"from":3,"to":0}"#, #"["d","a","b","C"]"#, "tags"),
            ("DELETE", "/tags/1", nil, #"["d","b","C"]"#, "tags"),
            ("POST", "/marks", "[7,3,7]", "[7,3]", "marks"),
            ("DELETE", "/marks?value=7", nil, "[3]", "marks"),
            ("PUT", "/prices/EUR", "1.5", #"{"EUR":1.5}"#, "prices"),
            ("PUT", "/prices/CHF", "2", #"{"CHF":2,"EUR":1.5}"#, "prices"),
            ("DELETE", "/prices/EUR", nil, #"{"CHF":2}"#, "prices"),
            ("POST", "/dogs", "2", "[1,2]", "dogs"),
            ("PATCH", "/dogs/1", #"{"age":9}"#, "[1,2]", "dogs"),
            ("DELETE", "/dogs?filter=age%20%3E%205", nil, "[1]", "dogs"),
            ("PUT", "/dogs", "[2,1,2]", "[2,1,2]", "dogs"),
            ("DELETE", "/dogs", nil, "[]", "dogs"),
        ]
        for step in steps {
            let answer = try shop.curl(step.method, ada + step.path, step.body)
            #expect(answer.status == 200, "\(step): \(answer)")
            let object = try JSONSerialization.jsonObject(with: Data(try shop.value(ada).utf8)) as? NSDictionary
            let expected = try JSONSerialization.jsonObject(with: Data(step.result.utf8))
            if step.property == "marks", let found = object?["marks"] as? [Int], let wanted = expected as? [Int] {
                #expect(Set(found) == Set(wanted) && found.count == wanted.count, "\(step)")
            } else {
                #expect((object?[step.property] as? NSObject) == (expected as? NSObject), "\(step): \(object ?? [:])")
            }
        }
        #expect(try shop.value("/v1/objects/Dog/2").contains(#""age":9"#))
        #expect(try shop.curl("DELETE", ada + "/tags/9").status == 404)
        #expect(try shop.curl("POST", ada + "/tags?index=9", #""x""#).status == 422)
        #expect(try shop.server.stop() == 0)
    }

    @Test("many objects are changed at once, and transactions refer, require and are sent again")
    func transactions() throws {
        let shop = try Shop(try TestDirectory(), data: "a.realmgate")
        let dogs = (1...10).map { #"{"id":\#($0),"age":\#($0)}"# }.joined(separator: ",")
        #expect(try shop.curl("POST", "/v1/objects/Dog", "[\(dogs)]").status == 201)
        let changed = try shop.curl("PATCH", "/v1/objects/Dog?filter=age%20%3E%207", #"{"good":true}"#)
        #expect(changed.status == 200 && changed.text.contains(#""modified":3"#), "\(changed)")
        #expect(try shop.curl("PATCH", "/v1/objects/Dog", #"{"good":true}"#).status == 400)
        let deleted = try shop.curl("DELETE", "/v1/objects/Dog?filter=good%20%3D%3D%20true&limit=2&sort=-id")
        #expect(deleted.status == 200 && deleted.text.contains(#""deleted":2"#), "\(deleted)")
        #expect(try shop.value("/v1/objects/Dog?count=true").contains(#""count":8"#))

        let transaction = #"""
            {"operations":[
              {"op":"require","class":"Person","filter":"handle == 'eve'","exists":false},
              {"op":"create","class":"Dog","value":{"id":20},"as":"dog"},
              {"op":"create","class":"Person","value":{"handle":"eve","dogs":[{"$ref":"dog"}]},"as":"eve"},
              {"op":"set","object":{"ref":"eve"},"value":{"favourite":{"$ref":"dog"}}},
              {"op":"delete","object":{"class":"Dog","key":1}}]}
            """#
        let key = ["-H", "Idempotency-Key: order-1"]
        let first = try shop.curl("POST", "/v1/transactions", transaction, key)
        #expect(first.status == 200, "\(first)")
        // The same request gets the same response, although its requirement is no longer satisfied.
        let again = try shop.curl("POST", "/v1/transactions", transaction, key + ["-D", shop.directory.file("head")])
        #expect(again == first)
        let head = try String(contentsOfFile: shop.directory.file("head"), encoding: .utf8)
        #expect(head.lowercased().contains("idempotency-replayed: true"))
        let anew = try shop.curl("POST", "/v1/transactions", transaction)
        #expect(anew.status == 412 && anew.text.contains(#""operation":0"#), "\(anew)")
        #expect(try shop.value("/v1/objects/Person/eve").contains(#""favourite":20"#))
        #expect(try shop.curl("GET", "/v1/objects/Dog/1").status == 404)

        #expect(try shop.curl("GET", "/v1/objects/Dog/2", nil, ["-D", shop.directory.file("head")]).status == 200)
        let fields = try String(contentsOfFile: shop.directory.file("head"), encoding: .utf8).split(
            whereSeparator: \.isNewline)
        let field = try #require(fields.first { $0.lowercased().hasPrefix("realmgate-mark: ") })
        let mark = field.dropFirst("realmgate-mark: ".count)
        let bound = #"{"ifVersion":"\#(mark)","operations":[{"op":"create","class":"Dog","value":{"id":30}}]}"#
        #expect(try shop.curl("POST", "/v1/transactions", bound).status == 200)
        let late = try shop.curl("POST", "/v1/transactions", bound)
        #expect(late.status == 412 && late.text.contains("transaction.version_changed"), "\(late)")
        // All or nothing.
        let faulty =
            #"{"operations":[{"op":"create","class":"Dog","value":{"id":40}},{"op":"create","class":"Dog","value":{"id":30}}]}"#
        #expect(try shop.curl("POST", "/v1/transactions", faulty).status == 409)
        #expect(try shop.curl("GET", "/v1/objects/Dog/40").status == 404)
        #expect(try shop.server.stop() == 0)
    }

    @Test("what was exported is imported elsewhere, and a backup becomes the database", arguments: ["ndjson", "csv"])
    func files(format: String) throws {
        let directory = try TestDirectory()
        let shop = try Shop(directory, data: "a.realmgate")
        let people = (1...50).map {
            #"{"handle":"p\#($0), \"q\"","tags":["a","\#($0)"],"prices":{"EUR":\#($0).5},"dogs":[{"id":\#($0),"age":\#($0)}]}"#
        }
        #expect(try shop.curl("POST", "/v1/objects/Person", "[\(people.joined(separator: ","))]").status == 201)
        func export(_ shop: Shop) throws -> [String] {
            try ["Dog", "Person"].map { name in
                let file = directory.file("\(name).\(format)")
                let answer = try shop.curl("GET", "/v1/export/\(name)?format=\(format)", nil, ["-o", file])
                #expect(answer.status == 200)
                return try String(contentsOfFile: file, encoding: .utf8)
            }
        }
        let exported = try export(shop)
        #expect(exported.allSatisfy { $0.split(whereSeparator: \.isNewline).count == (format == "csv" ? 51 : 50) })

        let other = try Shop(directory, data: "b.realmgate")
        for name in ["Dog", "Person"] {
            let type = format == "csv" ? "text/csv" : "application/x-ndjson"
            let options = ["-H", "Content-Type: \(type)", "--data-binary", "@\(directory.file("\(name).\(format)"))"]
            let imported = try other.curl("POST", "/v1/import/\(name)?atomic=true", nil, options)
            #expect(imported.status == 200 && imported.text.contains(#""created":50"#), "\(imported)")
            let twice = try other.curl("POST", "/v1/import/\(name)?update=modified", nil, options)
            #expect(twice.text.contains(#""created":0,"modified":0"#), "\(twice)")
            let events = try other.curl(
                "POST", "/v1/import/\(name)?update=all", nil, options + ["-N", "-H", "Accept: text/event-stream"])
            #expect(events.text.contains("event: progress") && events.text.contains("event: done"), "\(events)")
        }
        #expect(try export(other) == exported)

        let backup = directory.file("backup")
        #expect(try shop.curl("GET", "/v1/backup", nil, ["-o", backup]).status == 200)
        #expect(try shop.curl("DELETE", "/v1/objects/Person?all=true").status == 200)
        func restore(_ more: [String]) throws -> Program.Result {
            try Program.run(["restore", backup, directory.file("a.realmgate")] + more, in: directory)
        }
        // Not while the server has it open, and not without a message.
        #expect(try restore(["--replace"]).status != 0)
        #expect(try shop.server.stop() == 0)
        #expect(try restore([]).status != 0)
        let restored = try restore(["--replace"])
        #expect(restored.status == 0, "\(restored.errors)")
        let back = try Shop(directory, data: "a.realmgate")
        #expect(try export(back) == exported)
        #expect(try back.server.stop() == 0)
        #expect(try other.server.stop() == 0)
    }
}
