import Foundation
import RepositoryFiles
import Testing

/// Checks that the Swift code in the articles of `RealmSwift.docc`, the README and the pages of `docs/` compiles: it
/// must occur in `Articles`, which is compiled and run with the tests, or in the examples.
@Suite("The articles")
struct ArticleTests {
    private static let root = URL(fileURLWithPath: Checkout.root)

    private static let articles = files(in: "Sources/Realm/RealmSwift/RealmSwift.docc", "md")

    /// The README and the pages of `docs/` in any folder.
    private static let pages: [String] = {
        let names = FileManager.default.enumerator(atPath: root.appendingPathComponent("docs").path)
        return ["README.md"]
            + (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }.sorted().map { "docs/" + $0 }
    }()

    private static func files(in directory: String, _ suffix: String) -> [String] {
        let path = root.appendingPathComponent(directory).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix("." + suffix) }.sorted().map { directory + "/" + $0 }
    }

    private static func text(_ file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    /// Returns the lines without their indentation.
    private static func lines(_ text: some StringProtocol) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
    }

    /// Returns the Swift code blocks of an article.
    static func blocks(_ article: String) -> [String] {
        article.components(separatedBy: "```swift\n").dropFirst().compactMap { rest in
            rest.range(of: "\n```").map { String(rest[..<$0.lowerBound]) }
        }
    }

    @Test("every block of code is compiled", arguments: articles + pages)
    func code(file: String) throws {
        let compiled = try
            (Self.files(in: "Tests/Server/RealmgateServerTests/Articles", "swift")
            + Self.files(in: "Examples/NotesServer", "swift")).map { Self.lines(try Self.text($0)) }
        let article = try Self.text(file)
        #expect(!Self.blocks(article).isEmpty || file.hasSuffix("FromIOSToLinux.md") || Self.pages.contains(file))
        for block in Self.blocks(article) where !block.hasPrefix("// Package.swift") {
            let code = "\n" + Self.lines(block) + "\n"
            #expect(compiled.contains { $0.contains(code) }, "not compiled: \(block)")
        }
    }

    @Test("every article that one refers to is there", arguments: articles)
    func links(file: String) throws {
        let known = Set(Self.articles.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent })
        #expect(known.count >= 9)
        for rest in try Self.text(file).components(separatedBy: "<doc:").dropFirst() {
            #expect(known.contains(String(rest.prefix { $0 != ">" })), "\(rest.prefix(30))")
        }
    }
}
