import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// The page that describes a gateway to language models, which send what is on it.
@Suite("The page for language models")
struct ModelPageTests {
    /// The classes of the page's examples.
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string?"}, {"name": "breed", "type": "string"},
            {"name": "age", "type": "int"}, {"name": "born", "type": "date"}, {"name": "owner", "type": "Person?"},
            {"name": "toys", "type": "Toy[]"}]},
          {"name": "Person", "properties": [{"name": "city", "type": "string"}]},
          {"name": "Toy", "properties": [{"name": "price", "type": "double"}]}]}
        """

    /// The operations of the API's description: `GET /v1/schema`.
    private static func operations() throws -> Set<String> {
        let description = try JSONSerialization.jsonObject(with: Data(Checkout.text("openapi/openapi.json").utf8))
        let paths = (description as? [String: Any])?["paths"] as? [String: [String: Any]] ?? [:]
        return Set(paths.flatMap { path, item in item.keys.map { "\($0.uppercased()) \(path)" } })
    }

    @Test("names operations that exist, paths that answer, and predicates that a class accepts")
    func page() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(Self.schema, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        let client = try server.client()
        let page = try client.send("GET", "/llms.txt")
        #expect(page.status == 200 && page["Content-Type"] == "text/plain; charset=utf-8")
        let text = page.text

        let operations = try Self.operations()
        let named = text.matches(of: #/`(GET|POST|PATCH|PUT|DELETE) (/[^`?]*)/#)
        #expect(named.count >= 10)
        for match in named {
            let path = match.output.2.replacing("/v1/query/objects/{class}", with: "/v1/query/{resource}")
            #expect(operations.contains("\(match.output.1) \(path)"), "\(match.output.0)")
        }
        let links = text.matches(of: #/\]\((/[^)]*)\)/#).map { String($0.output.1) }
        #expect(links.count >= 5)
        for link in links { #expect(try client.send("GET", link).status == 200, "\(link)") }

        let section = try #require(text.components(separatedBy: "## ").first { $0.hasPrefix("Query language") })
        let predicates = section.matches(of: #/`([^`]+)`/#).map { String($0.output.1) }
            .filter { $0.contains(" ") && !$0.contains("$0") && !$0.hasPrefix("LIKE") }
        #expect(predicates.count >= 12)
        for predicate in predicates {
            let filter = predicate.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let answer = try client.send("GET", "/v1/objects/Dog?filter=" + filter)
            #expect(answer.status == 200, "\(predicate): \(answer.text)")
        }
        #expect(try server.stop() == 0)
    }

    @Test(
        "is found from the console and from the page of the API", arguments: ["static/index.html", "static/docs.html"])
    func isFound(page: String) throws {
        #expect(try Checkout.text(page).contains(#"<link rel="alternate" type="text/plain" href="llms.txt""#))
    }
}
