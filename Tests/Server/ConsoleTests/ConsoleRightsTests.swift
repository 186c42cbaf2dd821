import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// The console for callers with few rights, and for schemas and names that somebody made without thinking of a console.
extension ConsoleTests {
    private static let script = "<img src=x onerror=window.hurt=1>"

    /// A server of its own, whose configuration has roles, with an administrator's key and a clerk's.
    private func makeGuardedServer(in directory: TestDirectory) throws -> (RunningServer, admin: String, clerk: String)
    {
        let schema = try directory.write(ConsoleSite.schema, to: "schema.json")
        let config = try directory.write(
            """
            auth:
              roles:
                clerk:
                  classes:
                    Dog: {read: true, update: "age > 2", writable: [name]}
                    Person: {read: true, create: true}
                    Thing: {read: true}
                "\(Self.script)":
                  others: {read: true}

            """, to: "roles.yaml")
        let admin = "an-administrators-key-for-the-tests-0001"
        let server = try RunningServer(
            [
                "--data", directory.file("a.realmgate"), "--schema", schema, "--config", config,
                "--set", "auth.adminKey=\(admin)",
            ], in: directory)
        let client = try server.client()
        let headers = ["Authorization": "Bearer \(admin)"]
        let dogs = #"[{"id": 1, "name": "Rex", "age": 3}, {"id": 2, "name": "Bello", "age": 11}]"#
        #expect(try client.send("POST", "/v1/objects/Dog", body: dogs, headers: headers).status == 201)
        let thing = #"{"id": 1, "tags": ["a"], "extra": 1}"#
        #expect(try client.send("POST", "/v1/objects/Thing", body: thing, headers: headers).status == 201)
        let key = try JSONSerialization.data(withJSONObject: ["name": Self.script, "roles": ["clerk"]])
        let made = try client.send(
            "POST", "/v1/keys", body: String(decoding: key, as: UTF8.self), headers: headers)
        return (server, admin, try #require(try made.json()["secret"] as? String))
    }

    private func signIn(at server: RunningServer, with key: String, route: String) throws {
        try browser.open("\(server.address)/static/icon.svg")
        try browser.wait(for: "location.href.endsWith('/static/icon.svg')")
        try browser.evaluate("sessionStorage.setItem('realmgate.key', '\(key)')")
        try browser.open("\(server.address)/\(route)")
    }

    @Test("a caller with few rights is offered what its role allows, and nothing else")
    func fewRights() throws {
        let directory = try TestDirectory()
        let (server, admin, clerk) = try makeGuardedServer(in: directory)
        defer { try? browser.evaluate("sessionStorage.clear()") }
        func seen(_ selector: String) -> String { "Boolean(document.querySelector('\(selector)')?.checkVisibility())" }
        func isOffered(_ selector: String) throws -> Bool { try browser.evaluate(seen(selector)) as? Bool == true }

        try signIn(at: server, with: clerk, route: "#/Dog")
        try waitForNames(["Rex", "Bello"])
        #expect(try !isOffered("#create"))
        #expect(try browser.evaluate("document.querySelectorAll('.row .remove').length") as? Int == 0)
        #expect(try browser.text("\(cell(1, 1)).getAttribute('aria-readonly') ?? 'no'") == "no")
        #expect(try browser.text("\(cell(1, 2)).getAttribute('aria-readonly') ?? 'no'") == "true")
        // The name is edited, the age is not, and neither is an object created or deleted by a key.
        try browser.click(cell(1, 2))
        try browser.press("Enter")
        try browser.press("Delete")
        try browser.press("n")
        #expect(try browser.evaluate("document.querySelector('.editor, dialog[open]')") is NSNull)
        try browser.click(cell(1, 1))
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("Rax")
        try browser.press("Enter")
        try waitForNames(["Rax", "Bello"])
        // What is selected can be edited, not deleted.
        try browser.click("\(row(2)).querySelector('.row-pick')")
        try browser.wait(for: seen("#selection"))
        #expect(try browser.evaluate("Boolean(\(button("Edit")))") as? Bool == true)
        #expect(try browser.evaluate("Boolean(\(button("Delete")))") as? Bool == false)

        try browser.turn(to: "#/Dog/1")
        try browser.wait(for: "document.querySelector('#page .object-field')")
        let edits = "[...document.querySelectorAll('#page .edit')].map((one) => one.ariaLabel)"
        #expect(try browser.evaluate(edits) as? [String] == ["Edit name"])
        #expect(try browser.evaluate("Boolean(\(button("Delete this object")))") as? Bool == false)
        try browser.turn(to: "#/Thing/1")
        try browser.wait(for: "document.querySelector('#page .element')")
        #expect(
            try browser.evaluate("document.querySelectorAll('#page form, #page .tools, #page .edit').length") as? Int
                == 0)
        try browser.turn(to: "#/Person")
        try browser.wait(for: seen("#create"))

        // Pages for administrators are not in the list, and say so when their address is typed.
        for page in ["metrics", "logs", "backup"] {
            #expect(try !isOffered("#pages a[href=\"#\(page)\"]"), "\(page)")
        }
        try browser.turn(to: "#backup")
        try browser.wait(for: "document.querySelector('#page .empty')?.textContent.includes('Only administrators')")
        #expect(try browser.evaluate("document.querySelector('#check-file')") is NSNull)
        try browser.turn(to: "#logs")
        try browser.wait(for: "document.querySelector('#page .empty')?.textContent.includes('does not permit')")
        try browser.turn(to: "#schema")
        try browser.wait(for: "document.querySelectorAll('#page .panel table').length >= 3")
        #expect(
            try browser.evaluate("document.querySelectorAll('#page input, #page select, #page button').length") as? Int
                == 0)
        try browser.turn(to: "#transfer")
        try browser.wait(for: "document.querySelector('#page select')")
        #expect(
            try browser.evaluate("[...document.querySelector('#page select').options].map((one) => one.value)")
                as? [String]
                == ["Person"])
        #expect(try browser.evaluate("document.querySelectorAll('#page .drop').length") as? Int == 1)

        // An administrator has all of it.
        try signIn(at: server, with: admin, route: "#/Dog")
        try waitForNames(["Rax", "Bello"])
        try browser.wait(for: seen("#create"))
        #expect(try browser.evaluate("document.querySelectorAll('.row .remove').length") as? Int == 2)
        for page in ["metrics", "logs", "backup"] {
            #expect(try isOffered("#pages a[href=\"#\(page)\"]"), "\(page)")
        }
        expectNoComplaints()
    }

    @Test("what looks like a script stays text in names of roles and keys, saved queries and the log")
    func injectedNames() throws {
        let directory = try TestDirectory()
        let (server, admin, _) = try makeGuardedServer(in: directory)
        defer { try? browser.evaluate("sessionStorage.clear(); localStorage.clear()") }
        try signIn(at: server, with: admin, route: "#access")
        try waitForPage("Keys and rules")
        try browser.wait(for: "document.querySelector('#page th[scope=row]')?.textContent === '\(Self.script)'")
        try browser.wait(
            for: "[...document.querySelectorAll('#page thead th')].some((one) => one.textContent === '\(Self.script)')")
        try browser.click("document.querySelector('[aria-label=\"See as \(Self.script)\"]')")
        try browser.wait(for: "document.querySelector('dialog[open] h2')?.textContent === 'See as \(Self.script)'")
        try browser.press("Escape")

        try browser.turn(to: "#/Dog")
        try waitForNames(["Rex", "Bello"])
        try browser.click("document.querySelector('#queries')")
        try browser.wait(for: "document.querySelector('dialog[open] input')")
        try browser.type(Self.script)
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('dialog[open] .queries b')?.textContent === '\(Self.script)'")
        try browser.press("Escape")

        // A request identifier is chosen by the client, and comes into the log.
        let headers = ["Authorization": "Bearer \(admin)", "X-Request-Id": Self.script]
        #expect(try server.client().send("GET", "/v1/objects/Dog", headers: headers).status == 200)
        try browser.turn(to: "#logs")
        try browser.wait(for: "document.querySelectorAll('.log-line').length > 3")
        #expect(try browser.evaluate("window.hurt ?? null") is NSNull)
        #expect(try browser.evaluate("document.querySelectorAll('img, main script').length") as? Int == 0)
        expectNoComplaints()
    }

    @Test("names with blanks, and names that are words of the language, work in charts, sorts, suggestions and sums")
    func escapedNames() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(
            #"""
            {"schemaVersion": 1, "classes": [
              {"name": "Order Line", "primaryKey": "the id", "properties": [
                {"name": "the id", "type": "int"}, {"name": "first name", "type": "string"},
                {"name": "not", "type": "int?"}, {"name": "a.b", "type": "double?"},
                {"name": "next line", "type": "Order Line?"},
                {"name": "lines before", "type": "linkingObjects(Order Line.next line)"}]}]}
            """#, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        let lines = #"""
            [{"the id": 1, "first name": "ann", "not": 3, "a.b": 1.5},
             {"the id": 2, "first name": "ann", "not": 5, "a.b": 2.5, "next line": 1}]
            """#
        #expect(try server.client().send("POST", "/v1/objects/Order%20Line", body: lines).status == 201)
        try browser.open("\(server.address)/#/Order%20Line")
        try waitForNames(["ann", "ann"])
        // The chart of the names, the sums below, and the number of linking objects.
        try browser.wait(
            for: "document.querySelector('.heading[data-column=\"1\"] .top-value')?.textContent.includes('100 %')")
        try browser.wait(for: "document.querySelectorAll('.foot .sum')[2]?.textContent === '3 … 5avg 4'")
        try browser.wait(for: "document.querySelectorAll('.foot .sum')[3]?.textContent === '1.5 … 2.5avg 2'")
        try browser.wait(for: "\(cell(1, 5))?.textContent === '1 ›' || \(cell(1, 5))?.textContent === '1'")
        try browser.click("document.querySelector('.heading[data-column=\"2\"] .name')")
        try browser.click("document.querySelector('.heading[data-column=\"2\"] .name')")
        try browser.wait(for: "document.querySelector('.heading[data-column=\"2\"]').ariaSort === 'descending'")
        try browser.wait(for: "document.querySelector('.row[aria-rowindex=\"2\"]')?.dataset.key === '2'")

        // The example in the field is a condition that the gateway accepts.
        let example = try browser.text("document.querySelector('#predicate').placeholder.split('such as ')[1]")
        #expect(example == #"\u006eot > 10 AND first\ name BEGINSWITH[c] 'a'"#)
        try browser.click("document.querySelector('#predicate')")
        try browser.type("fir")
        try browser.wait(for: "document.querySelector('#completions li')?.textContent.startsWith('first\\\\ name')")
        try browser.press("Tab")
        try browser.type(" == ")
        try browser.wait(for: "document.querySelector('#completions li')?.textContent.includes('ann')")
        try browser.press("ArrowDown")
        try browser.press("Enter")
        try browser.wait(
            for:
                "document.querySelector('#tally').textContent === '2 of 2 objects' && document.querySelector('#fault').hidden"
        )
        try browser.evaluate(#"location.hash = '#/Order%20Line?filter=' + encodeURIComponent("\\u006eot == 5")"#)
        try browser.wait(for: "document.querySelector('#tally').textContent === '1 of 2 objects'")

        // The way to the linking objects, and from an object to the table.
        try browser.turn(to: "#/Order%20Line/1")
        try browser.wait(for: "document.querySelector('#page table a')?.textContent === '2'")
        try browser.click(
            "[...document.querySelectorAll('#page .quiet-link')].find((one) => one.textContent === 'Show in the table')"
        )
        try browser.wait(
            for:
                "document.querySelector('#tally').textContent === '1 of 2 objects' && document.querySelector('#fault').hidden"
        )
        try browser.turn(to: "#/Order%20Line?view=summary")
        try browser.wait(for: "document.querySelector('#other-view').textContent.includes('first\\\\ name')")
        try browser.wait(
            for: "[...document.querySelectorAll('#other-view tr')].some((one) => one.textContent.startsWith('not35'))")
        expectNoComplaints()
    }
}
