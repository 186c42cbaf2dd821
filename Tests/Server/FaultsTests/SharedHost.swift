import Foundation
import Glibc
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// A gateway of a realm in PostgreSQL, a process that is started, killed and started again with the same replica.
final class SharedHost {
    static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Note", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "text", "type": "string"}, {"name": "weight", "type": "int"}]}]}
        """

    let address = ChangingAddress()
    let replica: String
    private let arguments: [String]
    private let directory: TestDirectory
    private(set) var server: RunningServer?

    /// - Parameters:
    ///   - url: another address of the server than its own, such as one with several hosts.
    ///   - readWait: how many milliseconds a request waits for a version of another gateway: the most that the setting
    ///     takes, for versions that come, however slow the machine is.
    init(
        _ name: String, _ realm: String, _ postgres: PostgresServer, _ directory: TestDirectory, url: String? = nil,
        readWait: Int = 60_000, _ more: [String] = []
    ) throws {
        self.directory = directory
        replica = directory.file("\(name).replica")
        let schema = try directory.write(Self.schema, to: "schema.json")
        arguments =
            [
                "--store", url ?? postgres.url, "--realm", realm, "--data", replica, "--schema", schema, "--set",
                "log.level=warning", "--set", "store.readWait=\(readWait)",
            ] + more
        try start()
    }

    func start() throws {
        let server = try RunningServer(arguments, in: directory)
        self.server = server
        address.port = server.port
    }

    func kill() throws {
        address.port = nil
        server?.process.send(SIGKILL)
        _ = try server?.process.wait()
    }

    func stop() throws {
        address.port = nil
        #expect(try server?.stop() == 0)
    }

    /// Waits until it ends by itself, and returns its exit code.
    func end() throws -> Int32? {
        address.port = nil
        return try server?.process.wait()
    }

    func send(
        _ method: String, _ target: String, _ body: String? = nil, _ headers: [String: String] = [:]
    ) throws -> LoopbackClient.Answer {
        guard let server else { throw TestFailure("there is no server") }
        return try server.client().send(method, target, body: body, headers: headers)
    }

    /// The version of its newest state.
    func version() throws -> UInt64 {
        let answer = try send("GET", "/v1/objects/Note?limit=1").json()
        return try #require((answer["version"] as? NSNumber)?.uint64Value)
    }

    /// All notes as texts, by id.
    func notes() throws -> [String] { try notes("sort=id") }

    /// The notes of a query as texts: all of them, page by page, unless the query has a limit. Nobody may write meanwhile.
    func notes(_ query: String) throws -> [String] {
        let isWhole = !query.contains("limit=")
        var (texts, after) = ([String](), "")
        while true {
            let answer = try send("GET", "/v1/objects/Note?\(query)\(isWhole ? "&limit=1000" : "")\(after)").json()
            texts += try StreamReplay.texts(answer["items"])
            guard isWhole, let next = answer["next"] as? String else { return texts }
            after = "&after=\(next)"
        }
    }

    /// Waits until all have the newest state of any, and records an issue when their objects differ.
    static func agree(_ hosts: [SharedHost]) throws {
        let newest = try hosts.map { try $0.version() }.max() ?? 0
        for host in hosts { #expect(try eventually { try host.version() >= newest }) }
        let notes = try hosts.map { try $0.notes() }
        #expect(notes.allSatisfy { $0 == notes[0] }, "the gateways have different objects")
    }
}
