import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

/// The messages of commands that fail.
@Suite("Commands that refuse")
struct CommandMessageTests {
    @Test("no key is made for a database that nobody named and that is not there, or for a role that nothing defines")
    func tokens() throws {
        let directory = try TestDirectory()
        func create(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Program.Result {
            try Program.run(
                ["token", "create", "--name", "k"] + arguments, environment: environment, in: directory)
        }
        let nowhere = try create(["--role", "admin"])
        #expect(nowhere.status == 64 && nowhere.output.isEmpty)
        #expect(nowhere.errors.contains("There is no database file 'data.realmgate'"))
        #expect(nowhere.errors.contains("--data FILE"))
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(files.filter { !$0.hasPrefix("process-") } == [], "only what the command printed")

        // A database that was named explicitly may be created later.
        let named = try create(["--role", "admin", "--data", "a.realmgate"])
        #expect(named.status == 0 && named.errors.contains("no database file 'a.realmgate' yet"))
        let variable = try create(["--role", "admin"], ["REALMGATE_DATA": "b.realmgate"])
        #expect(variable.status == 0 && variable.errors.contains("b.realmgate"))

        let unknown = try create(["--role", "amdin", "--data", "a.realmgate"])
        #expect(unknown.status == 64 && unknown.output.isEmpty)
        #expect(unknown.errors.contains("no role 'amdin'") && unknown.errors.contains("Did you mean 'admin'?"))
        #expect(unknown.errors.contains("--config"))
        #expect(try create(["--role", "editor", "--any-role", "--data", "a.realmgate"]).status == 0)
        try directory.write("auth: {roles: {clerk: {classes: {Dog: {read: true}}}}}\n", to: "c.yaml")
        #expect(try create(["--role", "clerk", "--config", "c.yaml", "--data", "a.realmgate"]).status == 0)
        let other = try create(["--role", "clark", "--config", "c.yaml", "--data", "a.realmgate"])
        #expect(other.status == 64 && other.errors.contains("Did you mean 'clerk'?"))
    }

    @Test("restore names the option that gives up the file that is there")
    func restore() throws {
        let directory = try TestDirectory()
        try directory.write(#"{"schemaVersion":1,"classes":[]}"#, to: "schema.json")
        let applied = try Program.run(
            ["schema", "--apply", "schema.json", "--data", "a.realmgate"], in: directory)
        try #require(applied.status == 0, "\(applied.errors)")
        #expect(try Program.run(["backup", "a.realmgate", "backup"], in: directory).status == 0)
        let refused = try Program.run(["restore", "backup", "a.realmgate"], in: directory)
        #expect(refused.status != 0 && refused.errors.contains("--replace"), "\(refused.errors)")
        #expect(try Program.run(["restore", "backup", "a.realmgate", "--replace"], in: directory).status == 0)
    }

    @Test(
        "a type in the spelling of another language is answered with all types and the right spelling",
        arguments: [
            ("list<string>", "string[]"), ("List<Int>", "int[]"), ("[string]", "string[]"), ("set<uuid>", "uuid<>"),
            ("Map<string, double?>", "double?{}"), ("string[]?", "string[]"), ("array<Dog>", "Dog[]"),
        ])
    func types(spelling: String, meant: String) throws {
        let directory = try TestDirectory()
        try directory.write(
            #"{"schemaVersion":1,"classes":[{"name":"Dog","properties":[{"name":"p","type":"\#(spelling)"}]}]}"#,
            to: "schema.json")
        let refused = try Program.run(["schema", "--check", "schema.json", "--data", "a.realmgate"], in: directory)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("Did you mean '\(meant)'?"), "\(refused.errors)")
        for word in ["decimal128", "objectId", "mixed", "linkingObjects(", "'[]' for a list"] {
            #expect(refused.errors.contains(word), "\(word): \(refused.errors)")
        }
    }

    @Test("CSV for spreadsheets is written and read by the commands")
    func formulas() throws {
        let directory = try TestDirectory()
        try directory.write(
            #"{"schemaVersion":1,"classes":[{"name":"Cell","primaryKey":"id","properties":[{"name":"id","type":"int"},{"name":"text","type":"string"}]}]}"#,
            to: "schema.json")
        try directory.write("{\"id\":1,\"text\":\"=1+1\"}\n{\"id\":2,\"text\":\"'a\"}\n", to: "cells.ndjson")
        let database = ["--data", "a.realmgate"]
        #expect(
            try Program.run(["import", "Cell", "cells.ndjson", "--schema", "schema.json"] + database, in: directory)
                .status == 0)
        let exported = try Program.run(
            ["export", "Cell", "--format", "csv", "--escape-formulas"] + database, in: directory)
        #expect(exported.output == "id,text\r\n1,'=1+1\r\n2,''a\r\n")
        try directory.write(exported.output, to: "cells.csv")
        let read = try Program.run(
            ["import", "Cell", "cells.csv", "--escape-formulas", "--update", "all"] + database, in: directory)
        #expect(read.status == 0, "\(read.errors)")
        let plain = try Program.run(["export", "Cell"] + database, in: directory)
        #expect(plain.output.contains(#""text":"=1+1""#) && plain.output.contains(#""text":"'a""#), "\(plain.output)")
        let misplaced = try Program.run(["export", "Cell", "--escape-formulas"] + database, in: directory)
        #expect(misplaced.status == 64 && misplaced.errors.contains("--format csv"))
    }
}
