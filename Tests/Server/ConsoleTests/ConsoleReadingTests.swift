import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

extension ConsoleTests {
    @Test("shows the objects, filters by what is typed and sorts by a click on a heading")
    func reading() throws {
        try open("")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        #expect(try browser.text("document.querySelector('h1').textContent") == "Dog")
        #expect(try column(4).last == "9007199254740993", "integers keep all 64 bits")

        try browser.click("document.querySelector('#predicate')")
        try browser.type("name BEGINSWITH 'R'")
        try waitForNames(["Rex", "Rina"])
        try browser.wait(for: "document.querySelector('#tally').textContent === '2 of 4 objects'")

        try browser.click("document.querySelector('.heading[data-column=\"1\"]')")
        try browser.wait(for: "document.querySelector('[aria-sort=ascending]')")
        try browser.click("document.querySelector('.heading[data-column=\"1\"]')")
        try waitForNames(["Rina", "Rex"])
        #expect(try browser.text("location.hash") == "#/Dog?filter=name%20BEGINSWITH%20'R'&sort=-name")

        // The command on the page returns the data on the page.
        let command = try browser.text("document.querySelector('#command').textContent")
        let shell = try ChildProcess("/bin/sh", ["-c", command], directory: directory.path)
        #expect(try shell.wait() == 0)
        let answer = try JSONSerialization.jsonObject(with: Data(shell.output.utf8)) as? [String: Any]
        let items = try #require(answer?["items"] as? [[String: Any]], "\(command) gave \(shell.output)")
        #expect(items.map { $0["name"] as? String } == ["Rina", "Rex"])
        expectNoComplaints()
    }

    @Test("shows what is wrong with a predicate at its place, and mends it by a click on the hint")
    func faultyPredicate() throws {
        try open()
        try browser.click("document.querySelector('#predicate')")
        try browser.type("age > 5 AND nmae == 'Cleo'")
        try browser.wait(for: "document.querySelector('#fault mark')?.textContent === 'nmae'")
        let before = try browser.text("document.querySelector('#fault mark').previousSibling.textContent")
        #expect(before == "age > 5 AND ")
        #expect(try browser.text("document.querySelector('#predicate').getAttribute('aria-invalid')") == "true")
        #expect(try column(1).count == 4, "the last sound result stays on the page")
        try browser.click("document.querySelector('#fault .chip')")
        try waitForNames(["Cleo"])
        #expect(try browser.text("document.querySelector('#predicate').value") == "age > 5 AND name == 'Cleo'")
        try browser.wait(for: "document.querySelector('#fault').hidden")

        // Nothing of one class remains beside another's error.
        try browser.turn(to: "#/Person?filter=name")
        try browser.wait(for: "!document.querySelector('#fault').hidden")
        #expect(try browser.text("document.querySelector('h1').textContent") == "Person")
        #expect(try browser.text("document.querySelector('#state').dataset.state") == "waiting")
        #expect(try column(0) == [])
        expectNoComplaints()
    }

    @Test("links are followed by clicks, forward and back along them, with a trail of where they led")
    func links() throws {
        try open()
        try browser.click("\(cell(1, 5))?.querySelector('a')")
        try waitForPage("Person ann")
        let trail = "[...document.querySelectorAll('#page .trail li')].map((one) => one.textContent).join(' > ')"
        #expect(try browser.text(trail) == "Dog > Person ann")
        try browser.click("document.querySelector('#page .data tbody a')")
        try waitForPage("Dog 1")
        #expect(try browser.text(trail) == "Dog > Person ann > Dog 1")
        #expect(try browser.text("location.hash") == "#/Dog/1")

        try browser.evaluate("history.back()")
        try waitForPage("Person ann")
        #expect(try browser.text(trail) == "Dog > Person ann")
        try browser.click("document.querySelector('#page .trail a')")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])

        // Linking objects are a query of the linking class.
        try open("#/Person")
        try browser.click("document.querySelector('.row[data-key=ann] .backlinks a')")
        try waitForNames(["Rex"])
        #expect(try browser.text("document.querySelector('#predicate').value") == "owner.handle == 'ann'")
        expectNoComplaints()
    }

    @Test("Explain shows the parts of the plan and how much the query found")
    func explain() throws {
        try open("#/Dog?filter=age%20%3E%203")
        try browser.click("document.querySelector('#explain')")
        try browser.wait(for: "document.querySelector('#explain-dialog[open] .plan-part') !== null")
        let sum = try browser.text("document.querySelector('#explain-sum').textContent")
        #expect(sum.hasPrefix("2 objects in "))
        #expect(try browser.text("document.querySelector('#explain-parts .plan-words').textContent") != "")
    }

    @Test("a change made elsewhere is shown at once and marked, also when it brings or takes an object")
    func following() throws {
        try open("#/Dog?filter=age%20%3E%205&sort=-age")
        try waitForNames(["Bello", "Cleo"])
        #expect(try client.send("PATCH", "/v1/objects/Dog/4", body: #"{"age": 8}"#).status == 200)
        try browser.wait(
            for: """
                \(cell(4, 2))?.textContent === '8' && \(row(4)).dataset.mark === 'modified'
                  && \(cell(4, 2)).dataset.changed !== undefined && \(cell(4, 1)).dataset.changed === undefined
                """)

        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 9}"#).status == 200)
        try browser.wait(for: "\(row(3))?.dataset.mark === 'inserted'")
        try waitForNames(["Bello", "Rina", "Cleo"])

        #expect(try client.send("PATCH", "/v1/objects/Dog/4", body: #"{"age": 20}"#).status == 200)
        try waitForNames(["Cleo", "Bello", "Rina"])
        #expect(try client.send("DELETE", "/v1/objects/Dog/2").status == 204)
        try waitForNames(["Cleo", "Rina"])
        try browser.wait(for: "document.querySelector('#tally').textContent === '2 of 3 objects'")
        expectNoComplaints()
    }
}
