import Foundation
import Glibc
import HTTPServer
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

@Suite("Following a gateway over TLS")
struct FollowedTLSTests {
    private func server(_ certificate: TestCertificate, in directory: TestDirectory) throws -> RunningServer {
        let schema = try directory.write(
            """
            {"schemaVersion": 1, "classes": [{"name": "WorkItem", "primaryKey": "_id", "properties": [
              {"name": "_id", "type": "string"}, {"name": "owner", "type": "string"},
              {"name": "tokens", "type": "string[]"}, {"name": "marks", "type": "int{}"}]}]}
            """, to: "schema.json")
        return try RunningServer(
            [
                "--data", directory.file("a.realmgate"), "--schema", schema, "--tls-certificate",
                certificate.files.certificateChain, "--tls-key", certificate.files.key,
            ], in: directory)
    }

    @Test("a certificate that the system does not trust is not taken")
    func untrusted() throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(name: "own", for: "IP:127.0.0.1")
        defer { certificate.remove() }
        let server = try server(certificate, in: directory)
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

    @Test("one that the system trusts is, for what comes down and what goes up", .enabled(if: SystemTrust.isWanted))
    func trusted() throws {
        let directory = try TestDirectory()
        let certificate = try TestCertificate(name: "own", for: "IP:127.0.0.1")
        defer { certificate.remove() }
        let server = try server(certificate, in: directory)
        func worker(_ more: [String]) throws -> ChildProcess {
            try ChildProcess(
                "/usr/bin/env",
                SystemTrust.command(
                    trusting: certificate.files.certificateChain,
                    [try Program.beside("FollowWorker"), directory.file("f"), server.address, "f"] + more),
                directory: directory.path)
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
