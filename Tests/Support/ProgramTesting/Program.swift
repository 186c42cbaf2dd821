import Foundation
import Glibc
package import HTTPTesting
package import RepositoryFiles
import TestBasics

/// The program under test and the means to run it.
package enum Program {
    /// The built `realmgate`, or the one that REALMGATE_PROGRAM names.
    package static func executable() throws -> String {
        if let path = ProcessInfo.processInfo.environment["REALMGATE_PROGRAM"], !path.isEmpty { return path }
        return try beside("realmgate")
    }

    /// A product that was built with the tests. Not one from another build, which may be older than what is tested.
    package static func beside(_ name: String) throws -> String {
        var directories: [String] = []
        if let runner = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            directories.append((runner as NSString).deletingLastPathComponent)
        }
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            directories.append((argument as NSString).deletingLastPathComponent)
        }
        guard
            let directory = directories.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/" + name) })
        else {
            throw TestFailure("there is no \(name) in any of \(directories)")
        }
        return directory + "/" + name
    }

    package struct Result {
        package var status: Int32
        package var output: String
        package var errors: String
    }

    /// Runs the program to its end.
    package static func run(
        _ arguments: [String], environment: [String: String] = [:], input: String? = nil, in directory: TestDirectory
    ) throws -> Result {
        let process = try ChildProcess(
            try executable(), arguments, environment: environment, input: input, directory: directory.path,
            startsThere: true)
        let status = try process.wait()
        return Result(status: status, output: process.output, errors: process.errors)
    }
}

/// `realmgate serve` on the loopback address.
package final class RunningServer: Sendable {
    package let process: ChildProcess
    package let host: String
    package let port: Int
    package let address: String

    /// Starts and waits for the line with its address.
    ///
    /// - Parameters:
    ///   - host: `LoopbackAddress.own()` for a server that is started again on its port.
    ///   - port: 0 for a free one.
    package init(
        _ arguments: [String], host: String = LoopbackAddress.usual, port: Int = 0,
        environment: [String: String] = [:], in directory: TestDirectory
    ) throws {
        let process = try ChildProcess(
            try Program.executable(), ["serve", "--port", "\(port)"] + Self.option(host) + arguments,
            environment: environment, directory: directory.path)
        try process.wait(until: "the ready line") { process.output.contains("\n") }
        let scheme = arguments.contains { $0.hasPrefix("--tls") } ? "https" : "http"
        let prefix = "realmgate: listening on \(scheme)://\(host):"
        guard let line = process.output.split(separator: "\n").first, line.hasPrefix(prefix),
            let port = Int(line.dropFirst(prefix.count)), port > 0
        else { throw TestFailure("no ready line, but: \(process.output)") }
        self.process = process
        self.host = host
        self.port = port
        address = "\(scheme)://\(host):\(port)"
    }

    /// The usual host is the program's default, which tests of settings may change.
    private static func option(_ host: String) -> [String] { host == LoopbackAddress.usual ? [] : ["--host", host] }

    /// Stops the server with a signal and returns its exit code.
    package func stop(_ signal: Int32 = SIGTERM) throws -> Int32 {
        process.send(signal)
        return try process.wait()
    }

    package func client() throws -> LoopbackClient { try LoopbackClient(port: port, address: host) }
}
