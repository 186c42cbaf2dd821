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

    @Test("every row of the checklist has a test that names it")
    func rows() throws {
        // The ids are the words before the first other word.
        let named = Set(
            try Self.names().flatMap { name in
                name.split(separator: " ").prefix { $0.wholeMatch(of: /[COSKR][0-9]{2}a?/) != nil }.map(String.init)
            })
        let list = try Checklist.read().rows
        let rows = Set(list)
        #expect(rows.count == list.count && rows.count > 100 && named.count > 10)
        let untested = list.filter { !named.contains($0) }
        #expect(untested.isEmpty, "without a test: \(untested.joined(separator: " "))")
        let unknown = named.subtracting(rows).sorted()
        #expect(unknown.isEmpty, "not in the checklist: \(unknown.joined(separator: " "))")
    }

    @Test("every declaration of the surrounding interface has a test that names it")
    func declarations() throws {
        let listed = try Checklist.read().declarations
        let known = Dictionary(uniqueKeysWithValues: listed.map { ($0.section, Set($0.names)) })
        #expect(listed.count > 10 && listed.allSatisfy { known[$0.section]?.count == $0.names.count })
        var named: [String: Set<String>] = [:]
        var unknown: [String] = []
        for name in try Self.names() {
            var section = ""
            words: for word in name.split(separator: " ").map(String.init) {
                if word.hasPrefix("§") {
                    section = word
                } else if let known = known[section] {
                    for declaration in Self.expanded(word) {
                        if known.contains(declaration) {
                            named[section, default: []].insert(declaration)
                        } else {
                            // The text begins, unless this is a misspelt name of several.
                            if word.contains("{") { unknown.append("\(section) \(declaration)") }
                            section = ""
                        }
                    }
                }
            }
        }
        #expect(unknown.isEmpty, "not in the checklist: \(unknown.joined(separator: ", "))")
        for (section, declarations) in listed {
            let untested = declarations.filter { named[section]?.contains($0) != true }
            #expect(untested.isEmpty, "\(section) without a test: \(untested.joined(separator: " "))")
        }
    }

    /// Expands `List.{append(_:),remove(at:)}` to both names.
    private static func expanded(_ word: String) -> [String] {
        guard let open = word.firstIndex(of: "{"), word.hasSuffix("}") else { return [word] }
        return word[word.index(after: open)...].dropLast().split(separator: ",").map { String(word[..<open] + $0) }
    }
}
