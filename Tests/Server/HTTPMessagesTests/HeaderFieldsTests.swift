import Testing

@testable import HTTPMessages

@Suite("Header fields")
struct HeaderFieldsTests {
    @Test("what an answer depends on is said once for each name, whatever its case, and * stands for all")
    func vary() {
        for (present, added, expected) in [
            (nil, "Origin", "Origin"), (nil, "A, B", "A, B"), ("Origin", "origin", "Origin"),
            ("A, B", "b, C", "A, B, C"), ("A,B", "B", "A,B"), (" A , B ", "a", " A , B "), ("*", "A", "*"),
            ("A", "AB", "A, AB"), ("AB", "A", "AB, A"), ("A", "A, B, b", "A, B"),
        ] as [(String?, String, String)] {
            var fields = HeaderFields()
            fields["Vary"] = present
            fields.vary(added)
            #expect(fields["vary"] == expected)
        }
    }

    @Test("a field of a request is found among others of the same length and first letter, and repeats are joined")
    func block() {
        let block = HeaderBlock([
            "Host": "h", "Hist": "i", "Accept": "a", "ACCEPT": "b", "X-Empty": "",
            "X-Long": String(repeating: "x", count: 70_000),
        ])
        #expect(block.value(of: "hist") == "i")
        #expect(block.value(of: "Host") == "h")
        #expect(block.value(of: "accept") == "a, b")
        #expect(block.value(of: "x-empty") == "")
        #expect(block.value(of: "X-LONG")?.utf8.count == 70_000)
        for absent in ["Hast", "Hos", "", "Origin", "X-None"] { #expect(block.value(of: absent) == nil) }
        #expect(block.fields.map(\.name) == ["Host", "Hist", "Accept", "ACCEPT", "X-Empty", "X-Long"])
        #expect(HeaderBlock().value(of: "Host") == nil)
    }
}
