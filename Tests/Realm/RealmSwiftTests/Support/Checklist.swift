import Foundation

/// The declarations of Realm Swift's interface, each of which must have a test: `docs/swift/declarations.json`, from
/// which `docs/make-parity` makes a page.
///
/// The rows of the first part are the members of collections (C), objects (O), sections (S), keyed collections (K) and
/// results (R), numbered in the order of their declarations: each has a test whose display name begins with its id. The
/// second part, with sections from `§2.1` on, has the declarations by name. The display name of a test lists them after
/// the section, several of one type in braces: `§2.4 List.{append(_:),remove(at:)} what they do`.
struct Checklist: Decodable {
    struct Section: Decodable {
        let id: String
        let declarations: [Declaration]
    }

    struct Declaration: Decodable {
        let row: String?
        let name: String
    }

    let sections: [Section]

    var rows: [String] { sections.flatMap { $0.declarations.compactMap(\.row) } }

    /// The declarations of the second part, by section.
    var declarations: [(section: String, names: [String])] {
        sections.filter { $0.id.hasPrefix("§2.") }.map { ($0.id, $0.declarations.map(\.name)) }
    }

    static func read() throws -> Checklist {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let list = root.appendingPathComponent("docs/swift/declarations.json")
        return try JSONDecoder().decode(Checklist.self, from: Data(contentsOf: list))
    }
}
