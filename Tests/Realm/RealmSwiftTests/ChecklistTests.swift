import Foundation
import Testing

@Suite("Checklist")
struct ChecklistTests {
    /// Returns the display names of the tests of this target, and of those of realms that follow a gateway, which are on
    /// the floor above, with multi-line ones joined, and the names of their files.
    private static func tests() throws -> [(file: String, name: String)] {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let above = directory.deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Server/SubscriptionTests")
        let files = [directory, above].flatMap {
            FileManager.default.enumerator(at: $0, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
        }
        var tests: [(file: String, name: String)] = []
        for file in files where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*(?:"""\n([^"]*)"""|"([^"]*)")/) {
                let name = match.output.1 ?? match.output.2 ?? ""
                tests.append(
                    (
                        file.deletingPathExtension().lastPathComponent,
                        name.replacing("\\\n", with: "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    ))
            }
        }
        return tests
    }

    @Test("the tests that the list of Realm Swift's declarations names exist")
    func named() throws {
        let listed = try Checklist.read().tests
        #expect(listed.count > 100)
        let missing = Set(listed).subtracting(try Self.tests().map { "\($0.file): \($0.name)" }).sorted()
        #expect(missing.isEmpty, "not there: \(missing.joined(separator: "; "))")
    }

    @Test("every other declaration of Realm Swift's interface has a test whose name begins with it")
    func declarations() throws {
        let known = Set(try Checklist.read().declarations)
        #expect(known.count > 400)
        var named: Set<String> = []
        var unknown: [String] = []
        for (_, name) in try Self.tests() {
            // The declarations are the words before the first other word.
            words: for word in name.split(separator: " ").map(String.init) {
                for declaration in Self.expanded(word) {
                    if known.contains(declaration) {
                        named.insert(declaration)
                    } else {
                        // The text begins, unless this is a misspelt name of several.
                        if word.contains("{") { unknown.append(declaration) }
                        break words
                    }
                }
            }
        }
        #expect(unknown.isEmpty, "not in the checklist: \(unknown.joined(separator: ", "))")
        let untested = known.subtracting(named).sorted()
        #expect(untested.isEmpty, "without a test: \(untested.joined(separator: " "))")
    }

    /// Expands `List.{append(_:),remove(at:)}` to both names.
    private static func expanded(_ word: String) -> [String] {
        guard let open = word.firstIndex(of: "{"), word.hasSuffix("}") else { return [word] }
        return word[word.index(after: open)...].dropLast().split(separator: ",").map { String(word[..<open] + $0) }
    }
}
