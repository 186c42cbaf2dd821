import QuerySyntax
import Testing

/// A text and its printed form; one column where that is the text itself.
private func same(_ texts: String...) -> [(String, String)] { texts.map { ($0, $0) } }

/// The tests of `ParserCorpusTests` for each rule of the reference.
@Suite("Rules of query texts")
struct ParserTextTests {
    private static func printed(_ text: String, _ dialect: QueryDialect = .rql) -> String {
        ParserCorpusTests.printed(text, dialect)
    }

    // MARK: Words

    static let words: [(String, String)] =
        same(
            "sort > 0", "in IN {'in'}", "text TEXT 'a'", "like LIKE 'a'", "between BETWEEN {1, 2}",
            "limit == 1 LIMIT(1)",
            "distinct == 1 DISTINCT(distinct)", "asc == 1 SORT(asc ASC, desc DESC)", "first == last",
            "size == tags[SIZE]",
            "bin == binary", "contains CONTAINS contains", "beginswith BEGINSWITH endswith", "obj == subquery",
            "geobox == geocircle", "geowithin GEOWITHIN $0", "any == 3", "ANY any == 3", "any IN {1}", "any IN in",
            "ANY in IN x", "ANY in == 3", "all.some[0] == none", "ALL all IN ANY any", "any IN in AND all == 1",
            "any IN in SORT(any ASC)", "ANY in IN sort", "x IN ANY in AND y == any", "x == any SORT(a ASC)",
            "dog.any == 1", "any + all == none * 2", "any CONTAINS[c] 'x'",
            "ANY contains CONTAINS[c] 'x'", "length.length == 1", "$x == $y-1", "$ == 1", "$K == 1", "$-1 == 2",
            "$0-1 == 2", "$0x == 2", "_ == __", "é.ü == 1", "True == False", "Not == In", "T == T5", "B64 == 'x'",
            "uuid == oid", "L3 == 1", "nulls == nils", "T0.x == 1")
        + [
            ("(ANY in + 1) * 2 == (ANY like)", "(ANY in + 1) * 2 == ANY like"),
            ("aGe == 1 aNd age == 2 Or age == 3", "aGe == 1 AND age == 2 OR age == 3"),
            ("name bEgInSwItH 'a'", "name BEGINSWITH 'a'"), ("name EndsWith 'a'", "name ENDSWITH 'a'"),
            ("TruePredicate sOrT(a aScEnDiNg, b DESCENDING)", "TRUEPREDICATE SORT(a ASC, b DESC)"),
            ("falsepredicate", "FALSEPREDICATE"), ("a == NiL", "a == null"), ("a == Null", "a == null"),
            ("a == NAN", "a == nan"), ("a == -Infinity", "a == -inf"), ("a == +inf", "a == inf"),
            ("a == -nan", "a == nan"), ("a == TRUE", "a == true"), ("a == FALSE", "a == false"),
            ("some a == 1", "ANY a == 1"), ("SOME a == 1", "ANY a == 1"), ("none a == 1", "NONE a == 1"),
            ("a in {1}", "a IN {1}"), ("not a == 1", "NOT a == 1"), ("a=1", "a == 1"), ("a<>1", "a != 1"),
            ("a=<1", "a <= 1"), ("a=>1", "a >= 1"), ("a==aORb", "a == aORb"), ("!a==1", "NOT a == 1"),
            ("a==1&&b==2||!c==3", "a == 1 AND b == 2 OR NOT c == 3"), ("\ta\r\n==\n1 ", "a == 1"),
            ("a-b==1", "a-b == 1"), ("a\\nb == 1", "a\\nb == 1"), ("\\u0061b == 1", "ab == 1"),
            ("\\u006eot == 1", "\\u006eot == 1"), ("\\u0031st == 1", "\\u0031st == 1"),
            ("a\\u002bb == 1", "a\\u002bb == 1"),
            ("\\u00240 == 1", "\\u00240 == 1"), ("\\u004f5 == 1", "\\u004f5 == 1"), ("x.\\u0054 == 1", "x.T == 1"),
            ("\\ a == 1", "\\ a == 1"), ("tags[first] == tags[last]", "tags[FIRST] == tags[LAST]"),
            ("a == Bin('x')", "a == binary(B64\"eA==\")"), ("a == OBJ('C', 1)", "a == obj('C', 1)"),
            ("SubQuery(a, $x, $x.b == 1).@size == 0", "SUBQUERY(a, $x, $x.b == 1).@count == 0"),
        ]

