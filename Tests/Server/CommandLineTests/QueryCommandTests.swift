import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

@Suite("realmgate query")
struct QueryCommandTests {
    private static let dogs = """
        {"id": 1, "name": "Rex", "age": 3, "weight": 20.5, "owner": 7}
        {"id": 2, "name": "Fido", "age": 7, "weight": 9, "owner": 7}
        {"id": 3, "name": "Rina", "weight": 4}

        """

    private let directory: TestDirectory

    init() throws {
        directory = try TestDirectory()
        try directory.write(DogSchema.text, to: "schema.json")
        for (arguments, input) in [
            (["schema", "--apply", directory.file("schema.json")], nil),
            (["import", "Person", "-"], "{\"id\": 7, \"name\": \"Ann\"}\n"), (["import", "Dog", "-"], Self.dogs),
        ] {
            let result = try run(arguments, input: input)
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    private func run(_ arguments: [String], input: String? = nil) throws -> Program.Result {
        try Program.run(
            arguments, environment: ["REALMGATE_DATA": directory.file("a.realmgate")], input: input, in: directory)
    }

    @Test(
        "it prints what it is asked for",
        arguments: [
            (
                ["Dog", "age > 2", "--sort", "-age", "--fields", "id,owner"],
                "{\"id\":2,\"owner\":7}\n{\"id\":1,\"owner\":7}\n"
            ),
            (["Dog", "--fields", "id", "--limit", "1", "--sort", "-id"], "{\"id\":3}\n"),
            (["Dog", "owner.name == 'Ann'", "--count"], "2\n"),
            (["Dog", "--distinct", "owner.name", "--count"], "1\n"),
            (["Dog", "--group", "owner.name,age"], "1\tnull\tnull\n1\t\"Ann\"\t3\n1\t\"Ann\"\t7\n"),
            (["Dog", "--sections", "name.first"], "1\t\"F\"\n2\t\"R\"\n"),
        ])
    func prints(arguments: [String], output: String) throws {
        let result = try run(["query"] + arguments)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output == output)
    }

    @Test("it tells how many objects there are beside those that it prints, and how a query is run")
    func numbers() throws {
        let result = try run(["query", "Dog", "--limit", "2"])
        #expect(result.output.split(separator: "\n").count == 2)
        #expect(result.errors == "2 of 3 objects\n")
        let plan = try run(["query", "Dog", "age > 2", "--explain"])
        #expect(plan.status == 0)
        #expect(plan.output.contains("2 objects in "))
        #expect(plan.output.split(separator: "\n").count >= 2)
    }

    @Test("a fault is shown at its place, and what does not go together is refused")
    func faults() throws {
        let name = try run(["query", "Dog", "agee > 2"])
        #expect(name.status != 0)
        #expect(name.errors.contains("\n  agee > 2\n  ^^^^"))
        #expect(name.errors.contains("age"))
        #expect(try run(["query", "Dog", "--group", "agee"]).errors.contains("--group"))
        #expect(try run(["query", "Dgo"]).status != 0)
        let both = try run(["query", "Dog", "--count", "--explain"])
        #expect(both.status != 0)
        #expect(both.errors.contains("not both"))
        #expect(try run(["query", "--help"]).output.contains("realmgate query Flight"))
    }
}
