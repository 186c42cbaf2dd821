import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("an object's page shows and edits its values, and what others change in it is marked")
    func objectPage() throws {
        try load("#/Dog/2")
        try waitForPage("Dog 2")
        let age = "[...document.querySelectorAll('.object-field')].find((one) => one.textContent.startsWith('age'))"
        try browser.click("\(age)?.querySelector('.edit')")
        try browser.wait(for: "document.activeElement.matches('.editor input')")
        try browser.type("old")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.editor .cell-fault')?.hidden === false")
        try browser.evaluate("document.activeElement.select()")
        try browser.type("12")
        try browser.press("Enter")
        try browser.wait(for: "\(age).querySelector('.text')?.textContent === '12'")
        #expect(try stored(2)["age"] as? Int == 12)

        #expect(try client.send("PATCH", "/v1/objects/Dog/2", body: #"{"age": 13}"#).status == 200)
        try browser.wait(
            for: "\(age).querySelector('.text')?.textContent === '13' && \(age).dataset.mark === 'modified'")
        #expect(try client.send("DELETE", "/v1/objects/Dog/2").status == 204)
        try browser.wait(for: "document.querySelector('.banner')?.textContent.includes('has been deleted')")
        expectNoComplaints()
    }
}
