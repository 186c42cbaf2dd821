import Foundation
import ProgramTesting
import RepositoryFiles
import Testing

extension ConsoleTests {
    @Test("a file is imported with its faulty lines listed, and a class exported")
    func transfer() throws {
        let file = try directory.write(
            """
            {"id": 20, "name": "Ida", "age": 2}
            {"id": 21, "name": 5}
            {"id": 22, "name": "Udo", "owner": "ann"}

            """, to: "dogs.ndjson")
        try load("#transfer")
        try waitForPage("Import, export")
        try choose("Dog", in: field("Into"))
        try browser.choose([file], for: "document.querySelector('#import-file')")
        try browser.wait(
            for:
                "document.querySelector('.figure')?.textContent === 'dogs.ndjson: 2 created, 0 modified, 1 line refused.'"
        )
        #expect(try browser.text("document.querySelector('#page tbody th').textContent") == "2")
        #expect(try stored(22)["owner"] as? String == "ann")

        try choose("Dog", in: field("Class"))
        try browser.click(field("Where"))
        try browser.type("agee > 1")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('.field-fault:not([hidden])')?.textContent.includes('‘age’')")
        try browser.evaluate("\(field("Where")).select()")
        try browser.type("age > 1")
        try browser.press("Enter")
        try browser.wait(for: "document.querySelector('a[download]')?.download === 'Dog.ndjson'")
        let reported = try browser.text("[...document.querySelectorAll('.figure')].at(-1).textContent")
        #expect(reported.hasPrefix("4 lines, "))
        expectNoComplaints()
    }
}
