import ProgramTesting
import RepositoryFiles
import Testing

@Suite("realmgate types")
struct TypesCommandTests {
    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        try directory.write(DogSchema.text, to: "schema.json")
    }

    private func run(_ arguments: [String]) throws -> Program.Result {
        try Program.run(
            ["types"] + arguments, environment: ["REALMGATE_DATA": directory.file("a.realmgate")], in: directory)
    }

    @Test("it writes the classes of a schema file and of a database alike")
    func writes() throws {
        let ofFile = try run(["typescript", "--schema", directory.file("schema.json")])
        #expect(ofFile.status == 0, "\(ofFile.errors)")
        #expect(ofFile.output.contains("export interface Dog {"))
        #expect(ofFile.output.hasSuffix("}\n"))
        let applied = try Program.run(
            ["schema", "--apply", directory.file("schema.json"), "--data", directory.file("a.realmgate")],
            in: directory)
        #expect(applied.status == 0, "\(applied.errors)")
        #expect(try run(["typescript"]).output == ofFile.output)
    }

    @Test("it refuses another language, a missing database, and two sources")
    func refuses() throws {
        #expect(try run(["cobol"]).status != 0)
        let missing = try run(["typescript"])
        #expect(missing.status != 0 && missing.errors.contains("There is no database file"))
        let both = try run(["typescript", "--schema", "a.json", "--data", "b"])
        #expect(both.errors.contains("Give --schema or --data, not both."))
    }
}
