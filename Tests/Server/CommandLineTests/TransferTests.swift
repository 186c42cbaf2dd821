import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

@Suite("realmgate import, export and schema")
struct TransferTests {
    private static let dogs = """
        {"id": 1, "name": "Rex", "age": 3, "weight": 20.5, "born": "2020-02-29T12:00:00.5Z", "good": true, "owner": 7, "size": 1.5}
        {"id": 2, "name": "comma, \\"quote\\" and\\nline", "age": null, "weight": -0.1, "chip": "6F9619FF-8B86-D011-B42D-00CF4FC964FF"}
        {"id": 9007199254740993, "name": "", "age": -9223372036854775808, "tag": "507f1f77bcf86cd799439011", "owner": 8}

        """

    private func directory() throws -> TestDirectory {
        let directory = try TestDirectory()
        try directory.write(DogSchema.text, to: "schema.json")
        return directory
    }

    private func run(
        _ arguments: [String], input: String? = nil, in directory: TestDirectory, data: String = "a.realmgate"
    ) throws -> Program.Result {
        try Program.run(
            arguments, environment: ["REALMGATE_DATA": directory.file(data)], input: input, in: directory)
    }

    private func fill(_ directory: TestDirectory, data: String = "a.realmgate") throws {
        let schema = try run(["schema", "--apply", directory.file("schema.json")], in: directory, data: data)
        try #require(schema.status == 0, "\(schema.errors)")
        let people = try run(
            ["import", "Person", "-"], input: "{\"id\": 7, \"name\": \"Ann\"}\n{\"id\": 8, \"name\": \"Zoë\"}\n",
            in: directory, data: data)
        try #require(people.status == 0, "\(people.errors)")
    }

