import Foundation
import HTTPTesting

/// The program `realmgate`, run as another process.
enum Program {
    /// Runs it to its end. Returns its output; throws if it fails.
    static func run(_ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = try executable()
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let complaint = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw LoopbackClient.Failure(what: complaint) }
        return text
    }

    /// The executable in the directory of the tests.
    private static func executable() throws -> URL {
        let places =
            [Bundle.main.bundleURL]
            + CommandLine.arguments.filter { $0.contains(".xctest") }.map {
                URL(fileURLWithPath: $0).deletingLastPathComponent()
            }
        let files = places.map { $0.appendingPathComponent("realmgate") }
        guard let file = files.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            throw LoopbackClient.Failure(what: "there is no realmgate in any of \(places.map(\.path))")
        }
        return file
    }
}
