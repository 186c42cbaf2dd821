import Foundation
import Glibc
package import HTTPTesting
package import RepositoryFiles

/// The program under test and the means to run it.
package enum Program {
    /// The built `realmgate`.
    package static func executable() throws -> String { try beside("realmgate") }

    /// A built product beside the test bundle.
    package static func beside(_ name: String) throws -> String {
        var places: [String] = []
        if let runner = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") {
            places.append((runner as NSString).deletingLastPathComponent)
        }
        for argument in CommandLine.arguments where argument.contains(".xctest") {
            places.append((argument as NSString).deletingLastPathComponent)
        }
        for configuration in ["debug", "release"] { places.append(Checkout.root + "/.build/" + configuration) }
        guard let place = places.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/" + name) }) else {
            throw TestFailure("there is no \(name) in any of \(places)")
        }
        return place + "/" + name
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
    package let port: Int
    package let address: String

    /// Starts and waits for the line with its address: on a free port, or on a former one.
    package init(
        _ arguments: [String], port: Int = 0, environment: [String: String] = [:], in directory: TestDirectory
    ) throws {
        let process = try ChildProcess(
            try Program.executable(), ["serve", "--port", "\(port)"] + arguments, environment: environment,
            directory: directory.path)
        try process.wait(until: "the ready line") { process.output.contains("\n") }
        let scheme = arguments.contains { $0.hasPrefix("--tls") } ? "https" : "http"
        let prefix = "realmgate: listening on \(scheme)://127.0.0.1:"
        guard let line = process.output.split(separator: "\n").first, line.hasPrefix(prefix),
            let port = Int(line.dropFirst(prefix.count)), port > 0
        else { throw TestFailure("no ready line, but: \(process.output)") }
        self.process = process
        self.port = port
        address = "\(scheme)://127.0.0.1:\(port)"
    }

    /// Stops the server with a signal and returns its exit code.
    package func stop(_ signal: Int32 = SIGTERM) throws -> Int32 {
        process.send(signal)
        return try process.wait()
    }

    package func client() throws -> LoopbackClient { try LoopbackClient(port: port) }
}
