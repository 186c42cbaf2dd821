import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing
import TestBasics

@Suite("Errors, limits and printing of queries")
struct ErrorAndPrinterTests {
    @Test("an error has a position in characters and the nearest name")
    func places() {
        let unknown = fault("alive == true AND nmae == 'x'")
        #expect(unknown?.position == 18)
        #expect(unknown?.length == 4)
        #expect(unknown?.hint == "name")
        #expect(unknown?.message == "'Person' has no property 'nmae'")
        #expect(fault("'é€😀' == name AND agee == 1")?.position == 18)
        #expect(fault("age == 1 AND")?.position == 12)
        #expect(fault("name == 'open")?.position == 8)
        #expect(fault("dog == obj('Dgo', 'x')")?.hint == "Dog")
    }

    @Test("the sort keys of requests bind, and their errors have a position in the whole text")
    func sort() throws {
        let binder = QueryBinder(schema: people)
        let keys = try binder.bindSort("name,-dog.age, age", class: objectClass("Person"))
        #expect(keys == [SortKey(path("name")), SortKey(path("dog.age"), ascending: false), SortKey(path("age"))])
        #expect(throws: QueryError.self) { try binder.bindSort("name,,age", class: objectClass("Person")) }
        do {
            _ = try binder.bindSort("name,-agee", class: objectClass("Person"))
            Issue.record("agee is not a property")
        } catch {
            #expect((error.position, error.hint) == (6, "age"))
        }
        #expect(throws: QueryError.self) { try binder.bindPath("dog", class: objectClass("Person")) }
        #expect(throws: QueryError.self) { try binder.bindPath("dog.owners.age", class: objectClass("Person")) }
        #expect(
            try binder.bindDistinct("name,dog.name", class: objectClass("Person")) == [path("name"), path("dog.name")])
    }

    @Test(
        "deep nesting is refused and long flat queries are not",
        arguments: [("(", ")"), ("NOT (", ")"), ("!", ""), ("NOT ", "")])
    func depth(_ open: String, _ close: String) {
        func nested(_ count: Int) -> String {
            String(repeating: open, count: count) + "age == 1" + String(repeating: close, count: count)
        }
        #expect(fault(nested(90)) == nil)
        #expect(fault(nested(20_000))?.code == .tooDeep)
        #expect(fault(String(repeating: "(", count: 20_000))?.code == .tooDeep)
        #expect(
            fault(String(repeating: "(", count: 20_000) + "age" + String(repeating: ")", count: 20_000) + " == 1")?.code
                == .tooDeep)
    }

    @Test("long chains and lists are accepted, texts beyond the limit are not")
    func length() {
        #expect(fault((0..<20_000).map { "age == \($0)" }.joined(separator: " OR ")) == nil)
        #expect(fault("age IN {" + (0..<100_000).map(String.init).joined(separator: ",") + "}") == nil)
        #expect(fault("name == '" + String(repeating: "x", count: 1 << 20) + "'")?.code == .tooLong)
    }

    @Test("the parser returns a result or an error for any bytes")
    func hostile() {
        let seed = TestSeed.of()
        print("hostile query seed \(seed)")
        var random = SeededRandom(seed: seed)
        let pieces = [
            "age", "==", "'", "\"", "(", ")", "{", "}", "[", "]", "[c]", "$0", "$K0", "%@", "%K", "NOT", "AND", ",",
            ".", "@count",
            "T1:", "1990-01-01@", "0x", "-", "1e", "\\", "B64'", "uuid(", "oid(", "ANY", "IN", "SORT(", "é", "\0", " ",
            "null", "obj(",
        ]
        for _ in 0..<5000 {
            let text = (0..<Int(random.next() % 12)).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }
                .joined()
            let fault = fault(text)
            #expect(fault == nil || (fault?.position ?? -1) <= text.unicodeScalars.count, "\(text.debugDescription)")
        }
    }

    @Test("a printed query parses back to itself")
    func printing() throws {
        let seed = TestSeed.of()
        print("printed query seed \(seed)")
        var random = SeededRandom(seed: seed)
        for _ in 0..<2000 {
            let query = try QueryParser.parse(randomQuery(&random))
            let text = QueryPrinter.text(query)
            #expect(try QueryParser.parse(text) == query, "\(text)")
        }
    }

    private func randomQuery(_ random: inout SeededRandom) -> String {
        var text = randomPredicate(&random, depth: 4)
        if random.next() % 3 == 0 { text += " SORT(age ASC, dog.name DESC)" }
        if random.next() % 3 == 0 { text += " DISTINCT(name)" }
        if random.next() % 3 == 0 { text += " LIMIT(\(random.next() % 100))" }
        return text
    }

    private func randomPredicate(_ random: inout SeededRandom, depth: Int) -> String {
        func pick(_ options: [String]) -> String { options[Int(random.next() % UInt64(options.count))] }
        if depth > 0 {
            switch random.next() % 4 {
            case 0: return "NOT (\(randomPredicate(&random, depth: depth - 1)))"
            case 1, 2:
                let parts = (0..<2 + Int(random.next() % 3)).map { _ in
                    "(\(randomPredicate(&random, depth: depth - 1)))"
                }
                return parts.joined(separator: pick([" AND ", " || "]))
            default: break
            }
        }
        let constant = pick([
            "1", "-7", "2.5", "1e300", "1.5f", "'a\\'b\\\\ \\n\\u0000'", "null", "true", "nan", "-inf", "$3", "T-1:-5",
            "uuid(3b241101-e2bb-4255-8caf-4136c566a962)", "oid(507f1f77bcf86cd799439011)", "obj('Dog', 'r')",
            "{1, 'x', null}", "{}",
        ])
        let path = pick([
            "age", "dog.name", "fav\\ item", "a-b", "$K2", "ANY x.y", "NONE @links.Person.dog.age", "z.@count",
        ])
        return pick([
            "\(path) == \(constant)", "\(path) <= \(constant)", "\(path) CONTAINS[c] \(constant)",
            "\(path) IN \(constant)",
            "\(path) BETWEEN {1, 2}", "\(constant) != \(path)", "TRUEPREDICATE",
        ])
    }
}
