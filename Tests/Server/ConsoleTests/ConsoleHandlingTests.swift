import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// Work with many rows, and with the keyboard alone.
extension ConsoleTests {
    private static let undo = "[...document.querySelectorAll('.toast .action')].at(-1)"

    @Test("the keyboard alone creates, queries, edits, deletes and undoes")
    func keyboardOnly() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.press("n")
        try browser.wait(for: "document.activeElement?.name === 'id'")
        try browser.type("9")
        try browser.press("Tab")
        try browser.type("Nora")
        for _ in 0..<4 { try browser.press("Tab") }
        try browser.wait(for: "document.activeElement.name === 'owner'")
        try browser.type("tur")
        try browser.wait(for: "document.querySelector('.picks:not([hidden]) li')?.textContent.includes('Turin')")
        try browser.press("ArrowDown")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.value === 'ann'")
        try browser.press("Enter")
        try browser.wait(for: "\(row(9))?.dataset.mark === 'inserted'")
        #expect(try stored(9)["owner"] as? String == "ann")

        try browser.evaluate("document.activeElement.blur()")
        try browser.press("/")
        try browser.wait(for: "document.activeElement.id === 'predicate'")
        try browser.type("id > 3")
        try browser.press("Enter")
        try waitForNames(["Cleo", "Nora"])
        try browser.press("ArrowDown")
        try browser.wait(for: "document.activeElement === \(cell(4, 0))")
        try browser.press("ArrowDown")
        try browser.press("ArrowRight")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("Nina")
        try browser.press("Enter")
        try waitForNames(["Cleo", "Nina"])

