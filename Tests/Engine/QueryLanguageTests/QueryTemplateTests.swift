import ObjectModel
import QueryLanguage
import QuerySyntax
import TestBasics
import Testing

@Suite("Queries with other literals")
struct QueryTemplateTests {
    /// What stands for a literal in the filters below.
    private static let slot: Character = "¿"

    private static let filters = [
        "age > ¿", "age==¿", "¿ < age", "name = ¿", "name BEGINSWITH[c] ¿", "name LIKE ¿", "¿ CONTAINS name",
        "height < ¿ OR height > ¿", "age > ¿ AND (name = ¿ OR NOT age IN {¿, ¿})", "age IN {¿,¿}",
        "age BETWEEN {¿, ¿}", "age + ¿ > ¿", "age -¿ > 3", "age ¿ > 3", "age > -¿", "age > +¿", "age > - ¿",
        "dog.age >= ¿ AND dog.name != ¿", "ANY dogs.name == ¿", "ALL dogs.age < ¿", "dogs.@count > ¿",
        "dogs.@sum.age > ¿", "nums[¿] = ¿", "ANY nums == ¿", "prices[¿] > ¿", "weight == ¿", "worth == ¿", "any == ¿",
        "born > ¿", "born > T¿:¿", "alive == ¿", "key == ¿", "photo == ¿", "dog == obj('Dog', ¿)", "bio TEXT ¿",
        "SUBQUERY(dogs, $d, $d.age > ¿).@count > ¿", "age > ¿ SORT(age ASC) LIMIT(¿)", "a-b > ¿", "a-¿ > 1",
        "NOT0 = ¿ AND NOT¿ = 1", "fav\\ item = ¿", "fav\\ ¿ = 1", "age == age AND age > ¿", "name = B64¿",
        "TRUEPREDICATE AND age > ¿", "name == ¿ && age == ¿||age==¿", "name.length > ¿", "@links.Person.friend.age > ¿",
        "age > ¿f", "height > ¿.5", "height > .¿", "height > ¿e3", "id == oid(¿)", "in = ¿ AND sort=¿", "你好 = ¿",
        "name = ¿¿", "age > ¿AND age < 7", "age > 0x¿", "age = ¿ AND age = ¿ AND age = ¿",
        "place GEOWITHIN geoCircle([¿, ¿], ¿)", "name = 'a' AND age > ¿", "name=¿ OR name=¿ OR name=¿",
    ]

    private static let literals = [
        "0", "1", "5", "-5", "-0", "007", "42", "9007199254740993", "-9007199254740993", "999999999999999999",
        "9223372036854775807", "12345678901234567890", "0.5", "-0.5", "-0.0", "2.0", "1.", ".5", "1e3", "16777217",
        "5f",
        "0x1F", "''", "'a'", "\"a\"", "'5'", "'-5'", "'it\\'s'", "'a b'", "'é'", "'¿'", "'=[c]'", "\"'\"", "'O5'",
        "'nan'",
        "null", "true", "nan", "inf", "-inf", "$0", "T5:3", "2017-12-31@23:59:59", "O5", "age", "'abcd'", "'*'", "'?x'",
    ]

    private static func filled(_ filter: String, _ random: inout SeededRandom) -> String {
        var text = ""
        for character in filter {
            text += character == slot ? random.pick(literals) ?? "" : String(character)
        }
        return text
    }

    @Test("a template filled with the literals of another filter is what the binder makes of that filter")
    func oracle() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        var compared = 0
        for _ in 0..<12 {
            for filter in Self.filters {
                var templates: [String: QueryTemplate] = [:]
                for _ in 0..<30 {
                    let text = Self.filled(filter, &random)
                    guard let split = LiteralSplit(text) else { continue }
                    let bound = try? bind(text)
                    if let found = templates[split.text]?.query(with: split.literals) {
                        #expect(found == bound, "seed \(seed): \(text)")
                        compared += 1
                    } else if let bound, let template = QueryTemplate(bound, of: split.literals) {
                        #expect(template.query(with: split.literals) == bound, "seed \(seed): \(text)")
                        templates[split.text] = template
                    }
                }
            }
        }
        if TestRun.hasFixedSeeds { #expect(compared > 800, "\(compared)") }
    }

    @Test("random texts with the same text without literals are the same query but for these")
    func tokens() throws {
        var random = SeededRandom.ofTest()
        let seed = random.seed
        let tokens =
            Self.literals + [
                "age", "name", "height", " ", " ", " ", "=", ">", "<=", "-", "+", ".", "(", ")", "{", "}", ",", "AND ",
                "OR ",
                "NOT ", "BETWEEN ", "IN ", "[c]", "a-b", "LIMIT", "'", "\"",
            ]
        var templates: [String: QueryTemplate] = [:]
        for _ in 0..<20_000 {
            var text = random.oneIn(2) ? "age > " : "name = "
            for _ in 0..<1 + random.below(4) { text += random.pick(tokens) ?? "" }
            guard let split = LiteralSplit(text) else { continue }
            let bound = try? bind(text)
            if let found = templates[split.text]?.query(with: split.literals) {
                #expect(found == bound, "seed \(seed): \(text)")
            } else if let bound, let template = QueryTemplate(bound, of: split.literals) {
                templates[split.text] = template
            }
        }
        if TestRun.hasFixedSeeds { #expect(templates.count > 8, "\(templates.count)") }
    }

    @Test(
        "literals are taken out where they are plain",
        arguments: [
            ("age > 5 AND name = 'Rex'", [Value.int(5), .string("Rex")]), ("age>-5", [.int(-5)]),
            ("height BETWEEN {1.5, 2}", [.double(1.5), .int(2)]),
            ("dog.age=3 OR \"it's\"=name", [.int(3), .string("it's")]),
        ])
    func split(_ filter: String, _ literals: [Value]) throws {
        #expect(try #require(LiteralSplit(filter)).literals == literals)
    }

    @Test(
        "a filter has no split without literals or with escapes",
        arguments: [
            "age > height", "", "name = 'it\\'s'", "fav\\ 5 = 1", "name = B64'abcd'", "name = 'a", "age > \u{2}",
        ])
    func none(_ filter: String) { #expect(LiteralSplit(filter) == nil) }

    @Test("kinds and signs of literals differ")
    func kinds() {
        let texts = ["age > 5", "age > -5", "age > 5.5", "age > -5.5", "age > '5'"].compactMap {
            LiteralSplit($0)?.text
        }
        #expect(Set(texts).count == 5)
    }

    @Test("an int that no double represents is not put among doubles")
    func large() throws {
        let template = try #require(QueryTemplate(try bind("height > 5"), of: [.int(5)]))
        #expect(template.query(with: [.int(7)]) == (try bind("height > 7")))
        #expect(template.query(with: [.int(9_007_199_254_740_993)]) == nil)
        #expect(template.query(with: []) == nil)
    }
}
