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

    @Test("the section for the commit has the size that the packages write")
    func stamp() throws {
        let header = try text("Sources/System/CStamp/include/CStamp.h")
        let size = try #require(header.firstMatch(of: /#define CSTAMP_SIZE (\d+)/)?.output.1)
        #expect(try text("packaging/stamp").contains("truncate --size \(size) "))
    }
}
