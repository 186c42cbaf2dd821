import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
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

    @Test("the page has the files of Examples/Board", arguments: ["board.json", "index.html"])
    func files(name: String) throws {
        #expect(try Self.file(name) == Checkout.text("Examples/Board/" + name))
    }

    @Test("shows added, dragged and deleted cards on two pages, and again after the server was restarted")
    func board() throws {
        let site = try Self.site()
        let origin = "http://127.0.0.1:\(site.port)"
        let directory = try TestDirectory()
        let schema = try directory.write(try Self.file("board.json"), to: "board.json")
        let options = [
            "--data", directory.file("board.realmgate"), "--schema", schema, "--set", "cors.origins=\(origin)",
        ]
        var server = try RunningServer(options, host: LoopbackAddress.own(), in: directory)
        let (first, second) = (try Browser(), try Browser())
        let both = [first, second]
        for browser in both {
            try browser.open("\(origin)/?server=\(server.address)")
            try browser.wait(for: "document.getElementById('state')?.textContent === 'Live'")
        }
        for title in ["Milk", "Bread", "<b>Apples</b>"] {
            try first.evaluate(
                """
                (() => { const form = document.getElementById("new"); form.elements.title.value = "\(title)";
                  form.requestSubmit(); })()
                """)
            try first.wait(for: "document.querySelector('ol').innerText.includes('\(title)')")
        }
        for browser in both { try browser.wait(for: Self.shows(["Milk", "Bread", "<b>Apples</b>"], [], [])) }

        try second.evaluate(Self.drop("Milk", behind: "Bread"))
        for browser in both { try browser.wait(for: Self.shows(["Bread", "Milk", "<b>Apples</b>"], [], [])) }
        try first.evaluate(Self.drop("Bread", in: "Doing"))
        for browser in both { try browser.wait(for: Self.shows(["Milk", "<b>Apples</b>"], ["Bread"], [])) }
        try first.click("[...document.querySelectorAll('button')].find((one) => one.ariaLabel === 'Move “Milk” right')")
        for browser in both { try browser.wait(for: Self.shows(["<b>Apples</b>"], ["Bread", "Milk"], [])) }

        #expect(try server.stop() == 0)
        try first.wait(for: "document.getElementById('state').textContent === 'Reconnecting…'")
        server = try RunningServer(options, host: server.host, port: server.port, in: directory)
        try first.wait(for: "document.getElementById('state').textContent === 'Live'")
        try first.click("[...document.querySelectorAll('button')].find((one) => one.ariaLabel === 'Delete “Bread”')")
        for browser in both { try browser.wait(for: Self.shows(["<b>Apples</b>"], ["Milk"], [])) }
        for browser in both { #expect(browser.complaints.isEmpty, "\(browser.complaints)") }
        site.server.stop(within: .seconds(1))
        #expect(try server.stop() == 0)
    }

    /// Drops a card on a column, or on another card.
    private static func drop(_ title: String, in column: String? = nil, behind other: String? = nil) -> String {
        """
        (() => {
          const cards = [...document.querySelectorAll("li")];
          const card = (title) => cards.find((one) => one.querySelector("span").textContent === title);
          const target = \(column.map { "[...document.querySelectorAll('ol')].find((one) => one.ariaLabel === '\($0)')" }
            ?? "card('\(other ?? "")')");
          const dataTransfer = new DataTransfer();
          card("\(title)").dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer }));
          target.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer }));
        })()
        """
    }

    /// Whether the columns have these cards.
    private static func shows(_ columns: [String]...) -> String {
        let shown = """
            [...document.querySelectorAll('ol')].map((list) => [...list.querySelectorAll('span')].map((one) => one.textContent))
            """
        let wanted = columns.map { "[" + $0.map { "\"\($0)\"" }.joined(separator: ",") + "]" }.joined(separator: ",")
        return "JSON.stringify(\(shown)) === JSON.stringify([\(wanted)])"
    }
}
