import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// The console when something is missing, refused, odd or hostile.
extension ConsoleTests {
    @Test(
        "an address that leads nowhere says so, and has a way on",
        arguments: ["#nonsense", "#__proto__", "#constructor", "#/Nobody", "#/Nobody/3", "#/__proto__/1", "#/Dog/99"])
    func nowhere(route: String) throws {
        try load(route)
        let way =
            "[...document.querySelectorAll('main a')].find((one) => one.checkVisibility() && one.hash.startsWith('#/Dog'))"
        try browser.wait(for: way)
        try browser.wait(for: "!document.querySelector('main').innerText.includes('Loading')")
        let page = try browser.text("document.querySelector('main').innerText")
        #expect(!page.contains("undefined"))
        #expect(!page.contains("Connecting"))
        try browser.click(way)
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        expectNoComplaints()
    }

    @Test("properties with the names of JavaScript's own members are shown, created and edited like others")
    func oddNames() throws {
        try open("#/Odd")
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.activeElement.name === 'id'")
        try browser.type("1")
        try browser.click("document.querySelector('#create-dialog [name=__proto__]')")
        try browser.type("kept")
        try browser.press("Enter")
        try browser.wait(for: "\(cell(1, 1))?.textContent === 'kept'")
        #expect(try browser.text("\(cell(1, 2)).textContent") == "null")
        #expect(try client.send("GET", "/v1/objects/Odd/1").text.contains(#""__proto__":"kept""#))
        try browser.click(cell(1, 1), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("changed")
        try browser.press("Enter")
        try browser.wait(for: "\(cell(1, 1))?.textContent === 'changed'")
        #expect(
            try client.send("PATCH", "/v1/objects/Odd/1", body: #"{"__proto__": "again", "constructor": 5}"#).status
                == 200)
        try browser.wait(for: "\(cell(1, 1))?.textContent === 'again' && \(cell(1, 2))?.textContent === '5'")
        try browser.turn(to: "#/Odd/1")
        try browser.wait(for: "document.querySelector('#page')?.textContent.includes('again')")
        #expect(try client.send("PATCH", "/v1/objects/Odd/1", body: #"{"__proto__": "last"}"#).status == 200)
        try browser.wait(for: "document.querySelector('#page')?.textContent.includes('last')")
        expectNoComplaints()
    }

    @Test("times say that they are UTC")
    func zones() throws {
        #expect(
            try client.send("POST", "/v1/objects/Odd", body: #"{"id": 1, "at": "2026-01-31T12:00:00Z"}"#).status == 201)
        try open("#/Odd")
        try browser.wait(for: "\(cell(1, 3))?.textContent === '2026-01-31 12:00'")
        #expect(
            try browser.text("document.querySelector('.heading[data-column=\"3\"] .type').textContent") == "date? · UTC"
        )
        try browser.turn(to: "#/Odd/1")
        try browser.wait(
            for:
                "document.querySelector('#page .type') && document.querySelector('#page').textContent.includes('date? · UTC')"
        )
        expectNoComplaints()
    }

    @Test("a date is chosen in a calendar, in a zone that it names, and the text stays what is stored")
    func calendar() throws {
        #expect(
            try client.send("POST", "/v1/objects/Odd", body: #"{"id": 1, "at": "2026-01-31T12:00:00Z"}"#).status == 201)
        try load("#/Odd/1")
        try browser.wait(for: "document.querySelector('[aria-label=\"Edit at\"]')")
        try browser.click("document.querySelector('[aria-label=\"Edit at\"]')")
        let picker = "document.querySelector('.editor .date-picker input')"
        try browser.wait(for: "\(picker)?.value.startsWith('2026-01-31T12:00')")
        #expect(try browser.text("document.querySelector('.editor .date-picker select').value") == "UTC")
        try browser.evaluate(
            """
            \(picker).value = '2026-03-01T08:15:30';
            \(picker).dispatchEvent(new Event('input', { bubbles: true })); \(picker).focus(); null
            """)
        try browser.wait(for: "document.querySelector('.editor input').value === '2026-03-01T08:15:30Z'")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.value.date .text')?.textContent === '2026-03-01 08:15:30'")
        // What is typed shows in the calendar.
        try browser.turn(to: "#/Odd")
        try browser.press("n")
        try browser.wait(for: "document.activeElement?.name === 'id'")
        try browser.evaluate("document.querySelector('#create-fields [name=at]').focus(); null")
        try browser.type("2026-05-06 07:08")
        try browser.wait(
            for: "document.querySelector('#create-fields .date-picker input').value.startsWith('2026-05-06T07:08')")
        expectNoComplaints()
    }

    @Test("a duplicate key is refused in the form's own words, with the way to the object that has it")
    func duplicateKey() throws {
        try open()
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.activeElement.name === 'id'")
        try browser.type("2")
        try browser.press("Enter")
        let fault = "document.querySelector('#create-fault')"
        try browser.wait(for: "!\(fault).hidden")
        #expect(
            try browser.text("\(fault).textContent")
                == "There is already a Dog with the id 2. Enter another id. Open it")
        try browser.click("\(fault).querySelector('a')")
        try waitForPage("Dog 2")
        #expect(try browser.evaluate("document.querySelector('#create-dialog').open") as? Bool == false)
        expectNoComplaints()
    }

    @Test(
        "the command on the page gives what the view shows: rows, sections and sums",
        arguments: ["", "sections", "summary"])
    func commands(view: String) throws {
        try open("#/Dog?filter=age%20%3E%203&view=\(view)&by=good")
        let command = try browser.text("document.querySelector('#command').textContent")
        let shell = try ChildProcess("/bin/sh", ["-c", command], directory: directory.path)
        #expect(try shell.wait() == 0)
        let answer = try #require(
            try JSONSerialization.jsonObject(with: Data(shell.output.utf8)) as? [String: Any], "\(command)")
        switch view {
        case "sections": #expect((answer["sections"] as? [[String: Any]])?.count == 2)
        case "summary": #expect((answer["groups"] as? [[String: Any]])?.count == 2)
        default: #expect((answer["items"] as? [[String: Any]])?.count == 2)
        }
        expectNoComplaints()
    }

