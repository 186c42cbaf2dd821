import Foundation
import HTTPTesting
import ProgramTesting
import Testing

/// Conditions that are chosen from lists.
extension ConsoleTests {
    private var built: String { "document.querySelector('.built')?.textContent" }
    private var number: String { "document.querySelector('.builder [role=status]')?.textContent" }

    private func part(_ name: String, of condition: Int) -> String {
        "document.querySelector('[aria-label=\"\(name) of condition \(condition)\"]')"
    }

    /// Chooses an option by its words.
    private func choose(words: String, in select: String) throws {
        try browser.wait(for: select)
        try browser.evaluate(
            """
            { const one = \(select);
              one.value = [...one.options].find((option) => option.textContent === '\(words)').value;
              one.dispatchEvent(new Event('change', { bubbles: true })); }
            """)
    }

    @Test("a condition is put together from lists, shown as text with its number of objects, and asked")
    func chosenConditions() throws {
        try open()
        try waitForNames(["Rex", "Bello", "Rina", "Cleo"])
        try browser.click("document.querySelector('#build')")
        try choose(words: "age", in: part("Property", of: 1))
        try choose(words: "is more than", in: part("Comparison", of: 1))
        try browser.wait(for: "\(number) === 'Enter a value for age.'")
        try browser.click(part("Value", of: 1))
        try browser.type("old")
        try browser.wait(for: "\(number) === '‘old’ is not a number for age.'")
        try browser.evaluate("\(part("Value", of: 1)).select()")
        try browser.type("2")
        try browser.wait(for: "\(built) === 'age > 2' && \(number) === '3 objects'")
        try browser.click(button("Add a condition"))
        try choose(words: "owner.city", in: part("Property", of: 2))
        try choose(words: "begins with", in: part("Comparison", of: 2))
        try browser.click(part("Value", of: 2))
        try browser.type("tur")
        try browser.wait(for: "\(built).endsWith(\"AND owner.city BEGINSWITH[c] 'tur'\") && \(number) === '1 object'")
        try browser.click(button("Add a condition"))
        try choose(words: "age", in: part("Property", of: 3))
        try choose(words: "has no value", in: part("Comparison", of: 3))
        try choose(words: "any of them holds", in: "document.querySelector('.builder .choice select')")
        try browser.wait(for: "\(number) === '4 objects'")
        try browser.click("document.querySelectorAll('[aria-label=\"Remove this condition\"]')[0]")
        try browser.click(button("Show them"))
        try waitForNames(["Rex", "Rina"])
        let written = "owner.city BEGINSWITH[c] 'tur' OR age == nil"
        #expect(try browser.text("document.querySelector('#predicate').value") == written)

        // What was written is read again; the keyboard opens it.
        try browser.evaluate("document.querySelector('#grid .row').querySelector('[tabindex=\"0\"]')?.focus()")
        try browser.evaluate("document.activeElement.blur()")
        try browser.press("f")
        try browser.wait(for: "\(built) === \"\(written)\" && \(number) === '2 objects'")
        #expect(try browser.text("\(part("Value", of: 1)).value") == "tur")
        try browser.press("Escape")
        try browser.wait(for: "document.querySelector('dialog[open]') === null")
        expectNoComplaints()
    }

