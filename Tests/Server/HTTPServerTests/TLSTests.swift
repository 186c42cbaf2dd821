import Foundation
import HTTPMessages
import HTTPServer
import HTTPTesting
import TestBasics
import Testing

@Suite("TLS")
struct TLSTests {
    private func routes(_ router: inout Router) {
        router.get("/now") { _, _ in .now(.text("now")) }
        router.get("/large") { _, _ in .now(.text(String(repeating: "x", count: 3_000_000))) }
        router.post("/echo") { request, _ in .now(.json(request.body)) }
        router.get("/later") { _, _ in
            .later { responder in onAnotherThread { responder.send(.text("later")) } }
        }
        router.on(.put, "/file", body: .file(limit: 10_000_000)) { request, _ in
            .now(.text("\(request.bodyFile?.count ?? -1)"))
        }
        router.get("/pieces") { _, _ in .now(Response(body: .pieces(Pieces(count: 100)))) }
        router.get("/events") { _, _ in .events { $0.send(.event(data: Array("hello".utf8))) } }
    }

    private final class Pieces: BodySource {
        private let left: Recorder<Int>
        private let count: Int

        init(count: Int) {
            left = Recorder()
            self.count = count
        }

        func next() -> [UInt8]? {
            left.append(1)
            return left.values.count > count ? nil : [UInt8](repeating: 0x70, count: 50_000)
        }
    }

    /// The arguments of a client that trusts only this certificate, whatever the server's name is.
    private func trusting(_ certificate: TestCertificate) -> [String] {
        [
            "-quiet", "-no_ign_eof", "-nocommands", "-verify_return_error", "-CAfile",
            certificate.files.certificateChain,
        ]
    }