    @Test("linking objects are counted, and the counts follow the data")
    func linkCounts() throws {
        try open("#/Person")
        let dogs = "document.querySelector('.row[data-key=ann]')?.children[2].textContent"
        try browser.wait(for: "\(dogs) === '1'")
        #expect(try client.send("PATCH", "/v1/objects/Dog/2", body: #"{"owner": "ann"}"#).status == 200)
        try browser.wait(for: "\(dogs) === '2'")
        try browser.wait(
            for: "document.querySelector('.row[data-key=bob]')?.children[2].textContent === 'none'")
        expectNoComplaints()
    }

    @Test("the buttons of a row are in view however wide the table is, and the keyboard reaches them")
    func rowButtons() throws {
        defer { try? browser.resize(width: 1400, height: 900) }
        try browser.resize(width: 900, height: 700)
        try open("#/Thing")
        #expect(
            try client.send(
                "POST", "/v1/objects/Thing", body: #"{"id": 1, "tags": ["\#(String(repeating: "long ", count: 30))"]}"#
            ).status == 201)
        let open = "document.querySelector('.row[data-key=\"1\"] .open')"
        try browser.wait(for: open)
        #expect(
            try browser.evaluate(
                "document.querySelector('#grid').scrollWidth > document.querySelector('#grid').clientWidth") as? Bool
                == true)
        let inView =
            "\(open).getBoundingClientRect().right <= document.querySelector('#grid').getBoundingClientRect().right"
        #expect(try browser.evaluate(inView) as? Bool == true)
        try browser.click(cell(1, 0))
        try browser.press("End")
        try browser.press("ArrowRight")
        try browser.wait(for: "document.activeElement === \(open)")
        try browser.press("Enter")
        try waitForPage("Thing 1")
        expectNoComplaints()
    }

    @Test("the subscriptions page asks for no set that nobody has made")
    func noSet() throws {
        try load("#subscriptions")
        try browser.wait(for: "document.querySelector('#page')?.textContent.includes('has no subscriptions yet')")
        let asked =
            "performance.getEntriesByType('resource').filter((one) => one.name.includes('/v1/subscriptions/')).length"
        #expect(try browser.evaluate(asked) as? Int == 0)
        expectNoComplaints()
    }

    @Test("what cannot be loaded while the server is away says so, and is loaded when it is back")
    func unreachable() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(ConsoleSite.schema, to: "schema.json")
        let options = ["--data", directory.file("a.realmgate"), "--schema", schema]
        let first = try RunningServer(options, host: LoopbackAddress.own(), in: directory)
        // Neither the form of a new object nor the page of the log has been loaded before.
        try browser.open(first.address + "/#/Dog")
        try browser.wait(for: "document.querySelector('#state')?.dataset.state === 'live'")
        #expect(try first.stop() == 0)
        try browser.wait(for: "document.querySelector('#state').dataset.state === 'waiting'")
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.querySelector('.toast.faulty')?.textContent.includes('cannot be reached')")
        // The page of the log does not come.
        try browser.evaluate("location.hash = '#logs'")
        try waitForPage("Not reachable")

        let second = try RunningServer(options, host: first.host, port: first.port, in: directory)
        try browser.click(button("Try again"))
        try waitForPage("Log")
        try browser.turn(to: "#/Dog")
        try browser.wait(for: "document.querySelector('#state').dataset.state === 'live'")
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.querySelector('dialog[open] h2')?.textContent === 'New Dog'")
        try browser.press("Escape")
        #expect(try second.stop() == 0)
        expectNoComplaints()
    }

    @Test("the numbers are right again soon after the server was started again")
    func restart() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(ConsoleSite.schema, to: "schema.json")
        let options = ["--data", directory.file("a.realmgate"), "--schema", schema]
        let first = try RunningServer(options, host: LoopbackAddress.own(), in: directory)
        let client = try first.client()
        #expect(
            try client.send("POST", "/v1/objects/Dog", body: #"[{"id": 1, "name": "Rex"}, {"id": 2, "name": "Bello"}]"#)
                .status == 201)
        try browser.open(first.address + "/#/Dog")
        let tally = "document.querySelector('#tally')?.textContent"
        let listed = "document.querySelector('#classes a[aria-current] .count')?.textContent"
        try browser.wait(for: "\(tally) === '2 objects' && \(listed) === '2'")
        #expect(try first.stop() == 0)
        try browser.wait(for: "document.querySelector('#state').dataset.state === 'waiting'")
        let second = try RunningServer(options, host: first.host, port: first.port, in: directory)
        let again = try second.client()
        #expect(try again.send("POST", "/v1/objects/Dog", body: #"{"id": 3, "name": "Rina"}"#).status == 201)
        try browser.wait(
            for:
                "\(tally) === '3 objects' && \(listed) === '3' && document.querySelector('#state').dataset.state === 'live'"
        )
        #expect(try second.stop() == 0)
        expectNoComplaints()
    }

    @Test("what looks like a script stays text: in keys, values, map keys, names of sets and addresses")
    func injection() throws {
        let payload = #"<img src=x onerror="window.hurt=1">'\"><script>window.hurt=2</script>{{7*7}}"#
        func json(_ value: Any) throws -> String {
            String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
        }
        #expect(
            try client.send("POST", "/v1/objects/Person", body: try json(["handle": payload, "city": payload])).status
                == 201)
        let dog: [String: Any] = ["id": 7, "name": payload, "owner": payload]
        #expect(try client.send("POST", "/v1/objects/Dog", body: try json(dog)).status == 201)
        let thing: [String: Any] = [
            "id": 1, "tags": [payload], "extra": payload, "marks": [payload],
            "rates": [payload.replacing(".", with: ""): 1.5], "dogs": [7],
        ]
        #expect(try client.send("POST", "/v1/objects/Thing", body: try json(thing)).status == 201)
        let escaped = try #require(payload.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let set = "/v1/subscriptions/\(escaped)/\(escaped)"
        #expect(
            try client.send("PUT", set, body: try json(["class": "Dog", "filter": "name CONTAINS 'x'"])).status < 300)
        try open()
        for directory in [
            "#/Dog", "#/Dog?filter=\(escaped)", "#/Dog?sort=\(escaped)", "#/Dog?view=sections&by=name",
            "#/Dog?view=summary&by=name",
            "#/Dog?distinct=\(escaped)", "#/Person", "#/Person/\(escaped)", "#/Dog/7", "#/Thing", "#/Thing/1",
            "#/\(escaped)",
            "#/\(escaped)/\(escaped)", "#\(escaped)", "#streams?url=\(escaped)", "#subscriptions?set=\(escaped)",
            "#schema",
        ] {
            // Quotes are escaped in it, so it is an address as it is.
            try browser.turn(to: directory)
            try browser.wait(for: "document.querySelector('main .loading')?.checkVisibility() !== true")
            try browser.evaluate("new Promise((done) => setTimeout(done, 250))")
            #expect(try browser.evaluate("window.hurt ?? null") is NSNull, "\(directory)")
            #expect(
                try browser.evaluate("document.querySelectorAll('main img, main script, dialog img').length") as? Int
                    == 0, "\(directory)")
        }
        // It is there, as text.
        try browser.turn(to: "#/Dog/7")
        try browser.wait(for: "document.querySelector('#page')?.textContent.includes('{{7*7}}')")
        // And in what the page says of writes.
        try browser.turn(to: "#/Person")
        let row = "[...document.querySelectorAll('.row[role=row]')].find((one) => one.dataset.key.startsWith('<img'))"
        try browser.click("\(row)?.children[0]")
        try browser.press("Delete")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try browser.wait(
            for: "[...document.querySelectorAll('.toast')].some((one) => one.textContent.includes('{{7*7}}'))")
        #expect(try browser.evaluate("window.hurt ?? null") is NSNull)
        #expect(try browser.evaluate("document.querySelectorAll('img, main script').length") as? Int == 0)
        expectNoComplaints()
    }
}
