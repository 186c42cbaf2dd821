import Foundation
import Testing

@Suite("Checklist")
struct ChecklistTests {
    @Test("every row of the checklist has a test that names it")
    func rows() throws {
        let directory = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let files = try FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "swift" }
        var (named, sections): (Set<Substring>, Set<Substring>) = ([], [])
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            // The ids are the words before the first that is none.
            for match in text.matches(of: /@Test\(\s*"((?:[COSKR][0-9]{2}a? )+)/) {
                named.formUnion(match.output.1.split(separator: " "))
            }
            for match in text.matches(of: /@Test\(\s*"([^"]*)"/) {
                sections.formUnion(match.output.1.split(separator: " ").filter { $0.hasPrefix("§") })
            }
        }
        let rows = Set(Checklist.rows)
        #expect(rows.count == Checklist.rows.count && named.count > 10)
        let untested = Checklist.rows.filter { !named.contains($0[...]) && !Checklist.missing.contains($0) }
        #expect(untested.isEmpty, "without a test: \(untested.joined(separator: " "))")
        let found = Checklist.missing.filter { named.contains($0[...]) }.sorted()
        #expect(found.isEmpty, "no longer missing: \(found.joined(separator: " "))")
        #expect(Checklist.missing.isSubset(of: rows))
        let unnamed = Checklist.sections.filter { !sections.contains($0[...]) }
        #expect(unnamed.isEmpty, "no test names \(unnamed.joined(separator: " "))")
        let unknown = named.map(String.init).filter { !rows.contains($0) }.sorted()
        #expect(unknown.isEmpty, "not in the checklist: \(unknown.joined(separator: " "))")
    }
}
