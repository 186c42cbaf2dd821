import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

extension ConsoleTests {
    /// Uses a server of its own, because its first key ends unauthenticated access.
    @Test("the first key is made and shown once, then the gateway asks for it and takes it; it is revoked by a click")
    func keys() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(ConsoleSite.schema, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        try browser.open(server.address + "/#access")
        try waitForPage("Keys and rules")
        try browser.wait(for: "document.querySelector('#page').textContent.includes('The gateway is open')")
        try browser.click(button("New key"))
        try browser.type("Trial")
        try browser.click(button("Create the key"))
        try browser.wait(for: "document.querySelector('.secret input')?.value.length > 20")
        let secret = try browser.text("document.querySelector('.secret input').value")
        #expect(try LoopbackClient(port: server.port).send("GET", "/v1/schema").status == 401)
        try browser.click(button("I have stored it"))
        try browser.wait(for: "document.querySelector('#page tbody')?.textContent.startsWith('Trial')")
        #expect(try browser.evaluate("document.body.textContent.includes('\(secret)')") as? Bool == false)

        // Another tab does not know the key.
        try browser.evaluate("sessionStorage.clear()")
        try browser.reload()
        try waitForPage("Sign in")
        try browser.type("wrong")
        try browser.press("Enter")
        try browser.wait(
            for: "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('does not know')")
        try browser.type(secret)
        try browser.press("Enter")
        try waitForPage("Keys and rules")
        #expect(try browser.evaluate("location.href.includes('\(secret)')") as? Bool == false)
        try browser.turn(to: "#/Dog")
        try browser.wait(for: "document.querySelector('#state')?.dataset.state === 'live'")

        try browser.turn(to: "#access")
        try browser.click(button("Revoke"))
        try browser.click("document.querySelector('#remove-dialog[open] [type=submit]')")
        try waitForPage("Sign in")
        try browser.evaluate("sessionStorage.clear()")
        expectNoComplaints()
    }

    @Test("metrics are drawn as charts that follow what the gateway does")
    func metrics() throws {
        try load("#metrics")
        try waitForPage("Metrics")
        try browser.wait(for: "document.querySelector('.chart polyline')")
        try browser.wait(
            for: """
                [...document.querySelectorAll('.chart')].some((one) => one.querySelector('h2').textContent === 'Requests'
                  && Number(one.querySelector('.chart-value').textContent) > 0)
                """)
        try browser.wait(
            for:
                "[...document.querySelectorAll('#page tbody')].at(-1)?.textContent.includes('realmgate_http_requests_total')"
        )
        expectNoComplaints()
    }

    @Test("the routes are listed by the time that their requests have taken, with what failed, also on a phone")
    func dearRoutes() throws {
        for _ in 1...3 { #expect(try client.send("GET", "/v1/index/objects/Dog?of=1").status == 200) }
        #expect(try client.send("GET", "/v1/index/objects/Dog?of=x").status == 400)
        try load("#metrics")
        try waitForPage("Metrics")
        let rows = "[...document.querySelectorAll('[aria-label=\"Routes by their time\"] tbody tr')]"
        let row = "\(rows).find((one) => one.cells[0].textContent === 'GET /v1/index/objects/:class')"
        try browser.wait(for: row)
        let counts =
            try browser.evaluate("[...\(row).cells].slice(1, 3).map((one) => Number(one.textContent))") as? [Int]
        let (requests, failed) = try #require(counts.map { ($0[0], $0[1]) })
        #expect(requests >= 4 && failed >= 1)
        // The dearest comes first: no share is larger than one before it.
        let shares = try browser.evaluate("\(rows).map((one) => one.querySelector('meter').value)") as? [Double] ?? []
        #expect(shares.count > 2 && shares == shares.sorted(by: >))
        try browser.resize(width: 390, height: 844)
        defer { try? browser.resize(width: 1400, height: 900) }
        try browser.wait(for: "document.documentElement.scrollWidth <= 390")
        expectNoComplaints()
    }
}

extension ConsoleTests {
    /// Uses a server of its own, whose configuration has roles.
    @Test("roles are shown as a matrix, and an administrator sees what a role sees, and comes back")
    func roles() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(ConsoleSite.schema, to: "schema.json")
        let config = try directory.write(
            """
            auth:
              roles:
                clerk:
                  classes:
                    Dog: {read: "age > $claims.least", update: true}
                    Person: {read: true, readable: [city]}

            """, to: "roles.yaml")
        let data = directory.file("a.realmgate")
        let maker = try RunningServer(["--data", data, "--schema", schema], in: directory)
        let dogs = #"[{"id": 1, "name": "Rex", "age": 3}, {"id": 2, "name": "Bello", "age": 11}]"#
        #expect(try maker.client().send("POST", "/v1/objects/Dog", body: dogs).status == 201)
        let made = try maker.client().send("POST", "/v1/keys", body: #"{"name": "a", "role": "admin"}"#)
        let secret = try #require(try made.json()["secret"] as? String)
        #expect(try maker.stop() == 0)
        let server = try RunningServer(["--data", data, "--schema", schema, "--config", config], in: directory)

        try browser.open(server.address + "/#access")
        try waitForPage("Sign in")
        try browser.type(secret)
        try browser.press("Enter")
        try waitForPage("Keys and rules")
        let rights = """
            [...document.querySelectorAll('#page tr')].find((one) => one.cells[0]?.textContent === 'Dog' && one.querySelector('.rights'))
            """
        try browser.wait(
            for:
                "\(rights)?.cells[1].querySelector('.hidden').textContent.startsWith('clerk: read: some objects; create: no objects; update: all objects')"
        )
        #expect(
            try browser.text("\(rights).cells[2].querySelector('.hidden').textContent").hasPrefix("admin: read: all"))
        try browser.wait(for: "document.querySelector('#page').textContent.includes('age > $claims.least')")

        try browser.click("document.querySelector('[aria-label=\"See as clerk\"]')")
        try browser.wait(for: "document.querySelector('dialog[open] textarea')")
        try browser.evaluate("document.querySelector('dialog[open] textarea').value = '{\"least\": 5}'")
        try browser.click(button("See as this role"))
        try browser.wait(for: "document.querySelector('.preview-banner')?.textContent.includes('clerk')")
        try browser.turn(to: "#/Dog")
        try waitForNames(["Bello"])
        #expect(try browser.evaluate("document.body.innerHTML.includes('\(secret)')") as? Bool == false)

        try browser.click(button("Back to your own key"))
        try browser.wait(
            for:
                "document.querySelector('.preview-banner') === null && document.querySelector('#state')?.dataset.state === 'live'"
        )
        try browser.turn(to: "#/Dog")
        try waitForNames(["Rex", "Bello"])
        let keys =
            try server.client().send(
                "GET", "/v1/keys", headers: ["Authorization": "Bearer \(secret)"]
            ).json()["items"] as? [[String: Any]]
        #expect(keys?.count == 2)
        #expect(keys?.last?["readOnly"] as? Bool == true && keys?.last?["revoked"] != nil)
        try browser.evaluate("sessionStorage.clear()")
        expectNoComplaints()
    }
}
