import HTTPMessages
import HTTPServer
import Testing

@Suite("Request targets")
struct RequestTests {
    @Test(
        "a path is split before it is decoded",
        arguments: [
            ("/", []), ("/v1/objects/Dog", ["v1", "objects", "Dog"]), ("/a%2Fb/c", ["a/b", "c"]), ("/a/", ["a", ""]),
            ("/%C3%A9t%C3%A9", ["été"]), ("/a+b", ["a+b"]), ("*", []), ("http://h:1/x/y?z", ["x", "y"]),
        ] as [(String, [String])])
    func segments(target: String, expected: [String]) throws {
        #expect(try Request(.get, target).segments == expected)
    }

    @Test("query items keep their order, repeat, and decode plus and percent")
    func query() throws {
        let request = try Request(.get, "/x?a=1&b=%26%3D+c&a=2&flag&&=v")
        #expect(
            request.query == [
                QueryItem(name: "a", value: "1"), QueryItem(name: "b", value: "&= c"), QueryItem(name: "a", value: "2"),
                QueryItem(name: "flag", value: ""), QueryItem(name: "", value: "v"),
            ])
        #expect(request.query("a") == "1")
        #expect(request.queryValues("a") == ["1", "2"])
        #expect(request.query("flag") == "")
        #expect(request.query("absent") == nil)
        #expect(request.path == "/x")
    }

    @Test(
        "a target that is not percent-encoded UTF-8 is a 400",
        arguments: [
            "/%", "/%4", "/%zz", "/a%ff", "/%fe", "/%ff%ff", "/%ff%c3", "/x?a=%c3", "/x?a=%00", "/x?%ff", "/a b", "x",
            "", "/x?%e2%82", "://", "/\u{7f}",
        ])
    func malformed(target: String) {
        #expect { try Request(.get, target) } throws: { ($0 as? HTTPError)?.status == 400 }
    }

    @Test(
        "every text is a segment, also one that clients would take out of a path",
        arguments: [
            ("/v1/%FF", ["v1", ""]), ("/v1/%ff/a", ["v1", "", "a"]), ("/v1/", ["v1", ""]), ("/v1//a", ["v1", "", "a"]),
            ("/%FF.", ["."]), ("/%FF../%ff.", ["..", "."]), ("/./..", [".", ".."]), ("/%2e/%2E%2e", [".", ".."]),
            ("/%00", ["\0"]), ("/a%00%00b", ["a\0\0b"]), ("/%FF%00", ["\0"]), ("/%FF%C3%BF", ["\u{ff}"]),
            ("/%FFa%2Fb", ["a/b"]), ("/%25FF", ["%FF"]), ("/%CC%81", ["\u{301}"]), ("/a+b%2B", ["a+b+"]),
        ])
    func segments(target: String, segments: [String]) throws {
        #expect(try Request(.get, target).segments.map { Array($0.utf8) } == segments.map { Array($0.utf8) })
    }

    @Test("header names do not care about case, and repeated fields join")
    func headers() throws {
        let request = try Request(.get, "/", headers: ["Accept": "a", "X-Id": "7", "accept": "b"])
        #expect(request.header("ACCEPT") == "a, b")
        #expect(request.header("x-id") == "7")
        #expect(request.header("x-i") == nil)
        #expect(request.headers.map(\.name) == ["Accept", "X-Id", "accept"])
    }
}
