import Gateway
import HTTPServer
import HTTPTesting
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
