import Testing

@testable import RequestHandling

@Suite("Accepted media types")
struct AcceptedTypesTests {
    static let headers: [(String, Bool)] = [
        ("*/*", true), ("application/json", true), ("application/*", true), ("text/html, */*;q=0.1", true),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8", true),
        ("APPLICATION/JSON;charset=utf-8", true), ("application/json;q=0", false), ("*/*, application/json;q=0", false),
        ("application/*;q=0, */*", false), ("application/json, application/*;q=0", true), ("text/html", false),
        ("application/xml, text/csv", false), ("", true), ("application/json ; q=0.5 , text/csv", true),
        ("application/json;q=x", false),
    ]

    @Test("the range that is most about a type decides", arguments: headers)
    func ranges(header: String, isTaken: Bool) {
        #expect(AcceptedTypes(header).accepts("application/json") == isTaken)
    }
}
