import Foundation
package import HTTPServer

/// A certificate with its key, created by `openssl` for tests. Nobody trusts it unless told to.
package struct TestCertificate: Sendable {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    package let files: TLSFiles
    package let directory: String

    /// The certificate for tests that do not depend on a particular one.
    package static let shared = Result { try TestCertificate(name: "shared.test") }

    /// Makes a self-signed certificate, or one of an authority, which is another such certificate.
    ///
    /// - Parameters:
    ///   - holders: whom it is for, in the form of OpenSSL's `subjectAltName`, such as `IP:127.0.0.1`.
    ///   - days: how long it is valid; with an authority also -1, for one that has expired.
    package init(
        name: String, for holders: String? = nil, from authority: TestCertificate? = nil, days: Int = 2
    ) throws {
        directory = NSTemporaryDirectory() + "certificate-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        files = TLSFiles(certificateChain: directory + "/chain.pem", key: directory + "/key.pem")
        let request =
            ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)"]
            + (holders.map { ["-addext", "subjectAltName=\($0)"] } ?? []) + ["-keyout", files.key]
        guard let authority else {
            try openSSL(["req", "-x509", "-days", "\(days)", "-out", files.certificateChain] + request)
            return
        }
        let unsigned = directory + "/request.pem"
        try openSSL(["req", "-new", "-out", unsigned] + request)
        try openSSL([
            "x509", "-req", "-in", unsigned, "-CA", authority.files.certificateChain, "-CAkey", authority.files.key,
            "-CAcreateserial", "-copy_extensions", "copy", "-days", "\(days)", "-out", files.certificateChain,
        ])
    }

    package func remove() { try? FileManager.default.removeItem(atPath: directory) }
}

/// Runs `openssl` and waits for it.
package func openSSL(_ arguments: [String]) throws {
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
