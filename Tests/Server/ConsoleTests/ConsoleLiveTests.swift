import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// The contents of the console while it shows live data.
extension ConsoleTests {
    private func fill(_ ids: ClosedRange<Int>) throws {
        #expect(try client.send("DELETE", "/v1/objects/Reading?all=true").status == 200)
        let rows = ids.map { #"{"id": \#($0), "sensor": "s\#($0 % 3)", "value": \#($0)}"# }.joined(separator: ",")
        #expect(try client.send("POST", "/v1/objects/Reading", body: "[\(rows)]").status == 201)
    }

    @Test("the headline and the sums follow what changes beyond the rows that are followed")
    func beyondTheRows() throws {
        try fill(1...400)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        try open("#/Reading")
        let tally = "document.querySelector('#tally').textContent"
        try browser.wait(for: "\(tally) === '400 objects'")
        _ = try client.send("POST", "/v1/objects/Reading", body: #"{"id": 9001, "sensor": "far", "value": 7000}"#)
        try browser.wait(for: "\(tally) === '401 objects'")
        #expect(try browser.text("document.querySelector('#state').dataset.state") == "live")
        let version = try #require(try client.send("GET", "/v1/objects/Reading?limit=0").json()["version"] as? NSNumber)
        try browser.wait(for: "document.querySelector('#version').textContent === 'version \(version)'")

        try browser.turn(to: "#/Reading?view=summary&by=sensor")
        let figure = "document.querySelector('#other-view .figure')?.textContent"
        try browser.wait(for: "\(figure) === '401 objects'")
        try browser.wait(for: "document.querySelector('#other-view').textContent.includes('7,000')")
        _ = try client.send("PATCH", "/v1/objects/Reading/9001", body: #"{"value": 8000, "sensor": "further"}"#)
        try browser.wait(for: "document.querySelector('#other-view').textContent.includes('8,000')")
        try browser.wait(for: "document.querySelector('#other-view').textContent.includes('further')")
        _ = try client.send("DELETE", "/v1/objects/Reading/9001")
        try browser.wait(for: "\(figure) === '400 objects'")

        // Both numbers for a predicate.
        try browser.turn(to: "#/Reading?filter=value%20%3E%20390")
        try browser.wait(for: "\(tally) === '10 of 400 objects'")
        _ = try client.send("POST", "/v1/objects/Reading", body: #"{"id": 9002, "sensor": "s", "value": 0}"#)
        try browser.wait(for: "\(tally) === '10 of 401 objects'")
        expectNoComplaints()
    }

    @Test("the summary, the headline and the list of classes follow the data without being asked for again")
    func nothingAskedAgain() throws {
        try fill(1...300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        try open("#/Reading?view=summary&by=sensor")
        let figure = "document.querySelector('#other-view .figure')?.textContent"
        let groups = "document.querySelector('#other-view [role=status]')?.textContent"
        func tally(of name: String) -> String {
            "[...document.querySelectorAll('#classes a')].find((one) => one.title === '\(name)').querySelector('.count').textContent"
        }
        try browser.wait(
            for: "\(figure) === '300 objects' && \(groups) === '3 groups' && \(tally(of: "Person")) === '2'")
        try browser.evaluate("performance.clearResourceTimings()")
        _ = try client.send("POST", "/v1/objects/Reading", body: #"{"id": 9001, "sensor": "far", "value": 7000}"#)
        _ = try client.send("POST", "/v1/objects/Person", body: #"{"handle": "eve"}"#)
        try browser.wait(
            for: "\(figure) === '301 objects' && \(groups) === '4 groups' && \(tally(of: "Person")) === '3'")
        try browser.wait(
            for: "document.querySelector('#tally').textContent === '301 objects' && \(tally(of: "Reading")) === '301'")
        try browser.wait(for: "document.querySelector('#other-view').textContent.includes('7,000')")
        let asked =
            "performance.getEntriesByType('resource').filter((one) => one.name.includes('/v1/aggregates/')).length"
        #expect(try browser.evaluate(asked) as? Int == 0)
        let streams = "document.querySelector('[data-command=stream]')"
        try browser.click(streams)
        #expect(
            try browser.text("document.querySelector('#command').textContent")
                .contains("/v1/observe/aggregates/objects/Reading -d by=sensor"))

        // In a snapshot the same numbers are read.
        let made = try client.send("POST", "/v1/snapshots?ttl=60").json()
        let snapshot = try #require(made["snapshot"] as? String)
        _ = try client.send("DELETE", "/v1/objects/Reading/9001")
        try browser.turn(to: "#/Reading?view=summary&by=sensor&snapshot=\(snapshot)")
        try browser.wait(
            for: "document.querySelector('#state').dataset.state === 'frozen' && \(figure) === '301 objects'")
        expectNoComplaints()
    }

    @Test("sums that are larger than any integer are left out, and the others follow the data")
    func overflow() throws {
        try open("#/Dog?view=summary")
        let figure = "document.querySelector('#other-view .figure')?.textContent"
        try browser.wait(for: "\(figure) === '4 objects'")
        let dogs = [5, 6].map { #"{"id": \#($0), "name": "big", "chip": 9223372036854775807}"# }.joined(separator: ",")
        #expect(try client.send("POST", "/v1/objects/Dog", body: "[\(dogs)]").status == 201)
        try browser.wait(for: "\(figure) === '6 objects'")
        #expect(try client.send("DELETE", "/v1/objects/Dog/5").status == 204)
        try browser.wait(for: "\(figure) === '5 objects'")
        try browser.reload()
        try browser.wait(for: "\(figure) === '5 objects'")
        expectNoComplaints()
    }

    @Test("what was created is named, with the way to it, and shown where it is", arguments: ["", "value%20%3C%200"])
    func creationIsShown(filter: String) throws {
        try fill(1...300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        try open("#/Reading?filter=\(filter)")
        try browser.click("document.querySelector('#create')")
        try browser.click("document.querySelector('#create-dialog [name=id]')")
        try browser.type("5000")
        try browser.press("Enter")
        let toast = "[...document.querySelectorAll('.toast')].at(-1)"
        try browser.wait(for: "\(toast)?.textContent.includes('Reading 5000 was created.')")
        #expect(
            try browser.evaluate("\(toast).textContent.includes('does not satisfy')") as? Bool == !filter.isEmpty)
        if filter.isEmpty {
            try browser.wait(for: "document.querySelector('.row[data-key=\"5000\"]')?.dataset.mark === 'inserted'")
            let isInView = """
                (() => {
                  const row = document.querySelector('.row[data-key="5000"]').getBoundingClientRect();
                  const grid = document.querySelector('#grid').getBoundingClientRect();
                  return row.top >= grid.top && row.bottom <= grid.bottom;
                })()
                """
            #expect(try browser.evaluate(isInView) as? Bool == true)
        }
        try browser.click("\(toast).querySelector('a')")
        try waitForPage("Reading 5000")
        expectNoComplaints()
    }

    @Test(
        "objects whose keys mean something in paths are opened and edited",
        arguments: ["", ".", "..", "/", "%FF", "a b"])
    func oddKeys(key: String) throws {
        let json = String(decoding: try JSONEncoder().encode(["handle": key, "city": "Nowhere"]), as: UTF8.self)
        let made = try client.send("POST", "/v1/objects/Person", body: json)
        #expect(made.status == 201)
        try load("#/Person/" + (key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""))
        try browser.wait(for: "document.querySelector('#page')?.textContent.includes('Nowhere')")
        #expect(try client.send("DELETE", try #require(made["Location"])).status == 204)
        expectNoComplaints()
    }
}
