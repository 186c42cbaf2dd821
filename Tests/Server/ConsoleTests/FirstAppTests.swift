import Foundation
import HTTPServer
import ProgramTesting
import RepositoryFiles
import Testing

/// Runs the tutorial's page in a browser, as a reader saves and serves it.
@Suite("The first app of the tutorial", .enabled(if: Browser.isWanted))
struct FirstAppTests {
    private static let page = "docs/tutorial/first-app.md"

    private static func file(_ title: String) throws -> String {
        try #require(try MarkdownPage(page).blocks.first { $0.title == title }).content
    }

    /// A site that serves the page like `python3 -m http.server`.
    private static func site() throws -> (server: HTTPServer, port: UInt16) {
        let html = Array(try file("index.html").utf8)
        var router = Router()
        router.get("/") { _, _ in
            .now(Response(contentType: "text/html; charset=utf-8", body: html))
        }
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        let server = HTTPServer(configuration: configuration, router: router)
        return (server, try server.start())
    }

    @Test("shows what is to be bought in order, on two pages, and again after the server was restarted")
    func list() throws {
        let site = try Self.site()
        let origin = "http://127.0.0.1:\(site.port)"
        let directory = try TestDirectory()
        let schema = try directory.write(try Self.file("list.json"), to: "list.json")
        let options = [
            "--data", directory.file("list.realmgate"), "--schema", schema, "--set", "cors.origins=\(origin)",
        ]
        var server = try RunningServer(options, in: directory)
        let (first, second) = (try Browser(), try Browser())
        for browser in [first, second] {
            try browser.open("\(origin)/?server=\(server.address)")
            try browser.wait(for: "document.getElementById('state')?.textContent === 'Live'")
        }
        for (name, shop) in [("Milk", "dairy"), ("Bread", ""), ("Apples", "market")] {
            try first.evaluate(
                """
                (() => { const form = document.getElementById("new"); form.elements.name.value = "\(name)";
                  form.elements.shop.value = "\(shop)"; form.requestSubmit(); })()
                """)
        }
        let all = ["Bread (anywhere)", "Milk (dairy)", "Apples (market)"]
        for browser in [first, second] { try browser.wait(for: Self.shows(all)) }
        try second.evaluate("document.querySelectorAll('#list button')[1].click()")
        let rest = ["Bread (anywhere)", "Apples (market)"]
        for browser in [first, second] { try browser.wait(for: Self.shows(rest)) }

        #expect(try server.stop() == 0)
        server = try RunningServer(options, port: server.port, in: directory)
        try first.wait(for: "document.getElementById('state').textContent === 'Live'")
        try first.evaluate("document.querySelectorAll('#list button')[0].click()")
        for browser in [first, second] { try browser.wait(for: Self.shows(["Apples (market)"])) }
        site.server.stop(within: .seconds(1))
        #expect(try server.stop() == 0)
    }

    private static func shows(_ rows: [String]) -> String {
        let shown = "[...document.querySelectorAll('#list li span')].map((text) => text.textContent)"
        let wanted = rows.map { "\"\($0)\"" }.joined(separator: ",")
        return "JSON.stringify(\(shown)) === JSON.stringify([\(wanted)])"
    }
}
