import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
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

    @Test("the demo is served, the commands that it shows work, and its data is gone at the end")
    func serve() throws {
        let directory = try TestDirectory()
        let (process, address) = try start(["--port", "0"], in: directory)
        #expect(try temporary(directory).count == 1)
        let commands = process.output.split(separator: "\n").filter { $0.hasPrefix("curl ") }
        #expect(commands.count == 3)
        for command in commands {
            let shell = try ChildProcess("/bin/sh", ["-c", "exec \(command)"], directory: directory.path)
            if command.contains("/observe/") {
                try shell.wait(until: "the first event") { shell.output.contains("event: initial") }
                shell.send(SIGKILL)
                _ = try shell.wait()
            } else {
                #expect(try shell.wait() == 0, "\(shell.errors)")
                #expect(shell.output.contains("\"delay\""), "\(command): \(shell.output)")
            }
        }
        let port = try #require(Int(address.split(separator: ":").last ?? ""))
        let client = try LoopbackClient(port: port)
        #expect(try client.send("GET", "/v1/objects/Flight/1").json()["delay"] as? Int == 999)
        process.send(SIGINT)
        #expect(try process.wait() == 0)
        #expect(
            process.errors.split(separator: "\n").allSatisfy { $0.hasPrefix("Loaded the demo: ") }, "\(process.errors)")
        #expect(try temporary(directory) == [])
    }

    @Test("if the usual port is in use, the demo takes another one and says so")
    func usualPort() throws {
        let directory = try TestDirectory()
        // Another program of this machine may have it, and leave it at any time; then this test tries again.
        let wasTaken = try eventually {
            let holder = try? PortHolder(8080)
            let (process, found) = try start([], in: directory)
            process.send(SIGTERM)
            #expect(try process.wait() == 0)
            #expect(try temporary(directory) == [])
            guard holder != nil || !found.hasSuffix(":8080") else { return false }
            #expect(!found.hasSuffix(":8080"))
            #expect(process.output.contains("Port 8080 is in use, so the demo has another one."))
            return true
        }
        #expect(wasTaken)
    }

    @Test("a port that was given and is in use is refused")
    func givenPort() throws {
        let directory = try TestDirectory()
        let holder = try PortHolder(0)
        let refused = try Program.run(
            ["demo", "--port", "\(holder.port)"], environment: ["TMPDIR": directory.path], in: directory)
        #expect(refused.status != 0)
        #expect(refused.errors.contains("\(holder.port)"), "\(refused.errors)")
        #expect(try temporary(directory) == [])
    }

    /// Listens on a port of 127.0.0.1, so that nobody else can.
    private final class PortHolder {
        let port: UInt16
        private let descriptor: Int32

        init(_ wanted: UInt16) throws {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            // The port may have had connections that ended a moment ago.
            var reuses: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuses, socklen_t(MemoryLayout<Int32>.size))
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = wanted.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let status = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, length) == 0 && listen(descriptor, 1) == 0
                        && getsockname(descriptor, $0, &length) == 0
                }
            }
            guard status else {
                defer { close(descriptor) }
                throw TestFailure("port \(wanted): \(String(cString: strerror(errno)))")
            }
            self.descriptor = descriptor
            port = UInt16(bigEndian: address.sin_port)
        }

        deinit { close(descriptor) }
    }

    @Test("a directory that cannot be written to is named")
    func unwritable() throws {
        let directory = try TestDirectory()
        let refused = try Program.run(["demo"], environment: ["TMPDIR": directory.file("none")], in: directory)
        #expect(refused.status == 73)
        #expect(refused.errors.contains("Set TMPDIR"), "\(refused.errors)")
    }
}
