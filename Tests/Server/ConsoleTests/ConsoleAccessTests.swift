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
        try browser.evaluate("location.hash = '#/Dog'")
        try browser.wait(for: "document.querySelector('#state')?.dataset.state === 'live'")

        try browser.evaluate("location.hash = '#access'")
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
            for: "document.querySelector('#page tbody')?.textContent.includes('realmgate_http_requests_total')")
        expectNoComplaints()
    }
}