    @Test(
        "a condition that is not a list stays, and chosen ones are added to it; quotes and names are escaped",
        arguments: [
            ("NOT (age > 5) SORT(age ASCENDING)", "(NOT (age > 5))"),
            ("age > 5 OR (good == true)", "(age > 5 OR (good == true))"),
            ("age IN {1, 3}", "age IN {1, 3}"),
        ])
    func keptConditions(before: String, kept: String) throws {
        try open("#/Dog?filter=" + (before.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""))
        try browser.click("document.querySelector('#build')")
        try browser.wait(for: "document.querySelector('.builder')?.textContent.includes('stays')")
        try choose(words: "name", in: part("Property", of: 1))
        try choose(words: "is", in: part("Comparison", of: 1))
        try browser.click(part("Value", of: 1))
        try browser.type(#"O'Neil \ <b>"#)
        try browser.wait(for: "\(number) === '0 objects'")
        #expect(try browser.text(built).hasPrefix(kept + #" AND name == 'O\'Neil \\ <b>'"#))
        #expect(try browser.evaluate("document.querySelectorAll('.builder b').length") as? Int == 0)
        try browser.press("Escape")
        expectNoComplaints()
    }

    @Test("every kind of property has conditions that the server accepts, and that are read as they were written")
    func conditionsOfEveryKind() throws {
        try open("#/Thing")
        let failed =
            try browser.evaluate(
                """
                (async () => {
                  const { Schema } = await import("/static/core/schema.js");
                  const { joined, readConditions, subjectsOf, takesValue } = await import("/static/objects/conditions.js");
                  const types = ["bool", "int?", "float", "double?", "string?", "data?", "date?", "decimal128?", "objectId?", "uuid?", "mixed", "B?", "int[]", "string<>", "B[]", "double{}"];
                  const properties = types.map((type, index) => ({ name: ["and", "first name", "x\\u00e9"][index] ?? `p${index}`, type }));
                  const schema = new Schema(await (await fetch("/v1/schema")).json());
                  const values = { bool: true, int: -3, float: 1.5, double: 1e300, string: "it's \\"q\\" AND (x) \\\\ OR", date: "2026-01-31T12:00:00Z",
                    decimal128: "1.10", objectId: "0123456789abcdef01234567", uuid: "6f1b2c3d-0001-4000-8000-000000000001" };
                  const failed = [];
                  let count = 0;
                  const all = new Schema({ classes: [{ name: "A", properties }, { name: "B", primaryKey: "id", properties: [{ name: "id", type: "string" }, { name: "not", type: "int" }] }] });
                  for (const [one, source] of [...schema.classes.map((one) => [one, schema]), [all.class("A"), all]]) {
                    const subjects = subjectsOf(one, source);
                    const conditions = subjects.flatMap((subject) => subject.operators.map(([operator]) =>
                      ({ subject, operator, value: takesValue(operator) ? values[(subject.key ?? subject.property).kind] : undefined })));
                    for (const connector of ["AND", "OR"]) {
                      const text = joined(conditions, connector);
                      const read = readConditions(text, subjects);
                      const again = read && joined(read.conditions.map(({ subject, operator, typed }) => ({ subject, operator,
                        value: typed === "" && !takesValue(operator) ? undefined : ["int", "float", "double"].includes((subject.key ?? subject.property).kind) ? Number(typed) : typed })), read.connector);
                      count += 1;
                      if (again !== text) failed.push([one.name, text, again]);
                      if (source === schema) {
                        const answer = await fetch(`/v1/query/aggregates/objects/${one.name}`, { method: "POST", body: new URLSearchParams({ filter: text }) });
                        if (!answer.ok) failed.push([one.name, await answer.text()]);
                      }
                    }
                  }
                  for (const text of ["a > 1 AND b > 2 OR c > 3", "NOT name == 'x'", "name == 'x", "age > 'x'", "name", "nope == 1", "ANY name == 'x'", "age > 1 LIMIT(3)", "name == other"]) {
                    if (readConditions(text, subjectsOf(schema.class("Dog"), schema)) !== null) failed.push(text);
                  }
                  return JSON.stringify({ failed, count });
                })()
                """) as? String
        #expect(failed == #"{"failed":[],"count":16}"#)
    }

    @Test("the rows of a date's chart narrow the query, also to parts of seconds and to times before 1970")
    func datesOfCharts() throws {
        let dates = [
            "1960-05-01T12:00:00.25Z", "2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5Z", "2026-03-01T00:00:00Z",
        ]
        let rows = dates.enumerated().map { #"{"id": \#($0), "at": "\#($1)"}"# }.joined(separator: ",")
        #expect(try client.send("POST", "/v1/objects/Odd", body: "[\(rows)]").status == 201)
        try open("#/Odd")
        try browser.wait(for: "document.querySelector('#tally').textContent === '4 objects'")
        try browser.evaluate(
            """
            (async () => {
              const { literal } = await import("/static/core/values.js");
              window.found = [];
              for (const date of \(dates)) {
                const filter = "at == " + literal(date, { kind: "date" });
                const answer = await fetch("/v1/aggregates/objects/Odd?filter=" + encodeURIComponent(filter));
                found.push((await answer.json()).count);
              }
            })()
            """)
        #expect(try browser.evaluate("found.join()") as? String == "1,1,1,1")
        try browser.click(
            "[...document.querySelectorAll('.column-chart')].find((one) => one.ariaLabel?.startsWith('Distribution of at'))"
        )
        try browser.click("document.querySelector('.distribution-dialog[open] tbody button')")
        try browser.wait(for: "document.querySelector('#tally').textContent === '1 of 4 objects'")
        #expect(try browser.evaluate("document.querySelector('#predicate').ariaInvalid === 'true'") as? Bool == false)
        expectNoComplaints()
    }
}
