import Foundation
import HTTPTesting
import ProgramTesting
import TestBasics
import Testing

/// What the page of metrics shows of slow queries and open connections.
extension ConsoleTests {
    private static let connections = "document.querySelector('[aria-label=\"Open connections\"]')"

    private static func connection(_ target: String) -> String {
        "[...\(connections)?.querySelectorAll('tbody tr') ?? []].find((one) => one.textContent.includes('\(target)'))"
    }

    @Test("open connections are listed, and one that is ended tells its client to connect again")
    func openConnections() throws {
        let stream = try server.client()
        try stream.send("GET /v1/observe/objects/Dog?filter=age%20%3E%202")
        _ = try stream.head()
        #expect(try stream.event().name == "initial")
        try load("#metrics")
        try waitForPage("Metrics")
        let row = Self.connection("/v1/observe/objects/Dog?filter=age > 2")
        try browser.wait(for: row)
        let cells = try browser.evaluate("[...\(row).cells].map((one) => one.textContent)") as? [String] ?? []
        #expect(cells.count == 9 && cells[1].hasPrefix("anybody") && cells[1].contains("127.0.0.1:"), "\(cells)")
        #expect(cells[3] == "1" && cells[6].hasSuffix("ago") && cells[7].hasSuffix("s"), "\(cells)")
        // The dearest first, and on a phone.
        try choose("-seconds", in: field("First"))
        try browser.resize(width: 390, height: 844)
        defer { try? browser.resize(width: 1400, height: 900) }
        try browser.wait(for: "document.documentElement.scrollWidth <= 390 && \(row)")
        try browser.click("\(row).querySelector('button')")
        try browser.wait(for: "document.querySelector('#remove-dialog[open]')")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        let last = try stream.event()
        #expect(last.name == "closing" && last.data.contains("connection.ended"))
        #expect(stream.ends())
        try browser.wait(for: "!document.querySelector('#remove-dialog[open]') && !(\(row))")
        expectNoComplaints()
    }

    /// An answer of the gateway, as the JavaScript client reads it.
    private static let slow = """
        {queries: [{form: "/v1/objects/Flight?filter=carrier == ? AND delay > ?&sort=-delay", count: 12n, seconds: 1.25,
          slowest: {target: "/v1/objects/Flight?filter=carrier == 'EV' AND delay > 60&sort=-delay", time: "2026-01-31T12:30:05Z",
            seconds: 0.1105, examined: 60990n, returned: 100n, failed: false},
          plan: {words: "select Flight, 60990 objects", parts: [{words: "all of", parts: [{words: "scan carrier"}]}]},
          advice: [{class: "Flight", property: "carrier", objects: 88n, words: "With an index of Flight.carrier the query finds 88."}]},
         {form: "/v1/aggregates/objects/Flight?by=origin.state", count: 1n, seconds: 0.2,
          slowest: {target: "/v1/aggregates/objects/Flight?by=origin.state", time: "2026-01-31T12:30:05Z", seconds: 0.2,
            examined: 5n, returned: null, failed: true}, plan: null, advice: []}],
         forms: 40n, seconds: 3600n, least: 0.005}
        """

    @Test("slow queries have what they took, their plan and the index that would help; what is open stays open")
    func slowQueries() throws {
        try load("#metrics")
        try waitForPage("Metrics")
        try browser.wait(for: "[...document.querySelectorAll('h2')].some((one) => one.textContent === 'Slow queries')")
        let text =
            try browser.evaluate(
                """
                import('/static/pages/slow-queries.js').then(async ({ slowQueriesPanel }) => {
                  const answers = [\(Self.slow), \(Self.slow)];
                  answers[1].queries[0].count = 13n;
                  const panel = slowQueriesPanel({ gateway: { request: async () => answers.shift() }, optional: (ask) => ask() });
                  document.querySelector('#page').replaceChildren(document.querySelector('#page header.title'), panel.root);
                  await panel.read();
                  panel.root.querySelector('details').open = true;
                  await panel.read();
                  return [panel.root.querySelectorAll('tbody tr').length, panel.root.querySelectorAll('details[open]').length,
                    panel.root.querySelector('tbody tr').innerText, panel.root.querySelectorAll('tbody tr')[1].innerText,
                    panel.root.innerText].join('|');
                })
                """) as? String ?? ""
        let parts = text.components(separatedBy: "|")
        #expect(parts.count == 5 && parts[0] == "2" && parts[1] == "1", "\(text)")
        for words in [
            "carrier == ? AND delay > ?", "13", "1.25 s", "110.5 ms", "Advice: With an index of Flight.carrier",
            "12:30:05", "carrier == 'EV'", "scan carrier",
        ] {
            #expect(parts[2].contains(words), "\(words): \(parts[2])")
        }
        #expect(parts[3].contains("failed") && parts[4].contains("2 of 40 forms"))
        for (isDark, width) in [(false, 1280), (true, 390)] {
            try browser.preferDark(isDark)
            try browser.resize(width: width, height: 860)
            #expect(try browser.evaluate(AccessibilityCheck.expression) as? [String] == [])
            #expect(try browser.evaluate("document.documentElement.scrollWidth <= \(width)") as? Bool == true)
        }
        try browser.preferDark(false)
        try browser.resize(width: 1400, height: 900)
    }
}
