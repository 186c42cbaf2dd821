import HTTPClient
import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("Requests to a server")
struct HTTPClientTests {
    private static let large = [UInt8](repeating: 0x78, count: 3_000_000)

    /// Runs the body with the port of a server that echoes.
    private func withServer(_ tls: TLSFiles? = nil, _ body: (Int) throws -> Void) throws {
        var configuration = ServerConfiguration()
        configuration.loops = 1
        configuration.bodyLimit = 4_000_000
        configuration.tls = tls
        var router = Router()
        router.get("/large") { _, _ in .now(.json(Self.large)) }
        router.post("/base/echo") { request, _ in
            .now(
                Response(
                    status: 201,
                    headers: ["Had": request.header("Had") ?? "", "Asked": request.header("Host") ?? ""],
                    body: .bytes(request.body)))
        }
        let server = HTTPServer(configuration: configuration, router: router)
        let port = try server.start()
        defer { server.stop(within: .seconds(5)) }
        try body(Int(port))
    }

    @Test(
        "a request arrives with its fields and body, and its response of any status returns", arguments: Wire.allCases)
    func exchange(over wire: Wire) throws {
        let authority = try TestCertificate(name: "authority")
        defer { authority.remove() }
        let certificate = try TestCertificate(name: "s", for: "IP:127.0.0.1,DNS:localhost", from: authority)
        defer { certificate.remove() }
        try withServer(wire == .tls ? certificate.files : nil) { port in
            for host in ["127.0.0.1", "localhost"] {
                let base = BaseURL(host: host, port: port, isSecure: wire == .tls, prefix: "/base")
                let client = try HTTPClient(
                    to: base, trusting: .authorities(file: authority.files.certificateChain), patience: TestRun.patience
                )
                let echo = try client.send(.post, "/echo", headers: ["Had": "1"], body: Self.large)
                #expect(echo.status == 201 && echo.bodyBytes == Self.large)
                #expect(echo.headers["Had"] == "1" && echo.headers["Asked"] == "\(host):\(port)")
                #expect(try client.send(.get, "/nothing").status == 404)
                #expect(try client.send(.head, "/nothing").bodyBytes.isEmpty)
                // A refusal while the body is sent.
                let refused = try client.send(.post, "/echo", body: [UInt8](repeating: 0, count: 5_000_000))
                #expect(refused.status == 413)
            }
            let base = BaseURL(host: "127.0.0.1", port: port, isSecure: wire == .tls)
            var client = try HTTPClient(to: base, trusting: .unverified, patience: TestRun.patience)
            #expect(try client.send(.get, "/large").bodyBytes == Self.large)
            client.responseLimit = 2_999_999
            #expect(throws: HTTPClientError.tooLong(limit: 2_999_999)) { try client.send(.get, "/large") }
        }
    }

