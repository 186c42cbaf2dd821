import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    @Test("the sections view counts by a key path, opens a section to its objects and follows the data")
    func sections() throws {
        try open("#/Dog")
        try browser.click(button("Sections"))
        try choose("name.first", in: "document.querySelector('.view-head select')")
        let shown = """
            [...document.querySelectorAll('.section')].map((one) =>
              one.querySelector('.section-key').textContent + one.querySelector('.count').textContent).join()
            """
        try browser.wait(for: "\(shown) === 'B1,C1,R2'")
        #expect(try browser.text("location.hash") == "#/Dog?view=sections&by=name.first")
        try browser.click("document.querySelectorAll('.section summary')[2]")
        try browser.wait(for: "document.querySelectorAll('.section[open] tbody tr').length === 2")
        #expect(try client.send("PATCH", "/v1/objects/Dog/2", body: #"{"name": "Rollo"}"#).status == 200)
        try browser.wait(for: "\(shown) === 'C1,R3'")
        try browser.wait(for: "document.querySelectorAll('.section[open] tbody tr').length === 3")
        expectNoComplaints()
    }

    @Test("the summary counts, adds up and groups what the predicate selects, and follows the data")
    func summary() throws {
        try open("#/Dog?filter=age%20%3E%203")
        try browser.click(button("Summary"))
        try browser.wait(for: "document.querySelector('.other-view .figure b')?.textContent === '2'")
        let ages = """
            [...document.querySelectorAll('.other-view tbody tr')].find((row) => row.cells[0].textContent === 'age')
              ?.textContent
            """
        try browser.wait(for: "\(ages) === 'age711189'")
        try choose("age", in: "document.querySelector('#group-by')")
        try browser.wait(for: "document.querySelector('.other-view [role=status]')?.textContent === '2 groups'")
        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 12}"#).status == 200)
        try browser.wait(for: "document.querySelector('.other-view [role=status]')?.textContent === '3 groups'")
        try browser.wait(for: "document.querySelector('.other-view .figure b')?.textContent === '3'")
        expectNoComplaints()
    }

    @Test("distinct leaves one object of those that agree")
    func distinct() throws {
        try open()
        try choose("good", in: "document.querySelector('#distinct')")
        try waitForNames(["Rex", "Bello"])
        try browser.wait(for: "document.querySelector('#tally').textContent === '2 of 4 objects'")
        expectNoComplaints()
    }

    @Test("thousands of rows are scrolled through with few of them in the page, and come where one looks")
    func scrolling() throws {
        let rows = (0..<3000).map { #"{"id": \#($0), "sensor": "s\#($0 % 40)", "value": \#($0)}"# }
        #expect(
            try client.send("POST", "/v1/objects/Reading?update=all", body: "[\(rows.joined(separator: ","))]").status
                < 300)
        try open("#/Reading?sort=-value")
        try browser.wait(for: "document.querySelector('#grid').scrollHeight > 3000 * 38")
        let most = try browser.evaluate(
            """
            new Promise((done) => {
              const grid = document.querySelector('#grid');
              let most = 0;
              let step = 0;
              const scroll = () => {
                most = Math.max(most, grid.querySelectorAll('.row').length);
                grid.scrollTop = step * (grid.scrollHeight / 60);
                step += 1;
                if (step <= 60) requestAnimationFrame(scroll);
                else done(most);
              };
              scroll();
            })
            """)
        #expect(try #require(most as? Int) < 80)
        try browser.wait(for: "document.querySelector('.row[data-key=\"0\"]')?.children[1].textContent === 's0'")
        #expect(
            try browser.text("document.querySelector('.row[data-key=\"0\"]').getAttribute('aria-rowindex')") == "3001")
        // Rows that are fetched, not observed, can be edited in the same way, and are fetched again.
        #expect(try client.send("PATCH", "/v1/objects/Reading/1", body: #"{"sensor": "new"}"#).status == 200)
        try browser.wait(for: "document.querySelector('.row[data-key=\"1\"]')?.children[1].textContent === 'new'")
        expectNoComplaints()
    }

    @Test("no rule of the styles makes the rows of a table depend on each other")
    func siblingRules() throws {
        try open()
        // Such as `.page > * ~ *`: the browser tries it on each row, and looks at all rows again whenever one goes.
        let found = try browser.evaluate(
            #"""
            [...document.styleSheets].flatMap((sheet) => {
              const all = (rules) => [...rules].flatMap((rule) => [rule.selectorText, ...(rule.cssRules ? all(rule.cssRules) : [])]);
              return all(sheet.cssRules).filter((text) => text?.split(',').some((one) => /[~+]\s*(?:\*|:[^\s]*)\s*$/.test(one)));
            })
            """#)
        #expect(found as? [String] == [])
        let count = try browser.evaluate(
            "[...document.styleSheets].reduce((sum, sheet) => sum + sheet.cssRules.length, 0)")
        #expect(try #require(count as? Int) > 300)
    }
}
