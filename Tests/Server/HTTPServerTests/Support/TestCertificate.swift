import Foundation
import HTTPServer

/// A self-signed certificate with its key, created by `openssl` for tests.
struct TestCertificate: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    let files: TLSFiles
    let directory: String

    /// The certificate for tests that do not depend on a particular one.
    static let shared = Result { try TestCertificate(name: "shared.test") }

    init(name: String) throws {
        directory = NSTemporaryDirectory() + "certificate-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        files = TLSFiles(certificateChain: directory + "/chain.pem", key: directory + "/key.pem")
        try openSSL([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=\(name)", "-keyout", files.key, "-out", files.certificateChain,
        ])
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }
}

/// Runs `openssl` and waits for it.
func openSSL(_ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["openssl"] + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
        throw TestCertificate.Failure(
            description: "openssl \(arguments.first ?? "") ended with \(process.terminationStatus)")
    }
}
