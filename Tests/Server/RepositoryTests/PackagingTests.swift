import Foundation
import RepositoryFiles
import Testing

/// Texts that packages have and pages show, and versions that several files state.
@Suite("Packages and their documentation")
struct PackagingTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: Checkout.root + "/" + path, encoding: .utf8)
    }

    @Test(
        "a page shows the file of the package as it is",
        arguments: [
            ("docs/operate/systemd.md", "ini", "packaging/debian/realmgate.service"),
            ("docs/operate/containers.md", "yaml", "packaging/compose.yaml"),
        ])
    func quoted(page: String, language: String, file: String) throws {
        #expect(try text(page).contains("```\(language)\n\(try text(file))```\n"))
    }

    @Test("the image states the version of the program")
    func version() throws {
        let source = try text("Sources/Server/Hosting/GatewayHost.swift")
        let version = try #require(source.firstMatch(of: /static let version = "([\d.]+)"/)?.output.1)
        #expect(try text("Dockerfile").contains("ARG REALMGATE_VERSION=\(version)\n"))
        #expect(try text("openapi/parts/document.yaml").contains("  version: \"\(version)\"\n"))
    }

    @Test("the image is made on other processors too, and artifacts that name theirs are not")
    func architecture() throws {
        let directory = try TestDirectory()
        _ = try directory.write("#!/bin/sh\necho aarch64\n", to: "uname")
        func run(_ line: String) throws -> Int32 {
            let path = "chmod +x '\(directory.path)/uname'; PATH='\(directory.path)':$PATH"
            let script = "\(path); . packaging/common; \(line)"
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/bash")
            process.arguments = ["-euc", script, "packaging"]
            process.currentDirectoryURL = URL(fileURLWithPath: Checkout.root)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            return process.terminationStatus
        }
        #expect(try run("[[ $(uname -m) == aarch64 ]]") == 0)
        #expect(try run("needs_x86_64") == 69)
        for artifact in ["tarball", "deb", "rpm", "wheel"] {
            #expect(try text("packaging/\(artifact)").contains("needs_x86_64"))
        }
    }

    @Test("each test that the page of replication's faults names exists")
    func namedTests() throws {
        let files = try FileManager.default.subpathsOfDirectory(atPath: Checkout.root + "/Tests")
        let row = /\| .* \| `(\w+)\/(\w+\.swift)` \| (.+) \|/
        var count = 0
        for line in try text("docs/internals/replication-tests.md").split(separator: "\n") {
            guard let (_, module, file, title) = line.wholeMatch(of: row)?.output else { continue }
            count += 1
            let path = files.first { $0.contains("/\(module)/") && $0.hasSuffix("/\(file)") }
            let tests = try text("Tests/" + (try #require(path, "\(module)/\(file)")))
            #expect(tests.contains("\"\(title)\""), "\(module)/\(file) has no test '\(title)'")
        }
        #expect(count > 50)
    }

    @Test("the section for the commit has the size that the packages write")
    func stamp() throws {
        let header = try text("Sources/System/CStamp/include/CStamp.h")
        let size = try #require(header.firstMatch(of: /#define CSTAMP_SIZE (\d+)/)?.output.1)
        #expect(try text("packaging/stamp").contains("truncate --size \(size) "))
    }
}
