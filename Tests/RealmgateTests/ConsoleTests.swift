import Foundation
import Testing

/// The console in a real browser, against the real program, with real clicks and keys.
@Suite("console", .serialized, .enabled(if: Browser.isWanted, "Install chromium to run the console's tests"))
struct ConsoleTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "age", "type": "int?"},
            {"name": "good", "type": "bool"}, {"name": "chip", "type": "int"}, {"name": "owner", "type": "Person?"}]},
          {"name": "Person", "primaryKey": "handle", "properties": [
            {"name": "handle", "type": "string"}, {"name": "city", "type": "string?"},
            {"name": "dogs", "type": "linkingObjects(Dog.owner)"}]},
          {"name": "Part", "embedded": true, "properties": [{"name": "size", "type": "decimal128"}]},
          {"name": "Thing", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "price", "type": "decimal128"}, {"name": "photo", "type": "data"},
            {"name": "tags", "type": "string[]"}, {"name": "extra", "type": "mixed"}, {"name": "part", "type": "Part?"},
            {"name": "rates", "type": "double?{}"}]}]}
        """

    private let directory: TestDirectory
    private let server: RunningServer
    private let client: LoopbackClient
    private let browser: Browser

    init() throws {
        directory = try TestDirectory()
        let schema = try directory.write(Self.schema, to: "schema.json")
        server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        client = try server.client()
        browser = try Browser()
        for person in [#"{"handle": "ann", "city": "Turin"}"#, #"{"handle": "bob"}"#] {
            #expect(try client.send("POST", "/v1/objects/Person", body: person).status == 201)
        }
        // The last chip number is one that a JavaScript number cannot hold.
        let dogs = """
            [{"id": 1, "name": "Rex", "age": 3, "good": true, "owner": "ann"},
             {"id": 2, "name": "Bello", "age": 11, "good": false, "owner": "bob"},
             {"id": 3, "name": "Rina", "age": null, "good": true},
             {"id": 4, "name": "Cleo", "age": 7, "good": true, "chip": 9007199254740993}]
            """
        #expect(try client.send("POST", "/v1/objects/Dog", body: dogs).status == 201)
    }

    // MARK: What is on the page

    private func open(_ place: String = "#/Dog") throws {
        try browser.open(server.address + "/" + place)
        try browser.wait(for: "document.querySelector('#state')?.dataset.state === 'live'")
    }

    /// The texts of a column in the order of the rows on screen.
    private func column(_ number: Int) throws -> [String] {
        let texts = try browser.evaluate(
            """
            [...document.querySelectorAll('.row[role=row]')]
              .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[\(number)].textContent)
            """)
        return texts as? [String] ?? []
    }

    private func waitForNames(_ names: [String]) throws {
        let list = names.map { "'\($0)'" }.joined(separator: ",")
        try browser.wait(
            for: """
                JSON.stringify([...document.querySelectorAll('.row[role=row]')]
                  .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.children[1].textContent))
                  === JSON.stringify([\(list)])
                """)
    }

    private func row(_ key: Int) -> String { "document.querySelector('.row[data-key=\"\(key)\"]')" }
    private func cell(_ key: Int, _ column: Int) -> String { "\(row(key))?.children[\(column)]" }

    private func stored(_ key: Int) throws -> [String: Any] { try client.send("GET", "/v1/objects/Dog/\(key)").json() }

    /// Nothing on the page may have failed unseen, nor have asked for what its content security policy forbids.
    private func expectNoComplaints() { #expect(browser.complaints == []) }

    // MARK: Reading

    @Test("shows the objects, filters by what is typed and sorts by a click on a heading")
    func reading() throws {
        try open("")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        #expect(try browser.text("document.querySelector('h1').textContent") == "Dog")
        #expect(try column(4).last == "9007199254740993", "integers keep all 64 bits")

        try browser.click("document.querySelector('#predicate')")
        try browser.type("name BEGINSWITH 'R'")
        try waitForNames(["Rex", "Rina"])
        try browser.wait(for: "document.querySelector('#tally').textContent === '2 of 4 objects'")

        try browser.click("document.querySelector('.heading[data-column=\"1\"]')")
        try browser.wait(for: "document.querySelector('[aria-sort=ascending]')")
        try browser.click("document.querySelector('.heading[data-column=\"1\"]')")
        try waitForNames(["Rina", "Rex"])
        #expect(try browser.text("location.hash") == "#/Dog?filter=name%20BEGINSWITH%20'R'&sort=-name")

        // The command on the page gives what the page shows.
        let command = try browser.text("document.querySelector('#command').textContent")
        let shell = try ChildProcess("/bin/sh", ["-c", command], directory: directory.path)
        #expect(try shell.wait() == 0)
        let answer = try JSONSerialization.jsonObject(with: Data(shell.output.utf8)) as? [String: Any]
        let items = try #require(answer?["items"] as? [[String: Any]], "\(command) gave \(shell.output)")
        #expect(items.map { $0["name"] as? String } == ["Rina", "Rex"])
        expectNoComplaints()
    }

    @Test("shows what is wrong with a predicate at its place, and mends it by a click on the hint")
    func faultyPredicate() throws {
        try open()
        try browser.click("document.querySelector('#predicate')")
        try browser.type("age > 5 AND nmae == 'Cleo'")
        try browser.wait(for: "document.querySelector('#fault mark')?.textContent === 'nmae'")
        let before = try browser.text("document.querySelector('#fault mark').previousSibling.textContent")
        #expect(before == "age > 5 AND ")
        #expect(try browser.text("document.querySelector('#predicate').getAttribute('aria-invalid')") == "true")
        #expect(try column(1).count == 4, "the last sound result stays on the page")
        try browser.click("document.querySelector('#fault .chip')")
        try waitForNames(["Cleo"])
        #expect(try browser.text("document.querySelector('#predicate').value") == "age > 5 AND name == 'Cleo'")
        try browser.wait(for: "document.querySelector('#fault').hidden")

        // Nothing of one class is left over another's fault.
        try browser.evaluate("location.hash = '#/Person?filter=name'")
        try browser.wait(for: "!document.querySelector('#fault').hidden")
        #expect(try browser.text("document.querySelector('h1').textContent") == "Person")
        #expect(try browser.text("document.querySelector('#state').dataset.state") == "waiting")
        #expect(try column(0) == [])
        expectNoComplaints()
    }

    @Test("a link leads to the object that it names, linking objects to those that link here")
    func links() throws {
        try open()
        try browser.click("\(cell(1, 5))?.querySelector('a')")
        try browser.wait(for: "document.querySelector('.row[data-key=ann]')")
        #expect(try browser.text("document.querySelector('h1').textContent") == "Person")
        #expect(try column(0) == ["ann"])
        try browser.click("document.querySelector('.row[data-key=ann] .backlinks a')")
        try waitForNames(["Rex"])
        expectNoComplaints()
    }

    // MARK: Following

    @Test("a change made elsewhere is shown at once and marked, also when it brings or takes an object")
    func following() throws {
        try open("#/Dog?filter=age%20%3E%205&sort=-age")
        try waitForNames(["Bello", "Cleo"])
        #expect(try client.send("PATCH", "/v1/objects/Dog/4", body: #"{"age": 8}"#).status == 200)
        try browser.wait(
            for: """
                \(cell(4, 2))?.textContent === '8' && \(row(4)).dataset.mark === 'modified'
                  && \(cell(4, 2)).dataset.changed !== undefined && \(cell(4, 1)).dataset.changed === undefined
                """)

        #expect(try client.send("PATCH", "/v1/objects/Dog/3", body: #"{"age": 9}"#).status == 200)
        try browser.wait(for: "\(row(3))?.dataset.mark === 'inserted'")
        try waitForNames(["Bello", "Rina", "Cleo"])

        #expect(try client.send("PATCH", "/v1/objects/Dog/4", body: #"{"age": 20}"#).status == 200)
        try waitForNames(["Cleo", "Bello", "Rina"])
        #expect(try client.send("DELETE", "/v1/objects/Dog/2").status == 204)
        try waitForNames(["Cleo", "Rina"])
        try browser.wait(for: "document.querySelector('#tally').textContent === '2 of 3 objects'")
        expectNoComplaints()
    }

    // MARK: Writing

    @Test("editing a cell stores the value; what does not fit is refused at the cell")
    func editing() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click(cell(1, 1), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("Max")
        try browser.press("Enter")
        try waitForNames(["Max", "Bello", "Rina", "Cleo"])
        #expect(try stored(1)["name"] as? String == "Max")

        // The keyboard goes on from the cell that was edited.
        try browser.press("ArrowRight")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor input')")
        try browser.type("old")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.editor .cell-fault')?.hidden === false")
        #expect(try browser.text("document.querySelector('.cell-fault').textContent").contains("age"))
        #expect(try stored(1)["age"] as? Int == 3)
        try browser.click("[...document.querySelectorAll('.editor .chip')].find((chip) => chip.textContent === 'null')")
        try browser.wait(for: "\(cell(1, 2))?.textContent === 'null'")
        #expect(try stored(1)["age"] is NSNull)

        try browser.click(cell(1, 3), times: 2)
        try browser.wait(for: "\(cell(1, 3))?.textContent === 'false'")
        #expect(try stored(1)["good"] as? Bool == false)

        try browser.click(cell(2, 4), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor input')")
        try browser.type("9223372036854775807")
        try browser.press("Enter")
        try browser.wait(for: "\(cell(2, 4))?.textContent === '9223372036854775807'")
        #expect(try client.send("GET", "/v1/objects/Dog/2").text.contains("9223372036854775807"))
        expectNoComplaints()
    }

    @Test("collections, mixed values and embedded objects are shown and edited as JSON, decimals and data as text")
    func everyKind() throws {
        let body = #"""
            {"id": 1, "price": "1.10", "photo": "AP8=", "tags": ["a", "b"], "extra": {"at": {"$date": "2026-01-31"}},
             "part": {"size": "0.50"}, "rates": {"x": null}}
            """#
        #expect(try client.send("POST", "/v1/objects/Thing", body: body).status == 201)
        try open("#/Thing")
        try browser.wait(for: "\(cell(1, 1))?.textContent === '1.10'")
        let shown = try browser.evaluate(
            "[...document.querySelectorAll('.row[role=row] .cell')].map((cell) => cell.textContent)")
        #expect(
            shown as? [String] == [
                "1", "1.10", "AP8=", #"["a","b"]"#, #"{"at":{"$date":"2026-01-31T00:00:00Z"}}"#, #"{"size":"0.50"}"#,
                #"{"x":null}"#,
            ])
        try browser.click(cell(1, 3), times: 2)
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type("[1")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.editor .cell-fault')?.hidden === false")
        #expect(try browser.text("document.querySelector('.cell-fault').textContent").contains("This is not JSON"))
        try browser.evaluate("document.activeElement.select()")
        try browser.type(#"["c",1]"#)
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.cell-fault')?.textContent.includes('Thing.tags[1]')")
        try browser.evaluate("document.activeElement.select()")
        try browser.type(#"["c"]"#)
        try browser.press("Enter")
        try browser.wait(for: #"\#(cell(1, 3))?.textContent === '["c"]'"#)
        try browser.press("ArrowRight")
        try browser.press("ArrowRight")
        try browser.press("Enter")
        try browser.wait(for: "document.activeElement.matches('.editor textarea')")
        try browser.type(#"{"size": 2.5}"#)
        try browser.press("Enter")
        try browser.wait(for: #"\#(cell(1, 5))?.textContent === '{"size":"2.5"}'"#)
        #expect(try client.send("GET", "/v1/objects/Thing/1").text.contains(#""tags":["c"],"#))

        // Embedded objects are a class to look at, without a way to make one.
        try open("#/Part")
        try browser.wait(for: "document.querySelector('#create').hidden")
        try browser.wait(for: "document.querySelector('.row[role=row]')?.children[1].textContent === '2.5'")
        expectNoComplaints()
    }

    @Test("deleting asks first, and then the object is gone here and in the store")
    func deleting() throws {
        try open()
        try browser.click(cell(2, 1))
        try browser.press("Delete")
        try browser.wait(for: "document.querySelector('#remove-dialog').open")
        try browser.press("Escape")
        try browser.wait(for: "!document.querySelector('#remove-dialog').open")
        #expect(try client.send("GET", "/v1/objects/Dog/2").status == 200)

        try browser.press("Delete")
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try waitForNames(["Rex", "Rina", "Cleo"])
        #expect(try client.send("GET", "/v1/objects/Dog/2").status == 404)
        expectNoComplaints()
    }

    @Test("a new object is made with the form, and a duplicate key is refused in it")
    func creating() throws {
        try open()
        try browser.click("document.querySelector('#create')")
        try browser.wait(for: "document.activeElement.name === 'id'")
        try browser.type("1")
        try browser.press("Enter")
        try browser.wait(for: "!document.querySelector('#create-fault').hidden")
        try browser.click("document.querySelector('#create-dialog [name=id]')", times: 2)
        try browser.type("9")
        try browser.click("document.querySelector('#create-dialog [name=name]')")
        try browser.type("Nora")
        try browser.click("document.querySelector('#create-dialog [name=owner]')")
        try browser.type("bob")
        try browser.press("Enter")
        try browser.wait(for: "\(row(9))?.dataset.mark === 'inserted'")
        try waitForNames(["Rex", "Bello", "Rina", "Cleo", "Nora"])
        #expect(try stored(9)["owner"] as? String == "bob")
        expectNoComplaints()
    }

    // MARK: Its parts

    /// Expressions over the page's modules, and the JSON of what they give. Positions are those of the gateway: bytes.
    private static let parts: [(module: String, expression: String, json: String)] = [
        (
            "json", #"m.stringify(m.parse('{"a":9223372036854775807,"b":"1234567890123456789"}'))"#,
            #""{\"a\":9223372036854775807,\"b\":\"1234567890123456789\"}""#
        ),
        (
            "json",
            #"m.stringify(m.parse('[0.10000000149011612,9007199254740992.0,-9007199254740993,12345678901234567e3]'))"#,
            #""[0.10000000149011612,9007199254740992,-9007199254740993,12345678901234567000]""#
        ),
        ("fault", #"m.indexOfByte("ä👍x", 6)"#, "3"),
        ("fault", #"m.indexOfByte("abc", 99)"#, "3"),
        (
            "fault", #"m.rangeOf("é == old school", {position: 6, length: 10})"#, #"{"start":5,"end":15}"#
        ),
        (
            "fault", #"m.mended("age -1 == 4", {hint: "- 1", position: 4, length: 2, message: "a sign"})"#,
            #""age - 1 == 4""#
        ),
        (
            "fault", #"m.mended("owner.ctiy == 'é'", {hint: "city", position: 0, message: "no property 'ctiy'"})"#,
            #""owner.city == 'é'""#
        ),
        (
            "fault", #"m.mended("a > 1 AND agee > 2", {hint: "age", position: 10, message: "no 'agee'"})"#,
            #""a > 1 AND age > 2""#
        ),
        ("curl", #"m.quoted("age > 3")"#, #""'age > 3'""#),
        ("curl", #"m.quoted("name == 'it'")"#, #""\"name == 'it'\"""#),
        ("curl", #"m.quoted("n == 'a' && m == \"$b\"")"#, #""'n == '\\''a'\\'' && m == \"$b\"'""#),
        ("place", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "b", true))"#, #""a""#),
        ("place", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "a", true))"#, #""-a,-b""#),
        ("place", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "c", false))"#, #""c""#),
        ("values", #"m.fromInput("2026-01-31", {kind: "date"})"#, #""2026-01-31T00:00:00Z""#),
        ("values", #"m.fromInput("2026-01-31 09:30", {kind: "date"})"#, #""2026-01-31T09:30:00Z""#),
        ("values", #"m.literal("it's \\ so", {kind: "string"})"#, #""'it\\'s \\\\ so'""#),
    ]

    @Test("quotes, converts and finds places as the gateway and a shell understand them")
    func partsOfThePage() throws {
        try open()
        for part in Self.parts {
            let result = try browser.text(
                """
                import('/static/\(part.module).js').then((m) => JSON.stringify(\(part.expression)))
                """)
            #expect(result == part.json, "\(part.expression)")
        }
    }

    /// Results followed from one state to the next, as the worked examples of live queries describe them.
    @Test("follows updates by position, and tells a moved object from a new one")
    func followingByPosition() throws {
        try open()
        let result = try browser.text(
            """
            import('/static/live-rows.js').then(({ LiveRows }) => {
              const rows = new LiveRows((object) => object.id);
              const show = (changes) => [rows.keys.join(), [...changes.inserted].join(), [...changes.modified.keys()].join(),
                [...changes.removed].join()].join(' | ');
              const log = [];
              rows.initial({ version: 1, items: [{ id: 'ann', n: 90 }, { id: 'bob', n: 80 }, { id: 'cyd', n: 70 }, { id: 'dan', n: 60 }] });
              log.push(show(rows.update({ version: 2, deletions: [3], insertions: [1], modifications: [0],
                objects: { insertions: [{ id: 'dan', n: 85 }], modifications: [{ id: 'ann', n: 90, t: 'x' }] } })));
              log.push(show(rows.update({ version: 3, deletions: [0, 2], insertions: [0, 3], modifications: [],
                objects: { insertions: [{ id: 'eve', n: 99 }, { id: 'ann', n: 1 }], modifications: [] } })));
              log.push(show(rows.initial({ version: 9, items: [{ id: 'dan', n: 85 }, { id: 'ann', n: 2 }, { id: 'fay', n: 0 }] })));
              return log.join('; ');
            })
            """)
        #expect(
            result == "ann,dan,bob,cyd |  | ann,dan | ; eve,dan,cyd,ann | eve | ann | bob; "
                + "dan,ann,fay | fay | ann | eve,cyd")
    }

    @Test("Explain shows the parts of the plan and how much the query found")
    func explain() throws {
        try open("#/Dog?filter=age%20%3E%203")
        try browser.click("document.querySelector('#explain')")
        try browser.wait(for: "document.querySelector('#explain-dialog[open] tbody tr') !== null")
        let sum = try browser.text("document.querySelector('#explain-sum').textContent")
        #expect(sum.hasPrefix("2 objects in "))
        #expect(try browser.text("document.querySelector('#explain-parts th').textContent") != "")
    }

    @Test("Group counts and adds up what the predicate selects, by the property chosen")
    func groups() throws {
        try open("#/Dog?filter=age%20%3E%203")
        try browser.click("document.querySelector('#group')")
        try browser.wait(for: "document.querySelector('#group-dialog[open] tbody tr') !== null")
        let counted = """
            [...document.querySelectorAll('#group-rows tr')]
              .reduce((sum, row) => sum + Number(row.cells[1].textContent), 0)
            """
        #expect(try browser.text("String(\(counted))") == "2")
        try browser.evaluate(
            """
            for (const [id, value] of [['group-by', 'age'], ['group-of', 'age']]) {
              const select = document.getElementById(id);
              select.value = value;
              select.dispatchEvent(new Event('change'));
            }
            """)
        try browser.wait(for: "document.querySelector('#group-heads th')?.textContent === 'age'")
        let heads = try browser.text(
            "[...document.querySelectorAll('#group-heads th')].map((head) => head.textContent).join()")
        #expect(heads == "age,count,sum,average,min,max")
        #expect(try browser.text("document.querySelector('#group-sum').textContent") == "2 groups")
        expectNoComplaints()
    }
}
