import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// The console in a real browser, against the real program, with real clicks and keys. Its tests are in files by page.
@Suite(
    "console", .serialized, .enabled(if: Browser.isWanted, "Install chromium to run the console's tests"),
    .onConsoleSite)
struct ConsoleTests {
    let directory: TestDirectory
    let server: RunningServer
    /// A connection of its own for each request: the server closes one that is silent for a minute, and what a browser
    /// does between two requests may take longer.
    var client: LoopbackClient { get throws { try server.client() } }
    let browser: Browser

    /// Resets the database to the state in which every test begins.
    init() throws {
        let site = try #require(ConsoleSite.current)
        directory = site.directory
        server = site.server
        browser = site.browser
        browser.forgetComplaints()
        for name in ["Dog", "Person", "Thing", "Odd"] {
            let key = ["Person": "handle"][name] ?? "id"
            let items = try client.send("GET", "/v1/objects/\(name)?fields=\(key)").json()["items"] as? [[String: Any]]
            for item in items ?? [] {
                #expect(try client.send("DELETE", "/v1/objects/\(name)/\(item[key] ?? "")").status == 204)
            }
        }
        for person in [#"{"handle": "ann", "city": "Turin"}"#, #"{"handle": "bob"}"#] {
            #expect(try client.send("POST", "/v1/objects/Person", body: person).status == 201)
        }
        // The last chip number is too large for a JavaScript number.
        let dogs = """
            [{"id": 1, "name": "Rex", "age": 3, "good": true, "owner": "ann"},
             {"id": 2, "name": "Bello", "age": 11, "good": false, "owner": "bob"},
             {"id": 3, "name": "Rina", "age": null, "good": true},
             {"id": 4, "name": "Cleo", "age": 7, "good": true, "chip": 9007199254740993}]
            """
        #expect(try client.send("POST", "/v1/objects/Dog", body: dogs).status == 201)
    }

    // MARK: What is on the page

    /// Loads the console at a page with the objects of a class.
    func open(_ route: String = "#/Dog") throws {
        try load(route)
        try browser.wait(for: "document.querySelector('#state')?.dataset.state === 'live'")
    }

    /// Loads the console again, at any page.
    func load(_ route: String) throws {
        // Another address of the same document would not load it again.
        try browser.open("about:blank")
        try browser.open(server.address + "/" + route)
    }

    /// Returns the visible button with this text.
    func button(_ words: String) -> String {
        "[...document.querySelectorAll('button')].find((one) => one.textContent === '\(words)' && one.checkVisibility())"
    }

    /// Returns the control of the field with this label.
    func field(_ label: String) -> String {
        """
        [...document.querySelectorAll('.form-field')].find((one) => one.querySelector('label').textContent === '\(label)')
          ?.querySelector('input, select, textarea')
        """
    }

    /// Chooses an option with the keyboard.
    func choose(_ value: String, in select: String) throws {
        try browser.wait(for: select)
        try browser.evaluate(
            "{ const one = \(select); one.value = '\(value)'; one.dispatchEvent(new Event('change', { bubbles: true })); }"
        )
    }

    /// Waits until the page next to the objects shows this heading.
    func waitForPage(_ title: String) throws {
        try browser.wait(for: "document.querySelector('#page h1')?.textContent === '\(title)'")
    }

    /// Returns the texts of a column in the order of the visible rows.
    func column(_ number: Int) throws -> [String] {
        let texts = try browser.evaluate(
            """
            [...document.querySelectorAll('.row[role=row]')]
              .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[\(number)].textContent)
            """)
        return texts as? [String] ?? []
    }

    func waitForNames(_ names: [String]) throws {
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        try browser.wait(
            for: """
                JSON.stringify([...document.querySelectorAll('.row[role=row]')]
                  .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[1].textContent))
                  === JSON.stringify([\(list)])
                """)
    }

    func row(_ key: Int) -> String { "document.querySelector('.row[data-key=\"\(key)\"]')" }
    func cell(_ key: Int, _ column: Int) -> String { "\(row(key))?.children[\(column)]" }

    func stored(_ key: Int) throws -> [String: Any] { try client.send("GET", "/v1/objects/Dog/\(key)").json() }

    /// Expects that nothing failed unnoticed, and that the page did not violate its content security policy.
    func expectNoComplaints() { #expect(browser.complaints == []) }
}
