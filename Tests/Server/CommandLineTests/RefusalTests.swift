import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

/// Every way to start the program with errors: one sentence on standard error that says what to do, nothing on standard
/// output, and an exit code other than 0.
@Suite("What the program refuses")
struct RefusalTests {
    private func expectRefusal(
        _ arguments: [String], environment: [String: String] = [:], in directory: TestDirectory, saying words: [String],
        status: Int32? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let result = try Program.run(arguments, environment: environment, in: directory)
        #expect(result.status > 0, sourceLocation: sourceLocation)
        if let status { #expect(result.status == status, sourceLocation: sourceLocation) }
        #expect(result.output == "", sourceLocation: sourceLocation)
        for word in words {
            #expect(
                result.errors.contains(word), "'\(word)' is not said: \(result.errors)", sourceLocation: sourceLocation)
        }
        #expect(!result.errors.contains("Fatal error"), sourceLocation: sourceLocation)
    }

    @Test("an unknown command or option is named")
    func unknownWords() throws {
        let directory = try TestDirectory()
        try expectRefusal(["sevre"], in: directory, saying: ["sevre"], status: 64)
        try expectRefusal(["serve", "--prot", "1"], in: directory, saying: ["--prot", "--port"], status: 64)
        try expectRefusal(["serve", "--port", "many"], in: directory, saying: ["many", "--port"], status: 64)
    }

    @Test("a value out of range is named with the option or variable that it came from")
    func valuesOutOfRange() throws {
        let directory = try TestDirectory()
        try expectRefusal(["serve", "--port", "70000"], in: directory, saying: ["--port is 70000"], status: 64)
        try expectRefusal(
            ["serve"], environment: ["REALMGATE_PORT": "x"], in: directory, saying: ["REALMGATE_PORT is 'x'"],
            status: 64)
        try expectRefusal(
            ["serve", "--log-level", "loud"], in: directory, saying: ["--log-level is 'loud'", "debug"], status: 64)
        try expectRefusal(
            ["serve"], environment: ["REALMGATE_DEMO": "perhaps"], in: directory, saying: ["REALMGATE_DEMO"],
            status: 64)
    }

    @Test("a schema file that is not there, is no JSON or makes no sense is named with the reason")
    func faultySchemas() throws {
        let directory = try TestDirectory()
        let data = ["--port", "0", "--data", directory.file("a.realmgate")]
        try expectRefusal(
            ["serve", "--schema", directory.file("none.json")] + data, in: directory,
            saying: ["none.json", "No such file"], status: 66)
        let broken = try directory.write("{\"classes\": [", to: "broken.json")
        try expectRefusal(["serve", "--schema", broken] + data, in: directory, saying: ["broken.json", "line 1"])
        let faulty = try directory.write(
            #"{"schemaVersion": 1, "classes": [{"name": "A", "primaryKey": "x", "properties": [{"name": "b", "type": "B?"}]}]}"#,
            to: "faulty.json")
        try expectRefusal(
            ["serve", "--schema", faulty] + data, in: directory, saying: ["faulty.json", "'B'", "'A.x'"])
    }

    @Test("a port in use is named")
    func portInUse() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(["--data", directory.file("a.realmgate")], in: directory)
        try expectRefusal(
            ["serve", "--port", "\(server.port)", "--data", directory.file("b.realmgate")], in: directory,
            saying: ["\(server.port)", "in use"])
        #expect(try server.stop() == 0)
    }

    @Test("a file that is not a database is refused and left as it is")
    func noDatabase() throws {
        let directory = try TestDirectory()
        let text = String(repeating: "this is a letter, not a database\n", count: 1000)
        let path = try directory.write(text, to: "letter.txt")
        try expectRefusal(
            ["serve", "--port", "0", "--data", path], in: directory, saying: ["letter.txt"], status: 65)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("a directory in place of the file, and a file in a directory that is not there, are named")
    func wrongPlaces() throws {
        let directory = try TestDirectory()
        try expectRefusal(
            ["serve", "--port", "0", "--data", directory.path], in: directory, saying: [directory.path], status: 66)
        let nowhere = directory.file("none/a.realmgate")
        try expectRefusal(["serve", "--port", "0", "--data", nowhere], in: directory, saying: [nowhere], status: 66)
    }

    @Test(
        "commands that read do not make a new file",
        arguments: [["export", "Dog"], ["schema"], ["import", "Dog", "-"]])
    func readersMakeNothing(command: [String]) throws {
        let directory = try TestDirectory()
        let path = directory.file("none.realmgate")
        try expectRefusal(
            command + ["--data", path], in: directory, saying: ["There is no database file '\(path)'"], status: 66)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test(
        "an empty URL of PostgreSQL is not taken for none",
        arguments: [["serve"], ["query", "Dog"], ["status"], ["restore", "b", "--replace"]])
    func emptyStore(command: [String]) throws {
        let directory = try TestDirectory()
        try expectRefusal(
            command + ["--store", ""], in: directory, saying: ["--store is empty", "leave --store out"], status: 64)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(!names.contains { $0.contains("realmgate") }, "\(names)")
    }

    @Test("a directory of the console that is not there is named")
    func noConsole() throws {
        let directory = try TestDirectory()
        let missing = directory.file("none")
        for option in ["--static", "--openapi"] {
            try expectRefusal(
                ["serve", "--port", "0", "--data", directory.file("a.realmgate"), option, missing], in: directory,
                saying: [option, missing], status: 66)
        }
    }

    @Test("every command explains itself", arguments: ["serve", "import", "export", "schema", "health"])
    func help(command: String) throws {
        let directory = try TestDirectory()
        let result = try Program.run([command, "--help"], in: directory)
        #expect(result.status == 0)
        #expect(result.output.contains("USAGE: realmgate \(command)"))
        #expect(result.output.contains("Examples:"))
        #expect(result.output.contains("REALMGATE_"))
    }
}
