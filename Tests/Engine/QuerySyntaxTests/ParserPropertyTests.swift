import Foundation
import ObjectModel
import Promises
import QuerySyntax
import Testing
import TestBasics

@Suite("Properties of every query text")
struct ParserPropertyTests {
    @Test("any printed tree parses to an equal tree")
    func trees() throws {
        let seed = TestSeed.of()
        print("random query trees seed \(seed)")
        var queries = RandomParsedQueries(seed: seed)
        for _ in 0..<3000 {
            let query = queries.query()
            let text = QueryPrinter.text(query)
            let read = try? QueryParser.parse(text)
            guard read == query else {
                Issue.record("seed \(seed): \(text) is read as \(ParserCorpusTests.printed(text))")
                return
            }
        }
    }

    /// Checks a text's result: a tree that is printed as text of an equal tree, or an error inside the text.
    private func check(_ text: String, _ dialect: QueryDialect, _ seed: UInt64) -> Bool {
        do throws(QueryError) {
            let query = try QueryParser.parse(text, dialect: dialect)
            let printed = QueryPrinter.text(query)
            if (try? QueryParser.parse(printed)) != query {
                Issue.record("seed \(seed): \(text.debugDescription) is printed as \(printed)")
                return false
            }
        } catch {
            let count = text.unicodeScalars.count
            let isInside = error.position >= 0 && error.length >= 0 && error.position + error.length <= count
            if !isInside || error.message.isEmpty {
                Issue.record("seed \(seed): \(text.debugDescription) of \(count) scalars gives \(error)")
                return false
            }
        }
        return true
    }

    @Test("a text with mistakes gives a printable tree or an error inside the text")
    func mutations() {
        let seed = TestSeed.of()
        print("mutated query texts seed \(seed)")
        var random = SeededRandom(seed: seed)
        func below(_ count: Int) -> Int { Int(random.next() >> 8 % UInt64(max(1, count))) }
        let corpus =
            ParserCorpusTests.examples.map(\.0) + ParserTextTests.words.map(\.0) + ParserTextTests.structure.map(\.0)
            + ParserTextTests.formats.map(\.0) + ParserTextTests.refusals.map(\.text)
            + ParserTextTests.constants.map { "p == \($0.0)" }
        let pieces = [
            "'", "\"", "(", ")", "{", "}", "[", "]", "[c]", "[cd]", "$0", "$K0", "%@", "%K", "%", "NOT ", " AND ",
            " OR ",
            ",", ".", ".@count", ".@sum", "@", "T1:", "1990-01-01@", "0x", "-", "+", "*", "/", "1e", "\\", "\\u",
            "B64'",
            "uuid(", "oid(", "ANY ", " IN ", " SORT(", "é", "\0", " ", "null", "obj(", "SUBQUERY(", ", $x, ",
            "geoCircle(",
            " GEOWITHIN ", " TEXT ", "any ", "==", "<", "!", "&", "|", "#any", "[0]", "[SIZE]", "e\u{301}", "\u{301}",
            "9",
        ].map { Array($0.unicodeScalars) }
        for round in 0..<8_000 {
            var text = Array(corpus[below(corpus.count)].unicodeScalars)
            for _ in 0...below(3) {
                let index = below(text.count + 1)
                switch below(5) {
                case 0 where !text.isEmpty: text.remove(at: min(index, text.count - 1))
                case 1: text.insert(contentsOf: pieces[below(pieces.count)], at: index)
                case 2 where !text.isEmpty:
                    text.replaceSubrange(
                        min(index, text.count - 1)..<min(text.count, index + 1), with: pieces[below(pieces.count)])
                case 3: text.removeLast(min(text.count, below(8)))
                default:
                    let other = Array(corpus[below(corpus.count)].unicodeScalars)
                    text = Array(text.prefix(index)) + other.suffix(below(other.count))
                }
            }
            let mutated = String(String.UnicodeScalarView(text))
            guard check(mutated, round % 3 == 0 ? .format : .rql, seed) else { return }
        }
    }

    @Test("random tokens and random bytes give a tree or an error inside the text")
    func noise() {
        let seed = TestSeed.of()
        print("random query texts seed \(seed)")
        var random = SeededRandom(seed: seed)
        let printable = Array(" aAxK0159.,-+*/()[]{}<>=!&|'\"\\@$%#_:TeEfdcNOTDIns".utf8)
        for round in 0..<8_000 {
            let length = Int(random.next() >> 8 % 24)
            let bytes = (0..<length).map { _ in
                let next = random.next() >> 8
                return round % 4 == 0 ? UInt8(truncatingIfNeeded: next) : printable[Int(next % UInt64(printable.count))]
            }
            guard check(String(decoding: bytes, as: UTF8.self), round % 2 == 0 ? .format : .rql, seed) else { return }
        }
    }

    // MARK: Limits

    /// Runs on a thread with a quarter of the usual stack, although the code is not optimised.
    private func onSmallStack<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Result {
        let result = Promise<Result>()
        let thread = Thread { result.set(work()) }
        thread.stackSize = 2 << 20
        thread.start()
        return result.wait()
    }

