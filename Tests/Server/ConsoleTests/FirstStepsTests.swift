import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// The console of an empty database. Each test has a server and a browser of its own, because it fills the database.
@Suite("first steps", .serialized, .enabled(if: Browser.isWanted, "Install chromium to run the console's tests"))
struct FirstStepsTests {
    private let directory: TestDirectory
    private let server: RunningServer
    private let browser: Browser

    init() throws {
        directory = try TestDirectory()
        server = try RunningServer(["--data", directory.file("a.realmgate")], in: directory)
        browser = try Browser()
        try browser.open(server.address)
        try browser.wait(for: "document.querySelector('#page h1')?.textContent === 'No classes yet'")
    }

    /// A new one each time: the server closes a connection that is not used for a while.
    private var client: LoopbackClient { get throws { try server.client() } }

    private func button(_ words: String) -> String {
        "[...document.querySelectorAll('button')].find((one) => one.textContent === '\(words)' && one.checkVisibility())"
    }

    private func field(_ label: String, in panel: String) -> String {
        """
        [...document.querySelectorAll('.panel')].filter((one) => one.querySelector('h2').textContent === '\(panel)')
          .flatMap((one) => [...one.querySelectorAll('.form-field')])
          .find((one) => one.querySelector('label').textContent === '\(label)')?.querySelector('input, select')
        """
    }

    private func choose(_ value: String, in select: String) throws {
        try browser.wait(for: select)
        try browser.evaluate(
            "{ const one = \(select); one.value = '\(value)'; one.dispatchEvent(new Event('change', { bubbles: true })); }"
        )
    }

    private func waitForClass(_ name: String, _ count: String) throws {
        try browser.wait(
            for: """
                document.querySelector('#class-name').checkVisibility() && document.querySelector('#class-name').textContent === '\(name)'
                  && document.querySelector('#tally').textContent === '\(count)'
                """)
    }

    @Test("the demo is loaded with progress, and opened")
    func demo() throws {
        try browser.click(button("Load the demo"))
        try waitForClass("Flight", "6,099 objects")
        #expect(try client.send("GET", "/v1/objects/Airport?count=true&limit=0").json()["count"] as? Int == 3376)
        #expect(browser.complaints == [])
    }

