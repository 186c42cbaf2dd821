import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// The work of administrators: the log, backups, and edits of many objects.
extension ConsoleTests {
    @Test("the log is shown as it grows, filtered, paused and followed, and its text stays text")
    func log() throws {
        let lines = "[...document.querySelectorAll('.log-line')]"
        func has(_ text: String) -> String { "\(lines).some((one) => one.textContent.includes('\(text)'))" }
        // What the server has kept from before: its first lines have made room for those of other tests' requests.
        #expect(try client.send("GET", "/v1/objects/Dog", headers: ["X-Request-Id": "probe-zero"]).status == 200)
        try load("#logs")
        try waitForPage("Log")
        try browser.wait(for: has("probe-zero"))
        // A request identifier is chosen by the client.
        #expect(try client.send("GET", "/v1/objects/Dog", headers: ["X-Request-Id": "probe-one"]).status == 200)
        try browser.wait(for: has("probe-one"))
        let following = "document.querySelector('.panel .check input').checked"
        #expect(try browser.evaluate(following) as? Bool == true)

        try browser.click(button("Pause"))
        #expect(try client.send("GET", "/v1/objects/Dog", headers: ["X-Request-Id": "probe-two"]).status == 200)
        try browser.wait(
            for: "document.querySelector('.panel .note:not(.form-field *)').textContent.includes('since the pause')")
        try browser.wait(for: "document.querySelector('.panel').textContent.includes(' more since the pause')")
        #expect(try browser.evaluate(has("probe-two")) as? Bool == false)
        try browser.click(button("Resume"))
        try browser.wait(for: has("probe-two"))

        try browser.click(field("Contains"))
        try browser.type("probe-one")
        try browser.wait(for: "\(lines).length === 1 && \(has("probe-one"))")
        try choose("critical", in: field("Level"))
        try browser.wait(for: "\(lines).length === 0")
        expectNoComplaints()
    }

