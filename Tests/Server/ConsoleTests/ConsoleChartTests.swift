import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    private func chart(_ property: String) -> String {
        """
        [...document.querySelectorAll('.heading')].find((one) => one.querySelector('.name')?.textContent === '\(property)')
          ?.querySelector('.column-chart:not([hidden])')
        """
    }

    @Test("each heading has a chart of its column, which follows the data and the query without asking again")
    func columnCharts() throws {
        try open()
        try browser.wait(for: "\(chart("owner")) && \(chart("age"))")
        #expect(try browser.text("\(chart("age")).title") == "age: most often 3, 25 %; 1 without a value")
        // From 3 to 11 there are nine intervals, and three of them have an object.
        #expect(try browser.evaluate("\(chart("age")).querySelectorAll('rect').length") as? Int == 3)
        try browser.wait(for: "\(chart("good"))?.textContent === 'true75 %false25 %'")
        #expect(try browser.text("\(chart("owner")).textContent") == "null50 %ann25 %")
        #expect(try browser.evaluate("\(chart("id")) == null") as? Bool == true)
        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 7}"#).status == 200)
        try browser.wait(for: "\(chart("age"))?.title === 'age: most often 7, 50 %'")
        try browser.turn(to: "#/Dog?filter=age%20%3E%207")
        try browser.wait(for: "\(chart("age"))?.title === 'age: most often 11, 100 %'")
        // They are live: no chart was read.
        let requests = """
            performance.getEntriesByType('resource').map((one) => new URL(one.name))
              .filter((one) => one.pathname.startsWith('/v1/aggregates/') && (one.searchParams.has('top') || one.searchParams.has('bins')))
              .length
            """
        #expect(try browser.evaluate(requests) as? Int == 0)
        expectNoComplaints()
    }

    @Test("a chart opens to a table of its values, whose rows narrow the query; the keyboard does the same")
    func distribution() throws {
        try open("#/Dog?filter=good%20%3D%3D%20true%20OR%20age%20%3E%203")
        try browser.click(chart("age"))
        try browser.wait(for: "document.querySelector('.distribution-dialog[open] tbody tr')")
        let rows = """
            [...document.querySelectorAll('.distribution-dialog tbody tr')].map((one) => one.innerText.split('\\t').slice(0, 2).join(' ')).join()
            """
        #expect(try browser.text(rows) == "3 1,7 1,11 1,no value 1")
        // It follows the data while it is open.
        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 7}"#).status == 200)
        try browser.wait(for: "\(rows) === '3 1,7 2,11 1'")
        try browser.click("document.querySelectorAll('.distribution-dialog tbody button')[1]")
        try waitForNames(["Rina", "Cleo"])
        #expect(
            try browser.text("document.querySelector('#predicate').value")
                == "(good == true OR age > 3) AND age >= 7 AND age < 8")

        try browser.evaluate("document.querySelector('.heading[data-column=\"1\"]').focus()")
        try browser.press("d")
        try browser.wait(for: "document.querySelector('.distribution-dialog[open] h2')?.textContent === 'name'")
        try browser.press("Escape")
        try browser.wait(for: "document.querySelector('dialog[open]') === null")
        expectNoComplaints()
    }

    @Test("charts are switched off, stay off, and cost nothing then")
    func chartsOff() throws {
        try open()
        try browser.wait(for: chart("age"))
        try browser.click("document.querySelector('#charts')")
        try browser.wait(for: "!document.querySelector('.column-chart').checkVisibility()")
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 7}"#).status == 200)
        try browser.wait(for: "\(cell(3, 2))?.textContent === '7'")
        let count = "performance.getEntriesByType('resource').filter((one) => /[?&](top|bins)=/.test(one.name)).length"
        #expect(try browser.evaluate(count) as? Int == 0)
        try browser.click("document.querySelector('#charts')")
        try browser.wait(for: chart("age"))
        expectNoComplaints()
    }

    @Test("values and names stay text in charts, lists of values and the map")
    func chartPayloads() throws {
        let payload = #"<img src=x onerror='document.title=1'>"#
        let dog = try JSONSerialization.data(withJSONObject: ["id": 1, "name": payload])
        #expect(
            try client.send("PATCH", "/v1/objects/Dog/1", body: String(decoding: dog, as: UTF8.self)).status == 200)
        let stop = try JSONSerialization.data(
            withJSONObject: ["id": 1, "name": payload, "latitude": 1.5, "longitude": 2])
        #expect(
            try client.send("POST", "/v1/objects/Stop?update=all", body: String(decoding: stop, as: UTF8.self)).status
                < 300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Stop?all=true") }
        try open()
        try browser.click(chart("name"))
        try browser.wait(for: "document.querySelector('.distribution-dialog[open]')?.textContent.includes('onerror')")
        #expect(try browser.evaluate("document.querySelectorAll('main img, dialog img').length") as? Int == 0)
        try browser.press("Escape")
        try open("#/Stop?view=map")
        try browser.wait(for: "document.querySelector('.map-list tbody')?.textContent.includes('onerror')")
        #expect(try browser.evaluate("document.querySelectorAll('main img, dialog img').length") as? Int == 0)
        expectNoComplaints()
    }

    @Test("after a comparison the most frequent values are offered, also over a link")
    func valueCompletion() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click("document.querySelector('#predicate')")
        try browser.type("owner.city == ")
        try browser.wait(for: "document.querySelector('#completions').innerText.includes(\"'Turin'\")")
        try browser.press("ArrowDown")
        try browser.press("Enter")
        #expect(try browser.text("document.querySelector('#predicate').value") == "owner.city == 'Turin'")
        try waitForNames(["Rex"])
        // A quote that the reader has typed belongs to the value.
        try browser.evaluate("document.querySelector('#predicate').select()")
        try browser.type("name == \"Be")
        try browser.wait(for: "document.querySelector('#completions').innerText.startsWith(\"'Bello'\")")
        try browser.press("Tab")
        #expect(try browser.text("document.querySelector('#predicate').value") == "name == 'Bello'")
        try waitForNames(["Bello"])
        expectNoComplaints()
    }
}
