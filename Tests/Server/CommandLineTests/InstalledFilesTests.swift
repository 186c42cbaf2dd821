import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

/// The program finds its files beside itself. The messages of one that was copied without them.
@Suite("Files that go with the program")
struct InstalledFilesTests {
    /// A copy of the program in `DIRECTORY/bin`.
    private func copy(to directory: TestDirectory) throws -> String {
        let bin = directory.file("bin")
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        // By another process: a file that this one has open for writing cannot be run as long as some child that
        // another test starts meanwhile has inherited the descriptor.
        let copying = try ChildProcess(
            "/bin/cp", [try Program.executable(), bin + "/realmgate"], directory: directory.path)
        #expect(try copying.wait() == 0, "\(copying.errors)")
        return bin + "/realmgate"
    }

    private func start(_ program: String, _ arguments: [String], in directory: TestDirectory) throws -> ChildProcess {
        try ChildProcess(
            program, ["serve", "--port", "0", "--data", directory.file("a.realmgate")] + arguments,
            directory: directory.path, startsThere: true)
    }

    @Test("a copied program serves the API, and says once which files are missing and where it looked")
    func missing() throws {
        let directory = try TestDirectory()
        let program = try copy(to: directory)
        let server = try start(program, [], in: directory)
        try server.wait(until: "the server") { server.output.contains("listening on") }
        let messages = server.errors.split(separator: "\n").filter { $0.contains("missing") }
        #expect(messages.count == 1)
        for part in [
            "'static' and 'openapi' are missing", "'\(directory.file("share/realmgate"))'",
            "'\(directory.file("bin"))'", "--static and --openapi",
        ] {
            #expect(messages.first?.contains(part) == true, "\(part): \(messages)")
        }
        server.send(SIGTERM)
        #expect(try server.wait() == 0)

        let demo = try start(program, ["--demo"], in: directory)
        #expect(try demo.wait() == 66)
        #expect(demo.errors.contains("'demo' are missing") && demo.errors.contains("--demo-data"), "\(demo.errors)")
    }

    @Test("a program that was moved with its files finds them, also through a link")
    func found() throws {
        let directory = try TestDirectory()
        let program = try copy(to: directory)
        let share = directory.file("share/realmgate")
        try FileManager.default.createDirectory(atPath: share, withIntermediateDirectories: true)
        for (part, source) in [("static", "static"), ("openapi", "openapi"), ("demo", "Examples/Demo")] {
            try FileManager.default.createSymbolicLink(
                atPath: share + "/" + part, withDestinationPath: Checkout.root + "/" + source)
        }
        let link = directory.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: program)
        let server = try start(link, ["--demo"], in: directory)
        try server.wait(until: "the server") { server.output.contains("listening on") }
        #expect(!server.errors.contains("missing"), "\(server.errors)")
        #expect(server.errors.contains("objects of Flight"))
        server.send(SIGTERM)
        #expect(try server.wait() == 0)
    }

    @Test("a port in use is refused in one sentence with exit code 69")
    func portInUse() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(["--data", directory.file("a.realmgate")], in: directory)
        let second = try Program.run(
            ["serve", "--data", directory.file("b.realmgate"), "--port", "\(server.port)"], in: directory)
        #expect(second.status == 69)
        #expect(
            second.errors
                == "realmgate: Port \(server.port) on 127.0.0.1 is in use by another process. Stop it, choose another port, or use port 0.\n"
        )
        #expect(try server.stop() == 0)
    }

    @Test("the version is that of the package, with the commit of a release or the word development")
    func version() throws {
        let directory = try TestDirectory()
        let version = try Program.run(["--version"], in: directory)
        #expect(version.status == 0)
        #expect(version.output.wholeMatch(of: /\d+\.\d+\.\d+ \((development|commit [0-9a-f]{12}\+?)\)\n/) != nil)
    }
}
