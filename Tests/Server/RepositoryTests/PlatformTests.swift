import Foundation
import RepositoryFiles
import Testing

/// The sources compile for arm64 as well. No arm64 machine runs these tests, so they read the conditions; `.ci/trials`
/// tests the kernels under emulation.
@Suite("Platforms")
struct PlatformTests {
    private static func sources(_ suffixes: [String]) -> [(path: String, text: String)] {
        let root = Checkout.root + "/Sources"
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return files.filter { file in suffixes.contains { file.hasSuffix($0) } }.sorted().compactMap { file in
            (try? String(contentsOfFile: root + "/" + file, encoding: .utf8)).map { (file, $0) }
        }
    }

    @Test("Swift sources do not depend on the processor")
    func swiftSources() {
        let sources = Self.sources([".swift"])
        #expect(sources.count > 500)
        for source in sources {
            let asksForProcessor = source.text.contains("#if arch(") || source.text.contains("#elseif arch(")
            #expect(!asksForProcessor, "\(source.path)")
            // C's characters are signed on x86-64 only.
            #expect(!source.text.contains(" Int8(bitPattern"), "\(source.path)")
        }
    }

    @Test("C sources that use instructions of x86-64 have a form for arm64, and for any other processor")
    func cSources() {
        let sources = Self.sources([".c", ".h"])
        let native = sources.filter { $0.text.contains("intrin.h>") }
        #expect(!native.isEmpty)
        for source in native {
            // A header of one processor, which its includer chooses.
            let inclusion = "#include \"\(source.path.split(separator: "/").last ?? "")\""
            let chooser = sources.first { $0.text.contains(inclusion) }
            let guarded = source.text.contains("#if defined(__") ? source : chooser
            guard let guarded else {
                Issue.record("\(source.path) includes instructions of one processor without a condition")
                continue
            }
            #expect(
                guarded.text.contains("defined(__aarch64__)") || guarded.text.contains("HAS_BLOCK16"), "\(guarded.path)"
            )
            // The part that remains when no condition holds.
            #expect(guarded.text.contains("portable") || guarded.text.contains("Without either"), "\(guarded.path)")
        }
    }

    @Test(
        "the door to LMDB compiles with the headers of 0.9 alone, and says which ones to install",
        arguments: [
            (0, 9, true), (0, 10, false), (1, 0, false),
        ])
    func headersOfLMDB(major: Int, minor: Int, isAccepted: Bool) throws {
        let directory = try TestDirectory()
        try directory.write(
            "#define MDB_VERSION_MAJOR \(major)\n#define MDB_VERSION_MINOR \(minor)\n", to: "lmdb.h")
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        compiler.arguments = [
            "clang", "-fsyntax-only", "-x", "c", "-isystem", directory.path,
            Checkout.root + "/Sources/System/CLMDB/shim.h",
        ]
        let errors = Pipe()
        compiler.standardError = errors
        try compiler.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        compiler.waitUntilExit()
        #expect((compiler.terminationStatus == 0) == isAccepted, "\(text)")
        #expect(text.contains("Install the headers of LMDB 0.9") != isAccepted, "\(text)")
    }
}