    @Test("a backup is checked: a sound one with its classes and counts, another file with what is wrong")
    func backupCheck() throws {
        let copy = try directory.write("", to: "backup.realmgate")
        let bytes = try client.send("GET", "/v1/backup").body
        try Data(bytes).write(to: URL(fileURLWithPath: copy))
        try load("#backup")
        try waitForPage("Backup")
        try browser.choose([copy], for: "document.querySelector('#check-file')")
        try browser.wait(
            for: "document.querySelector('#page .figure')?.textContent.startsWith('backup.realmgate is sound: ')")
        let row =
            "[...document.querySelectorAll('#page tbody tr')].find((one) => one.children[0].textContent === 'Dog')"
        #expect(try browser.text("\(row).children[1].textContent") == "4")

        let other = try directory.write("<b>no backup</b>", to: "<i>other.realmgate")
        try browser.choose([other], for: "document.querySelector('#check-file')")
        try browser.wait(for: "document.querySelector('#page .figure')?.textContent.includes('is not sound')")
        #expect(
            try browser.text("document.querySelector('#page .faults').textContent").contains("not a Realmgate file"))
        #expect(try browser.evaluate("document.querySelectorAll('#page i, #page b').length") as? Int == 0)
        expectNoComplaints()
    }

    @Test("everything that a query selects is edited and deleted, with its number before")
    func everything() throws {
        let rows = (0..<1200).map { #"{"id": \#($0), "sensor": "s\#($0 % 2)", "value": \#($0)}"# }
        #expect(
            try client.send("POST", "/v1/objects/Reading?update=all", body: "[\(rows.joined(separator: ","))]").status
                < 300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        func count(_ filter: String) throws -> Int? {
            try client.send("GET", "/v1/aggregates/objects/Reading?filter=\(filter)").json()["count"] as? Int
        }
        try open("#/Reading?filter=value%20%3C%201100")
        try browser.wait(for: "document.querySelectorAll('.row[role=row]').length > 8")
        try browser.click("\(row(1)).querySelector('.row-pick')")
        let bar = "document.querySelector('#selection')"
        try browser.wait(for: "\(bar).textContent.includes('Select all 1,100 that match')")
        try browser.click(button("Select all 1,100 that match"))
        try browser.wait(for: "\(bar).textContent.startsWith('All 1,100 that match are selected')")
        try browser.click(button("Edit"))
        try browser.wait(
            for: "document.querySelector('dialog[open] h2')?.textContent === 'Edit 1,100 objects of Reading'")
        try choose("sensor", in: "document.querySelector('dialog[open] select')")
        try browser.click("document.querySelector('dialog[open] .form-field input')")
        try browser.type("new")
        try browser.press("Enter")
        try browser.wait(for: "!document.querySelector('dialog[open]')")
        #expect(try count("sensor%20%3D%3D%20%22new%22") == 1100)

        // Another query ends the selection.
        try browser.turn(to: "#/Reading?filter=value%20%3C%201050")
        try browser.wait(for: "\(bar).hidden && document.querySelector('#tally').textContent.includes('1,050')")
        try browser.wait(for: "document.querySelectorAll('.row[role=row]').length > 8")
        try browser.click("\(row(1)).querySelector('.row-pick')")
        try browser.wait(for: "\(bar).textContent.startsWith('1 selected')")
        try browser.click(button("Select all 1,050 that match"))
        try browser.wait(for: "\(bar).textContent.startsWith('All 1,050')")
        try browser.click(button("Delete"))
        try browser.wait(
            for: "document.querySelector('dialog[open] h2')?.textContent === 'Delete 1,050 objects of Reading?'")
        #expect(try browser.text("document.activeElement.textContent") == "Cancel")
        try browser.click("document.querySelector('dialog[open] [type=submit]')")
        try browser.wait(for: "!document.querySelector('dialog[open]')")
        #expect(try count("TRUEPREDICATE") == 150)
        expectNoComplaints()
    }

    @Test("an edit of many objects is undone, except for what was changed since")
    func bulkEditUndone() throws {
        let rows = (0..<700).map { #"{"id": \#($0), "sensor": "s\#($0 % 2)", "value": \#($0)}"# }
        #expect(
            try client.send("POST", "/v1/objects/Reading?update=all", body: "[\(rows.joined(separator: ","))]").status
                < 300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        func count(_ filter: String) throws -> Int? {
            try client.send("GET", "/v1/aggregates/objects/Reading?filter=\(filter)").json()["count"] as? Int
        }
        func snapshots() throws -> Int {
            (try client.send("GET", "/v1/snapshots").json()["snapshots"] as? [Any])?.count ?? 0
        }
        let before = try snapshots()
        try open("#/Reading")
        try browser.wait(for: "document.querySelectorAll('.row[role=row]').length > 8")
        try browser.click("\(row(1)).querySelector('.row-pick')")
        try browser.click(button("Select all 700 that match"))
        try browser.wait(
            for: "document.querySelector('#selection').textContent.startsWith('All 700 that match are selected')")
        try browser.click(button("Edit"))
        try browser.wait(
            for: "document.querySelector('dialog[open]').textContent.includes('You can undo this for two minutes.')")
        try choose("sensor", in: "document.querySelector('dialog[open] select')")
        try browser.click("document.querySelector('dialog[open] .form-field input')")
        try browser.type("new")
        try browser.press("Enter")
        let toast = "[...document.querySelectorAll('.toast')].at(-1)"
        try browser.wait(for: "\(toast)?.textContent.includes('700 objects of Reading changed.')")
        #expect(try count("sensor%20%3D%3D%20%22new%22") == 700)
        #expect(try client.send("PATCH", "/v1/objects/Reading/3", body: #"{"sensor": "other"}"#).status == 200)
        #expect(try client.send("DELETE", "/v1/objects/Reading/4").status == 204)
        try browser.evaluate("document.activeElement.blur()")
        try browser.press("u")
        try browser.wait(
            for:
                "\(toast)?.textContent.includes('698 objects is as it was. 2 objects have changed since, or are gone.')"
        )
        #expect(try count("sensor%20%3D%3D%20%22s0%22") == 349)
        #expect(try count("sensor%20%3D%3D%20%22s1%22") == 349)
        // Nothing keeps the version any more.
        #expect(try eventually { try snapshots() <= before })
        expectNoComplaints()
    }

    @Test("an edit of a map, a list or an embedded object is undone, unless it was changed since")
    func undoneEdit() throws {
        let thing = #"{"id": 7, "tags": ["a", "b"], "rates": {"x": 1.5, "y": null}, "part": {"size": "2"}}"#
        #expect(try client.send("POST", "/v1/objects/Thing", body: thing).status == 201)
        func stored() throws -> [String: Any] { try client.send("GET", "/v1/objects/Thing/7").json() }
        try load("#/Thing/7")
        try browser.wait(for: "document.querySelector('#page [aria-label=\"Remove x\"]')")
        let toasts = "document.querySelector('#toasts')"
        for (tool, name) in [("Remove x", "rates"), ("Remove element 0", "tags"), ("Empty rates", "rates")] {
            let before = try stored()[name] as? NSObject
            try browser.click("document.querySelector('#page [aria-label=\"\(tool)\"]')")
            if tool.hasPrefix("Empty") {
                try browser.wait(for: "document.querySelector('#remove-dialog').open")
                try browser.click("document.querySelector('#remove-dialog [type=submit]')")
            }
            try browser.wait(for: "\(toasts).textContent.includes('Undo')")
            #expect(try stored()[name] as? NSObject != before, "\(tool)")
            try browser.click(button("Undo"))
            try browser.wait(for: "\(toasts).textContent.includes('\(name) is as it was.')")
            #expect(try stored()[name] as? NSObject == before, "\(tool)")
            try browser.evaluate("for (const one of \(toasts).querySelectorAll('.icon')) one.click()")
            try browser.wait(for: "document.querySelector('#page [aria-label=\"Remove x\"]')")
        }

        try browser.click("document.querySelector('#page [aria-label=\"Remove x\"]')")
        try browser.wait(for: "\(toasts).textContent.includes('Undo')")
        #expect(try client.send("PATCH", "/v1/objects/Thing/7", body: #"{"rates": {"z": 3}}"#).status == 200)
        try browser.click(button("Undo"))
        try browser.wait(for: "\(toasts).textContent.includes('has changed since')")
        #expect(try stored()["rates"] as? [String: Double] == ["z": 3])
        try browser.evaluate("for (const one of \(toasts).querySelectorAll('.icon')) one.click()")
        expectNoComplaints()
    }
}
