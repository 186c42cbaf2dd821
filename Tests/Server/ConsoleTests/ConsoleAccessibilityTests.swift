import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    private static let places = [
        "#/Dog", "#/Dog?view=sections&by=name.first", "#/Dog?view=summary", "#/Thing/1", "#/Person/ann", "#/Nobody",
        "#schema",
        "#streams", "#snapshots", "#subscriptions", "#transfer", "#access", "#metrics",
    ]

    @Test("every page has labels, names, headings in order and enough contrast, light and dark, wide and narrow")
    func accessibility() throws {
        let thing = #"{"id": 1, "tags": ["a", "b"], "rates": {"x": null}, "marks": ["m"], "dogs": [1, 2]}"#
        #expect(try client.send("POST", "/v1/objects/Thing", body: thing).status == 201)
        try open("#/Dog")
        defer {
            try? browser.preferDark(false)
            try? browser.resize(width: 1400, height: 900)
        }
        for place in Self.places {
            try browser.evaluate("location.hash = '\(place)'")
            try browser.wait(
                for: """
                    document.querySelector('main h1:not([hidden] h1)')?.checkVisibility()
                      && document.querySelector('main .loading')?.checkVisibility() !== true
                    """)
            for (isDark, width) in [(false, 1280), (true, 1280), (false, 390), (true, 390)] {
                try browser.preferDark(isDark)
                try browser.resize(width: width, height: 860)
                let faults = try browser.evaluate(AccessibilityCheck.expression) as? [String]
                #expect(faults == [], "\(place), \(isDark ? "dark" : "light"), \(width) wide")
            }
        }
        expectNoComplaints()
    }

    @Test("the keyboard goes through a page in its order, and what has the focus is seen")
    func focusOrder() throws {
        try load("#schema")
        try browser.wait(for: "document.querySelector('.property')")
        try browser.evaluate("document.activeElement?.blur()")
        var reached: [String] = []
        for _ in 0..<30 {
            try browser.press("Tab")
            reached.append(
                try browser.text(
                    """
                    (() => {
                      const one = document.activeElement;
                      const style = getComputedStyle(one);
                      const isSeen = style.outlineStyle !== 'none' || style.boxShadow !== 'none';
                      const all = [...document.querySelectorAll('*')];
                      const place = all.indexOf(one);
                      const before = window.lastPlace ?? -1;
                      window.lastPlace = place;
                      if (!isSeen) return `unseen: ${one.outerHTML.slice(0, 80)}`;
                      return place > before ? 'fine' : `out of order: ${one.outerHTML.slice(0, 80)}`;
                    })()
                    """))
        }
        #expect(reached.filter { $0 != "fine" } == [])
        expectNoComplaints()
    }

    @Test("the console is few files, which are not sent again when it is loaded again")
    func fewFiles() throws {
        try open()
        try open()
        let sizes = try browser.evaluate(
            """
            performance.getEntriesByType('resource').filter((one) => one.name.includes('/static/'))
              .reduce(([count, sent, size], one) => [count + 1, sent + one.transferSize, size + one.encodedBodySize], [0, 0, 0])
            """)
        let (count, sent, size) = try #require((sizes as? [Int]).map { ($0[0], $0[1], $0[2]) })
        #expect(count < 60)
        #expect(sent < size / 2, "\(sent) of \(size) bytes")
    }
}
