import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// The program and a service manager with a socket of the kind that systemd has.
@Suite("Notifications to the service manager")
struct ServiceManagerTests {
    @Test("ready when it listens, alive while it runs, reloading and stopping", arguments: [false, true])
    func life(isAbstract: Bool) throws {
        let directory = try TestDirectory()
        let manager = try Manager(isAbstract ? "@realmgate-test-\(UUID().uuidString)" : directory.file("notify"))
        let server = try RunningServer(
            ["--data", directory.file("a.realmgate")],
            environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "400000"], in: directory)
        #expect(try manager.next() == "READY=1\nSTATUS=Listening on \(server.address)")
        for _ in 0..<3 { #expect(try manager.next() == "WATCHDOG=1") }

        server.process.send(SIGHUP)
        let reloading = try manager.next(but: "WATCHDOG=1")
        let time = try #require(reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=(\d+)/)?.output.1)
        #expect((try #require(Int(time))) > 0)
        #expect(try manager.next(but: "WATCHDOG=1") == "READY=1")

        server.process.send(SIGTERM)
        #expect(try manager.next(but: "WATCHDOG=1") == "STOPPING=1")
        #expect(try server.process.wait() == 0)
        #expect(manager.isEmpty, "no message follows the last one")
    }

    @Test("no watchdog message without an interval, or for another process", arguments: [nil, "1"])
    func unwatched(process: String?) throws {
        let directory = try TestDirectory()
        let manager = try Manager(directory.file("notify"))
        var variables = ["NOTIFY_SOCKET": manager.name]
        variables["WATCHDOG_PID"] = process
        variables["WATCHDOG_USEC"] = process.map { _ in "50000" }
        let server = try RunningServer(
            ["--data", directory.file("a.realmgate")], environment: variables, in: directory)
        #expect(try manager.next().hasPrefix("READY=1\n"))
        // Long enough for some messages.
        usleep(150_000)
        #expect(try server.stop() == 0)
        #expect(try manager.next() == "STOPPING=1")
        #expect(manager.isEmpty)
    }

    @Test("a manager that is not there is named in the log, and the server runs")
    func absent() throws {
        let directory = try TestDirectory()
        let server = try RunningServer(
            ["--data", directory.file("a.realmgate")],
            environment: ["NOTIFY_SOCKET": directory.file("nobody")], in: directory)
        #expect(try server.client().send("GET", "/healthz").status == 200)
        #expect(server.process.errors.contains("The service manager cannot be notified."))
        #expect(try server.stop() == 0)
    }

    /// A datagram socket, as systemd's.
    private final class Manager {
        let name: String
        private let descriptor: Int32

        init(_ name: String) throws {
            self.name = name
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var path = Array(name.utf8)
            let isAbstract = path[0] == UInt8(ascii: "@")
            path[0] = isAbstract ? 0 : path[0]
            guard path.count < 100 else { throw TestFailure("the socket's path is too long: \(name)") }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
            let length = socklen_t(2 + path.count + (isAbstract ? 0 : 1))
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
            }
            guard status == 0 else { throw TestFailure("bind: \(String(cString: strerror(errno)))") }
        }

        deinit { close(descriptor) }

        /// Whether no message waits.
        var isEmpty: Bool {
            var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            return Glibc.poll(&poll, 1, 0) == 0
        }

        /// The next message other than `ignored`; throws when none comes within a generous time.
        func next(but ignored: String? = nil) throws -> String {
            while true {
                var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                guard Glibc.poll(&poll, 1, Int32(TestRun.patience) * 1_000) == 1 else {
                    throw TestFailure("no message comes")
                }
                var bytes = [UInt8](repeating: 0, count: 4096)
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count >= 0 else { throw TestFailure("recv: \(String(cString: strerror(errno)))") }
                let message = String(decoding: bytes[..<count], as: UTF8.self)
                if message != ignored { return message }
            }
        }
    }
}
