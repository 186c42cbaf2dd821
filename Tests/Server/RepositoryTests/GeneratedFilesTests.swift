import Foundation
import RepositoryFiles
import TestBasics
import Testing

/// The description of the API is generated, and committed because the program serves it from a checkout.
@Suite("Generated files")
struct GeneratedFilesTests {
    private static let isWanted = TestNeed.isMet(
        (try? run(["python3", "-c", "import yaml"]))?.status == 0, "openapi/openapi.json",
        because: "Python lacks PyYAML; install python3-yaml")

    @Test("openapi/openapi.json is what openapi/parts gives", .enabled(if: isWanted))
    func description() throws {
        let check = try Self.run(["python3", Checkout.root + "/openapi/join", "--check"])
        #expect(check.status == 0, "\(check.message)")
    }

    /// Changes of one part, and a word of the message that each must lead to.
    private static let faults: [(from: String, to: String, message: String)] = [
        ("summary: Read the schema", "summary: Read it", "Run openapi/join"),
        ("      operationId: getSchema\n", "      operationId: getSchema\n      operationId: other\n", "operationId"),
        ("#/components/schemas/SchemaPlan", "#/components/schemas/SchemaPlans", "SchemaPlans leads nowhere"),
        ("  /v1/schema/plan:\n", "  /healthz:\n", "/healthz is in"),
        ("paths:\n", "pathes:\n", "pathes"),
    ]

    @Test(
        "a part that was changed, or is wrong, fails the check",
        .enabled(if: isWanted),
        arguments: faults.indices)
    func faulty(index: Int) throws {
        let fault = Self.faults[index]
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: directory) }
        try FileManager.default.copyItem(atPath: Checkout.root + "/openapi", toPath: directory.path)
        let part = directory.appendingPathComponent("parts/schema.yaml")
        let text = try String(contentsOf: part, encoding: .utf8)
        #expect(text.contains(fault.from))
        try text.replacingOccurrences(of: fault.from, with: fault.to).write(to: part, atomically: true, encoding: .utf8)
        let check = try Self.run(["python3", directory.path + "/join", "--check"])
        #expect(check.status == 1)
        #expect(check.message.contains(fault.message), "\(check.message)")
    }

    private static func run(_ command: [String]) throws -> (status: Int32, message: String) {
        let process = Process()
        let errors = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardError = errors
        try process.run()
        let message = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, message)
    }
}
