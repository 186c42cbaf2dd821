import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

@Suite("realmgate demo")
struct DemoCommandTests {
    private func start(_ arguments: [String], in directory: TestDirectory) throws -> (ChildProcess, address: String) {
        let process = try ChildProcess(
            try Program.executable(), ["demo"] + arguments,
            // Settings of another server, which do not count.
            environment: ["TMPDIR": directory.path, "REALMGATE_AUTH": "true", "REALMGATE_PORT": "1"],
            directory: directory.path)
        try process.wait(until: "the advice") { process.output.contains("removes it.") }
        let prefix = "realmgate: listening on "
        let line = try #require(process.output.split(separator: "\n").first)
        try #require(line.hasPrefix(prefix + "http://127.0.0.1:"), "\(process.output)")
        return (process, String(line.dropFirst(prefix.count)))
    }

    private func temporary(_ directory: TestDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { $0.hasPrefix("realmgate-demo-") }
    }

    @Test(
        "the demo is served, the commands that it shows work, and its data is gone at the end",
        arguments: [SIGINT, SIGTERM])
    func serve(signal: Int32) throws {
        let directory = try TestDirectory()
        let (process, address) = try start(["--port", "0"], in: directory)
        #expect(try temporary(directory).count == 1)
        let commands = process.output.split(separator: "\n").filter { $0.hasPrefix("curl ") }
        #expect(commands.count == 3)
        for command in commands {
            // A stream is read up to its first event.
            let isStream = command.contains("/observe/")
            let shell = try ChildProcess(
                "/bin/sh", ["-c", isStream ? "\(command) | head -n 4" : String(command)], directory: directory.path)
            #expect(try shell.wait() == 0, "\(shell.errors)")
            #expect(shell.output.contains(isStream ? "event: initial" : "\"delay\""), "\(command): \(shell.output)")
        }
        let port = try #require(Int(address.split(separator: ":").last ?? ""))
        let client = try LoopbackClient(port: port)
        #expect(try client.send("GET", "/v1/objects/Flight/1").json()["delay"] as? Int == 999)
        process.send(signal)
        #expect(try process.wait() == 0)
        #expect(
            process.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("Loaded the demo: ") }, "\(process.errors)")
        #expect(try temporary(directory) == [])
    }

    @Test("if the port is in use, the demo takes another one and says so, unless a port was given")
    func takenPort() throws {
        // Whoever has it, it is in use from here on.
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(8080).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        listen(listener, 1)
        let directory = try TestDirectory()
        let (process, found) = try start([], in: directory)
        #expect(!found.hasSuffix(":8080"))
        #expect(process.output.contains("Port 8080 is in use, so the demo has another one."))
        process.send(SIGTERM)
        #expect(try process.wait() == 0)

        let refused = try Program.run(
            ["demo", "--port", "8080"], environment: ["TMPDIR": directory.path], in: directory)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("8080"), "\(refused.errors)")
        #expect(try temporary(directory) == [])
    }

    @Test("a directory that cannot be written to is named")
    func unwritable() throws {
        let directory = try TestDirectory()
        let refused = try Program.run(["demo"], environment: ["TMPDIR": directory.file("none")], in: directory)
        #expect(refused.status == 73)
        #expect(refused.errors.contains("Set TMPDIR"), "\(refused.errors)")
    }
}
