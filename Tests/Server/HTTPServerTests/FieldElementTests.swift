import Testing

@testable import HTTPMessages
@testable import HTTPServer

@Suite("Elements of header fields")
struct FieldElementTests {
    private static func text(_ element: FieldElement) -> String {
        ([element.name] + element.parameters.map { "\($0.name)=\($0.value ?? "-")" }).joined(separator: "|")
    }

    @Test(
        "a name and its parameters, without blanks, quotes and capitals of names",
        arguments: [
            ("gzip", "gzip"), (" GZIP ;\tQ = 0.5 ", "gzip|q=0.5"),
            ("Application/JSON; charset=\"UTF-8\"; x", "application/json|charset=UTF-8|x=-"), ("a;", "a"),
            (";q=1", "|q=1"), ("", ""), ("a;b=", "a|b="), ("a;b=\"", "a|b=\""),
        ])
    func one(text: String, expected: String) { #expect(Self.text(FieldElement(text)) == expected) }

    @Test("elements of a list, of which empty ones do not count")
    func list() {
        #expect(FieldElement.list("a;q=1, ,b,,").map(Self.text) == ["a|q=1", "b"])
        #expect(FieldElement.list(" ").isEmpty)
    }

    @Test("a field that is set replaces all of its name, and others keep their order")
    func setting() throws {
        let fields: HeaderFields = ["A": "1", "b": "2", "a": "3", "C": "4"]
        var request = try Request(.get, "/", headers: fields)
        request.setHeader("B", "5")
        #expect(request.headers.map { "\($0.name) \($0.value)" } == ["A 1", "a 3", "C 4", "B 5"])
        request.setHeader("a", nil)
        #expect(request.headers.map(\.name) == ["C", "B"] && request.header("A") == nil)
        request.setHeader("c", "")
        #expect(request.header("C")?.isEmpty == true && request.headers.map(\.name) == ["B", "c"])
    }

    @Test("a read of a form has its parameters after those of the query, and the header but for what is taken out")
    func form() throws {
        var request = try Request(
            .post, "/v1/query/a%2Fb?x=1", headers: ["ETag": "e", "Accept": "*/*"], body: Array("ignored".utf8), id: 7)
        request.isOnLoop = true
        let read = try request.read(of: ["v1", "a/b"], form: Array("y=%20+z&x=2".utf8), without: ["etag", "none"])
        #expect(read.method == .get && read.segments == ["v1", "a/b"] && read.body.isEmpty && read.id == 7)
        #expect(read.query.map { "\($0.name):\($0.value)" } == ["x:1", "y:  z", "x:2"] && read.isOnLoop)
        #expect(read.headers.map(\.name) == ["Accept"])
        for wrong in ["a=%2", "a=%FF", "a=\u{0}", "a=\u{1B}"] {
            #expect(throws: HTTPError.self) { try request.read(of: [], form: Array(wrong.utf8), without: []) }
        }
    }

    @Test(
        "blanks that are not encoded are the layout of a form around names and values, and a part of a value within",
        arguments: [
            (" a = b ", ["a:b"]), ("a=b c&\n d = e\n", ["a:b c", "d:e"]), ("a=+b+& c=%20", ["a: b ", "c: "]),
            (" \r\n", []), ("a = b = c ", ["a:b = c"]), ("a\tb=1", ["a\tb:1"]), ("a=\n&b", ["a:", "b:"]),
            ("filter = n > 3 AND\n  m < 5 &\nlimit = 2\n", ["filter:n > 3 AND\n  m < 5", "limit:2"]),
        ] as [(String, [String])])
    func blanks(form: String, items: [String]) throws {
        let request = try Request(.post, "/v1/query/a")
        let read = try request.read(of: [], form: Array(form.utf8), without: [])
        #expect(read.query.map { "\($0.name):\($0.value)" } == items)
    }
}
