import Foundation
import HTTPTesting
import ProgramTesting
import Testing

extension ConsoleTests {
    private static let items = "[...document.querySelectorAll('.history > li')]"

    private func writeHistory(_ key: Int) throws {
        #expect(
            try client.send("POST", "/v1/objects/Dog", body: #"{"id": \#(key), "name": "Nora", "age": 1}"#).status
                == 201)
        for body in [#"{"age": 2}"#, #"{"name": "Norah", "owner": "ann"}"#, #"{"good": true}"#] {
            #expect(try client.send("PATCH", "/v1/objects/Dog/\(key)", body: body).status == 200)
        }
    }

    private func revert(_ index: Int) -> String { "\(Self.items)[\(index)]?.querySelector('.history-head button')" }

    @Test("an object's page shows its history, follows it, and reverts a change that nothing has touched since")
    func history() throws {
        try writeHistory(70)
        try load("#/Dog/70")
        try waitForPage("Dog 70")
        try browser.wait(for: "\(button("Show changes")) !== undefined")
        try browser.click(button("Show changes"))
        try browser.wait(for: "\(Self.items).length === 4")
        let texts = try browser.evaluate("\(Self.items).map((one) => one.innerText.replace(/\\s+/g, ' '))") as? [String]
        #expect(texts?[0].contains("good") == true && texts?[0].contains("false → true") == true, "\(texts ?? [])")
        #expect(texts?[1].contains("Nora → Norah") == true && texts?[1].contains("null → ann") == true)
        #expect(texts?[2].contains("1 → 2") == true)
        #expect(texts?[3].contains("created, with 6 values") == true)
        #expect(try browser.evaluate("\(revert(3)) === null") as? Bool == true)

        // The question says what is written.
        try browser.click(revert(1))
        try browser.wait(for: "document.querySelector('dialog[open]')")
        let question = try browser.text("document.querySelector('dialog[open]').innerText.replace(/\\s+/g, ' ')")
        #expect(
            question.contains("the 2 values") && question.contains("Norah → Nora") && question.contains("ann → null"))
        try browser.click("document.querySelector('dialog[open] [type=submit]')")
        try browser.wait(for: "\(Self.items).length === 5 && \(Self.items)[0].innerText.includes('Norah')")
        #expect(try stored(70)["name"] as? String == "Nora")
        #expect(try stored(70)["age"] as? Int == 2)

        // It has changed since.
        try browser.click(revert(2))
        try browser.wait(
            for: "document.querySelector('#toasts').textContent.includes('name and owner have changed since version')")
        #expect(try browser.evaluate("document.querySelector('dialog[open]') === null") as? Bool == true)
        // And between the question and its answer.
        try browser.click(revert(3))
        try browser.wait(for: "document.querySelector('dialog[open]')")
        #expect(try client.send("PATCH", "/v1/objects/Dog/70", body: #"{"age": 3}"#).status == 200)
        try browser.click("document.querySelector('dialog[open] [type=submit]')")
        try browser.wait(
            for: "document.querySelector('.dialog-fault:not([hidden])')?.textContent.includes('age has changed since')")
        #expect(try stored(70)["age"] as? Int == 3)
        try browser.press("Escape")
        try browser.wait(for: "\(Self.items)[0]?.innerText.includes('3')")

        #expect(try client.send("DELETE", "/v1/objects/Dog/70").status == 204)
        try load("#/Dog/70")
        try browser.wait(for: "\(button("Show changes")) !== undefined")
        try browser.click(button("Show changes"))
        try browser.wait(for: "\(Self.items).length === 7 && \(Self.items)[0].innerText.includes('deleted, with')")
        #expect(try browser.evaluate("document.querySelectorAll('.history-head button').length === 0") as? Bool == true)
        expectNoComplaints()
    }

    @Test("the history is accessible, on the page and beside the table, light and dark, wide and narrow")
    func historyAccessibility() throws {
        try writeHistory(71)
        defer {
            _ = try? client.send("DELETE", "/v1/objects/Dog/71")
            try? browser.preferDark(false)
            try? browser.resize(width: 1400, height: 900)
        }
        let axe = Axe.isWanted ? try Axe.source() : nil
        try load("#/Dog/71")
        try browser.wait(for: "\(button("Show changes")) !== undefined")
        if let axe { try browser.evaluate(axe + "; null") }
        try browser.click(button("Show changes"))
        try browser.wait(for: "\(Self.items).length === 4")
        func check(_ what: String) throws {
            for (isDark, width) in [(false, 1440), (true, 1440), (false, 390), (true, 390)] {
                try browser.preferDark(isDark)
                try browser.resize(width: width, height: 860)
                let faults = try browser.evaluate(AccessibilityCheck.expression) as? [String]
                #expect(faults == [], "\(what), \(isDark ? "dark" : "light"), \(width) wide")
                guard axe != nil else { continue }
                #expect(
                    try browser.evaluate(Axe.violations) as? [String] == [], "\(what), axe, \(isDark), \(width) wide")
            }
        }
        try check("the history")
        try browser.preferDark(false)
        try browser.resize(width: 1400, height: 900)
        try browser.click(revert(0))
        try browser.wait(for: "document.querySelector('dialog[open]')")
        try check("the question before a reversion")
        try browser.press("Escape")
        expectNoComplaints()
    }
}