    @Test("requests, large answers, late answers and bodies of all kinds work as they do without TLS")
    func requests() throws {
        try withServer(over: .tls, routes: routes) { server, port in
            let client = try LoopbackClient(port: port, over: .tls)
            for _ in 0..<3 { #expect(try client.get("/now").text == "now") }
            #expect(try client.get("/large").body.count == 3_000_000)
            #expect(try client.get("/later").text == "later")
            let pieces = try client.get("/pieces")
            #expect(pieces.body.count == 5_000_000)
            #expect(pieces.body.allSatisfy { $0 == 0x70 })
            let body = (0..<1_000_000).map { UInt8(97 + $0 % 26) }
            try client.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n")
            try client.write(body)
            #expect(try client.receive().body == body)
            try client.write("PUT /file HTTP/1.1\r\nHost: t\r\nContent-Length: 1000000\r\n\r\n")
            try client.write(body)
            #expect(try client.receive().text == "1000000")
            #expect(server.counters.openConnections == 1)
            try client.write(
                "GET /later HTTP/1.1\r\nHost: t\r\n\r\nGET /pieces HTTP/1.1\r\nHost: t\r\n\r\n"
                    + "GET /now HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(try client.receive().text == "later")
            #expect(try client.receive().body.count == 5_000_000)
            #expect(try client.receive().text == "now")
        }
    }

    @Test("a body that is too large is refused with an answer that arrives")
    func refusal() throws {
        try withServer(over: .tls, { $0.bodyLimit = 1_000 }, routes: routes) { server, port in
            let announced = try LoopbackClient(port: port, over: .tls)
            try announced.write("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 1001\r\n\r\n")
            #expect(try announced.receive().status == 413)
            let chunked = try LoopbackClient(port: port, over: .tls)
            try chunked.write("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n")
            for _ in 0..<4 { try chunked.write("190\r\n" + String(repeating: "a", count: 400) + "\r\n") }
            #expect(try chunked.receive().status == 413)
            #expect(chunked.isClosed)
            #expect(server.counters.refusals == 2)
        }
    }

    @Test("TLS 1.2 and 1.3 are spoken, older versions are not")
    func versions() throws {
        try withServer(over: .tls, routes: routes) { _, port in
            let quiet = ["-quiet", "-no_ign_eof", "-nocommands"]
            for version in ["-tls1_2", "-tls1_3"] {
                #expect(try LoopbackClient(port: port, tunnelArguments: quiet + [version]).get("/now").text == "now")
            }
            let old = try LoopbackClient(
                port: port, tunnelArguments: quiet + ["-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0"])
            #expect(throws: (any Error).self) { try old.get("/now") }
            // Without forward secrecy.
            let weak = try LoopbackClient(
                port: port, tunnelArguments: quiet + ["-tls1_2", "-cipher", "AES128-GCM-SHA256"])
            #expect(throws: (any Error).self) { try weak.get("/now") }
        }
    }

    @Test("clients that speak no TLS, or not at all, are cut and harm nobody")
    func strangers() throws {
        try withServer(over: .tls, { $0.firstRequestTimeout = 300 }, routes: routes) { server, port in
            let plain = try LoopbackClient(port: port)
            try plain.write("GET /now HTTP/1.1\r\nHost: t\r\n\r\n")
            #expect(plain.toEnd() != nil)
            let silent = try LoopbackClient(port: port)
            #expect(silent.isClosed)
            let handshakeOnly = try LoopbackClient(port: port, over: .tls)
            #expect(handshakeOnly.isClosed)
            #expect(eventually { server.counters.openConnections == 0 })
            // A client's process may take longer to start than this server waits for a request.
            #expect(eventually { (try? LoopbackClient(port: port, over: .tls).get("/now").text) == "now" })
        }
    }

    @Test("a new certificate is shown to new connections, and old ones go on")
    func reload() throws {
        let first = try TestCertificate(name: "first.test")
        let second = try TestCertificate(name: "second.test")
        let served = try TestCertificate(name: "third.test")
        defer { for certificate in [first, second, served] { certificate.remove() } }
        func serve(_ certificate: TestCertificate) throws {
            for (from, to) in [
                (certificate.files.certificateChain, served.files.certificateChain),
                (certificate.files.key, served.files.key),
            ] {
                try Data(contentsOf: URL(fileURLWithPath: from)).write(to: URL(fileURLWithPath: to))
            }
        }
        try serve(first)
        try withServer({ $0.tls = served.files }, routes: routes) { server, port in
            let old = try LoopbackClient(port: port, tunnelArguments: trusting(first))
            #expect(try old.get("/now").text == "now")
            let stream = try LoopbackClient(port: port, tunnelArguments: trusting(first))
            try stream.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
            _ = try stream.head()
            #expect(try stream.event().data == "hello")
            // An incomplete replacement: the key of another certificate.
            try Data(contentsOf: URL(fileURLWithPath: second.files.key))
                .write(to: URL(fileURLWithPath: served.files.key))
            #expect(
                throws: ServerError.keyMismatch(certificateChain: served.files.certificateChain, key: served.files.key)
            ) { try server.reloadCertificates() }
            #expect(try LoopbackClient(port: port, tunnelArguments: trusting(first)).get("/now").text == "now")
            try serve(second)
            for _ in 0..<3 { try server.reloadCertificates() }
            #expect(try LoopbackClient(port: port, tunnelArguments: trusting(second)).get("/now").text == "now")
            let distrustful = try LoopbackClient(port: port, tunnelArguments: trusting(first))
            #expect(throws: (any Error).self) { try distrustful.get("/now") }
            #expect(try old.get("/now").text == "now")
            #expect(server.counters.openStreams == 1)
        }
    }

    @Test("files that cannot serve are named with what is wrong with them")
    func faultyFiles() throws {
        let good = try TestCertificate.shared.get()
        let other = try TestCertificate(name: "other.test")
        defer { other.remove() }
        let locked = other.directory + "/locked.pem"
        try openSSL(["ec", "-in", other.files.key, "-aes128", "-passout", "pass:secret", "-out", locked])
        let pair = other.directory + "/pair.pem"
        let certificates = try [good, other].map {
            try String(contentsOfFile: $0.files.certificateChain, encoding: .utf8)
        }
        try certificates.joined().write(toFile: pair, atomically: true, encoding: .utf8)
        let cases: [(TLSFiles, String)] = [
            (TLSFiles(certificateChain: "/no/such/file", key: good.files.key), "'/no/such/file' cannot be read"),
            (TLSFiles(certificateChain: good.files.certificateChain, key: "/no/key"), "'/no/key' cannot be read"),
            (TLSFiles(certificateChain: good.files.key, key: good.files.key), "no certificate in PEM form"),
            (TLSFiles(certificateChain: "/dev/null", key: good.files.key), "no certificate in PEM form"),
            (
                TLSFiles(certificateChain: good.files.certificateChain, key: good.files.certificateChain),
                "no private key in PEM form"
            ),
            (TLSFiles(certificateChain: good.files.certificateChain, key: "/dev/null"), "no private key in PEM form"),
            (TLSFiles(certificateChain: good.files.certificateChain, key: locked), "passphrase"),
            (TLSFiles(certificateChain: good.files.certificateChain, key: other.files.key), "does not belong"),
            (TLSFiles(certificateChain: pair, key: good.files.key), "out of order"),
        ]
        for (files, part) in cases {
            var configuration = ServerConfiguration()
            configuration.tls = files
            let server = HTTPServer(configuration: configuration, router: Router())
            let error = #expect(throws: ServerError.self) { try server.start() }
            #expect(error?.description.contains(part) == true, "\(error?.description ?? "") lacks \(part)")
        }
        let plain = HTTPServer(router: Router())
        #expect(throws: ServerError.noTLS) { try plain.reloadCertificates() }
    }

    @Test("streams leave room for requests, and idle connections beyond the limit give way")
    func limits() throws {
        try withServer(
            over: .tls,
            {
                $0.loops = 1
                $0.connectionLimit = 1
            }, routes: routes
        ) { server, port in
            var streams: [LoopbackClient] = []
            for index in 0..<3 {
                let client = try LoopbackClient(port: port, over: .tls)
                streams.append(client)
                try client.write("GET /events HTTP/1.1\r\nHost: t\r\n\r\n")
                _ = try client.head()
                #expect(eventually { server.counters.openStreams == index + 1 })
            }
            let client = try LoopbackClient(port: port, over: .tls)
            #expect(try client.get("/now").text == "now")
            #expect(server.counters.openConnections == 1)
            #expect(try LoopbackClient(port: port, over: .tls).get("/now").text == "now")
            #expect(client.isClosed)
        }
    }
}