    @Test("names, keywords and signs are distinguished", arguments: words)
    func word(_ text: String, _ canonical: String) { #expect(Self.printed(text) == canonical) }

    // MARK: Constants

    static let constants: [(String, String)] =
        same(
            "0", "-12", "9223372036854775807", "-9223372036854775808", "99999999999999999999", "1.5", ".5", "10.",
            "1e3",
            "-2E-2", "1.5f", "5f", "1e3f", "-.5", "1.10", "0.1234567890123456789012345678901234", "1e400", "1e-999",
            "+1.5", "'it\"s'", "null", "inf", "nan", "true", "T5:7", "T-5:-7", "T0:-1", "$12", "binary(B64\"\")",
            "obj('Dog', 'rex')", "obj('Dog', null)", "obj('Dog', 1)", "obj('D', oid(507f1f77bcf86cd799439011))",
            "{}", "{1, 'a', null}", "{$0, obj('Dog', 1), binary(B64\"YQ==\"), 1.5, T0:0}")
        + [
            ("+7", "7"), ("0xFF", "255"), ("0Xff", "255"), ("-0x10", "-16"), ("-0", "0"), ("007", "7"),
            ("0x7FFFFFFFFFFFFFFF", "9223372036854775807"), ("1e100f", "inf"), ("1.5F", "1.5f"),
            ("\"it's\"", "'it\\'s'"), ("'\\\"\\'\\/\\b\\f\\n\\r\\t\\0\\\\'", "'\"\\'/\u{8}\u{c}\\n\\r\\t\\0\\\\'"),
            ("'\\u00e9\\ud83d\\ude00'", "'é😀'"), ("'%@ %% $0'", "'%@ %% $0'"), ("B64''", "''"), ("B64'w6k='", "'é'"),
            ("1970-01-01@0:0:0", "T0:0"), ("2017-12-31T23:59:59:123", "T1514764799:123"),
            ("2017-1-1@1:2:3", "T1483232523:0"), ("1969-12-31T23:59:59:1", "T-1:-1"), ("T+5:+3", "T5:3"),
            ("T00:00", "T0:0"), ("bin(B64\"/w==\")", "binary(B64\"/w==\")"),
            ("uuid(3B241101-E2BB-4255-8CAF-4136C566A962)", "uuid(3b241101-e2bb-4255-8caf-4136c566a962)"),
            ("oid(507F1F77BCF86CD799439011)", "oid(507f1f77bcf86cd799439011)"), ("%@", "$0"),
            ("{%@, %@, $7}", "{$0, $1, $7}"),
            ("{ 1 ,2 }", "{1, 2}"),
        ]

    @Test("constants are parsed with all their digits", arguments: constants)
    func constant(_ text: String, _ canonical: String) {
        #expect(Self.printed("p == " + text) == "p == " + canonical)
        #expect(Self.printed(text + " != p") == canonical + " != p")
    }

    // MARK: Shape

    static let structure: [(String, String)] =
        same(
            "age + 1 - 2 * 3 / 4 == 5", "(age + 1) * 2 == 4", "a - (b - c) == 1", "a / (b / c) == 1", "a - b - c == 1",
            "1 + age == 2 * $0", "ALL nums * 2 > ANY {1, 2} + 1", "age - 5 == 1", "age - -5 == 1", "a - b == 1",
            "a.@sum + SUBQUERY(b, $x, TRUEPREDICATE).@count * 2 >= b.@count", "NOT (a == 1 OR b == 2)",
            "NOT NOT a == 1",
            "(a == 1 AND b == 2) AND c == 3", "(a == 1 OR b == 2) AND c == 3", "a == 1 OR (b == 2 OR c == 3)",
            "NOT (a + 1) * 2 == 4", "(a + 1) * 2 == 4 AND (b == 1 OR NOT TRUEPREDICATE)",
            "a[0][1]['k'][$3][*][FIRST].b == 1", "a[SIZE] == 1", "a.@keys.@count == 1", "@links.@count == 1",
            "dog.@links.Person.dogs.@links.@size == 1", "a.@values[0] == 1", "$K0.@count == 1", "ANY $K3 == $K0",
            "$K0[SIZE] == $K1.@max.age", "a.@min == b.@max.c", "$d == 1",
            "SUBQUERY(a.b, $x, SUBQUERY($x.c, $y, $y.d == $x).@count > 1).@count == 0",
            "SUBQUERY(@links.Person.dogs, $-, $- == $0).@count == 0", "a ==[c] 'x'", "a !=[d] 'x'", "a IN[cd] {'x'}",
            "a ENDSWITH[d] b", "a LIKE[c] $0", "bio TEXT 'swim -jump climb*'", "p GEOWITHIN $0",
            "ANY p.q GEOWITHIN geoCircle([-123.3, 48.4], 0.001)", "p GEOWITHIN geoBox([1, 2.0], [$0, $1])",
            "p GEOWITHIN geoPolygon({[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]}, {[0.5, 0.5]})",
            "a == 1 LIMIT(0) LIMIT(9223372036854775807) SORT(a[0] ASC, b['k'].c DESC) DISTINCT($K0, m.k)",
            "a BETWEEN $0", "a BETWEEN {$0, $1}", "{1} == a", "NONE {1, 2} IN a", "ANY $0 == a")
        + [
            ("((age)) == 3", "age == 3"), ("((age) == 3)", "age == 3"), ("(age) == (3)", "age == 3"),
            ("(age) == 3 AND (name == 'x')", "age == 3 AND name == 'x'"), ("((a) + (1)) == 2", "a + 1 == 2"),
            ("(a * 2) + 1 == 2", "a * 2 + 1 == 2"), ("(a) IN {1}", "a IN {1}"),
            ("(a) BETWEEN {1, 2}", "a BETWEEN {1, 2}"),
            ("(a) CONTAINS 'x' OR (a) TEXT 'x'", "a CONTAINS 'x' OR a TEXT 'x'"),
            ("(p) GEOWITHIN $0", "p GEOWITHIN $0"),
            ("((a == 1) AND (b == 2)) OR ((c == 3))", "a == 1 AND b == 2 OR c == 3"),
            ("!id1 == 5 && x == 1", "NOT id1 == 5 AND x == 1"), ("!(a == 1) || b == 2", "NOT a == 1 OR b == 2"),
            ("(ANY a) + 1 == 2", "ANY a + 1 == 2"), ("a == [c] 'x'", "a == [c] 'x'"), ("a ==[dc] 'x'", "a ==[cd] 'x'"),
            ("a [ 0 ] . b == 1", "a[0].b == 1"), ("a[%@].b == %@ AND c IN %@", "a[$0].b == $1 AND c IN $2"),
            ("%K == %@ AND %K == $0", "$K0 == $1 AND $K2 == $0"), ("%K.@count > %@", "$K0.@count > $1"),
            ("p GEOWITHIN GEOCIRCLE([%@, %@, 7.5], %@)", "p GEOWITHIN geoCircle([$0, $1], $2)"),
            ("p GEOWITHIN geobox([0, 1], [2, 3])", "p GEOWITHIN geoBox([0, 1], [2, 3])"),
            ("SUBQUERY(a, $x, $x.b == %@).@size == %@", "SUBQUERY(a, $x, $x.b == $0).@count == $1"),
            ("age - inf == 1", "age - inf == 1"),
            ("TRUEPREDICATE AND (FALSEPREDICATE)", "TRUEPREDICATE AND FALSEPREDICATE"),
        ].map { $0.0 == "a == [c] 'x'" ? ($0.0, "a ==[c] 'x'") : $0 }

    @Test("operators have the documented precedence", arguments: structure)
    func shape(_ text: String, _ canonical: String) { #expect(Self.printed(text) == canonical) }

    // MARK: Formats

    static let formats: [(String, String)] = [
        ("age > %@ AND name == %@", "age > $0 AND name == $1"), ("%K > %d", "$K0 > $1"),
        ("a IN {%d, %i, %u, %ld, %lu, %lld, %llu, %f}", "a IN {$0, $1, $2, $3, $4, $5, $6, $7}"),
        ("name == '100%%' AND x == '50%'", "name == '100%' AND x == '50%'"),
        ("prices.@allKeys == %@", "prices.@keys == $0"), ("ANY prices.@allValues > 1", "ANY prices.@values > 1"),
        ("prices[%@] == %@", "prices[$0] == $1"), ("any[#any] == 1", "any[*] == 1"),
        ("any['a'][#any][0] == 1", "any['a'][*][0] == 1"),
        ("ANY dogs.age != 3", "ANY dogs.age != 3"), ("any dogs.age == 3", "ANY dogs.age == 3"),
        ("Any dogs.age In {1}", "ANY dogs.age IN {1}"), ("Not a == True", "NOT a == true"),
        ("a == YES OR a == no", "a == true OR a == false"),
        ("name ==[cd] 'x' and name CONTAINS [d] %@", "name ==[cd] 'x' AND name CONTAINS[d] $0"),
        ("a BETWEEN {%@, %@}", "a BETWEEN {$0, $1}"), ("a BETWEEN %@", "a BETWEEN $0"), ("%@ IN tags", "$0 IN tags"),
        ("TRUEPREDICATE", "TRUEPREDICATE"),
        ("SUBQUERY(dogs, $d, $d.age > %@).@count > %d", "SUBQUERY(dogs, $d, $d.age > $0).@count > $1"),
        ("#size == 1 AND #not == 2", "size == 1 AND \\u006eot == 2"), ("dogs.@avg.age == 2.5", "dogs.@avg.age == 2.5"),
        ("a == $0", "a == $0"),
    ]

    @Test("formats are parsed into the same tree", arguments: formats)
    func format(_ text: String, _ canonical: String) throws {
        #expect(Self.printed(text, .format) == canonical)
        #expect(try QueryParser.parse(text, dialect: .format) == QueryParser.parse(canonical))
    }

    // MARK: Refusals

    static let refusals: [(text: String, position: Int, hint: String?)] = [
        // Tokens.
        ("'é€😀' == a b", 11, nil), ("a == #", 5, nil), ("a == 3;", 6, nil), ("a == 'x", 5, nil), ("a == \"x'", 5, nil),
        ("a == 'x\\", 5, nil),
        ("a == 'é\\x'", 7, "\\\\"), ("a == '\\u12'", 6, "\\\\"), ("a == '\\ud83d'", 6, "\\\\"),
        ("a == '\\ude00'", 6, "\\\\"),
        ("a == '\\u+123'", 6, "\\\\"), ("a\\x == 1", 1, nil), ("a\\", 1, nil), ("a | b", 2, "||"),
        ("a ^ b == 1", 2, nil),
        ("a == @", 5, nil), ("a == %x", 5, "$0"), ("a == %d", 5, "$0"), ("a == $99999999999999999999", 5, nil),
        ("a == B64'??'", 5, nil), ("a == B64'/w=='", 5, "bin(B64'/w==')"), ("a == uuid(12)", 5, nil),
        ("a == oid(12)", 5, nil),
        ("a == oid(507f1f77bcf86cd799439011", 5, nil), ("a == OID(507f1f77bcf86cd799439011)", 8, nil),
        ("a == 0x", 6, nil), ("a == 0x8000000000000000", 5, nil), ("a == O5", 5, "obj('Class', key)"),
        ("O5 == a", 0, "obj('Class', key)"), ("a == L3:5", 5, "obj('Class', key)"), ("a.O5 == 1", 2, "\\u004f5"),
        // Dates.
        ("a == 1899-12-31@0:0:0", 5, nil), ("a == 2001-02-30@0:0:0", 5, nil),
        ("a == 2017-12-31@10:30", 5, "2017-12-31@0:0:0"),
        ("a == 2017-12-31@", 5, "2017-12-31@0:0:0"), ("a == 2017-12-31@0:0:0:", 5, nil),
        ("a == 2017-12-31@0:0:0:1000000000", 5, nil),
        ("a == T1:-1", 5, nil), ("a == T-1:1", 5, nil), ("a == T5:", 5, "T5:0"), ("a == T0:1000000000", 5, nil),
        ("a == T9223372036854775808:0", 5, nil), ("a == 99999999999999999999-1-1@0:0:0", 5, nil),
        ("a == 9223372036854775807-1-1@0:0:0", 5, nil),
        // Signs.
        ("1-0 == a", 1, "- 0"), ("a == 1-0", 6, "- 0"), ("a +5 == 1", 2, "+ 5"), ("a == b -1", 7, "- 1"),
        ("a-b -inf == 1", 4, "- inf"),
        // Operators.
        ("a === 1", 4, "=="), ("a == 1 == 2", 7, "AND"), ("a 5", 2, nil), ("a", 1, "a == true"),
        ("(a)", 2, "a == true"),
        ("a AND b == 1", 2, "a == true"),
        ("a NOT IN {1}", 2, "NOT … IN"), ("a is null", 2, "=="), ("a MATCHES 'x'", 2, "LIKE"),
        ("a BEGINWITH 'x'", 2, "BEGINSWITH"),
        ("a <[c] 'x'", 3, nil), ("a BETWEEN[c] {1, 2}", 9, nil), ("a TEXT[c] 'x'", 6, nil), ("a [c] 'x'", 2, "==[c]"),
        ("a ==[C] 'x'", 4, nil),
        ("== 3", 0, nil), ("a ==", 4, nil), ("NOT", 3, nil), ("AND a == 1", 0, "\\u0041ND"), ("a == 1 AND", 10, nil),
        ("a == 1 OR OR b == 1", 10, "\\u004fR"),
        ("a == and", 5, "\\u0061nd"), ("a.null == 1", 2, "\\u006eull"), ("TRUEPREDICATE == a", 14, "AND"),
        ("a == TRUEPREDICATE", 5, "\\u0054RUEPREDICATE"),
        ("nOt a == 1", 4, nil), ("a In {1}", 2, "IN"), ("Any a == 1", 4, nil),
        // Brackets.
        ("a == 1)", 6, nil), ("((a == 1)", 9, nil), ("(a + 1 == 2", 11, nil), ("a == (1", 7, nil), ("()", 1, nil),
        ("a == ()", 6, nil),
        ("a IN {1", 7, nil), ("a IN {1,}", 8, nil), ("a IN {,}", 6, nil), ("a IN {{1}}", 6, nil), ("a IN {b}", 6, nil),
        ("a IN {SUBQUERY(b, $x, $x == 1).@count}", 6, nil),
        ("a == (1, 2)", 7, nil), ("a BETWEEN (1, 2)", 10, "{1, 2}"), ("{1, 2} ", 7, nil), ("(a == 1) + 2 == 3", 3, nil),
        // Quantifiers.
        ("ANY 3 == a", 0, nil), ("ALL 'x' == a", 0, nil), ("NONE (a) == 1", 5, nil), ("ANY a.@sum == 1", 0, nil),
        ("ANY ANY a == 1", 8, nil),
        ("ANY SUBQUERY(a, $x, $x == 1).@count == 1", 0, nil), ("ANY NOT a == 1", 4, "\\u004eOT"),
        ("ALL obj('C', 1) == a", 0, nil),
        // Paths.
        ("a. == 1", 3, nil), ("a..b == 1", 2, nil), (".a == 1", 0, nil), ("a.1st == 1", 1, nil),
        ("a.@COUNT == 1", 2, "@count"), ("a.@average == 1", 2, nil),
        ("a.@allKeys == 1", 2, "@keys"), ("@min == 1", 0, nil), ("@count == 1", 0, nil), ("a.@count.b == 1", 9, nil),
        ("a.@count[0] == 1", 8, nil), ("a[SIZE].b == 1", 8, nil),
        ("a.@min.b.c == 1", 9, nil), ("a.@min.@max == 1", 7, nil), ("a.@min[0] == 1", 6, nil), ("a[-1] == 1", 2, nil),
        ("a[0x1] == 1", 2, nil), ("a[1.5] == 1", 2, nil),
        ("a[b] == 1", 2, "['b']"), ("a[] == 1", 2, nil), ("a[0 == 1", 4, nil), ("a[First] == 1", 2, "['First']"),
        ("a[#any] == 1", 2, nil), ("a[null] == 1", 2, "['null']"),
        ("[0] == 1", 0, nil), ("a[99999999999999999999] == 1", 2, nil), ("$K0.x == 1", 4, nil), ("x.$K0 == 1", 2, nil),
        ("$K0[0] == 1", 3, nil), ("$0.x == 1", 2, nil),
        // Calls.
        ("a == obj(Dog, 1)", 9, nil), ("a == obj('Dog')", 14, nil), ("a == obj('Dog', x)", 16, nil),
        ("a == obj('Dog', $0)", 16, nil), ("a == obj('Dog', 1", 17, nil),
        ("a == bin(5)", 9, nil), ("a == bin('x'", 12, nil), ("a == bin()", 9, nil), ("f(x) == 1", 1, nil),
        ("SUBQUERY(a, x, b == 1).@count == 1", 12, "$x"), ("SUBQUERY(a, $, b == 1).@count == 1", 12, "$x"),
        ("SUBQUERY(a, $0, b == 1).@count == 1", 12, "$x"),
        ("SUBQUERY(a, $x.y, b == 1).@count == 1", 14, nil), ("SUBQUERY(a, $x, b == 1) == 1", 24, nil),
        ("SUBQUERY(a, $x, b == 1).@sum == 1", 24, nil),
        ("SUBQUERY(a, $x, b).@count == 1", 17, "b == true"), ("SUBQUERY(a, $x).@count == 1", 14, nil),
        ("SUBQUERY(1, $x, b == 1).@count == 1", 9, nil),
        ("SUBQUERY(a, $x, b == 1).@count.c == 1", 30, nil), ("SUBQUERY(a, 'x', b == 1).@count == 1", 12, nil),
        ("SUBQUERY(a, $x, b == 1", 22, nil),
        // Shapes.
        ("p GEOWITHIN 5", 12, nil), ("p GEOWITHIN q", 12, nil), ("3 GEOWITHIN $0", 0, nil),
        ("p == geoBox([0, 0], [1, 1])", 5, "GEOWITHIN"), ("p GEOWITHIN geoCircle([-1, 2], 3)", 23, "-1.0"),
        ("p GEOWITHIN geoCircle([1, 2])", 28, nil), ("p GEOWITHIN geoCircle([1], 2)", 24, nil),
        ("p GEOWITHIN geoCircle([1, inf], 2)", 26, nil), ("p GEOWITHIN geoCircle([1, 2, 3], 4)", 29, nil),
        ("p GEOWITHIN geoPolygon()", 23, nil), ("p GEOWITHIN geoPolygon({})", 24, nil),
        ("p GEOWITHIN geoPolygon([1, 2])", 23, nil), ("p GEOWITHIN geoBox([1, 2], [3, 4]", 33, nil),
        ("p GEOWITHIN geoCircle(['1', 2], 3)", 23, nil), ("p.@sum GEOWITHIN $0", 0, nil),
        // Steps.
        ("a == 1 SORT a ASC", 12, nil), ("a == 1 SORT()", 12, nil), ("a == 1 SORT(a UP)", 14, "a ASC"),
        ("a == 1 SORT(a.b[0])", 18, "a.b[0] ASC"), ("a == 1 SORT(a ASC b DESC)", 18, nil),
        ("a == 1 DISTINCT()", 16, nil),
        ("a == 1 DISTINCT(1)", 16, nil), ("a == 1 LIMIT()", 13, nil), ("a == 1 LIMIT(-0)", 13, nil),
        ("a == 1 LIMIT(0x10)", 13, nil), ("a == 1 LIMIT(+1)", 13, nil), ("a == 1 LIMIT($0)", 13, nil),
        ("a == 1 LIMIT(99999999999999999999)", 13, nil),
        ("a == 1 LIMIT(1) AND b == 1", 16, nil), ("a == 1 ORDER(a)", 7, "SORT"), ("a == 1 DISTICT(a)", 7, "DISTINCT"),
        ("a == 1 ADN b == 1", 7, "AND"), ("a=bDISTINCT(p)", 11, nil), ("LIMIT(1)", 0, "TRUEPREDICATE LIMIT"),
    ]

    @Test("malformed texts are rejected at the position of the fault", arguments: refusals)
    func refusal(_ text: String, _ position: Int, _ hint: String?) {
        let fault = ParserCorpusTests.fault(text)
        #expect(fault?.code == .syntax)
        #expect(fault?.position == position)
        #expect(fault?.hint == hint)
    }

    @Test(
        "what only formats have is refused in them too where it breaks their grammar",
        arguments: [
            ("a == %x", 5), ("a == %", 5), ("a == #", 5), ("a.@unionOfObjects.b == 1", 2), ("a MATCHES 'x'", 2),
            ("a == %@ %@", 8),
        ])
    func formatRefusal(_ text: String, _ position: Int) {
        let fault = ParserCorpusTests.fault(text, .format)
        #expect(fault?.code == .syntax)
        #expect(fault?.position == position)
    }

    @Test(
        "sentences are those that people look for",
        arguments: [
            ("a.@min.b.c == 1", "Nothing can follow an aggregate and its property in a key path."),
            ("a.@type.b == 1", "Nothing can follow '@type' in a key path."),
            ("a[SIZE][0] == 1", "Nothing can follow '[SIZE]' in a key path."),
            ("a.@foo == 1", "There is no operation '@foo' on key paths."),
            ("a == 1899-01-01@0:0:0", "Conversion of dates before 1900 is not supported."),
            ("a == T1:-1", "Invalid timestamp format"),
            ("$K0.x == 1", "Key path argument cannot be mixed with other elements"),
            ("SUBQUERY(a, x, b == 1).@count == 1", "The subquery variable 'x' is invalid. "),
            ("a <[c] 'x'", "Lexicographical comparisons must be case-sensitive"),
            ("born == 1990-1-1", "A date needs a time"),
            ("a == ", "The query ends where a property or a constant is expected."),
            ("a IN [1]", "Lists are written in braces."),
            (
                "a == " + String(repeating: "é", count: 30) + " " + String(repeating: "x", count: 99),
                "Expected AND, OR, SORT, DISTINCT, LIMIT or the end of the query, found '\(String(repeating: "x", count: 40))…'."
            ),
        ])
    func sentence(_ text: String, _ beginning: String) {
        #expect(ParserCorpusTests.fault(text)?.message.hasPrefix(beginning) == true)
    }

    @Test("errors stay short, however long a token is")
    func longTokens() throws {
        let long = String(repeating: "e\u{301}", count: 10_000)
        for text in [
            "a == b \(long)", "a == b e\(String(repeating: "\u{301}", count: 10_000))", "a.@\(long) == 1",
            "a[\(long)] == 1",
            "SUBQUERY(a, \(long), b == 1).@count == 1", "a == 1 SORT(\(long))", "\(long) AND b == 1",
            "a == O\(String(repeating: "1", count: 10_000))", "a IN ('\(long)', 1)",
        ] {
            let fault = try #require(ParserCorpusTests.fault(text))
            #expect(fault.message.utf8.count < 400)
            #expect((fault.hint?.utf8.count ?? 0) <= 200)
        }
    }
}