    @Test("a first class is made of a name, a property and its type; faults are shown")
    func firstClass() throws {
        try browser.click(button("Create the class"))
        try browser.wait(
            for: "document.querySelector('.field-fault:not([hidden])')?.textContent === 'Give the class a name.'")
        try browser.click(field("Class", in: "A first class"))
        try browser.type("1st")
        try browser.click(field("First property", in: "A first class"))
        try browser.type("id")
        try choose("int", in: field("Type", in: "A first class"))
        try browser.click("document.querySelector('.first-steps .check input')")
        try browser.press("Enter")
        try browser.wait(
            for: "document.querySelector('p.fault:not([hidden])')?.textContent.includes('not a valid class name')")
        try browser.evaluate("\(field("Class", in: "A first class")).select()")
        try browser.evaluate("\(field("Class", in: "A first class")).focus()")
        try browser.type("Dog")
        try browser.press("Enter")
        try waitForClass("Dog", "0 objects")
        let schema = try client.send("GET", "/v1/schema").text
        #expect(
            schema
                == #"{"schemaVersion":1,"classes":[{"name":"Dog","primaryKey":"id","embedded":false,"properties":[{"name":"id","type":"int"}]}]}"#
        )
        #expect(browser.complaints == [])
    }

    @Test("a file becomes a class: its types are shown with reasons and edited, and nothing is written before")
    func file() throws {
        let file = try directory.write("id,zip,age\n1,10115,3\n2,01234,\n3,20095,x\n", to: "post-offices.csv")
        try browser.choose([file], for: "document.querySelector('.first-steps .drop input')")
        try browser.wait(for: "document.querySelectorAll('.data tbody tr').length === 3")
        let rows = try browser.evaluate(
            "[...document.querySelectorAll('.data tbody tr')].map((row) => `${row.cells[0].textContent} ${row.querySelector('select').value} ${row.cells[2].textContent}`)"
        )
        #expect(
            rows as? [String] == [
                "id int all 3 values are integers. ‘1’ on line 2",
                "zip string 1 of 3 values begins with 0. ‘01234’ on line 3",
                "age string 1 of 2 values is a text that is not a number; optional, because 1 of 3 rows has no value. ‘x’ on line 4",
            ])
        #expect(try client.send("GET", "/v1/schema").text == #"{"schemaVersion":0,"classes":[]}"#)
        #expect(try browser.text("\(field("Class", in: "A class from a file")).value") == "PostOffices")
        #expect(try browser.text("\(field("Primary key", in: "A class from a file")).value") == "id")

        try choose("int", in: "document.querySelector('[data-place=\"type age\"]')")
        try browser.wait(
            for:
                "document.querySelector('.reason .field-fault')?.textContent === '1 value does not fit, the first on line 4: ‘x’.'"
        )
        try browser.click(button("Create and import what fits"))
        try browser.wait(
            for:
                "document.querySelector('.figure')?.textContent === '2 objects of PostOffices were imported, 1 line was refused.'"
        )
        #expect(try browser.text("document.querySelector('.data tbody th').textContent") == "4")
        try browser.click("[...document.querySelectorAll('a')].find((one) => one.textContent === 'Open PostOffices')")
        try waitForClass("PostOffices", "2 objects")
        #expect(
            try client.send("GET", "/v1/objects/PostOffices").json()["items"] as? NSArray == [
                ["id": 1, "zip": "10115", "age": 3] as NSDictionary,
                ["id": 2, "zip": "01234", "age": NSNull()] as NSDictionary,
            ])
        #expect(browser.complaints == [])
    }

    @Test("a file without faults is opened as a class at once, and a name that is taken is refused at its field")
    func wholeFile() throws {
        let file = try directory.write("{\"id\":1,\"home\":{\"city\":\"Rome\"}}\n{\"id\":2}\n", to: "people.ndjson")
        try browser.choose([file], for: "document.querySelector('.first-steps .drop input')")
        try browser.click(button("Create and import"))
        try waitForClass("People", "2 objects")
        try browser.turn(to: "#transfer")
        try browser.wait(for: "document.querySelector('#page h1')?.textContent === 'Import, export'")
        try browser.choose([file], for: "document.querySelectorAll('.drop input')[1]")
        try browser.wait(
            for:
                "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('There is a class \\'People\\' already.')"
        )
        #expect(browser.complaints == [])
    }

    private static let people = Checkout.root + "/Examples/Realm/people.realm"
    private static let realmDrop = "document.querySelector('#realm-file')"

    @Test("a Realm file shows its classes and what stands in the way; then it comes, with counts and sums")
    func realmFile() throws {
        try browser.choose([Self.people], for: Self.realmDrop)
        try browser.wait(for: "document.querySelectorAll('.obstacles li').length === 1")
        #expect(
            try browser.text("document.querySelector('.obstacles .fault').textContent")
                .hasPrefix("Property 'Address.former' leads back"))
        let rows =
            "[...document.querySelectorAll('.data tbody tr')].map((row) => [...row.cells].map((cell) => cell.querySelector('input[type=text]')?.value ?? cell.textContent).join(' '))"
        #expect(
            try browser.evaluate(rows) as? [String] == [
                "Person Person 39 new", "Address Address 135 embedded, new", "Entry Entry 90 new",
            ])
        #expect(try browser.evaluate("\(button("Import")) === undefined") as? Bool == true)
        try browser.click(button("Leave it out"))
        try browser.wait(for: "document.querySelector('.obstacles') === null")
        #expect(try client.send("GET", "/v1/schema").text == #"{"schemaVersion":0,"classes":[]}"#)
        // A press on the button ends the edit of the name; the preview that comes then leaves the button in place.
        try browser.evaluate(
            "{ const one = document.querySelector('[data-place=\"name Entry\"]'); one.focus(); one.select(); performance.clearResourceTimings(); }"
        )
        try browser.type("Note")
        try browser.click(button("Import")) {
            try browser.wait(
                for: "performance.getEntriesByType('resource').some((one) => one.initiatorType === 'xmlhttprequest')")
        }
        try browser.wait(
            for: "document.querySelector('.figure')?.textContent === 'people.realm was imported: 251 objects.'")
        #expect(
            try browser.evaluate(rows) as? [String] == [
                "Person 39", "Address (embedded) 122", "Note 90", "Address.number 122 544 0 38",
            ])
        try browser.click(
            "[...document.querySelectorAll('#page a')].find((one) => one.textContent === 'Note')")
        try waitForClass("Note", "90 objects")

        // Once more, from the page of imports: the objects with a primary key are there.
        try browser.turn(to: "#transfer")
        try browser.wait(for: "document.querySelector('#page h1')?.textContent === 'Import, export'")
        try browser.choose([Self.people], for: Self.realmDrop)
        try browser.click(button("Leave it out"))
        try browser.wait(
            for:
                "document.querySelector('#page p.fault')?.textContent.includes('has 39 of the objects of Person already')"
        )
        try choose("modified", in: field("If the key exists", in: "A Realm file"))
        try browser.wait(for: "\(rows)[0] === 'Person Person 39 has 39 of them'")
        try browser.click(button("Import"))
        try browser.wait(for: "\(rows)[0] === 'Person 39 39 0'")
        #expect(browser.complaints == [])
    }

    @Test("an encrypted Realm file is opened with its key, as digits or from a file, and no other")
    func encryptedRealmFile() throws {
        let packed = Checkout.root + "/Tests/Wire/RealmFilesTests/Files/encrypted.realm.gz"
        let unpacked = Process()
        unpacked.executableURL = URL(fileURLWithPath: "/bin/sh")
        unpacked.arguments = ["-c", "gzip -dc '\(packed)' > '\(directory.file("secret.realm"))'"]
        try unpacked.run()
        unpacked.waitUntilExit()
        try browser.choose([directory.file("secret.realm")], for: Self.realmDrop)
        try browser.click(field("Key", in: "A Realm file"))
        try browser.type("12")
        try browser.press("Enter")
        try browser.wait(
            for: "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('this has 2 characters')")
        try browser.evaluate("{ const one = \(field("Key", in: "A Realm file")); one.value = '0'.repeat(128); }")
        try browser.click(button("Open"))
        try browser.wait(
            for: "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('does not open this file')"
        )
        let key = directory.file("app.key")
        try Data((0..<64).map { UInt8($0) }).write(to: URL(fileURLWithPath: key))
        try browser.choose([key], for: "document.querySelector('[aria-label=\"File of the key\"]')")
        try browser.wait(for: "\(field("Key", in: "A Realm file")).value.startsWith('000102')")
        try browser.click(button("Open"))
        try browser.wait(for: "document.querySelector('.figure')?.textContent.startsWith('secret.realm: ')")
        #expect(browser.complaints == [])
    }

    @Test("the page is accessible with a proposal on it, light and dark, wide and narrow")
    func accessibility() throws {
        let file = try directory.write("id,zip\n1,10115\n2,01234\n3\n", to: "a.csv")
        for isProposed in [false, true] {
            if isProposed {
                try browser.choose([file], for: "document.querySelector('.first-steps .drop input')")
                try browser.wait(for: "document.querySelector('.data tbody tr')")
                try browser.choose([Self.people], for: Self.realmDrop)
                try browser.wait(for: "document.querySelector('.obstacles')")
            }
            for (isDark, width) in [(false, 1440), (true, 1440), (false, 390), (true, 390)] {
                try browser.preferDark(isDark)
                try browser.resize(width: width, height: 860)
                let faults = try browser.evaluate(AccessibilityCheck.expression) as? [String]
                #expect(faults == [], "\(isProposed), \(isDark ? "dark" : "light"), \(width) wide")
            }
        }
        #expect(browser.complaints == [])
    }
}
