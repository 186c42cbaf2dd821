import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// Runs the page of "A dashboard in fifty lines" in a browser, on the demo.
@Suite("A dashboard in fifty lines", .enabled(if: Browser.isWanted))
struct DashboardTests {
    private static let tutorial = "docs/tutorial/dashboard.md"
    private static let example = "Examples/Dashboard/index.html"

    @Test("has fifty lines, and the page of the tutorial is that of the examples")
    func lines() throws {
        let html = try Checkout.text(Self.example)
        #expect(html.filter { $0 == "\n" }.count == 50)
        let block = try #require(try MarkdownPage(Self.tutorial).blocks.first { $0.title == "index.html" })
        #expect(block.content == html)
    }

    @Test("shows a number, bars, a list and points that follow the data, on one stream, with texts as texts")
    func follows() throws {
        let html = Array(try Checkout.text(Self.example).utf8)
        var router = Router()
        router.get("/") { _, _ in .now(Response(contentType: "text/html; charset=utf-8", body: html)) }
        var configuration = ServerConfiguration()
        configuration.port = 0
        configuration.loops = 1
        let site = HTTPServer(configuration: configuration, router: router)
        let origin = "http://127.0.0.1:\(try site.start())"
        let directory = try TestDirectory()
        let server = try RunningServer(
            ["--data", directory.file("a.realmgate"), "--demo", "--set", "cors.origins=\(origin)"], in: directory)
        let client = try server.client()
        let browser = try Browser()
        try browser.open("\(origin)/?server=\(server.address)")

        let state = "document.querySelector('#state')?.textContent"
        try browser.wait(for: "\(state) === 'live'")
        func text(_ id: String) -> String { "document.querySelector('#\(id)').textContent" }
        func rows(_ id: String) -> String { "[...document.querySelectorAll('#\(id) tr')]" }
        try browser.wait(for: "\(text("late")) === '328' && \(text("all")) === '6099'")
        try browser.wait(for: "\(rows("carriers")).length === 8 && \(rows("longest")).length === 8")
        try browser.wait(for: "\(rows("carriers"))[0].textContent === 'HA28 min'")
        try browser.wait(for: "document.querySelectorAll('#places circle').length === 94")
        try browser.wait(for: "document.querySelector('#land').getAttribute('d').length > 10_000")
        // The bars are as long as their averages: the first one is full.
        #expect(
            try browser.evaluate("document.querySelector('meter').value / document.querySelector('meter').max")
                as? Double == 1)

        if Axe.isWanted { try browser.evaluate(try Axe.source() + "; null") }
        for (isDark, width) in [(false, 1280), (true, 1280), (false, 390), (true, 390)] {
            try browser.preferDark(isDark)
            try browser.resize(width: width, height: 860)
            #expect(try browser.evaluate(AccessibilityCheck.expression) as? [String] == [])
            if Axe.isWanted { #expect(try browser.evaluate(Axe.violations) as? [String] == []) }
        }

        let payload = #"<img src=x onerror=alert(1)>"#
        let airport =
            #"{"iata": "XSS", "name": "x", "city": "\#(payload)", "country": "x", "latitude": 40, "longitude": -100}"#
        #expect(try client.send("POST", "/v1/objects/Airport", body: airport).status == 201)
        let flight = #"{"delay": 9000, "carrier": "HA", "destination": "XSS"}"#
        #expect(try client.send("PATCH", "/v1/objects/Flight/7", body: flight).status == 200)
        try browser.wait(for: "\(text("late")) === '329'")
        try browser.wait(for: "\(rows("longest"))[0].textContent.includes('\(payload)9000 min')")
        try browser.wait(for: "document.querySelectorAll('#places circle').length === 95")
        try browser.wait(for: "parseInt(\(rows("carriers"))[0].cells[2].textContent) > 1000")
        #expect(try browser.evaluate("document.querySelectorAll('img').length") as? Int == 0)
        #expect(try client.send("DELETE", "/v1/objects/Flight/7").status == 204)
        try browser.wait(for: "\(text("late")) === '328' && \(text("all")) === '6098'")

        // What is followed are subscriptions of one set; no stream is beside it.
        let asked = "performance.getEntriesByType('resource').map((one) => one.name)"
        #expect(try browser.evaluate("\(asked).filter((one) => one.includes('/v1/observe/')).length") as? Int == 0)
        #expect(
            try browser.evaluate(
                "new Set(\(asked).map((one) => /subscriptions.(js-[^/]+)/.exec(one)?.[1]).filter(Boolean)).size")
                as? Int
                == 1)
        #expect(browser.complaints.isEmpty, "\(browser.complaints)")
        site.stop(within: .seconds(1))
        #expect(try server.stop() == 0)
    }
}
