import ObjectModel
import QuerySyntax
import QueryLanguage
import Testing

@Suite("Parts of predicates")
struct PredicatePartsTests {
    /// The kinds of the parts, those of subqueries in parentheses.
    private func parts(_ predicate: BoundPredicate) -> [String] {
        var found: [String] = []
        predicate.forEachPart { part in
            switch part {
            case .constants(.constant): found.append("constant")
            case .constants(.list): found.append("list")
            case .constants: found.append("objects")
            case .path: found.append("path")
            case .subquery(let subquery):
                found.append("subquery(\(parts(subquery.predicate).joined(separator: " ")))")
            case .geoWithin: found.append("place")
            }
        }
        return found
    }

    @Test(
        "the parts come in the order in which they are written",
        arguments: [
            ("TRUEPREDICATE", []), ("age == 3 AND NOT name == 'x'", ["path", "constant", "path", "constant"]),
            ("age IN {1, 2} OR dog == obj('Dog', 'x')", ["path", "list", "path", "objects"]),
            ("age + 1 > nums.@max", ["path", "constant", "path"]),
            (
                "SUBQUERY(dogs, $d, $d.age > 3 AND $d.name == 'x').@count > 1",
                ["subquery(path constant path constant)", "constant"]
            ),
            ("bio TEXT 'swim'", ["path"]), ("place GEOWITHIN geoCircle([0, 0], 1)", ["place"]),
            ("ALL nums BETWEEN {1, 2}", ["path", "constant", "path", "constant"]),
        ])
    func order(_ text: String, _ expected: [String]) throws {
        #expect(parts(try bind(text).predicate) == expected)
    }

    @Test("a BETWEEN over one value of several has its operand as a part")
    func between() throws {
        #expect(parts(try bind("ANY nums BETWEEN {1, 2}", dialect: .format).predicate) == ["path"])
    }

    @Test("a part is looked for until one is found, not within subqueries")
    func contains() throws {
        let predicate = try bind("age == 3 AND SUBQUERY(dogs, $d, $d.age IN {4, 5}).@count > 1").predicate
        #expect(
            predicate.containsPart {
                if case .constants(.constant(.int(3))) = $0 { true } else { false }
            })
        #expect(
            !predicate.containsPart {
                if case .constants(.list) = $0 { true } else { false }
            })
        #expect(!BoundPredicate.and([]).containsPart { _ in true })
    }

    @Test("other constants, also within subqueries; all else stays")
    func constants() throws {
        let text = { (number: String) in
            "age == \(number) OR NOT (SUBQUERY(dogs, $d, $d.age > \(number)).@count + \(number) == age AND bio TEXT 'x')"
        }
        let mapped = try bind(text("3")).predicate.mappingConstants { operand in
            if case .constant(.int(3)) = operand { .constant(.int(70)) } else { operand }
        }
        #expect(mapped == (try bind(text("70")).predicate))
    }

    @Test("other paths and links, of every kind of part")
    func paths() throws {
        let predicate = try bind(
            """
            age == 3 AND dogs.@max.age > nums.@sum AND bio TEXT 'x' AND place GEOWITHIN geoCircle([0, 0], 1) \
            AND SUBQUERY(dogs, $d, $d.toys.@count > 0).@count > 1 AND NOT dog.age IN {1}
            """
        ).predicate
        var (paths, links) = (0, 0)
        let same = predicate.mappingPaths(
            { path in
                paths += 1
                return path
            },
            links: { steps in
                links += 1
                return steps
            })
        #expect(same == predicate)
        #expect((paths, links) == (6, 2))
        let step = LinkStep.rowSecurity(.constant(false), objectClass("Dog").id)
        let hidden = predicate.mappingPaths(
            { BoundPath(links: $0.links + [step], end: $0.end, steps: $0.steps) }, links: { $0 + [step] })
        var ends = 0
        hidden.forEachPart { part in
            switch part {
            case .path(let path): ends += path.links.last == step ? 1 : 0
            case .subquery(let subquery): ends += subquery.links.last == step ? 1 : 0
            case .geoWithin(let search): ends += search.links.last == step ? 1 : 0
            case .constants: break
            }
        }
        #expect(ends == 7)
    }

    @Test("an error of the body goes on, and ends the walk")
    func errors() throws {
        struct Stop: Error {}
        let predicate = try bind("age == 3 AND name == 'x'").predicate
        var calls = 0
        #expect(throws: Stop.self) {
            try predicate.forEachPart { (_) throws(Stop) in
                calls += 1
                if calls == 2 { throw Stop() }
            }
        }
        #expect(calls == 2)
        #expect(throws: Stop.self) { try predicate.mappingConstants { _ in throw Stop() } }
    }

    // MARK: Parsed predicates

    private func parsed(_ text: String) throws -> ParsedPredicate { try QueryParser.parse(text).predicate }

    @Test("comparisons are replaced with whether a NOT is around them")
    func comparisons() throws {
        let mapped = try parsed("a == 1 AND NOT (b == 1 OR NOT c == 1) OR TRUEPREDICATE").mappingComparisons {
            comparison, isNegated in
            guard case .path(let path) = comparison.left.kind, path.components == [.name("c")] else {
                return .constant(isNegated)
            }
            return .comparison(comparison)
        }
        #expect(
            mapped == (try parsed("FALSEPREDICATE AND NOT (TRUEPREDICATE OR NOT c == 1) OR TRUEPREDICATE")))
    }

    @Test(
        "an argument is found wherever it may stand",
        arguments: [
            "a == $7", "$7 IN a", "a IN {1, $7}", "a BETWEEN {$7, 3}", "a[$7] == 1", "$K7 == 1", "a[$K7] == 1",
            "a + $7 > 1", "SUBQUERY(a, $d, $d.b == $7).@count > 1", "SUBQUERY($K7, $d, $d.b == 1).@count > 1",
            "SUBQUERY(a, $d, NOT ($d.b == 1 AND $d.c == $7)).@count > 1", "a GEOWITHIN $7",
            "a GEOWITHIN geoCircle([$7, 0], 1)", "a GEOWITHIN geoCircle([0, 0], $7)",
            "a GEOWITHIN geoBox([0, 0], [0, $7])",
            "a GEOWITHIN geoPolygon({[0, 0], [1, $7], [1, 1], [0, 0]})",
        ])
    func arguments(_ text: String) throws {
        guard case .comparison(let comparison) = try parsed(text) else {
            Issue.record("'\(text)' is not a comparison")
            return
        }
        #expect(comparison.containsArgument { $0 == 7 })
        #expect(!comparison.containsArgument { $0 != 7 })
    }
}
