import EmbeddedStore
import Foundation
import Glibc
import HTTPTesting
import ObjectModel
import ProgramTesting
import RepositoryFiles
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@Suite("One file in two processes")
struct SharedFileTests {
    @Test("what another process imports is served, and told to those who watch")
    func importWhileServing() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        let events = try ChildProcess(
            "/usr/bin/env",
            ["curl", "--silent", "--no-buffer", server.address + "/v1/observe/objects/Dog?fields=id&sort=id"],
            directory: directory.path)
        try events.wait(until: "the initial event") { events.output.contains("event: initial") }
        let lines = (0..<3000).map { "{\"id\": \($0), \"name\": \"dog \($0)\"}" }.joined(separator: "\n")
        let imported = try Program.run(
            ["import", "Dog", "-"], environment: ["REALMGATE_DATA": directory.file("a.realmgate")], input: lines,
            in: directory)
        #expect(imported.status == 0, "\(imported.errors)")
        try events.wait(until: "the last of the imported objects") { events.output.contains("{\"id\":2999}") }

        let client = try server.client()
        #expect(try client.send("GET", "/v1/objects/Dog?limit=0&count=true").json()["count"] as? Int == 3000)
        #expect(try client.send("PATCH", "/v1/objects/Dog/2999", body: #"{"age": 5}"#).status == 200)
        try events.wait(until: "the change after the import") { events.output.contains("\"modifications\":[2999]") }
        #expect(try server.stop() == 0)
        try events.wait()
    }

    @Test("a commit that another process takes its time to put on disk is heard of")
    func slowCommit() throws {
        // Of a history whose first transaction is not rolled back.
        let seed: UInt64 = 1
        let directory = try TestDirectory()
        let run = WorkerRun(
            path: directory.file("a.realmgate"), history: DurableHistory(seed: seed, target: 20), commits: 1)
        let store = try run.open()
        defer { store.close() }
        let heard = Mutex<[Version]>([])
        store.onCommit { changes in heard.withLock { $0 += changes.map(\.version) } }
        // Longer than the interval at which the store checks the file: the new version is then the latest one, and
        // cannot be read yet.
        let plan = FaultPlan(.write, 1, .wait(milliseconds: 300), repeats: true)
        let worker = try run.start(plan: plan, in: directory)
        #expect(try worker.wait() == 0, "seed \(seed): \(worker.errors)")
        #expect(plan.hasStruck(worker.errors))
        let newest = try store.snapshot().version
        #expect(eventually { heard.withLock { $0.last } == newest })
        #expect(heard.withLock { $0 } == [newest], "seed \(seed)")
    }

    @Test("two processes that write at the same time lose nothing")
    func concurrentWriters() throws {
        let directory = try TestDirectory()
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let server = try RunningServer(["--data", directory.file("a.realmgate"), "--schema", schema], in: directory)
        let lines = (10_000..<16_000).map { "{\"id\": \($0), \"name\": \"imported\"}" }.joined(separator: "\n")
        let file = try directory.write(lines, to: "dogs.ndjson")
        let importer = try ChildProcess(
            try Program.executable(), ["import", "Dog", file, "--data", directory.file("a.realmgate")],
            directory: directory.path)
        let client = try server.client()
        for id in 0..<200 {
            let body = #"{"id": \#(id), "name": "posted"}"#
            #expect(try client.send("POST", "/v1/objects/Dog", body: body).status == 201)
        }
        #expect(try importer.wait() == 0, "\(importer.errors)")
        for (name, count) in [("posted", 200), ("imported", 6000)] {
            let target = "/v1/objects/Dog?limit=0&count=true&filter=name%20==%20'\(name)'"
            #expect(try client.send("GET", target).json()["count"] as? Int == count)
        }
        #expect(try server.stop() == 0)
    }
}
