import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("editing a cell stores the value; what does not fit is refused at the cell")
    func editing() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click(cell(1, 1), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("Max")
        try browser.press("Enter")
        try waitForNames(["Max", "Bello", "Rina", "Cleo"])
        #expect(try stored(1)["name"] as? String == "Max")

        // The focus continues from the cell that was edited.
        try browser.press("ArrowRight")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor input')")
        try browser.type("old")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.editor .cell-fault')?.hidden === false")
        #expect(try browser.text("document.querySelector('.cell-fault').textContent").contains("age"))
        #expect(try stored(1)["age"] as? Int == 3)
        try browser.click("[...document.querySelectorAll('.editor .chip')].find((chip) => chip.textContent === 'null')")
        try browser.wait(for: "\(cell(1, 2))?.textContent === 'null'")
        #expect(try stored(1)["age"] is NSNull)

        try browser.click(cell(1, 3), times: 2)
        try browser.wait(for: "\(cell(1, 3))?.textContent === 'false'")
        #expect(try stored(1)["good"] as? Bool == false)

        try browser.click(cell(2, 4), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor input')")
        try browser.type("9223372036854775807")
        try browser.press("Enter")
        try browser.wait(for: "\(cell(2, 4))?.textContent === '9223372036854775807'")
        #expect(try client.send("GET", "/v1/objects/Dog/2").text.contains("9223372036854775807"))
        expectNoComplaints()
    }

    @Test("collections, mixed values and embedded objects are shown and edited as JSON, decimals and data as text")
    func everyKind() throws {
        let body = #"""
            {"id": 1, "price": "1.10", "photo": "AP8=", "tags": ["a", "b"], "extra": {"at": {"$date": "2026-01-31"}},
             "part": {"size": "0.50"}, "rates": {"x": null}}
            """#
        #expect(try client.send("POST", "/v1/objects/Thing", body: body).status == 201)
        try open("#/Thing")
        try browser.wait(for: "\(cell(1, 1))?.textContent === '1.10'")
        let shown = try browser.evaluate(
            "[...document.querySelectorAll('.row[role=row] .cell')].map((cell) => cell.textContent)")
        #expect(
            shown as? [String] == [
                "1", "1.10", "AP8=", #"["a","b"]"#, #"{"at":{"$date":"2026-01-31T00:00:00Z"}}"#, #"{"size":"0.50"}"#,
                #"{"x":null}"#, "[]", "[]",
            ])
        try browser.click(cell(1, 3), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("[1")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.editor .cell-fault')?.hidden === false")
        #expect(try browser.text("document.querySelector('.cell-fault').textContent").contains("This is not JSON"))
        try browser.evaluate("document.activeElement.select()")
        try browser.type(#"["c",1]"#)
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.cell-fault')?.textContent.includes('Thing.tags[1]')")
        try browser.evaluate("document.activeElement.select()")
        try browser.type(#"["c"]"#)
        try browser.press("Enter")
        try browser.wait(for: #"\#(cell(1, 3))?.textContent === '["c"]'"#)
        try browser.press("ArrowRight")
        try browser.press("ArrowRight")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type(#"{"size": 2.5}"#)
        try browser.press("Enter")
        try browser.wait(for: #"\#(cell(1, 5))?.textContent === '{"size":"2.5"}'"#)
        #expect(try client.send("GET", "/v1/objects/Thing/1").text.contains(#""tags":["c"],"#))

        // Embedded classes can be viewed, but not created on their own.
        try open("#/Part")
        try browser.wait(for: "document.querySelector('#create').hidden")
        try browser.wait(for: "document.querySelector('.row[role=row]')?.children[1].textContent === '2.5'")
        expectNoComplaints()
    }

    @Test("deleting asks first, and then the object is gone here and in the store")
    func deleting() throws {
        try open()
        try browser.click(cell(2, 1))
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Escape")
        try browser.wait(for: "!document.querySelector('#remove-dialog').open")
        #expect(try client.send("GET", "/v1/objects/Dog/2").status == 200)

        try browser.press("Delete")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try waitForNames(["Rex", "Rina", "Cleo"])
        #expect(try client.send("GET", "/v1/objects/Dog/2").status == 404)
        expectNoComplaints()
    }

    @Test("a new object is made with the form, and a duplicate key is refused in it")
    func creating() throws {
        try open()
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.activeElement.name === 'id'")
        try browser.type("1")
        try browser.press("Enter")
        try browser.wait(for: "!document.querySelector('#create-fault').hidden")
        try browser.click("document.querySelector('#create-dialog [name=id]')", times: 2)
        try browser.type("9")
        try browser.click("document.querySelector('#create-dialog [name=name]')")
        try browser.type("Nora")
        try browser.click("document.querySelector('#create-dialog [name=owner]')")
        try browser.type("bob")
        try browser.press("Enter")
        try browser.wait(for: "\(row(9))?.dataset.mark === 'inserted'")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo", "Nora"])
        #expect(try stored(9)["owner"] as? String == "bob")
        expectNoComplaints()
    }
}
