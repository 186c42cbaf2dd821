import ProgramTesting
import Testing

extension ConsoleTests {
    /// Expressions on the page's modules, with their results as JSON. Positions are those of the gateway: bytes.
    private static let parts: [(module: String, expression: String, json: String)] = [
        (
            "core/json", #"m.stringify(m.parse('{"a":9223372036854775807,"b":"1234567890123456789"}'))"#,
            #""{\"a\":9223372036854775807,\"b\":\"1234567890123456789\"}""#
        ),
        (
            "core/json", #"m.indented(m.parse('{"a":[1,{"$date":"2026-01-31T00:00:00Z"}],"b":{},"c":"x:,{"}'))"#,
            #""{\n  \"a\": [\n    1,\n    {\n      \"$date\": \"2026-01-31T00:00:00Z\"\n    }\n  ],\n  \"b\": {},\n  \"c\": \"x:,{\"\n}""#
        ),
        (
            "core/json", #"[m.own({}, "constructor") === undefined, m.own(m.parse('{"__proto__":5}'), "__proto__")]"#,
            "[true,5]"
        ),
        (
            "core/curl", #"m.readCommand("-sG", "http://h/v1/objects/A", {filter: "a > 1"}, true)"#,
            #""curl -sG -H \"Authorization: Bearer $KEY\" http://h/v1/objects/A --data-urlencode 'filter=a > 1'""#
        ),
        (
            "objects/link-picker",
            #"m.searchFilter({keyProperty: {path: "id", kind: "int"}, properties: [{path: "name", kind: "string"}]}, "4")"#,
            #""id == 4 OR name CONTAINS[c] '4'""#
        ),
        (
            "core/path",
            #"["a-1", "first name", "nil", "Not", "$0", "a.b", "1st", "né", "a\nb"].map(m.escapedName).join()"#,
            #""a-1,first\\ name,\\u006eil,Not,\\u00240,a\\u002eb,\\u0031st,né,a\\nb""#
        ),
        (
            "core/json",
            #"m.stringify(m.parse('[0.10000000149011612,9007199254740992.0,-9007199254740993,12345678901234567e3]'))"#,
            #""[0.10000000149011612,9007199254740992,-9007199254740993,12345678901234567000]""#
        ),
        ("parts/fault", #"m.indexOfByte("ä👍x", 6)"#, "3"),
        ("parts/fault", #"m.indexOfByte("abc", 99)"#, "3"),
        (
            "parts/fault", #"m.rangeOf("é == old school", {position: 6, length: 10})"#, #"{"start":5,"end":15}"#
        ),
        (
            "parts/fault", #"m.mended("age -1 == 4", {hint: "- 1", position: 4, length: 2, message: "a sign"})"#,
            #""age - 1 == 4""#
        ),
        (
            "parts/fault",
            #"m.mended("owner.ctiy == 'é'", {hint: "city", position: 0, message: "no property 'ctiy'"})"#,
            #""owner.city == 'é'""#
        ),
        (
            "parts/fault", #"m.mended("a > 1 AND agee > 2", {hint: "age", position: 10, message: "no 'agee'"})"#,
            #""a > 1 AND age > 2""#
        ),
        ("core/curl", #"m.quoted("age > 3")"#, #""'age > 3'""#),
        ("core/curl", #"m.quoted("name == 'it'")"#, #""\"name == 'it'\"""#),
        ("core/curl", #"m.quoted("n == 'a' && m == \"$b\"")"#, #""'n == '\\''a'\\'' && m == \"$b\"'""#),
        ("core/route", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "b", true))"#, #""a""#),
        ("core/route", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "a", true))"#, #""-a,-b""#),
        ("core/route", #"m.sortText(m.nextSort(m.parseSort("a,-b"), "c", false))"#, #""c""#),
        ("core/values", #"m.fromInput("2026-01-31", {kind: "date"})"#, #""2026-01-31T00:00:00Z""#),
        ("core/values", #"m.fromInput("2026-01-31 09:30", {kind: "date"})"#, #""2026-01-31T09:30:00Z""#),
        ("objects/date-picker", #"m.wallClock(m.instantOf("2026-01-31 09:30"), "UTC")"#, #""2026-01-31T09:30:00""#),
        (
            "objects/date-picker", #"m.wallClock(m.instantOf("2026-01-31T09:30:07.5+02:00"), "UTC")"#,
            #""2026-01-31T07:30:07""#
        ),
        ("objects/date-picker", #"m.instantOf("soon")"#, "null"),
        ("objects/date-picker", #"m.storedText("2026-01-31T09:30", "UTC")"#, #""2026-01-31T09:30:00Z""#),
        (
            "objects/date-picker", #"m.storedText(m.wallClock(m.instantOf("2026-07-04 13:30"), "here"), "here")"#,
            #""2026-07-04T13:30:00Z""#
        ),
        ("core/values", #"m.literal("it's \\ so", {kind: "string"})"#, #""'it\\'s \\\\ so'""#),
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

    /// Applies the position changes of the worked examples of live queries to results.
    @Test("follows updates by position, and tells a moved object from a new one")
    func followingByPosition() throws {
        try open()
        let result = try browser.text(
            """
            import('/static/objects/live-rows.js').then(({ LiveRows }) => {
              const rows = new LiveRows((object) => object.id);
              const show = (changes) => [rows.keys.join(), [...changes.inserted].join(), [...changes.modified.keys()].join(),
                [...changes.removed].join()].join(' | ');
              const log = [];
              rows.initial({ version: 1, items: [{ id: 'ann', n: 90 }, { id: 'bob', n: 80 }, { id: 'cyd', n: 70 }, { id: 'dan', n: 60 }] });
              const [bob, cyd, dan] = [{ id: 'bob', n: 80 }, { id: 'cyd', n: 70 }, { id: 'dan', n: 85 }];
              log.push(show(rows.update([{ id: 'ann', n: 90, t: 'x' }, dan, bob, cyd],
                { version: 2, deletions: [3], insertions: [1], modifications: [0] })));
              log.push(show(rows.update([{ id: 'eve', n: 99 }, dan, cyd, { id: 'ann', n: 1 }],
                { version: 3, deletions: [0, 2], insertions: [0, 3], modifications: [] })));
              log.push(show(rows.initial({ version: 9, items: [{ id: 'dan', n: 85 }, { id: 'ann', n: 2 }, { id: 'fay', n: 0 }] })));
              return log.join('; ');
            })
            """)
        #expect(
            result == "ann,dan,bob,cyd |  | ann,dan | ; eve,dan,cyd,ann | eve | ann | bob; "
                + "dan,ann,fay | fay | ann | eve,cyd")
    }
}
