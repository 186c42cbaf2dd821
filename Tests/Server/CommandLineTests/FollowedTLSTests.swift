import Foundation
import Glibc
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

@Suite("Following a gateway over TLS")
struct FollowedTLSTests {
    /// Whether a process can have file systems of its own, which simulate a system that trusts another authority.
    private static var canUnshare: Bool {
        guard let directory = try? TestDirectory(),
            let process = try? ChildProcess("/usr/bin/env", ["unshare", "-rm", "true"], directory: directory.path)
        else { return false }
        return (try? process.wait()) == 0
    }

    private static let isTrustWanted = TestNeed.isMet(
        canUnshare, "followers that trust a certificate", because: "this user may not have file systems of their own")

    private func server(in directory: TestDirectory) throws -> RunningServer {
        let openssl = try ChildProcess(
            "/usr/bin/env",
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "2",
                "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", directory.file("own.key"),
                "-out", directory.file("own.pem"),
            ], directory: directory.path)
        guard try openssl.wait() == 0 else { throw TestFailure(openssl.errors) }
        let schema = try directory.write(
            """
            {"schemaVersion": 1, "classes": [{"name": "WorkItem", "primaryKey": "_id", "properties": [
              {"name": "_id", "type": "string"}, {"name": "owner", "type": "string"},
              {"name": "tokens", "type": "string[]"}, {"name": "marks", "type": "int{}"}]}]}
            """, to: "schema.json")
        return try RunningServer(
            [
                "--data", directory.file("a.realmgate"), "--schema", schema, "--tls-certificate",
                directory.file("own.pem"), "--tls-key", directory.file("own.key"),
            ], in: directory)
    }

    @Test("a certificate that the system does not trust is not taken")
    func untrusted() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let worker = try ChildProcess(
            try Program.beside("FollowWorker"), [directory.file("f"), server.address, "f", "0", "2"],
            directory: directory.path)
        try worker.wait(until: "the outage") { worker.output.contains("outage") }
        try worker.wait(until: "a commit") { worker.output.contains("done create") }
        usleep(300_000)
        worker.send(SIGKILL)
        _ = try worker.wait()
        #expect(!worker.output.contains("error"))
    }

    @Test("one that the system trusts is, for what comes down and what goes up", .enabled(if: isTrustWanted))
    func trusted() throws {
        let directory = try TestDirectory()
        let server = try server(in: directory)
        let trusting =
            "mount --bind '\(directory.file("own.pem"))' /etc/ssl/certs/ca-certificates.crt && exec \"$@\""
        func worker(_ more: [String]) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/env",
                [
                    "unshare", "-rm", "sh", "-c", trusting, "sh", try Program.beside("FollowWorker"),
                    directory.file("f"),
                    server.address, "f",
                ] + more, directory: directory.path)
        }
        let writing = try worker(["0", "1"])
        try writing.wait(until: "a commit after the download") { writing.output.contains("done create") }
        writing.send(SIGKILL)
        _ = try writing.wait()
        let settling = try worker([])
        try settling.wait(until: "everything to go up") { settling.output.contains("sent\n") }
        settling.send(SIGUSR1)
        #expect(try settling.wait() == 0)
        #expect(settling.output.contains("\nitem f-0-0 ") && !settling.output.contains("outage"))
    }
}
