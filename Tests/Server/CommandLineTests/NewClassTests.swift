import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

@Suite("realmgate import --create")
struct NewClassTests {
    private static let people = "id,name,zip\n1,Ann,10115\n2,Bob,01234\n3,,99999\n"

    private func run(
        _ arguments: [String], input: String? = nil, in directory: TestDirectory
    ) throws -> Program.Result {
        try Program.run(
            arguments, environment: ["REALMGATE_DATA": directory.file("a.realmgate"), "TMPDIR": directory.path],
            input: input, in: directory)
    }

    @Test("a class is made from a file, with the reasons, and the file is in it")
    func create() throws {
        let directory = try TestDirectory()
        let file = try directory.write(Self.people, to: "people.csv")
        let made = try run(["import", "--create", "Person", file], in: directory)
        #expect(made.status == 0, "\(made.errors)")
        #expect(
            made.errors == """
                3 rows read.
                id: int, because all 3 values are integers, such as '1' on line 2.
                name: string?, because both values are texts, such as 'Ann' on line 2; optional, because 1 of 3 rows has no value.
                zip: string, because 1 of 3 values begins with 0, such as '01234' on line 3.
                Primary key: id, because it is named like a key, and has a different value in each of the 3 rows.
                Person: 3 created, 0 changed

                """)
        let exported = try run(["export", "Person", "--format", "csv"], in: directory)
        #expect(exported.output == Self.people.replacingOccurrences(of: "\n", with: "\r\n"))
        let again = try run(["import", "--create", "Person", file], in: directory)
        #expect(again.status == 1)
        #expect(again.errors.contains("There is a class 'Person' already."))
    }

    @Test("standard input is read twice, too, and nothing of it remains")
    func pipe() throws {
        let directory = try TestDirectory()
        let lines = (0..<5000).map { "{\"id\":\($0),\"text\":\"row \($0)\"}\n" }.joined()
        let made = try run(["import", "--create", "Row", "-"], input: lines, in: directory)
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.errors.contains("Row: 5,000 created"))
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!files.contains { $0.hasPrefix("realmgate-") }, "\(files)")
    }

    @Test("--dry-run prints a schema that can be applied, and writes nothing")
    func dryRun() throws {
        let directory = try TestDirectory()
        let file = try directory.write(Self.people, to: "people.csv")
        let shown = try run(
            ["import", "--create", "Person", file, "--dry-run", "--type", "zip=int", "--no-primary-key"], in: directory)
        #expect(shown.status == 0, "\(shown.errors)")
        #expect(shown.errors.contains("zip: int, because this type was given."))
        #expect(!FileManager.default.fileExists(atPath: directory.file("a.realmgate")))
        let schema = try directory.write(shown.output, to: "schema.json")
        #expect(try run(["schema", "--apply", schema], in: directory).status == 0)
        #expect(try run(["schema"], in: directory).output == shown.output)
        let second = try run(["import", "--create", "Animal", file, "--dry-run", "--type", "name=date"], in: directory)
        #expect(second.status == 1)
        #expect(second.output.contains("\"Person\"") && second.output.contains("\"Animal\""))
        #expect(second.errors.contains("2 values of name will not fit, the first on line 2: 'Ann'."))
    }

    @Test("a compressed file is read as it is, from a name and from standard input")
    func compressed() throws {
        let directory = try TestDirectory()
        let bytes = try #require(Data(base64Encoded: "H4sIAAAAAAACA8tMsQ4oykxOVdBwDQ3S5DK0NtIz5TKyNuYCAKIcSAkZAAAA"))
        let path = directory.file("prices.csv.gz")
        try bytes.write(to: URL(fileURLWithPath: path))
        let made = try run(["import", "--create", "Price", path], in: directory)
        #expect(made.status == 0 && made.errors.contains("Price: 2 created"), "\(made.errors)")
        #expect(made.errors.contains("Price_EUR (column 'Price (EUR)'): double"), "\(made.errors)")
        let again = try run(["import", "Price", path, "--update", "modified"], in: directory)
        #expect(again.status == 0 && again.errors.contains("2 unchanged"), "\(again.errors)")
        let truncated = directory.file("cut.csv.gz")
        try bytes.dropLast(9).write(to: URL(fileURLWithPath: truncated))
        let cut = try run(["import", "Price", truncated, "--update", "modified"], in: directory)
        #expect(cut.status == 1 && cut.errors.contains("ends too early"), "\(cut.errors)")
    }

    @Test(
        "a file that cannot be opened ends a command with 66",
        arguments: [
            ["import", "Price", "none.csv"], ["import", "--create", "Price", "none.csv"], ["import", "Price", "."],
            ["export", "Price", "--output", "none/out.ndjson"], ["schema", "--apply", "none.json"],
            ["backup", "none.realmgate", "copy"], ["restore", "none.realmgate", "copy"], ["compact", "none.realmgate"],
            ["check", "none.realmgate"], ["serve", "--config", "none.yaml"],
            ["serve", "--check", "--tls-certificate", "none.pem", "--tls-key", "none.key"],
            ["serve", "--check", "--set", "auth.tokens.secretFile=none"],
        ])
    func missingFiles(arguments: [String]) throws {
        let directory = try TestDirectory()
        let file = try directory.write("id\n1\n", to: "prices.csv")
        #expect(try run(["import", "--create", "Price", file], in: directory).status == 0)
        let result = try run(arguments, in: directory)
        #expect(result.status == 66, "\(result.status) \(result.errors)")
    }

    @Test("lines that cannot be read are reported with their numbers, before and after")
    func faultyLines() throws {
        let directory = try TestDirectory()
        let file = try directory.write("{\"a\":1}\nnonsense\n{\"a\":2}\n", to: "rows.ndjson")
        let shown = try run(["import", "--create", "Row", file, "--dry-run"], in: directory)
        #expect(shown.status == 1)
        #expect(shown.errors.contains("1 line could not be read and had no influence.\nline 2: The JSON is malformed"))
        let made = try run(["import", "--create", "Row", file], in: directory)
        #expect(made.status == 1)
        #expect(made.errors.contains("line 2: ") && made.errors.contains("Row: 2 created, 0 changed, 1 refused"))
    }

    @Test(
        "wrong options and files are refused before anything is written",
        arguments: [
            (["--dry-run"], 64, "add --create"), (["--create", "--type", "zip"], 64, "write NAME=TYPE"),
            (["--create", "--type", "zip=strin<g"], 64, "is not a type"),
            (["--create", "--primary-key", "id", "--no-primary-key"], 64, "not both"),
            (["--create", "--schema", "x.json"], 64, "give one of them"),
            (["--create", "--type", "zap=int"], 1, "Did you mean 'zip'?"),
            (["--create", "--primary-key", "name"], 1, "it has no value in 1 of 3 rows"),
            (["--create", "--format", "ndjson"], 1, "No line of the file can be read as NDJSON."),
        ] as [([String], Int32, String)])
    func refused(options: [String], status: Int32, words: String) throws {
        let directory = try TestDirectory()
        let file = try directory.write(Self.people, to: "people.csv")
        let result = try run(["import", "Person", file] + options, in: directory)
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(words), "\(result.errors)")
        if FileManager.default.fileExists(atPath: directory.file("a.realmgate")) {
            #expect(!(try run(["schema"], in: directory).output.contains("Person")))
        }
    }
}
