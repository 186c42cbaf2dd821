import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("a snapshot is taken, browsed while the data goes on, compared with what came after it, and let go")
    func snapshots() throws {
        // Those that other tests made to undo deletions.
        let kept = try client.send("GET", "/v1/snapshots").json()["snapshots"] as? [[String: Any]]
        for one in kept ?? [] {
            _ = try client.send("DELETE", "/v1/snapshots/\(one["snapshot"] ?? "")")
        }
        try load("#snapshots")
        try waitForPage("Snapshots")
        try browser.click(button("Create a snapshot"))
        try browser.wait(for: "document.querySelector('[data-expires]')?.textContent.includes('min')")
        #expect(try client.send("PATCH", "/v1/objects/Dog/1", body: #"{"age": 4, "name": "Max"}"#).status == 200)
        #expect(try client.send("DELETE", "/v1/objects/Dog/2").status == 204)
        #expect(try client.send("POST", "/v1/objects/Dog", body: #"{"id": 9, "name": "Nora"}"#).status == 201)

        try browser.click(button("Compare"))
        try browser.wait(for: "document.querySelectorAll('.difference').length === 2")
        let told = try browser.text(
            "[...document.querySelectorAll('.differences li')].map((one) => one.textContent.trim()).join('; ')")
        #expect(told == "+9; −2; ±1name Rex Maxage 3 4")

        try browser.click("[...document.querySelectorAll('#page tbody a')].find((one) => one.textContent === 'Dog')")
        try browser.wait(for: "document.querySelector('#state-text').textContent === 'Snapshot'")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click("\(row(2))?.querySelector('.open')")
        try waitForPage("Dog 2")
        #expect(try browser.evaluate("document.querySelectorAll('.edit').length") as? Int == 0)

        try browser.turn(to: "#snapshots")
        try browser.click(button("Delete"))
        try browser.wait(for: "document.querySelector('#page').textContent.includes('No snapshots yet.')")
        expectNoComplaints()
    }
}