    @Test("what is exported is imported again as it was", arguments: ["ndjson", "csv"])
    func roundTrip(format: String) throws {
        let directory = try directory()
        try fill(directory)
        let first = try run(["import", "Dog", "-"], input: Self.dogs, in: directory)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.errors.contains("3 created"))
        let file = directory.file("dogs." + format)
        let exported = try run(["export", "Dog", "--output", file], in: directory)
        #expect(exported.status == 0, "\(exported.errors)")
        try fill(directory, data: "b.realmgate")
        let second = try run(["import", "Dog", file], in: directory, data: "b.realmgate")
        #expect(second.status == 0, "\(second.errors)")
        let again = try run(["export", "Dog", "--format", format], in: directory, data: "b.realmgate")
        #expect(again.output == (try String(contentsOfFile: file, encoding: .utf8)))
        let lines = try run(["export", "Dog"], in: directory, data: "b.realmgate").output
        let objects = try lines.split(separator: "\n").map { try ServeTests.object(String($0)) }
        #expect(objects.map { $0["name"] as? String } == ["Rex", "comma, \"quote\" and\nline", ""])
        #expect(objects.map { $0["owner"] as? Int } == [7, nil, 8])
        #expect(lines.contains("9007199254740993"))
        #expect(lines.contains("2020-02-29T12:00:00.500Z"))
    }

    private static let library = #"""
        {"schemaVersion":1,"classes":[
          {"name":"Book","primaryKey":"id","properties":[
            {"name":"id","type":"int"},{"name":"cover","type":"data"},{"name":"stamp","type":"data?"},
            {"name":"price","type":"decimal128"},{"name":"fee","type":"decimal128?"},{"name":"extra","type":"mixed"},
            {"name":"tags","type":"string[]"},{"name":"marks","type":"int?[]"},{"name":"words","type":"string<>"},
            {"name":"rates","type":"decimal128?{}"},{"name":"notes","type":"mixed{}"},{"name":"next","type":"Book?"},
            {"name":"series","type":"Book[]"},{"name":"related","type":"Book<>"},{"name":"others","type":"Book?{}"},
            {"name":"publisher","type":"Publisher?"},{"name":"editions","type":"Edition[]"}]},
          {"name":"Publisher","embedded":true,"properties":[
            {"name":"name","type":"string"},{"name":"codes","type":"int[]"},{"name":"main","type":"Book?"}]},
          {"name":"Edition","embedded":true,"properties":[{"name":"year","type":"int"}]}]}
        """#

    /// Values of every type, with links to books on later lines.
    private static let books = #"""
        {"id":1,"cover":"AP8=","stamp":"","price":"12345678901234567890.10","fee":null,"extra":{"at":{"$date":"1970-01-01T00:00:00Z"},"list":[1,2.5,{"$decimal":"1.10"},{"$link":{"class":"Book","key":2}},{"$float":0.1},"a,\"b\"\n"]},"tags":["b","a","b"],"marks":[1,null],"words":["Z","a","é"],"rates":{"":"NaN","EUR":"1.0","USD":null},"notes":{"a":{"$oid":"00000000000000000000000a"},"b":[[]]},"next":1,"series":[1,2,1],"related":[1,2],"others":{"left":2,"right":null},"publisher":{"name":"Ada","codes":[3,1],"main":2},"editions":[{"year":1999},{"year":2001}]}
        {"id":2,"cover":"","stamp":null,"price":"0","fee":"1E+2","extra":"","tags":[],"marks":[],"words":[],"rates":{},"notes":{},"next":null,"series":[],"related":[],"others":{},"publisher":null,"editions":[]}

        """#

    @Test("every kind of value goes through a file", arguments: ["ndjson", "csv"])
    func everyKind(format: String) throws {
        let directory = try TestDirectory()
        let schema = try directory.write(Self.library, to: "library.json")
        let first = try run(["import", "Book", "-", "--schema", schema], input: Self.books, in: directory)
        #expect(first.status == 0, "\(first.errors)")
        let lines = try run(["export", "Book"], in: directory)
        #expect(lines.output == Self.books)
        let file = directory.file("books." + format)
        #expect(try run(["export", "Book", "--output", file], in: directory).status == 0)
        let second = try run(["import", "Book", file, "--schema", schema], in: directory, data: "b.realmgate")
        #expect(second.status == 0, "\(second.errors)")
        #expect(try run(["export", "Book"], in: directory, data: "b.realmgate").output == Self.books)
        let again = try run(
            ["import", "Book", file, "--update", "modified"], in: directory, data: "b.realmgate")
        #expect(again.errors.contains("0 created, 0 changed"), "\(again.errors)")
    }

    @Test("faults in values of any kind are named, and nothing of such a line is kept")
    func faultyValues() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(Self.library, to: "library.json")
        let input = #"""
            {"id":1,"tags":["a",7]}
            {"id":2,"extra":{"a":{"$date":"soon"}}}
            {"id":3,"series":[{"id":9}]}
            {"id":4,"series":[99]}
            {"id":5,"rates":{"a.b":1}}
            {"id":6,"publisher":{"nmae":"x"}}
            {"id":7,"tags":["kept"]}
            """#
        let result = try run(["import", "Book", "-", "--schema", schema], input: input, in: directory)
        #expect(result.status == 1)
        let words = [
            1: "'Book.tags[1]' must be a string, not the integer 7.", 2: #"'Book.extra.a["$date"]' must be a date"#,
            3: "series[0]: a file names linked objects by their keys.", 4: "series[0]: there is no Book '99'.",
            5: "key must not contain '.'", 6: "Did you mean 'name'?",
        ]
        for (line, word) in words {
            let said = result.errors.split(separator: "\n").first { $0.contains("line \(line):") }
            #expect(said?.contains(word) == true, "line \(line): \(result.errors)")
        }
        let csv = try run(
            ["import", "Book", "-", "--format", "csv"], input: "id,tags,cover\n8,[1,AP8=\n9,\"[\"\"x\"\"]\",AP8\n",
            in: directory)
        #expect(csv.errors.contains("line 2: tags: The JSON is malformed"), "\(csv.errors)")
        #expect(csv.errors.contains("line 3: cover: 'AP8' is not base64 text."), "\(csv.errors)")
        let kept = try run(["export", "Book", "--fields", "id,tags"], in: directory).output
        #expect(kept == "{\"id\":4,\"tags\":[]}\n{\"id\":7,\"tags\":[\"kept\"]}\n")
        let embedded = try run(["import", "Edition", "-"], input: "{\"year\":1}\n", in: directory)
        #expect(embedded.status == 1)
        #expect(embedded.errors.contains("imported within the objects that own them"))
    }

    @Test("lines that do not fit are named with the reason, and the others are imported")
    func faultyLines() throws {
        let directory = try directory()
        try fill(directory)
        let input = """
            {"id": 1, "name": "Rex"}
            {"id": 1, "name": "again"}
            not json
            {"id": 2, "nmae": "typo"}
            {"id": 3, "age": "old"}
            {"id": 4, "owner": 99}

            {"id": 5}
            """
        let result = try run(["import", "Dog", "-"], input: input, in: directory)
        #expect(result.status == 1)
        let words = [
            2: "existing primary key", 3: "JSON", 4: "Did you mean 'name'?", 5: "age", 6: "there is no Person '99'",
        ]
        for (line, word) in words {
            let said = result.errors.split(separator: "\n").first { $0.contains("line \(line):") }
            #expect(said?.contains(word) == true, "line \(line): \(result.errors)")
        }
        #expect(result.errors.contains("2 created"))
        let count = try run(["export", "Dog", "--fields", "id"], in: directory).output
        #expect(count == "{\"id\":1}\n{\"id\":5}\n")
    }

    @Test("the policy decides over objects that exist")
    func policies() throws {
        let directory = try directory()
        try fill(directory)
        let first = "{\"id\": 1, \"name\": \"Rex\", \"age\": 3}\n"
        let second = "{\"id\": 1, \"age\": 4}\n"
        #expect(try run(["import", "Dog", "-"], input: first, in: directory).status == 0)
        #expect(try run(["import", "Dog", "-"], input: second, in: directory).status == 1)
        let same = try run(["import", "Dog", "-", "--update", "modified"], input: first, in: directory)
        #expect(same.errors.contains("0 created, 0 changed"))
        let changed = try run(["import", "Dog", "-", "--update", "modified"], input: second, in: directory)
        #expect(changed.errors.contains("0 created, 1 changed"))
        let all = try run(["import", "Dog", "-", "--update", "all"], input: second, in: directory)
        #expect(all.errors.contains("0 created, 1 changed"))
        let exported = try run(["export", "Dog", "--fields", "name,age"], in: directory)
        #expect(exported.output == "{\"name\":\"Rex\",\"age\":4}\n")
    }

    @Test("CSV takes its columns from the first line and says what is wrong with it")
    func csvHeader() throws {
        let directory = try directory()
        try fill(directory)
        let good = try run(
            ["import", "Dog", "-", "--format", "csv"], input: "name,id,owner\r\nRex,1,7\r\n", in: directory)
        #expect(good.status == 0, "\(good.errors)")
        let unknown = try run(["import", "Dog", "-", "--format", "csv"], input: "id,nmae\n", in: directory)
        #expect(unknown.status == 1)
        #expect(unknown.errors.contains("Did you mean 'name'?"))
        let wrong = try run(
            ["import", "Dog", "-", "--format", "csv"], input: "id,age\n2,old\n3\n4,5\n", in: directory)
        #expect(wrong.errors.contains("line 2: age: 'old' is not a 64-bit whole number."))
        #expect(wrong.errors.contains("line 3: There are 1 fields where the first line has 2."))
        #expect(wrong.errors.contains("1 created"))
    }

    @Test("an export can be filtered, sorted and cut to some fields")
    func filteredExport() throws {
        let directory = try directory()
        try fill(directory)
        #expect(try run(["import", "Dog", "-"], input: Self.dogs, in: directory).status == 0)
        let found = try run(
            ["export", "Dog", "--filter", "owner.name IN {'Ann', 'Zoë'}", "--sort", "-id", "--fields", "id,owner"],
            in: directory)
        #expect(found.output == "{\"id\":9007199254740993,\"owner\":8}\n{\"id\":1,\"owner\":7}\n")
        let csv = try run(
            ["export", "Dog", "--filter", "id < 3", "--format", "csv", "--fields", "id,age"], in: directory)
        #expect(csv.output == "id,age\r\n1,3\r\n2,\r\n")
        let wrong = try run(["export", "Dog", "--filter", "nmae == 'Rex'"], in: directory)
        #expect(wrong.status == 1)
        #expect(wrong.errors.contains("name"))
        let unknown = try run(["export", "Dgo"], in: directory)
        #expect(unknown.errors.contains("Did you mean 'Dog'?"))
    }

    @Test("links to objects further down in the same file are made")
    func forwardLinks() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(
            """
            {"schemaVersion": 1, "classes": [{"name": "Node", "primaryKey": "id", "properties": [
              {"name": "id", "type": "int"}, {"name": "next", "type": "Node?"}]}]}
            """, to: "nodes.json")
        let input = "{\"id\": 1, \"next\": 2}\n{\"id\": 2, \"next\": 1}\n{\"id\": 3, \"next\": 4}\n"
        let imported = try run(["import", "Node", "-", "--schema", schema], input: input, in: directory)
        #expect(imported.status == 1)
        #expect(imported.errors.contains("line 3: next: there is no Node '4'."))
        let output = try run(["export", "Node"], in: directory).output
        #expect(output == "{\"id\":1,\"next\":2}\n{\"id\":2,\"next\":1}\n{\"id\":3,\"next\":null}\n")
    }

    @Test("the schema that is printed can be applied, and checking changes nothing")
    func schemaRoundTrip() throws {
        let directory = try directory()
        let check = try run(["schema", "--check", directory.file("schema.json")], in: directory)
        #expect(check.status == 0, "\(check.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.realmgate")))
        try fill(directory)
        let printed = try run(["schema"], in: directory)
        #expect(printed.status == 0)
        let copy = try directory.write(printed.output, to: "copy.json")
        #expect(try run(["schema", "--apply", copy], in: directory, data: "b.realmgate").status == 0)
        #expect(try run(["schema"], in: directory, data: "b.realmgate").output == printed.output)
        let faulty = try directory.write(
            printed.output.replacingOccurrences(of: "Person?", with: "Persn?"), to: "faulty.json")
        let refused = try run(["schema", "--check", faulty], in: directory)
        #expect(refused.status == 1)
        #expect(refused.errors.contains("Persn"))
    }

    @Test("a schema file migrates the data, checking shows the plan first, and a lower version is refused")
    func migration() throws {
        let directory = try TestDirectory()
        func file(_ version: Int, _ type: String, _ migration: String) throws -> String {
            try directory.write(
                #"{"schemaVersion":\#(version),"classes":[{"name":"Dog","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"age","type":"\#(type)"}]}],"migration":[\#(migration)]}"#,
                to: "schema\(version).json")
        }
        let first = try file(1, "string", "")
        #expect(try run(["schema", "--apply", first], in: directory).status == 0)
        let dogs = try run(
            ["import", "Dog", "-"], input: "{\"id\":1,\"age\":\"7\"}\n{\"id\":2,\"age\":\"old\"}\n", in: directory)
        #expect(dogs.status == 0, "\(dogs.errors)")
        let uncovered = try run(["schema", "--check", try file(2, "int", "")], in: directory)
        #expect(uncovered.status == 1)
        #expect(uncovered.output.contains("! Dog.age: string → int  (refused)"), "\(uncovered.output)")
        #expect(uncovered.errors.contains("Send 'migration' steps"), "\(uncovered.errors)")
        let strict = try run(
            ["schema", "--apply", try file(2, "int", #"{"convert":{"class":"Dog","from":"age"}}"#)], in: directory)
        #expect(strict.status == 1)
        #expect(strict.errors.contains("'old'") && strict.errors.contains("primary key '2'"), "\(strict.errors)")
        let second = try file(2, "int", #"{"convert":{"class":"Dog","from":"age","fallback":0}}"#)
        let plan = try run(["schema", "--check", second], in: directory)
        #expect(plan.status == 0, "\(plan.errors)")
        #expect(plan.output.contains("schema version 1 → 2"))
        #expect(plan.output.contains("! Dog.age: string → int, by migration step 1"), "\(plan.output)")
        #expect(try run(["schema", "--apply", second], in: directory).status == 0)
        #expect(try run(["schema", "--apply", second], in: directory).output == "Nothing changes.\n")
        #expect(try run(["export", "Dog"], in: directory).output == "{\"id\":1,\"age\":7}\n{\"id\":2,\"age\":0}\n")
        for arguments in [["schema", "--apply", first], ["serve", "--port", "0", "--schema", first]] {
            let lower = try run(arguments, in: directory)
            #expect(lower.status == 1)
            #expect(
                lower.errors.contains("Provided schema version 1 is less than last set version 2."), "\(lower.errors)")
        }
    }
}
