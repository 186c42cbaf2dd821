import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// Reads streams with clients that know nothing of Realmgate.
@Suite("Standard clients of streams", .serialized)
struct EventSourceTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [{"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "weight", "type": "int"}]}]}
        """

    @Test(
        "a browser's EventSource goes on by itself after the server was killed, with what it missed",
        .enabled(if: Browser.isWanted))
    func browser() throws {
        let directory = try TestDirectory()
        let arguments = [
            "--data", directory.file("dogs.realmgate"), "--schema", try directory.write(Self.schema, to: "schema.json"),
        ]
        let host = LoopbackAddress.own()
        let first = try RunningServer(arguments, host: host, in: directory)
        _ = try first.client().send(
            "POST", "/v1/objects/Dog", body: #"[{"id": 1, "weight": 10}, {"id": 2, "weight": 20}]"#)
        let browser = try Browser()
        // A page of the server, which may open connections to it.
        try browser.open(first.address + "/docs")
        try browser.wait(for: "document.readyState === 'complete'")
        try browser.evaluate(
            """
            window.seen = [];
            window.source = new EventSource("/v1/observe/objects/Dog?sort=-weight");
            for (const name of ["initial", "update", "error"]) {
              source.addEventListener(name, (event) => seen.push([name, event.lastEventId, event.data ?? null]));
            }
            """)
        try browser.wait(for: "seen.length === 1")
        #expect(try browser.text("seen[0][0]") == "initial")
        first.process.send(SIGKILL)
        _ = try first.process.wait()
        let second = try RunningServer(arguments, host: host, port: first.port, in: directory)
        let api = try second.client()
        _ = try api.send("PATCH", "/v1/objects/Dog/1", body: #"{"weight": 30}"#)
        _ = try api.send("DELETE", "/v1/objects/Dog/2")
        let version = try #require(try api.send("GET", "/v1/objects/Dog").json()["version"] as? NSNumber)
        // The browser reports the lost connection as an error event without data.
        try browser.wait(for: "seen.some((event) => event[0] === 'update')")
        let update = try browser.text("seen.find((event) => event[0] === 'update')[2]")
        #expect(update.contains(#""deletions":[0],"insertions":[],"modifications":[1]"#), "\(update)")
        #expect(try browser.text("seen.find((event) => event[0] === 'update')[1]").hasPrefix("\(version)-"))
        #expect(try browser.evaluate("seen.filter((event) => event[0] === 'initial').length") as? Int == 1)
        #expect(try browser.evaluate("source.readyState") as? Int == 1)
        #expect(try second.stop() == 0)
    }

    @Test("curl shows events as they come, and goes on from an id")
    func curl() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(Self.schema, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("dogs.realmgate"), "--schema", schema], in: directory)
        let api = try server.client()
        let address = server.address + "/v1/observe/objects/Dog?include=indices"
        let first = try ChildProcess("/usr/bin/env", ["curl", "-sN", address], directory: directory.path)
        try first.wait(until: "the initial event") { first.output.contains("event: initial") }
        _ = try api.send("POST", "/v1/objects/Dog", body: #"{"id": 1, "weight": 10}"#)
        try first.wait(until: "an update") { first.output.contains(#""insertions":[0]"#) }
        let id = try #require(first.output.split(separator: "\n").first { $0.hasPrefix("id: ") }?.dropFirst(4))
        first.send(SIGKILL)
        _ = try first.wait()
        _ = try api.send("POST", "/v1/objects/Dog", body: #"{"id": 2, "weight": 10}"#)
        let second = try ChildProcess(
            "/usr/bin/env", ["curl", "-sN", "-H", "Last-Event-ID: \(id)", address], directory: directory.path)
        try second.wait(until: "what was missed") { second.output.contains(#""insertions":[0,1]"#) }
        #expect(!second.output.contains("initial"))
        second.send(SIGKILL)
        _ = try second.wait()
        #expect(try server.stop() == 0)
    }
}