    /// The ways to nest, as beginning, middle and end.
    static let nestings: [(open: String, middle: String, close: String)] = [
        ("(", "a == 1", ")"), ("NOT ", "a == 1", ""), ("!", "a == 1", ""), ("NOT (", "a == 1", ")"),
        ("(", "a", ") == 1"), ("(1 + ", "a", ") == 1"), ("", "a == 1", " + 1"), ("", "a == 1", " * a"),
        ("1 == 1 AND (", "a == 1", ")"), ("SUBQUERY(a, $x, ", "a == 1", ").@count == 1"),
        ("b == 2 OR NOT SUBQUERY(a, $x, ", "a == 1", ").@count + 1 == 1"),
        ("SUBQUERY(a, $x, ", "a == 1", ").@count + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 + 1 == 1"),
    ]

    private static func nested(_ nesting: (open: String, middle: String, close: String), _ count: Int) -> String {
        var text = String(repeating: nesting.open, count: count) + nesting.middle
        if nesting.close.hasSuffix("== 1"), !nesting.close.contains("@count") {
            // The comparison occurs once, at the outermost level.
            let close = nesting.close.dropLast(5)
            text += String(repeating: String(close), count: count) + " == 1"
        } else {
            text += String(repeating: nesting.close, count: count)
        }
        return text
    }

    @Test("up to the limit a text is parsed, printed and parsed again, beyond it rejected", arguments: nestings)
    func depth(_ open: String, _ middle: String, _ close: String) {
        let nesting = (open: open, middle: middle, close: close)
        let outcome = onSmallStack { () -> (deepest: Int, isFaithful: Bool, codes: Set<QueryError.Code>) in
            var deepest = 0
            var isFaithful = true
            var codes: Set<QueryError.Code> = []
            for count in [1, 17, 99, 100, 198, 199, 200, 201, 202, 1000, 10_000] {
                let text = Self.nested(nesting, count)
                do throws(QueryError) {
                    let query = try QueryParser.parse(text)
                    deepest = max(deepest, count)
                    isFaithful = isFaithful && (try? QueryParser.parse(QueryPrinter.text(query))) == query
                } catch {
                    codes.insert(error.code)
                }
            }
            return (deepest, isFaithful, codes)
        }
        #expect(outcome.deepest >= 17)
        #expect(outcome.deepest <= QueryParser.depthLimit)
        #expect(outcome.isFaithful)
        #expect(outcome.codes == [.tooDeep])
    }

    @Test("chains and lists have any length, texts have a limit")
    func length() throws {
        let or = try QueryParser.parse((0..<20_000).map { "a == \($0)" }.joined(separator: " OR "))
        guard case .or(let parts) = or.predicate else {
            Issue.record("not an OR")
            return
        }
        #expect(parts.count == 20_000)
        #expect(try QueryParser.parse(QueryPrinter.text(or)) == or)
        let list = "a IN {" + (0..<100_000).map(String.init).joined(separator: ",") + "}"
        #expect(ParserCorpusTests.fault(list) == nil)
        #expect(ParserCorpusTests.fault("a == '" + String(repeating: "x", count: 1 << 20) + "'")?.code == .tooLong)
        // Linear: these would take minutes if each parenthesis or quotation mark scanned all the rest.
        #expect(ParserCorpusTests.fault(String(repeating: "(", count: 1 << 20))?.code == .tooDeep)
        #expect(ParserCorpusTests.fault("a == 1" + String(repeating: ")", count: 1 << 19))?.code == .syntax)
        #expect(ParserCorpusTests.fault("a IN (" + String(repeating: "(),", count: 1 << 17))?.code == .syntax)
    }

    @Test("the numbers of names and indexes in a path are limited")
    func paths() {
        func fault(_ path: String) -> QueryError.Code? { ParserCorpusTests.fault(path + " == 1")?.code }
        let names = QueryParser.pathLimit
        let indexes = QueryParser.indexLimit
        #expect(fault(Array(repeating: "a", count: names).joined(separator: ".")) == nil)
        #expect(fault(Array(repeating: "a", count: names + 1).joined(separator: ".")) == .tooDeep)
        #expect(fault("a" + String(repeating: "[0]", count: indexes)) == nil)
        #expect(fault("a" + String(repeating: "[0]", count: indexes + 1)) == .tooDeep)
        #expect(fault(String(repeating: "a[0].", count: names - 1) + "a") == nil)
    }

    @Test("a parsed query does not depend on spaces and spellings")
    func equality() throws {
        #expect(try QueryParser.parse("a=1&&b<>2") == QueryParser.parse("(a == 1) AND b != 2"))
        #expect(try QueryParser.parse("a == 1.5") != QueryParser.parse("a == 1.50"))
        #expect(try QueryParser.parse("a == 1.5") != QueryParser.parse("a == 1.5f"))
        #expect(
            try QueryParser.parse("ANY a.b ==[c] $1 LIMIT(3)")
                == ParsedQuery(
                    .comparison(
                        ParsedComparison(
                            ParsedOperand(.path(ParsedPath([.name("a"), .name("b")])), quantifier: .any),
                            .comparison(.equal), ParsedOperand(.constant(.argument(1))), ignoresCase: true)),
                    [.limit(3)]))
    }
}