        // Enter alone does not delete: the question begins at the button that cancels.
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Enter")
        try browser.wait(for: "!document.querySelector('#remove-dialog').open")
        #expect(try client.send("GET", "/v1/objects/Dog/9").status == 200)
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Tab")
        try browser.press("Enter")
        try waitForNames(["Cleo"])
        #expect(try client.send("GET", "/v1/objects/Dog/9").status == 404)
        try browser.wait(for: Self.undo)
        try browser.press("u")
        try waitForNames(["Cleo", "Nina"])
        #expect(try stored(9)["owner"] as? String == "ann")
        expectNoComplaints()
    }

    @Test("an object is shown beside the table, follows the rows, and is edited and deleted there")
    func drawer() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        let name = "document.querySelector('#drawer:not([hidden]) h2')?.textContent"
        try browser.evaluate("\(cell(1, 0)).focus(); null")
        try browser.press("p")
        try browser.wait(for: "\(name) === 'Dog 1' && document.querySelector('#drawer .lamp')")
        try browser.press("ArrowDown")
        try browser.wait(for: "\(name) === 'Dog 2' && document.querySelector('#drawer [aria-label=\"Edit name\"]')")
        #expect(try browser.evaluate("document.title.startsWith('Dog · ')") as? Bool == true)
        try browser.evaluate("document.querySelector('#drawer [aria-label=\"Edit name\"]').click(); null")
        try browser.wait(for: "document.activeElement.matches('#drawer .editor textarea')")
        try browser.type("Bella")
        try browser.press("Enter")
        try waitForNames(["Rex", "Bella", "Rina", "Cleo"])
        // Escape closes it where nothing is edited, and leads back to the table.
        try browser.wait(for: "!document.querySelector('#drawer .editor')")
        try browser.evaluate("document.querySelector('#drawer h2').focus(); null")
        try browser.press("Escape")
        try browser.wait(
            for: "document.querySelector('#drawer').hidden && document.activeElement.closest('#grid') !== null")

        // With Shift, the button of a row does the same.
        try browser.evaluate(
            """
            \(row(3)).querySelector('.open').dispatchEvent(new MouseEvent('click', { shiftKey: true, bubbles: true })); null
            """)
        try browser.wait(for: "\(name) === 'Dog 3' && document.querySelector('#drawer .danger-line')")
        try browser.evaluate("document.querySelector('#drawer .danger-line').click(); null")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Tab")
        try browser.press("Enter")
        try waitForNames(["Rex", "Bella", "Cleo"])
        try browser.wait(for: "document.querySelector('#drawer').hidden")
        // Another page ends it.
        try browser.evaluate("\(cell(1, 0)).focus(); null")
        try browser.press("p")
        try browser.wait(for: "\(name) === 'Dog 1'")
        try browser.turn(to: "#schema")
        try browser.wait(for: "document.querySelector('#drawer').hidden")
        expectNoComplaints()
    }

    @Test("undoing a deletion brings back the object, its links, and the links to it")
    func undoing() throws {
        #expect(
            try client.send("POST", "/v1/objects/Odd", body: #"[{"id": 1}, {"id": 2}, {"id": 3, "others": [1, 2, 1]}]"#)
                .status == 201)
        try open("#/Odd")
        try browser.click(cell(1, 0))
        try browser.press("Delete")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try browser.wait(for: "\(row(1)) === null || \(row(1)) === undefined")
        #expect(try client.send("GET", "/v1/objects/Odd/3").text.contains(#""others":[2]"#))
        try browser.click(Self.undo)
        try browser.wait(for: "\(row(1))")
        try browser.wait(
            for:
                "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('is back, with 1 link to it'))"
        )
        #expect(try client.send("GET", "/v1/objects/Odd/3").text.contains(#""others":[1,2,1]"#))

        // An owner whose dogs have found others meanwhile gets back only those that have not.
        try open("#/Person")
        #expect(try client.send("PATCH", "/v1/objects/Dog/2", body: #"{"owner": "ann"}"#).status == 200)
        try browser.click("document.querySelector('.row[data-key=ann]').children[0]")
        try browser.press("Delete")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try browser.wait(for: "!document.querySelector('.row[data-key=ann]')")
        #expect(try client.send("PATCH", "/v1/objects/Dog/2", body: #"{"owner": "bob"}"#).status == 200)
        try browser.click(Self.undo)
        try browser.wait(for: "document.querySelector('.row[data-key=ann]')")
        try browser.wait(
            for:
                "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('Person ann') && one.textContent.includes('is back'))"
        )
        #expect(try stored(1)["owner"] as? String == "ann")
        #expect(try stored(2)["owner"] as? String == "bob")
        #expect(try client.send("GET", "/v1/objects/Person/ann").json()["city"] as? String == "Turin")
        expectNoComplaints()
    }

    @Test("selected rows are edited, deleted and brought back together")
    func bulk() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.evaluate("\(row(1)).querySelector('.row-pick').click()")
        try browser.evaluate(
            "\(row(3)).querySelector('.row-pick').dispatchEvent(new MouseEvent('click', { bubbles: true, shiftKey: true }))"
        )
        let bar = "document.querySelector('#selection')"
        try browser.wait(for: "\(bar).checkVisibility() && \(bar).textContent.startsWith('3 selected')")
        #expect(try browser.evaluate("document.querySelectorAll('.row[aria-selected=true]').length") as? Int == 3)

        try browser.click("\(bar).querySelector('button')")
        try choose("age", in: "document.querySelector('dialog[open] select')")
        try browser.click("document.querySelector('dialog[open] .form-field input')")
        try browser.type("old")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('dialog[open] .dialog-fault')?.hidden === false")
        try browser.evaluate("document.querySelector('dialog[open] .form-field input').select()")
        try browser.type("5")
        try browser.press("Enter")
        try browser.wait(
            for:
                "[1, 2, 3].every((key) => document.querySelector(`.row[data-key=\"${key}\"]`)?.children[2].textContent === '5')"
        )
        #expect(try stored(4)["age"] as? Int == 7)

        try browser.click("\(bar).querySelectorAll('button')[1]")
        try browser.wait(for: "document.querySelector('#remove-title').textContent === 'Delete 3 objects of Dog?'")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try waitForNames(["Cleo"])
        try browser.wait(for: "!\(bar).checkVisibility()")
        try browser.click(Self.undo)
        try browser.wait(for: "document.querySelectorAll('.row[role=row]').length === 4")
        #expect(try stored(1)["owner"] as? String == "ann")
        #expect(try stored(2)["name"] as? String == "Bello")
        expectNoComplaints()
    }

    @Test("columns are moved, hidden and widened, and are so again when the page is loaded again")
    func columns() throws {
        defer { try? browser.evaluate("localStorage.clear()") }
        try open()
        let names =
            "[...document.querySelectorAll('.head .heading[data-column] .name')].map((one) => one.textContent).join()"
        #expect(try browser.text(names) == "id,name,age,good,chip,owner")
        try browser.click("document.querySelector('#columns')")
        try browser.click("document.querySelector('dialog[open] [data-name=chip] input')")
        try browser.wait(for: "\(names) === 'id,name,age,good,owner'")
        try browser.click("document.querySelector('dialog[open] [data-name=owner] [data-step=\"-1\"]')")
        try browser.wait(for: "\(names) === 'id,name,age,owner,good'")
        try browser.press("Escape")
        // The keyboard does it at the heading.
        try browser.evaluate("document.querySelector('.heading[data-column=\"1\"]').focus()")
        let width = "document.querySelector('.heading[data-column=\"1\"]').offsetWidth"
        let before = try #require(browser.evaluate(width) as? Int)
        try browser.press("ArrowUp", alt: true)
        #expect(try browser.evaluate(width) as? Int == before + 24)
        try browser.press("ArrowRight", alt: true)
        try browser.wait(for: "\(names) === 'id,age,name,owner,good'")
        try browser.wait(for: "\(cell(1, 2))?.textContent === 'Rex'")

        try open()
        try browser.wait(for: "\(names) === 'id,age,name,owner,good' && \(cell(1, 2))?.textContent === 'Rex'")
        #expect(
            try browser.evaluate("document.querySelector('.heading[data-column=\"2\"]').offsetWidth") as? Int == before
                + 24)
        try browser.click("document.querySelector('#columns')")
        try browser.click(button("As in the schema"))
        try browser.wait(for: "\(names) === 'id,name,age,good,chip,owner'")
        try browser.press("Escape")
        expectNoComplaints()
    }

    @Test("queries are saved by name and remembered, and are a click away")
    func queries() throws {
        defer { try? browser.evaluate("localStorage.clear()") }
        try open("#/Dog?filter=age%20%3E%205&sort=-age")
        try waitForNames(["Bello", "Cleo"])
        try browser.wait(for: "localStorage.getItem('realmgate.queries.Dog')?.includes('age > 5')")
        try browser.click("document.querySelector('#queries')")
        try browser.wait(for: "document.activeElement?.placeholder === 'Delayed flights'")
        try browser.type("Old ones")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.queries b')?.textContent === 'Old ones'")
        try browser.press("Escape")
        try open("#/Dog")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click("document.querySelector('#queries')")
        try browser.click("document.querySelector('.queries li a')")
        try waitForNames(["Bello", "Cleo"])
        #expect(try browser.text("location.hash") == "#/Dog?filter=age%20%3E%205&sort=-age")
        expectNoComplaints()
    }

    @Test("rows come while the view moves on, and each shows its own object, whichever element it has")
    func movingRows() throws {
        let rows = (0..<1_000).map { #"{"id": \#($0), "sensor": "s\#($0)", "value": \#($0)}"# }
        #expect(
            try client.send("POST", "/v1/objects/Reading?update=all", body: "[\(rows.joined(separator: ","))]").status
                < 300)
        defer { _ = try? client.send("DELETE", "/v1/objects/Reading?all=true") }
        try open("#/Reading?sort=id")
        try browser.wait(for: "document.querySelector('#tally').textContent.startsWith('1,000')")
        try browser.click("document.querySelector('.row[data-key=\"2\"] .row-pick')")
        // No frame passes without a move, so the reader never comes to rest.
        try browser.evaluate(
            """
            {
              const grid = document.querySelector('#grid');
              let turn = 0;
              const move = () => {
                turn += 1;
                grid.scrollTop = 20000 + 40 * (turn % 2);
                window.moving = requestAnimationFrame(move);
              };
              move();
            }
            """)
        let shown = "[...document.querySelectorAll('.row[role=row]')].filter((row) => row.ariaRowIndex > 400)"
        try browser.wait(for: "\(shown).length > 10")
        try browser.evaluate(
            """
            {
              cancelAnimationFrame(window.moving);
              for (const row of \(shown)) row.before = row.dataset.key;
              document.querySelector('#grid').scrollTop += 200;
            }
            """)
        // An element goes on as another row.
        try browser.wait(for: "\(shown).some((row) => row.before !== undefined && row.before !== row.dataset.key)")
        let wrong = """
            [...document.querySelectorAll('.row[role=row]')].filter((row) => {
              const { key } = row.dataset;
              const [id, sensor] = [...row.children].map((one) => one.textContent);
              return row.ariaRowIndex !== String(Number(key) + 2) || id !== key || sensor !== `s${key}`
                || row.querySelector('.open').ariaLabel !== `Open ${key}` || row.querySelector('.row-pick').checked !== (key === '2')
                || row.classList.contains('selected') !== (key === '2');
            }).map((row) => row.outerHTML)
            """
        #expect(try browser.evaluate(wrong) as? [String] == [])
        try browser.evaluate("document.querySelector('#grid').scrollTop = 0")
        try browser.wait(for: "document.querySelector('.row[data-key=\"2\"] .row-pick')?.checked")
        #expect(try browser.evaluate(wrong) as? [String] == [])
        expectNoComplaints()
    }
}
