import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

extension ConsoleTests {
    private static let routes = [
        "#/Dog", "#/Dog?view=sections&by=name.first", "#/Dog?view=summary", "#/Dog?filter=agee%20%3E%203", "#/Thing/1",
        "#/Person/ann", "#/Nobody", "#/Nobody/3", "#nonsense", "#sign-in", "#schema",
        "#streams", "#snapshots", "#subscriptions", "#transfer", "#access", "#metrics",
        "#/Stop?view=map", "#diagram", "#backup", "#logs",
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
        for route in Self.routes {
            try browser.turn(to: route)
            try browser.wait(
                for: """
                    document.querySelector('main h1:not([hidden] h1)')?.checkVisibility()
                      && document.querySelector('main .loading')?.checkVisibility() !== true
                    """)
            for (isDark, width) in [(false, 1280), (true, 1280), (false, 390), (true, 390)] {
                try browser.preferDark(isDark)
                try browser.resize(width: width, height: 860)
                let faults = try browser.evaluate(AccessibilityCheck.expression) as? [String]
                #expect(faults == [], "\(route), \(isDark ? "dark" : "light"), \(width) wide")
            }
        }
        expectNoComplaints()
    }

    @Test(
        "axe-core finds nothing wrong with any page, in light, dark and forced colours, wide and as on a phone",
        .enabled(if: Axe.isWanted, "the trial `accessibility` runs this test"))
    func axe() throws {
        let source = try Axe.source()
        let thing = #"{"id": 1, "tags": ["a", "b"], "rates": {"x": null}, "marks": ["m"], "dogs": [1, 2]}"#
        #expect(try client.send("POST", "/v1/objects/Thing", body: thing).status == 201)
        try open("#/Dog")
        defer {
            try? browser.preferDark(false)
            try? browser.resize(width: 1400, height: 900)
        }
        try browser.evaluate(source + "; null")
        func check(_ route: String) throws {
            for (width, height) in [(1440, 900), (390, 844)] {
                try browser.resize(width: width, height: height)
                for (name, isDark, isForced) in [
                    ("light", false, false), ("dark", true, false), ("forced colours", false, true),
                ] {
                    try browser.preferDark(isDark, forcedColours: isForced)
                    let found = try browser.evaluate(Axe.violations) as? [String]
                    #expect(found == [], "\(route), \(name), \(width) wide")
                }
            }
            try browser.preferDark(false)
            try browser.resize(width: 1440, height: 900)
        }
        for route in Self.routes {
            try browser.turn(to: route)
            try browser.wait(
                for: """
                    document.querySelector('main h1:not([hidden] h1)')?.checkVisibility()
                      && document.querySelector('main .loading')?.checkVisibility() !== true
                    """)
            // Marks of changes fade.
            try browser.wait(
                for: "document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity)")
            try check(route)
        }
        // The dialogs.
        for opener in ["create", "build", "columns", "queries", "explain", "show-keys"] {
            try browser.turn(to: "#/Dog")
            try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
            try browser.click("document.querySelector('#\(opener)')")
            try browser.wait(for: "document.querySelector('dialog[open]')")
            try check("the dialog of \(opener)")
            try browser.press("Escape")
            try browser.wait(for: "!document.querySelector('dialog[open]')")
        }
        try browser.click("\(row(1)).querySelector('.row-pick')")
        try browser.wait(for: "document.querySelector('#selection')?.checkVisibility()")
        try check("a selection")
        try browser.click(button("Delete"))
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try check("the question before a deletion")
        try browser.press("Escape")
        try browser.evaluate("\(cell(1, 0)).focus(); null")
        try browser.press("p")
        try browser.wait(for: "document.querySelector('#drawer:not([hidden]) .object-fields')")
        try browser.wait(
            for: "document.getAnimations().every((one) => one.effect.getTiming().iterations === Infinity)")
        try check("an object beside the table")
        try browser.turn(to: "#/Odd")
        try browser.press("n")
        try browser.wait(for: "document.querySelector('#create-dialog').open")
        try check("a form with a date")
        try browser.press("Escape")
        expectNoComplaints()
    }

