import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// Checks the pages that `docs/make-reference` generates, and those that people write. It is a script, so that pages
/// can be generated without a build.
@Suite("The reference pages")
struct ReferencePagesTests {
    private static let python = "/usr/bin/python3"

    private static let isWanted = TestNeed.isMet(
        FileManager.default.isExecutableFile(atPath: python), "the reference pages",
        because: "there is no \(python); install python3")

    @Test(
        "have what the program has: endpoints, codes, settings, metrics, modules and files", .enabled(if: isWanted))
    func areUpToDate() throws {
        let directory = try TestDirectory()
        let check = try ChildProcess(
            Self.python, [Checkout.root + "/docs/make-reference", "--check"], directory: directory.path)
        #expect(try check.wait() == 0, "\(check.errors)")
    }
}
