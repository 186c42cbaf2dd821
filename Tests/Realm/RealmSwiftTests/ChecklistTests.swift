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
        let rows = Set(Checklist.rows)
        #expect(rows.count == Checklist.rows.count && named.count > 10)
        let untested = Checklist.rows.filter { !named.contains($0) && !Checklist.missing.contains($0) }
        #expect(untested.isEmpty, "without a test: \(untested.joined(separator: " "))")
        let found = Checklist.missing.intersection(named).sorted()
        #expect(found.isEmpty, "no longer missing: \(found.joined(separator: " "))")
        #expect(Checklist.missing.isSubset(of: rows))
        let unknown = named.subtracting(rows).sorted()
        #expect(unknown.isEmpty, "not in the checklist: \(unknown.joined(separator: " "))")
    }

    @Test("every declaration of the surrounding interface has a test that names it")
    func declarations() throws {
        let known = Dictionary(
            uniqueKeysWithValues: Checklist.declarations.map { ($0.section, Set($0.names)) })
        #expect(Checklist.declarations.allSatisfy { known[$0.section]?.count == $0.names.count })
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
        for (section, declarations) in Checklist.declarations {
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