    @Test("on a phone every control is large enough for a finger, most of the screen is rows, and nothing is missing")
    func phone() throws {
        let rows = (0..<60).map { #"{"id": \#($0), "sensor": "s", "value": \#($0)}"# }
        #expect(
            try client.send("POST", "/v1/objects/Reading?update=all", body: "[\(rows.joined(separator: ","))]").status
                < 300)
        defer {
            _ = try? client.send("DELETE", "/v1/objects/Reading?all=true")
            try? browser.resize(width: 1400, height: 900)
        }
        try browser.resize(width: 390, height: 844)
        try open("#/Reading")
        try browser.wait(for: "document.querySelectorAll('.row[role=row]').length > 8")
        let small = """
            [...document.querySelectorAll('button, select, input, nav a, .action')].filter((one) => {
              if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || one.closest('.skip')) return false;
              // The label of a box can be pressed as well.
              const box = (one.closest('label.check') ?? one).getBoundingClientRect();
              return box.width > 0 && (box.height < 44 || (box.width < 44 && one.tagName !== 'A'));
            }).map((one) => one.outerHTML.slice(0, 90) + ' ' + one.getBoundingClientRect().height)
            """
        #expect(try browser.evaluate(small) as? [String] == [])
        let seen = """
            [...document.querySelectorAll('.row[role=row]')].filter((row) => {
              const box = row.getBoundingClientRect();
              return box.top >= document.querySelector('.head').getBoundingClientRect().bottom - 1 && box.bottom <= innerHeight;
            }).length
            """
        #expect(try #require(browser.evaluate(seen) as? Int) >= 9)
        #expect(
            try browser.evaluate("document.querySelector('.rail-foot a[href=docs]').checkVisibility()") as? Bool == true
        )
        for route in ["#/Dog/1", "#schema", "#access", "#transfer", "#subscriptions", "#snapshots", "#streams"] {
            try browser.turn(to: route)
            try browser.wait(
                for:
                    "document.querySelector('#page h1') && document.querySelector('main .loading')?.checkVisibility() !== true"
            )
            #expect(try browser.evaluate(small) as? [String] == [], "\(route)")
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
                      const position = all.indexOf(one);
                      const before = window.lastPosition ?? -1;
                      window.lastPosition = position;
                      if (!isSeen) return `unseen: ${one.outerHTML.slice(0, 80)}`;
                      return position > before ? 'fine' : `out of order: ${one.outerHTML.slice(0, 80)}`;
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
        #expect(count < 70)
        #expect(sent < size / 2, "\(sent) of \(size) bytes")
    }

    @Test("the keyboard alone reads the log, checks keys and roles, reads metrics, edits the schema and comes back")
    func keyboardOnPages() throws {
        let focused = "document.activeElement"
        func waitForFocus(_ condition: String) throws { try browser.wait(for: "(\(focused)).\(condition)") }
        /// Presses Tab until the condition is true of what has the focus, which must be seen on the way.
        func tab(until condition: String, most: Int = 40) throws {
            for _ in 0..<most {
                try browser.press("Tab")
                let style = "getComputedStyle(\(focused))"
                let isSeen = try browser.evaluate(
                    "\(style).outlineStyle !== 'none' || \(style).boxShadow !== 'none' || \(focused).ownerSVGElement !== undefined"
                )
                #expect(isSeen as? Bool == true, "nothing shows where the focus is, on the way to \(condition)")
                if try browser.evaluate("Boolean(\(focused).\(condition))") as? Bool == true { return }
            }
            Issue.record("the keyboard does not reach \(condition)")
        }
        func go(_ page: String, _ title: String) throws {
            try browser.turn(to: page)
            try waitForPage(title)
            // A page begins at its heading.
            try waitForFocus("textContent === '\(title)'")
        }

        try open()
        try go("#logs", "Log")
        try browser.wait(for: "document.querySelector('.log-line')")
        try tab(until: "ariaLabel === 'Pause the log'")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.panel-head [role=status]')?.textContent === 'Paused'")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.panel-head [role=status]')?.textContent === 'Live'")
        try tab(until: "matches('.form-field input')")
        try browser.type("Started.")
        try browser.wait(for: "document.querySelectorAll('.log-line').length === 1")

        try go("#backup", "Backup")
        try tab(until: "textContent === 'Download'", most: 1)
        try tab(until: "id === 'check-file'", most: 1)

        try go("#access", "Keys and rules")
        try browser.wait(for: "\(button("New key"))")
        try tab(until: "textContent === 'New key'")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('dialog[open]')?.contains(\(focused))")
        try browser.press("Escape")
        try browser.wait(for: "!document.querySelector('dialog[open]')")
        try waitForFocus("textContent === 'New key'")

        try go("#metrics", "Metrics")
        try browser.wait(for: "document.querySelector('.chart polyline, .chart circle')")
        try tab(until: "matches('.plot')", most: 1)
        try browser.press("End")
        try browser.wait(for: "/^Requests, \\d\\d:\\d\\d:\\d\\d: /.test(\(focused).ariaLabel)")
        try browser.press("Escape")
        try browser.wait(for: "/^Requests since /.test(\(focused).ariaLabel)")

