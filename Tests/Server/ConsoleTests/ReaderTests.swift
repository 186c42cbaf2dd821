import Foundation
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// Tests the API reader in a real browser, with the real program.
@Suite("reader of the description", .serialized, .enabled(if: Browser.isWanted, "Install chromium to run these"))
struct ReaderTests {
    private let directory: TestDirectory
    private let server: RunningServer
    private let browser: Browser

    init() throws {
        directory = try TestDirectory()
        let schema = try directory.write(
            """
            {"schemaVersion": 1, "classes": [
              {"name": "Dog", "primaryKey": "id", "properties": [
                {"name": "id", "type": "int"}, {"name": "name", "type": "string"}, {"name": "friend", "type": "Dog?"}]}]}
            """, to: "schema.json")
        server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        browser = try Browser()
        try browser.open(server.address + "/docs")
        try browser.wait(for: "document.documentElement?.dataset.ready === 'true'")
    }

    @Test("finds an operation by its words, shows it, sends it and shows the answer")
    func trying() throws {
        try browser.click("document.querySelector('#search')")
        try browser.type("create dog")
        try browser.wait(for: "[1, 2, 3].includes(document.querySelectorAll('#list a .method').length)")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('h1').textContent.includes('Dog')")
        #expect(try browser.text("location.hash") == "#createDogs")
        let command = try browser.text("document.querySelector('.command pre').textContent")
        #expect(command.contains("curl -X POST") && command.contains("/v1/objects/Dog"))

        try browser.click("document.querySelector('.try .primary')")
        try browser.wait(for: "document.querySelector('.try [role=status]').textContent.startsWith('201')")
        try browser.wait(for: "document.querySelector('.answer-now').textContent.includes('\"friend\": null')")
        #expect(try server.client().send("GET", "/v1/objects/Dog/7").status == 200)
        #expect(browser.complaints == [])
    }

    @Test("schemas open as far as they go, in circles too, and streams are read until they are stopped")
    func schemasAndStreams() throws {
        _ = try browser.evaluate("location.hash = '#schema/Dog'")
        try browser.wait(for: "document.querySelector('h1').textContent === 'Dog'")
        for depth in 1...3 {
            try browser.click("[...document.querySelectorAll('.tree details:not([open]) > summary')].at(-1)")
            try browser.wait(for: "document.querySelectorAll('.tree details[open]').length >= \(depth)")
        }
        _ = try browser.evaluate("location.hash = '#observeDogs'")
        try browser.wait(for: "document.querySelector('.command pre')?.textContent.startsWith('curl -N')")
        try browser.click("document.querySelector('.try .primary')")
        try browser.wait(for: "document.querySelector('.answer-now').textContent.includes('event: initial')")
        try browser.click("document.querySelector('.try .buttons .action:not(.primary)')")
        try browser.wait(for: "document.querySelector('.try [role=status]').textContent === 'Stopped'")
        #expect(browser.complaints == [])
    }
}
