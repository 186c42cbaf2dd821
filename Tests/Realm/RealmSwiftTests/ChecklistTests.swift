import Foundation
import Testing

@Suite("Checklist")
struct ChecklistTests {
    /// Returns the display names of the target's tests, with multi-line ones joined.
    private static func names() throws -> [String] {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = FileManager.default.enumerator(at: directory, includingPropertiesForKeys: nil)
        var names: [String] = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /@Test\(\s*(?:"""\n([^"]*)"""|"([^"]*)")/) {
                let name = match.output.1 ?? match.output.2 ?? ""
                names.append(name.replacing("\\\n", with: "").split(separator: " ").joined(separator: " "))
            }
        }
        return names
    }

    @Test("every declaration of Realm Swift's interface has a test that names it")
    func declarations() throws {
        let known = Set(Checklist.declarations)
        #expect(known.count == Checklist.declarations.count)
        var named: Set<String> = []
        var unknown: [String] = []
        for name in try Self.names() {
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