        try go("#schema", "Schema")
        try browser.wait(for: "document.querySelector('.property')")
        try waitForFocus("tagName === 'H1'")
        try tab(until: "textContent === 'JSON'")
        try browser.press("Enter")
        try waitForFocus("matches('dialog[open] textarea')")
        #expect(try browser.evaluate("\(focused).selectionEnd") as? Int == 0)
        try browser.press("Escape")
        try waitForFocus("textContent === 'JSON'")
        try tab(until: "textContent === 'Stop'")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.property-name[value=latitude], .property-name')")
        try tab(until: "ariaLabel === 'Move name down'")
        try browser.press("Enter")
        // The button moves with its property.
        try waitForFocus("ariaLabel === 'Move name up' || \(focused).ariaLabel === 'Move name down'")
        try browser.wait(for: "document.querySelectorAll('.property-name')[2].value === 'name'")
        expectNoComplaints()
    }

    @Test("after a deletion by the keyboard the focus is on the row in the deleted one's place")
    func focusAfterDeletion() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click(cell(2, 1))
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Tab")
        try browser.press("Enter")
        try waitForNames(["Rex", "Rina", "Cleo"])
        try browser.wait(for: "document.activeElement === \(cell(3, 1))")
        // Also when the deleted row has faded away.
        try browser.wait(for: "!document.querySelector('.row.leaving')")
        #expect(try browser.evaluate("document.activeElement === \(cell(3, 1))") as? Bool == true)
        // And when its row is gone before the dialog closes.
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        #expect(try client.send("DELETE", "/v1/objects/Dog/3").status == 204)
        try waitForNames(["Rex", "Cleo"])
        try browser.wait(for: "!document.querySelector('.row.leaving')")
        try browser.press("Tab")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement === \(cell(4, 1))")
        expectNoComplaints()
    }

    @Test("the list of keys, a form of forty properties and long names fit a screen and a phone")
    func longContent() throws {
        let directory = try TestDirectory()
        let long = String(repeating: "ALongName", count: 6)
        let wide = (0..<40).map { #"{"name": "property_number_\#($0)_decimal128", "type": "decimal128?"}"# }
        let schema = try directory.write(
            """
            {"schemaVersion": 1, "classes": [
              {"name": "\(long)", "primaryKey": "id", "properties": [{"name": "id", "type": "string"},
                \(wide.joined(separator: ", ")), {"name": "next", "type": "\(long)?"}]}]}
            """, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        let key = String(repeating: "a long key ", count: 18)
        let body = String(decoding: try JSONSerialization.data(withJSONObject: ["id": key]), as: UTF8.self)
        #expect(try server.client().send("POST", "/v1/objects/\(long)", body: body).status == 201)
        let escaped = try #require(key.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        defer { try? browser.resize(width: 1400, height: 900) }
        try browser.open("\(server.address)/#/\(long)")
        for (width, height) in [(1440, 900), (390, 844)] {
            try browser.resize(width: width, height: height)
            for page in [
                "#/\(long)", "#/\(long)/\(escaped)", "#schema", "#streams", "#diagram", "#access", "#transfer",
            ] {
                try browser.turn(to: page)
                try browser.wait(
                    for: """
                        [...document.querySelectorAll('main h1')].some((one) => one.checkVisibility())
                          && document.querySelector('main .loading')?.checkVisibility() !== true
                        """)
                #expect(
                    try browser.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
                        as? Bool == true, "\(page) scrolls sideways, \(width) wide")
                // What is cut off is cut by an ellipsis or can be scrolled to: no button or chip hangs out of its panel.
                let outside = """
                    [...document.querySelectorAll('.panel .chip, .panel .action, .panel h2')].filter((one) => one.checkVisibility()
                      && !one.closest('.table-scroll') && (one.getBoundingClientRect().right
                      > one.closest('.panel').getBoundingClientRect().right || one.scrollWidth > one.clientWidth + 1)).map((one) => one.textContent)
                    """
                #expect(try browser.evaluate(outside) as? [String] == [], "\(page), \(width) wide")
            }
            try browser.turn(to: "#/\(long)")
            for opener in ["#create", "#show-keys", "#columns"] where width > 400 || opener != "#show-keys" {
                try browser.wait(for: "document.querySelector('\(opener)')?.checkVisibility()")
                try browser.evaluate("document.querySelector('\(opener)').click()")
                try browser.wait(for: "document.querySelector('dialog[open] .buttons .action')")
                let box = "document.querySelector('dialog[open] .buttons .action:last-child').getBoundingClientRect()"
                #expect(
                    try browser.evaluate("\(box).top >= 0 && \(box).bottom <= innerHeight") as? Bool == true,
                    "\(opener), \(width) wide")
                let title = "document.querySelector('dialog[open] h2').getBoundingClientRect().top"
                #expect(try browser.evaluate("\(title) >= 0") as? Bool == true, "\(opener), \(width) wide")
                try browser.press("Escape")
                try browser.wait(for: "!document.querySelector('dialog[open]')")
            }
        }
        expectNoComplaints()
    }
}
