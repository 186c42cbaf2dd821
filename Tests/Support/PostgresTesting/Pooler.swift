import Foundation
import Glibc
import TestBasics

/// PgBouncer in front of a server of the tests, where it is installed.
package final class Pooler: Sendable {
    private let host = LoopbackAddress.own()
    private let port: UInt16
    /// Host and port.
    package var address: String { "\(host):\(port)" }
    private let directory: String
    private let process: ServerProcess

    /// The program that REALMGATE_PGBOUNCER names; nil where it names none.
    package static let program = ProcessInfo.processInfo.environment["REALMGATE_PGBOUNCER"]

    /// - Parameter mode: `transaction` or `session`.
    package init(_ server: PostgresServer, mode: String) throws {
        guard let program = Self.program else { throw PostgresTestFailure("PgBouncer is not installed.") }
        port = try SocketFaults.freePort(of: host)
        directory = "/tmp/realmgate-pooler-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        let target = "host=\(server.host) port=\(server.port) user=rg password='\(PostgresServer.password)'"
        let settings = """
            [databases]
            postgres = \(target) dbname=postgres
            [pgbouncer]
            listen_addr = \(host)
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = 20
            """
        try settings.write(toFile: directory + "/pooler.ini", atomically: false, encoding: .utf8)
        process = try ServerProcess(
            PostgresServer.asServer([program, directory + "/pooler.ini"]), log: directory + "/log",
            leftovers: directory)
        func log() -> String { (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? "" }
        guard eventually({ log().contains("process up") || process.hasEnded }), !process.hasEnded else {
            throw PostgresTestFailure("PgBouncer did not start: \(log())")
        }
    }

    deinit {
        process.end()
        try? FileManager.default.removeItem(atPath: directory)
    }
}
