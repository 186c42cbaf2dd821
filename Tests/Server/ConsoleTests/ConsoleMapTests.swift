import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("a class with places has a map that follows the data, opens objects and narrows the query to what is in view")
    func map() throws {
        let stops = """
            [{"id": 1, "name": "Turin", "latitude": 45.07, "longitude": 7.69},
             {"id": 2, "name": "Sydney", "latitude": -33.87, "longitude": 151.21}, {"id": 3, "name": "Nowhere"},
             {"id": 4, "name": "Beyond", "latitude": 91, "longitude": 0}]
            """
        #expect(try client.send("POST", "/v1/objects/Stop", body: stops).status == 201)
        defer { _ = try? client.send("DELETE", "/v1/objects/Stop?all=true") }
        try open()
        #expect(try browser.evaluate("document.querySelector('[data-view=map]').checkVisibility()") as? Bool == false)
        try browser.turn(to: "#/Stop")
        try browser.click("document.querySelector('[data-view=map]')")
        let status = "document.querySelector('.view-head [role=status]')?.textContent"
        try browser.wait(for: "\(status)?.startsWith('2 places, 2 without one; version ')")
        let dots = "document.querySelector('.dots').getAttribute('d').split('M').length - 1"
        #expect(try browser.evaluate(dots) as? Int == 2)
        #expect(
            try client.send(
                "POST", "/v1/objects/Stop", body: #"{"id": 5, "name": "Lima", "latitude": -12, "longitude": -77}"#
            ).status == 201)
        try browser.wait(for: "\(status)?.startsWith('3 places, 2 without one; version ')")
        #expect(try browser.evaluate(dots) as? Int == 3)

        // By the keyboard, because every dot is also in the list below.
        let listed =
            "[...document.querySelectorAll('.map-list tbody tr')].map((one) => one.cells[1].textContent).sort().join()"
        try browser.wait(for: "\(listed) === 'Lima,Sydney,Turin'")
        try browser.evaluate("document.querySelector('.map-plot').focus()")
        try browser.press("0")
        // Lima is at the left edge.
        try browser.press("ArrowRight")
        try browser.wait(for: "\(listed) === 'Sydney,Turin'")
        try browser.click(button("Only what is in view"))
        try browser.wait(for: "document.querySelector('#predicate').value.startsWith('latitude BETWEEN {')")
        try browser.wait(for: "\(status)?.startsWith('2 places; version ')")
        try browser.click("[...document.querySelectorAll('.map-list a')].find((one) => one.textContent === '1')")
        try waitForPage("Stop 1")
        expectNoComplaints()
    }

    @Test("the diagram has a box for each class and a line for each link, follows the schema, and is used by keyboard")
    func diagram() throws {
        try load("#diagram")
        try waitForPage("Diagram")
        let boxes =
            "[...document.querySelectorAll('.entity')].map((one) => one.getAttribute('aria-label').split(',')[0])"
        try browser.wait(for: "\(boxes).length > 5")
        let names = try #require(try browser.evaluate(boxes) as? [String])
        #expect(Set(names).isSuperset(of: ["Dog", "Person", "Thing", "Part", "Odd"]))
        let lines = "[...document.querySelectorAll('.link-line')].map((one) => `${one.dataset.from} ${one.dataset.to}`)"
        let links = try #require(try browser.evaluate(lines) as? [String])
        #expect(links.sorted() == ["Dog Person", "Odd Odd", "Thing Dog", "Thing Part"])
        // No box covers another one.
        let covered = try browser.evaluate(
            """
            (() => {
              const all = [...document.querySelectorAll('.entity .box')].map((one) => one.getBoundingClientRect());
              return all.some((a, i) => all.some((b, j) => i < j && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
            })()
            """)
        #expect(covered as? Bool == false)
        try browser.wait(for: "document.querySelector('[data-count=Dog]').textContent === '4'")

        var schema = try client.send("GET", "/v1/schema").json()
        let before = try #require(schema["classes"] as? [[String: Any]])
        let version = try #require(schema["schemaVersion"] as? Int)
        func put(_ classes: [[String: Any]], _ version: Int) throws {
            schema = ["schemaVersion": version, "classes": classes]
            let body = String(decoding: try JSONSerialization.data(withJSONObject: schema), as: UTF8.self)
            #expect(try client.send("PUT", "/v1/schema", body: body).status == 200)
        }
        let cat: [String: Any] = [
            "name": "Cat",
            "properties": [["name": "name", "type": "string"], ["name": "enemy", "type": "Dog?"]],
        ]
        try put(before + [cat], version)
        try browser.wait(for: "\(lines).includes('Cat Dog')")
        try put(before, version + 1)
        try browser.wait(for: "!\(boxes).includes('Cat')")

        try browser.evaluate("document.querySelector('.entity[aria-label^=\"Dog\"]').focus()")
        try browser.wait(for: "document.querySelector('.link-line.lit')?.dataset.from === 'Dog'")
        try browser.press("Enter")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        expectNoComplaints()
    }

    @Test("a backup is downloaded whole")
    func backup() throws {
        try load("#backup")
        try waitForPage("Backup")
        try browser.click(button("Download"))
        try browser.wait(for: "document.querySelector('#page a[download]')?.textContent.startsWith('Save realmgate-')")
        #expect(try browser.text("document.querySelector('#page .figure').textContent").hasSuffix(", complete"))
        expectNoComplaints()
    }
}
