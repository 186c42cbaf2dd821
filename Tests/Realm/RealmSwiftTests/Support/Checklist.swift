import Foundation

/// The declarations of Realm Swift's interface, each of which must have a test: `docs/swift/declarations.json`, from
/// which `docs/make-parity` makes a page.
///
/// The list names the tests of some. The display name of a test of the others begins with those that it is about,
/// several of one type in braces: `List.{append(_:),remove(at:)} what they do`.
struct Checklist: Decodable {
    struct Section: Decodable {
        let declarations: [Declaration]
    }

    struct Declaration: Decodable {
        let name: String
        /// Each is the name of a file and the display name of a test in it: `MapTests: keys and nulls`.
        let tests: [String]?
    }

    let sections: [Section]

    /// The tests that the list names.
    var tests: [String] { sections.flatMap { $0.declarations.flatMap { $0.tests ?? [] } } }

    /// The declarations whose tests begin with their names.
    var declarations: [String] { sections.flatMap { $0.declarations.filter { $0.tests == nil }.map(\.name) } }

    static func read() throws -> Checklist {
        var root = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { root.deleteLastPathComponent() }
        let list = root.appendingPathComponent("docs/swift/declarations.json")
        return try JSONDecoder().decode(Checklist.self, from: Data(contentsOf: list))
    }
}
