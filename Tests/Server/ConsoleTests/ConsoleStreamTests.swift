import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("a stream's events are shown as they come, held while it is paused, and resumed where it was left")
    func streams() throws {
        try load("#streams?url=/v1/observe/objects/Dog")
        try browser.wait(for: "document.querySelector('.event-type')?.textContent === 'initial'")
        #expect(try client.send("PATCH", "/v1/objects/Dog/1", body: #"{"age": 4}"#).status == 200)
        try browser.wait(for: "document.querySelector('.event-sense').textContent === '1 modified'")
        try browser.click("document.querySelector('.event summary')")
        try browser.wait(for: "document.querySelector('.event pre').textContent.includes('\"age\": 4')")

        try browser.click(button("Pause"))
        #expect(try client.send("PATCH", "/v1/objects/Dog/1", body: #"{"age": 5}"#).status == 200)
        try browser.wait(for: "document.querySelector('.stream .note').textContent.includes('paused, 1 waiting')")
        #expect(try browser.evaluate("document.querySelectorAll('.event').length") as? Int == 2)
        try browser.click(button("Resume"))
        try browser.wait(for: "document.querySelectorAll('.event').length === 3")

        // Resuming brings what is new and not the whole result again.
        try browser.click(button("Reconnect"))
        #expect(try client.send("DELETE", "/v1/objects/Dog/3").status == 204)
        try browser.wait(for: "document.querySelector('.event-sense').textContent === '1 deleted'")
        #expect(try browser.evaluate("document.querySelectorAll('.event-type.initial').length") as? Int == 1)
        try browser.click(button("Close"))
        try browser.wait(for: "document.querySelector('.stream') === null")
        expectNoComplaints()
    }

    @Test("subscriptions are made, told their faults, followed through one stream, and removed")
    func subscriptions() throws {
        try load("#subscriptions?set=trial")
        try waitForPage("Subscriptions")
        try choose("Dog", in: field("Class"))
        try browser.click(field("Name"))
        try browser.type("adults")
        try browser.click(field("Where"))
        try browser.type("agee > 5")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('‘age’')")
        try browser.evaluate("\(field("Where")).select()")
        try browser.type("age > 5")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('#page tbody')?.textContent.includes('adultsDogwhere age > 5')")

        try browser.click(button("Follow live"))
        try browser.wait(for: "document.querySelector('.event-sense')?.textContent === 'adults: 2 in the result'")
        try browser.wait(for: "document.querySelector('.badge[data-state=complete]')")
        #expect(try client.send("PATCH", "/v1/objects/Dog/1", body: #"{"age": 6}"#).status == 200)
        try browser.wait(for: "document.querySelector('.event-sense')?.textContent === 'adults: 1 inserted'")
        try browser.click(button("Remove"))
        try browser.wait(for: "document.querySelector('#page').textContent.includes('has no subscriptions yet')")
        try browser.wait(for: "document.querySelector('.event-type')?.textContent === 'removed'")
        expectNoComplaints()
    }
}
