import Foundation
import Glibc
import ProgramTesting
import RepositoryFiles
import Testing

/// A server with a certificate, from the operator's and the clients' side.
@Suite("realmgate serve with TLS")
struct TLSServeTests {
    /// Creates `NAME.pem` and `NAME.key`, which no client trusts unless configured to.
    private func makeCertificate(_ name: String, in directory: TestDirectory) throws {
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
                directory.file("\(name).key"), "-out", directory.file("\(name).pem"),
            ], directory: directory.path)
        guard try process.wait() == 0 else { throw TestFailure("openssl: \(process.errors)") }
    }

    private func arguments(_ directory: TestDirectory) throws -> [String] {
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        return [
            "--data", directory.file("a.realmgate"), "--schema", schema, "--tls-certificate",
            directory.file("used.pem"), "--tls-key", directory.file("used.key"),
        ]
    }

    /// Returns the exit code and the output of a client that trusts only one certificate.
    private func curl(
        _ url: String, trusting name: String, in directory: TestDirectory
    ) throws -> (status: Int32, output: String) {
        let client = try ChildProcess(
            "/usr/bin/env", ["curl", "-sS", "-D", "-", "--cacert", directory.file("\(name).pem"), url],
            directory: directory.path)
        return (try client.wait(), client.output)
    }

    private func use(_ name: String, in directory: TestDirectory) throws {
        for end in ["pem", "key"] {
            try Data(contentsOf: URL(fileURLWithPath: directory.file("\(name).\(end)"))).write(
                to: URL(fileURLWithPath: directory.file("used.\(end)")))
        }
    }

    @Test("requests and streams go over HTTPS; SIGHUP takes a new certificate, a faulty one leaves the old one in use")
    func renewal() throws {
        let directory = try TestDirectory()
        for name in ["first", "second"] { try makeCertificate(name, in: directory) }
        try use("first", in: directory)
        let server = try RunningServer(try arguments(directory), in: directory)
        let answer = try curl(server.address + "/healthz", trusting: "first", in: directory)
        #expect(answer.status == 0 && answer.output.contains("HTTP/1.1 200"))
        #expect(answer.output.contains("Strict-Transport-Security: max-age=31536000"))
        #expect(try curl(server.address + "/healthz", trusting: "second", in: directory).status == 60)
        let health = ["health", "--port", "\(server.port)"]
        let certificate = ["REALMGATE_TLS_CERTIFICATE": directory.file("used.pem")]
        #expect(try Program.run(health, environment: certificate, in: directory).output == "healthy\n")
        #expect(try Program.run(health, in: directory).status == 1)
        let stream = try ChildProcess(
            "/usr/bin/env",
            ["curl", "-sN", "--cacert", directory.file("first.pem"), server.address + "/v1/observe/objects/Dog"],
            directory: directory.path)
        try stream.wait(until: "the initial event") { stream.output.contains("event: initial") }

        try directory.write("nothing", to: "used.pem")
        server.process.send(SIGHUP)
        try server.process.wait(until: "the fault") { server.process.errors.contains("configuration was not changed") }
        #expect(server.process.errors.contains("holds no certificate in PEM form"))
        #expect(try curl(server.address + "/healthz", trusting: "first", in: directory).status == 0)

        try use("second", in: directory)
        server.process.send(SIGHUP)
        try server.process.wait(until: "the new certificate") {
            server.process.errors.contains("configuration was reloaded")
        }
        #expect(try curl(server.address + "/healthz", trusting: "second", in: directory).status == 0)
        #expect(try curl(server.address + "/healthz", trusting: "first", in: directory).status == 60)
        // The open stream continues, and is told to reconnect when the server stops.
        #expect(stream.status() == nil)
        #expect(try server.stop() == 0)
        #expect(try stream.wait() == 0)
        #expect(stream.output.contains("event: closing"))
    }

    @Test("files that are missing or do not belong together refuse the start before the database is made")
    func refusals() throws {
        let directory = try TestDirectory()
        for name in ["first", "second"] { try makeCertificate(name, in: directory) }
        func refusal(_ certificate: String?, _ key: String?) throws -> String {
            var arguments = ["serve", "--port", "0", "--data", directory.file("b.realmgate")]
            if let certificate { arguments += ["--tls-certificate", directory.file(certificate)] }
            if let key { arguments += ["--tls-key", directory.file(key)] }
            let result = try Program.run(arguments, in: directory)
            #expect(result.status == (certificate == "none.pem" ? 66 : 78))
            #expect(!FileManager.default.fileExists(atPath: directory.file("b.realmgate")))
            return result.errors
        }
        #expect(try refusal("first.pem", nil).contains("only one of them is given"))
        #expect(try refusal("none.pem", "first.key").contains("none.pem"))
        #expect(try refusal("first.pem", "second.key").contains("does not belong to the first certificate"))
        #expect(try refusal("first.key", "first.key").contains("no certificate"))
    }
}
