import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    /// The row of a property in the schema editor, by the text in its name field.
    private func property(_ name: String) -> String {
        "[...document.querySelectorAll('.property')].find((one) => one.querySelector('input').value === '\(name)')"
    }

    private func waitForPlan(_ words: String) throws {
        try browser.wait(for: "document.querySelector('.plan-panel')?.textContent.includes(\"\(words)\")")
    }

    @Test("the schema editor makes a class, shows faults at their field, and renames with a migration step")
    func schemaEditor() throws {
        try load("#schema")
        try waitForPlan("No changes: this is the current schema.")
        try browser.click(button("Add a class"))
        try browser.wait(for: "document.activeElement.name === 'class-name'")
        try browser.type("Cat")
        try browser.click(button("Add a property"))
        try browser.type("lives")
        try choose("double", in: "\(property("lives")).querySelector('select')")
        try browser.click(
            "[...\(property("lives")).querySelectorAll('.check')].find((one) => one.textContent === 'index')")
        try browser.wait(
            for: "\(property("lives"))?.querySelector('.field-fault').textContent.includes('cannot be indexed')")
        #expect(try browser.evaluate("\(button("Apply")).disabled") as? Bool == true)
        try choose("int", in: "\(property("lives")).querySelector('select')")
        try waitForPlan("ready to apply")
        try browser.click(button("Apply"))
        try browser.wait(
            for: "[...document.querySelectorAll('#classes a')].some((one) => one.textContent.startsWith('Cat'))")
        try waitForPlan("No changes: this is the current schema.")
        #expect(try client.send("POST", "/v1/objects/Cat", body: #"{"id": 1, "lives": 9}"#).status == 201)

        // If an object exists, a new name requires a migration step, and that a higher version.
        try browser.click("[...document.querySelectorAll('.class-tab')].find((one) => one.textContent === 'Cat')")
        try browser.click("\(property("lives"))?.querySelector('input')")
        try browser.evaluate("document.activeElement.select()")
        try browser.type("left")
        try waitForPlan("need a higher schema version")
        try browser.click("document.querySelector('.plan-panel .chip')")
        try waitForPlan("Rename Cat.lives to left.")
        try waitForPlan("ready to apply")
        try browser.click(button("Apply"))
        try waitForPlan("No changes: this is the current schema.")
        #expect(try client.send("GET", "/v1/objects/Cat/1").json()["left"] as? Int == 9)

        // The page asks before it loses data.
        try browser.click("[...document.querySelectorAll('.class-tab')].find((one) => one.textContent === 'Cat')")
        try browser.click(button("Remove the class"))
        try waitForPlan("need a higher schema version")
        try browser.click("document.querySelector('.plan-panel .chip')")
        try waitForPlan("ready to apply")
        try browser.click(button("Apply"))
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try browser.wait(
            for: "![...document.querySelectorAll('#classes a')].some((one) => one.textContent.startsWith('Cat'))")
        #expect(try client.send("GET", "/v1/objects/Cat").status == 404)
        expectNoComplaints()
    }
}
