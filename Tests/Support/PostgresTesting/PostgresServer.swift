import Foundation
import Glibc
import Synchronization
import TestBasics

/// A PostgreSQL server of its own for tests: data in a temporary directory, an address of its own on loopback, every
/// commit synced.
///
/// It runs as the user `postgres` when the tests run as root, which PostgreSQL refuses. It ends with `stop`, with the
/// last reference, or with the process of the tests, whichever comes first.
package final class PostgresServer: Sendable {
    package static let password = "p@ss/word-7Qx"

    /// Whether the tests that need PostgreSQL run.
    package static let isThere = TestNeed.isMet(
        (try? programs()) != nil, "what needs PostgreSQL", because: "Debian's package postgresql is not installed")

    /// Where it listens. No outgoing connection gets its port while it is stopped: see `LoopbackAddress.own`.
    package let host = LoopbackAddress.own()
    package let port: UInt16
    private let directory: String
    private let process = Mutex<ServerProcess?>(nil)
    private static let given = Atomic(0)

    /// A server that the tests of a process share; each uses realms of its own.
    package static let shared = Result { try PostgresServer() }

    /// Returns another number each time, for names of realms and roles. A server belongs to one process, so they are
    /// unique in it.
    package static func number() -> Int { given.add(1, ordering: .relaxed).newValue }

    /// Makes a new cluster and starts it.
    ///
    /// - Parameter settings: lines of postgresql.conf.
    package convenience init(settings: [String] = []) throws {
        try self.init(settings) { directory, data in
            let password = directory + "/password"
            try Self.password.write(toFile: password, atomically: false, encoding: .utf8)
            return [
                "initdb", "--pgdata", data, "--username", "rg", "--auth", "scram-sha-256", "--pwfile", password,
                "--encoding", "UTF8", "--locale", "C.UTF-8",
            ]
        }
    }

    /// Makes a standby that follows a primary; `promote` makes it a primary.
    package convenience init(standbyOf primary: PostgresServer) throws {
        try self.init([]) { _, data in
            [
                "pg_basebackup", "--pgdata", data, "--dbname", primary.url, "--write-recovery-conf", "--checkpoint",
                "fast",
            ]
        }
    }

    /// - Parameter making: the command that makes the cluster in the second directory of its arguments.
    private init(_ settings: [String], making: (_ directory: String, _ data: String) throws -> [String]) throws {
        port = try SocketFaults.freePort(of: host)
        directory = "/tmp/realmgate-postgres-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let command = try making(directory, directory + "/data")
        if getuid() == 0 { _ = try Self.output("/bin/chown", ["-R", "postgres:postgres", directory]) }
        _ = try Self.output("\(try Self.programs())/\(command[0])", Array(command.dropFirst()), asServer: true)
        let lines =
            [
                "port = \(port)", "listen_addresses = '\(host)'", "unix_socket_directories = ''", "fsync = on",
                "max_connections = 200", "shared_buffers = 32MB", "logging_collector = off",
            ] + settings
        let configuration = try FileHandle(forWritingTo: URL(fileURLWithPath: data + "/postgresql.conf"))
        defer { try? configuration.close() }
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try start()
    }

    /// Has a standby take writes, and waits for that.
    package func promote() throws {
        guard try sql("select pg_promote(true, \(TestRun.patience))") == "t" else {
            throw PostgresTestFailure("The standby did not become a primary.")
        }
    }

    /// Changes a setting of the server, and waits until it counts.
    package func set(_ name: String, _ value: String) throws {
        try sql("alter system set \(name) = '\(value)'")
        try sql("select pg_reload_conf()")
        try wait(until: "\(name) is '\(value)'") { try sql("show \(name)") == value }
        // Commits wait for a standby when the checkpointer has told them to in shared memory, which it does between
        // checkpoints: before the second one it has.
        if name == "synchronous_standby_names" { for _ in 0..<2 { try sql("checkpoint") } }
    }

    /// Waits for something that comes to be in the server.
    package func wait(until what: String, _ isSo: () throws -> Bool) throws {
        guard try eventually(isSo) else { throw PostgresTestFailure("It did not come that \(what).") }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private var data: String { directory + "/data" }

    /// The address with the password, for user and database of the tests.
    package var url: String { url() }

    /// Host and port.
    package var address: String { "\(host):\(port)" }

    /// - Parameter address: another host and port than its own, such as those of `SocketFaults`.
    package func url(
        at address: String? = nil, password: String? = PostgresServer.password, database: String = "postgres"
    ) -> String {
        let secret =
            password.map { ":" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") } ?? ""
        return "postgres://rg\(secret)@\(address ?? self.address)/\(database)"
    }

    /// Starts the server and waits until it takes connections.
    package func start() throws {
        try process.withLock { process in
            process = try ServerProcess(
                Self.asServer(["\(try Self.programs())/postgres", "-D", data]), log: directory + "/log",
                leftovers: directory)
        }
        // A process that has ended will not take connections any more.
        let isReady = eventually { (try? sql("select 1")) != nil || process.withLock { $0?.hasEnded != false } }
        guard isReady, process.withLock({ $0?.hasEnded == false }) else {
            let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
            throw PostgresTestFailure("PostgreSQL did not start: \(log)")
        }
    }

    /// Ends the server and waits for that. Its clients are disconnected.
    ///
    /// - Parameter isCrash: without writing anything more, as when the machine loses power.
    package func stop(isCrash: Bool = false) {
        let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        process.withLock { process in
            // The first line is the process that this object started.
            if let line = text?.split(separator: "\n").first, let number = pid_t(line), process != nil {
                kill(number, isCrash ? SIGQUIT : SIGINT)
            }
            process?.wait()
            process = nil
        }
    }

    /// Runs statements by psql as the owner of the database, and returns its unaligned output.
    @discardableResult
    package func sql(_ text: String) throws -> String { try sqlOf("postgres", text) }

    /// The same in another database of the server.
    @discardableResult
    package func sqlOf(_ database: String, _ text: String) throws -> String {
        try Self.output(
            "\(try Self.programs())/psql",
            ["--no-psqlrc", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", url(database: database), "-c", text])
    }

    // MARK: Programs

    private static func programs() throws -> String {
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
        guard let newest = versions.compactMap(Int.init).max() else {
            throw PostgresTestFailure("PostgreSQL is not installed. Install Debian's package postgresql.")
        }
        return "/usr/lib/postgresql/\(newest)/bin"
    }

    static func asServer(_ command: [String]) -> [String] {
        getuid() == 0
            ? ["/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] + command : command
    }

    private static func output(_ program: String, _ arguments: [String], asServer: Bool = false) throws -> String {
        let command = asServer ? Self.asServer([program] + arguments) : [program] + arguments
        let stem = NSTemporaryDirectory() + "realmgate-postgres-\(UUID().uuidString.prefix(8)).out"
        defer { try? FileManager.default.removeItem(atPath: stem) }
        let status = try ServerProcess(command, log: stem).wait()
        let text = (try? String(contentsOfFile: stem, encoding: .utf8)) ?? ""
        guard status == 0 else { throw PostgresTestFailure("\(program) ended with \(status): \(text)") }
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
}

package struct PostgresTestFailure: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
}
