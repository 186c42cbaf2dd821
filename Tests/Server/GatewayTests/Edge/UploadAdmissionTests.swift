import Gateway
import HTTPMessages
import HTTPServer
import HTTPTesting
import RequestHandling
import Testing

@Suite("Who may send files")
struct UploadAdmissionTests {
    /// Announces a gigabyte, sends nothing of it, and returns the response, which therefore comes before the body.
    private func refusal(_ port: UInt16, _ headers: String) throws -> LoopbackClient.Answer {
        let client = try LoopbackClient(port: port)
        try client.send(
            "POST /v1/import/Dog",
            headers: "Content-Type: application/x-ndjson\r\nContent-Length: 1000000000\r\n\(headers)")
        return try client.receive()
    }

    @Test("strangers and unknown keys are refused before the file comes, with all that a refusal has")
    func strangers() throws {
        let guarded = try GuardedGateway()
        try guarded.gateway.serve { port in
            for headers in ["", "X-API-Key: rg_none_0000\r\n"] {
                let answer = try refusal(port, headers + "Origin: https://a.example\r\nX-Request-Id: mine\r\n")
                #expect(answer.status == 401)
                #expect(answer["X-Request-Id"] == "mine")
                #expect(answer["Access-Control-Allow-Origin"] == "*")
                #expect(answer["X-Content-Type-Options"] == "nosniff")
            }
        }
    }

    @Test(
        "what is wrong with a request besides its body is said before the body comes, also to who waits for it",
        arguments: [
            ("import/Dog", "application/pdf", 415), ("import/Dog", "", 415),
            ("import/Dog", "text/csv; charset=iso-8859-1", 415),
            ("import/Dgo", "text/csv", 404), ("import/Dog?update=always", "text/csv", 400),
            ("import/Dog?atomic=perhaps", "application/x-ndjson", 400), ("import/Dog?what=1", "text/csv", 400),
            ("import/Dog?format=xml", "text/csv", 400),
            ("schema/inference", "text/csv", 400), ("schema/inference?class=Dog", "text/csv", 400),
            ("schema/inference?class=New", "text/html", 415), ("schema/inference?class=New&type=a", "text/csv", 400),
            ("import", "text/csv", 415), ("import?rename=a=b&x=1", "application/x-realm", 400),
            ("import?dryRun=perhaps", "application/x-realm", 400), ("backup/check", "text/csv", 415),
            ("backup/check?a=b", "application/octet-stream", 400),
        ])
    func wrongRequests(path: String, type: String, status: Int) throws {
        let guarded = try GuardedGateway()
        let key = "X-API-Key: \(try guarded.secret("admin"))\r\n"
        try guarded.gateway.serve { port in
            for expects in [true, false] {
                let client = try LoopbackClient(port: port)
                try client.send(
                    "POST /v1/\(path)",
                    headers: key + (type.isEmpty ? "" : "Content-Type: \(type)\r\n") + "Content-Length: 100000000\r\n"
                        + "Origin: https://a.example\r\n" + (expects ? "Expect: 100-continue\r\n" : ""))
                let answer = try client.receive()
                #expect(answer.status == status)
                #expect(answer["Content-Type"] == "application/problem+json")
                #expect(answer["Access-Control-Allow-Origin"] == "*" && answer["X-Request-Id"] != nil)
            }
        }
    }

    @Test("a body that is expected to be right is asked for")
    func rightRequest() throws {
        let guarded = try GuardedGateway()
        let key = "X-API-Key: \(try guarded.secret("admin"))\r\n"
        try guarded.gateway.serve { port in
            for type in [
                "text/csv; charset=utf8", "Text/CSV;charset=\"UTF-8\"", "application/x-ndjson; charset=us-ascii",
            ] {
                let client = try LoopbackClient(port: port)
                let isCSV = type.lowercased().hasPrefix("text")
                let body = "\u{feff}" + (isCSV ? "_id,name\n902,b\n" : #"{"_id":903,"name":"c"}"#)
                try client.send(
                    "POST /v1/import/Dog?update=modified",
                    headers: key
                        + "Content-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n")
                #expect(try client.receive(hasBody: false).status == 100)
                try client.write(body)
                let answer = try client.receive()
                #expect(answer.status == 200 && answer.text.contains("\"refused\":0"), "\(answer.text)")
            }
        }
    }

    @Test("who comes too often is refused before the file comes, and an upload counts once", arguments: [true, false])
    func tooOften(byAddress: Bool) throws {
        let guarded = try GuardedGateway {
            let limit = RateLimit(perSecond: 0.001, burst: 3)
            if byAddress { $0.addressRate = limit } else { $0.callerRate = limit }
        }
        let key = "X-API-Key: \(try guarded.secret("admin"))\r\n"
        try guarded.gateway.serve { port in
            let row = #"{"id":901,"name":"a"}"# + "\n"
            for _ in 0..<3 {
                let client = try LoopbackClient(port: port)
                try client.send(
                    "POST /v1/import/Dog?policy=skip",
                    headers: key + "Content-Type: application/x-ndjson\r\nContent-Length: \(row.utf8.count)\r\n",
                    form: row)
                #expect(try client.answer().status != 429)
            }
            let answer = try refusal(port, key)
            #expect(answer.status == 429)
            #expect(answer["Retry-After"] != nil)
        }
    }
}
