import Foundation
import Glibc
import Synchronization

/// A PostgreSQL server of its own for tests: data in a temporary directory, a port on loopback, every commit synced.
///
/// It runs as the user `postgres` when the tests run as root, which PostgreSQL refuses. It ends with `stop`, with the
/// last reference, or with the process of the tests, whichever comes first.
package final class PostgresServer: Sendable {
    package static let password = "p@ss/word-7Qx"

    package let port: UInt16
    private let directory: String
    private let host = Mutex<ServerProcess?>(nil)

    /// A server that the tests of a process share; each uses realms of its own.
    package static let shared = Result { try PostgresServer() }

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
        port = try SocketFaults.freePort()
        directory = "/tmp/realmgate-postgres-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let command = try making(directory, directory + "/data")
        if getuid() == 0 { _ = try Self.output("/bin/chown", ["-R", "postgres:postgres", directory]) }
        _ = try Self.output("\(try Self.programs())/\(command[0])", Array(command.dropFirst()), asServer: true)
        let lines =
            [
                "port = \(port)", "listen_addresses = '127.0.0.1'", "unix_socket_directories = ''", "fsync = on",
                "max_connections = 200", "shared_buffers = 32MB", "logging_collector = off",
            ] + settings
        let configuration = try FileHandle(forWritingTo: URL(fileURLWithPath: data + "/postgresql.conf"))
        defer { try? configuration.close() }
        try configuration.seekToEnd()
        try configuration.write(contentsOf: Data((lines.joined(separator: "\n") + "\n").utf8))
        try start()
    }

    /// Has a standby take writes, and waits for that.
    package func promote() throws { try sql("select pg_promote(true, 60)") }

    /// Changes a setting of the server, and waits until it counts.
    package func set(_ name: String, _ value: String) throws {
        try sql("alter system set \(name) = '\(value)'")
        try sql("select pg_reload_conf()")
        while try sql("show \(name)") != value { usleep(5000) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    private var data: String { directory + "/data" }

    /// The address with the password, for user and database of the tests.
    package var url: String { url(port: port) }

    /// The address through another port, such as that of `SocketFaults`.
    package func url(port: UInt16, password: String? = PostgresServer.password, database: String = "postgres") -> String
    {
        let secret =
            password.map { ":" + ($0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "") } ?? ""
        return "postgres://rg\(secret)@127.0.0.1:\(port)/\(database)"
    }

    /// Starts the server and waits until it takes connections.
    package func start() throws {
        try host.withLock { host in
            host = try ServerProcess(
                Self.asServer(["\(try Self.programs())/postgres", "-D", data]), log: directory + "/log",
                leftovers: directory)
        }
        let end = Date().addingTimeInterval(60)
        while (try? sql("select 1")) == nil {
            guard Date() < end else {
                let log = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
                throw PostgresTestFailure("PostgreSQL did not start: \(log)")
            }
            usleep(20_000)
        }
    }

    /// Ends the server and waits for that. Its clients are disconnected.
    ///
    /// - Parameter isCrash: without writing anything more, as when the machine loses power.
    package func stop(isCrash: Bool = false) {
        let text = try? String(contentsOfFile: data + "/postmaster.pid", encoding: .utf8)
        host.withLock { host in
            // The first line is the process that this object started.
            if let line = text?.split(separator: "\n").first, let process = pid_t(line), host != nil {
                kill(process, isCrash ? SIGQUIT : SIGINT)
            }
            host?.wait()
            host = nil
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
            ["--no-psqlrc", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", url(port: port, database: database), "-c", text])
    }

    // MARK: Programs

    private static func programs() throws -> String {
        let versions = ((try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? [])
        guard let newest = versions.compactMap(Int.init).max() else {
            throw PostgresTestFailure("PostgreSQL is not installed. Install Debian's package postgresql-15.")
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