    @Test("a certificate is accepted from an authority that is trusted, for that host, while it is valid")
    func certificates() throws {
        let authority = try TestCertificate(name: "authority")
        let other = try TestCertificate(name: "authority")
        let here = "IP:127.0.0.1"
        let good = try TestCertificate(name: "good", for: here, from: authority)
        let foreign = try TestCertificate(name: "foreign", for: "DNS:db.example,IP:127.0.0.2", from: authority)
        let expired = try TestCertificate(name: "expired", for: here, from: authority, days: -1)
        let alone = try TestCertificate(name: "alone", for: here)
        let all = [authority, other, good, foreign, expired, alone]
        defer { for certificate in all { certificate.remove() } }
        let unknown = "no authority that this client trusts has issued it"
        let cases: [(TestCertificate, TestCertificate?, String?)] = [
            (good, authority, nil), (alone, alone, nil), (good, other, unknown), (good, nil, unknown),
            (alone, authority, unknown), (foreign, authority, "it is not for '127.0.0.1'"),
            (expired, authority, "it has expired"),
        ]
        for (served, trusted, reason) in cases {
            try withServer(served.files) { port in
                let base = BaseURL(host: "127.0.0.1", port: port, isSecure: true)
                let client = try HTTPClient(
                    to: base, trusting: trusted.map { .authorities(file: $0.files.certificateChain) } ?? .system,
                    patience: TestRun.patience)
                guard let reason else {
                    #expect(try client.send(.get, "/nothing").status == 404)
                    return
                }
                #expect(throws: HTTPClientError.untrusted(endpoint: "127.0.0.1:\(port)", reason: reason)) {
                    try client.send(.get, "/nothing")
                }
                let careless = try HTTPClient(to: base, trusting: .unverified, patience: TestRun.patience)
                #expect(try careless.send(.get, "/nothing").status == 404)
            }
        }
    }

    @Test("a file without certificates is refused before a connection is made; plain HTTP needs none")
    func authorities() throws {
        let secure = BaseURL(host: "127.0.0.1", port: 1, isSecure: true)
        for (path, reason) in [("/no/such/file", "it cannot be read"), ("/dev/null", "it holds no certificate")] {
            let error = #expect(throws: HTTPClientError.self) {
                try HTTPClient(to: secure, trusting: .authorities(file: path))
            }
            #expect(error?.message.contains("'\(path)'") == true && error?.message.contains(reason) == true)
        }
        _ = try HTTPClient(to: BaseURL(host: "h", port: 1), trusting: .authorities(file: "/no/such/file"))
    }

    @Test("a server that is not there, or speaks another protocol, has an error of its own")
    func faults() throws {
        try withServer { port in
            let secure = try HTTPClient(
                to: BaseURL(host: "127.0.0.1", port: port, isSecure: true), trusting: .unverified,
                patience: TestRun.patience)
            #expect(throws: HTTPClientError.noTLS(endpoint: "127.0.0.1:\(port)")) { try secure.send(.get, "/") }
        }
        try withServer(try TestCertificate.shared.get().files) { port in
            let plain = try HTTPClient(to: BaseURL(host: "127.0.0.1", port: port), patience: TestRun.patience)
            #expect(throws: HTTPClientError.incomplete(endpoint: "127.0.0.1:\(port)")) { try plain.send(.get, "/") }
        }
        let closed = try LoopbackListener()
        let port = Int(closed.port)
        // Bound and without a connection that it would take: its first request gets no response.
        let patient = try HTTPClient(to: BaseURL(host: "127.0.0.1", port: port), patience: 1)
        #expect(throws: HTTPClientError.silence(endpoint: "127.0.0.1:\(port)", seconds: 1)) {
            try patient.send(.get, "/")
        }
        let secure = try HTTPClient(
            to: BaseURL(host: "127.0.0.1", port: port, isSecure: true), trusting: .unverified, patience: 1)
        #expect(throws: HTTPClientError.silence(endpoint: "127.0.0.1:\(port)", seconds: 1)) {
            try secure.send(.get, "/")
        }
        closed.close()
        #expect(
            throws: HTTPClientError.unreachable(endpoint: "127.0.0.1:\(port)", reason: "Connection refused")
        ) { try patient.send(.get, "/") }
        let nowhere = try HTTPClient(to: BaseURL(host: "127.0.0.1.", port: 1), patience: 1)
        let error = #expect(throws: HTTPClientError.self) { try nowhere.send(.get, "/") }
        #expect(error?.message.contains("not a host that can be resolved") == true)
    }

    @Test(
        "a request that would become another one is not sent",
        arguments: [
            ("/a b", "A", "1"), ("a", "A", "1"), ("/a\r\nB: 1", "A", "1"), ("/", "A", "1\r\nB: 2"), ("/", "A: b", "1"),
            ("/", "", "1"), ("/", "A", "1\0"),
        ])
    func injection(target: String, name: String, value: String) throws {
        let client = try HTTPClient(to: BaseURL(host: "127.0.0.1", port: 1))
        let error = #expect(throws: HTTPClientError.self) {
            try client.send(.get, target, headers: [name: value])
        }
        #expect(error == .badTarget || error == .badField(name))
    }
}
