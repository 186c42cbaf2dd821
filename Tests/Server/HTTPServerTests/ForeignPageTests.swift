import HTTPMessages
import HTTPServer
import HTTPTesting
import Testing

@Suite("Pages of other origins")
struct ForeignPageTests {
    private func status(
        _ method: HTTPMethod, _ headers: HeaderFields, origins: Set<String> = ["*", "https://listed.example"],
        isOpen: Bool = true
    ) throws -> Int {
        var policy = CrossOriginPolicy(origins: origins)
        policy.isOpen = { isOpen }
        var router = Router()
        router.use(allowCrossOrigin { [policy] in policy })
        router.use(refuseCrossSiteRequests { [policy] in policy })
        for method in [HTTPMethod.get, .post, .put, .patch, .delete] {
            router.on(method, "/a") { _, _ in .now(.text("a")) }
        }
        let answer = try router.answer(try Request(method, "/a", headers: headers))
        if answer.status == 403 {
            let text = String(decoding: answer.bodyBytes, as: UTF8.self)
            #expect(text.contains(#""code":"origin.foreign""#) && text.contains("cors.origins"))
        }
        return answer.status
    }

    /// Host, Origin and Sec-Fetch-Site, and whether the caller is allowed: a page of the server, a listed page or a
    /// program.
    static let callers: [(host: String, origin: String?, site: String?, passes: Bool)] = [
        ("127.0.0.1:8080", nil, nil, true), ("127.0.0.1:8080", nil, "none", true),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", "same-origin", true),
        ("127.0.0.1:8080", "http://127.0.0.1:8080", nil, true), ("localhost", "https://LOCALHOST", nil, true),
        ("127.0.0.1:8080", nil, "same-origin", true), ("[::1]:80", "http://[::1]:80", nil, true),
        ("127.0.0.1:8080", "https://listed.example", "cross-site", true),
        ("127.0.0.1:8080", "https://listed.example", nil, true),
        ("127.0.0.1:8080", "http://127.0.0.1:8081", "same-site", false),
        ("127.0.0.1:8080", "http://127.0.0.1:8081", nil, false), ("127.0.0.1:8080", "http://127.0.0.1", nil, false),
        ("127.0.0.1:8080", "http://localhost:8080", "cross-site", false),
        ("127.0.0.1:8080", "https://127.0.0.1:8080", "cross-site", false),
        ("127.0.0.1:8080", "https://evil.example", "cross-site", false),
        ("127.0.0.1:8080", "https://evil.example", nil, false), ("127.0.0.1:8080", nil, "cross-site", false),
        ("127.0.0.1:8080", nil, "same-site", false), ("127.0.0.1:8080", nil, "anything", false),
        ("127.0.0.1:8080", "null", nil, false), ("127.0.0.1:8080", "null", "same-origin", false),
        ("127.0.0.1:8080", "*", nil, false), ("127.0.0.1:8080", "", nil, false),
        ("127.0.0.1:8080", "127.0.0.1:8080", nil, false), ("127.0.0.1:8080", "file://127.0.0.1:8080", nil, false),
        ("127.0.0.1:8080", "http://127.0.0.1:8080, https://evil.example", nil, false),
        ("127.0.0.1:8080", "http://127.0.0.1:8080.evil.example", nil, false),
        ("127.0.0.1:8080", "http://evil@127.0.0.1:8080", nil, false),
    ]

    @Test(
        "change nothing while nobody is asked for credentials, and those of the server and listed ones do",
        arguments: callers.indices)
    func changes(index: Int) throws {
        let (host, origin, site, passes) = Self.callers[index]
        var headers: HeaderFields = ["Host": host]
        headers["Origin"] = origin
        headers["Sec-Fetch-Site"] = site
        for method in [HTTPMethod.post, .put, .patch, .delete] {
            #expect(try status(method, headers) == (passes ? 200 : 403))
            #expect(try status(method, headers, isOpen: false) == 200)
        }
        // Reads are answered, and CORS keeps the page from reading the response.
        #expect(try status(.get, headers) == 200)
        #expect(try status(.options, headers) == 204)
        #expect(try status(.other("BREW"), headers) == (passes ? 405 : 403))
        // A listed `null` would match any page.
        #expect(
            try status(.post, headers, origins: ["null"]) == (passes && origin != "https://listed.example" ? 200 : 403))
    }

    @Test("are foreign by any difference of host or port", arguments: ["http://", "https://"])
    func differences(scheme: String) throws {
        let names = ["127.0.0.1", "127.0.0.2", "localhost", "[::1]", "app.localhost", "127.0.0.1.evil.example"].flatMap
        {
            name in ["", ":80", ":8080", ":8081", ":443"].map { name + $0 }
        }
        for host in names {
            for origin in names {
                #expect(try status(.post, ["Host": host, "Origin": scheme + origin]) == (host == origin ? 200 : 403))
            }
        }
    }
}
