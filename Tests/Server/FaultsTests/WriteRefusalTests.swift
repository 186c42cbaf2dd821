import EmbeddedStore
import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import TestBasics
import Testing

/// A server whose disk is full or fails, with every kind of write.
@Suite("Writes that the disk refuses", .serialized)
struct WriteRefusalTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Box", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "text", "type": "string"}, {"name": "list", "type": "string[]"},
            {"name": "set", "type": "string<>"}, {"name": "map", "type": "string{}"}]}]}
        """

    /// A way to write.
    enum Way: CaseIterable, Sendable {
        case append, add, put, patchMany, deleteMany, transact, importAll, setValues, create
    }

    private func start(
        _ data: String, _ more: [String] = [], environment: [String: String] = [:], in directory: TestDirectory
    ) throws -> RunningServer {
        let schema = try directory.write(Self.schema, to: "schema.json")
        return try RunningServer(
            ["--data", data, "--schema", schema] + more, environment: environment, in: directory)
    }

    /// Sends a write that differs from all others, with some kilobytes.
    private func write(_ way: Way, _ number: Int, _ api: LoopbackClient) throws -> LoopbackClient.Answer {
        let box = "/v1/objects/Box"
        func texts(_ count: Int) -> String {
            (0..<count).map { "\"\(number).\($0) " + String(repeating: "x", count: 150) + "\"" }.joined(separator: ",")
        }
        switch way {
        case .append: return try api.send("POST", box + "/1/list", body: "[\(texts(30))]")
        case .add: return try api.send("POST", box + "/2/set", body: "[\(texts(30))]")
        case .put: return try api.send("PUT", box + "/3/map/k\(number)", body: texts(1))
        case .patchMany: return try api.send("PATCH", box + "?all=true", body: "{\"text\": \(texts(1))}")
        case .deleteMany: return try api.send("DELETE", box + "?filter=id%20%3E%3D%20100&limit=2")
        case .transact:
            let operations = (0..<20).map {
                #"{"op": "create", "class": "Box", "value": {"id": \#(number * 100 + $0), "list": [\#(texts(1))]}}"#
            }
            let edit = #"{"op": "append", "object": {"class": "Box", "key": 4}, "property": "list", "value": "t"}"#
            return try api.send(
                "POST", "/v1/transactions",
                body: "{\"operations\": [\(operations.joined(separator: ",")), \(edit)]}")
        case .importAll:
            let rows = (0..<20).map { "{\"id\": \(number * 100 + $0 + 50), \"text\": \(texts(1))}\n" }.joined()
            return try api.send("POST", "/v1/import/Box?format=ndjson&atomic=true", body: rows)
        case .setValues:
            return try api.send("PUT", "/v1/values/objects/Box?key=text&all=true", body: texts(1))
        case .create: return try api.send("POST", box, body: "{\"id\": \(number * 100 + 99), \"list\": [\(texts(10))]}")
        }
    }

    private func fill(_ api: LoopbackClient) throws {
        let boxes = (1...20).map { "{\"id\": \($0)}" }.joined(separator: ",")
        let answer = try api.send("POST", "/v1/objects/Box", body: "[\(boxes)]")
        guard answer.status == 201 else { throw TestFailure(answer.text) }
    }

    /// Returns all contents.
    private func contents(_ api: LoopbackClient) throws -> String {
        let answer = try api.send("GET", "/v1/objects/Box?limit=10000&sort=id")
        guard answer.status == 200 else { throw TestFailure(answer.text) }
        // A rejected write does not increase the version, but the next one may.
        return answer.text.replacing(#/"version":[0-9]+,?/#, with: "")
    }

    private func code(_ answer: LoopbackClient.Answer) throws -> String { try answer.json()["code"] as? String ?? "" }

    @Test(
        "when the disk is full every kind of write gets 507 and leaves nothing behind",
        .enabled(if: SmallDevice.isWanted))
    func fullDisk() throws {
        let directory = try TestDirectory()
        let device = try SmallDevice(directory.file("device"), kilobytes: 1500)
        let data = device.path + "/a.realmgate"
        // The bodies of imports must not be rejected.
        let more = ["--set", "scratch=\(directory.path)"]
        let server = try start(data, more, in: directory)
        let api = try server.client()
        try fill(api)
        var last = try contents(api)
        var refused: [Way: Int] = [:]
        var done = 0
        for number in 1...1500 {
            let way = Way.allCases[number % Way.allCases.count]
            let answer = try write(way, number, api)
            let now = try contents(api)
            if answer.status < 300 {
                if way == .importAll { #expect(try answer.json()["created"] as? Int == 20) }
                done += 1
                last = now
            } else {
                #expect(answer.status == 507, "\(way): \(answer.text)")
                #expect(try code(answer) == "store.full")
                #expect(now == last, "\(way) left something")
                refused[way, default: 0] += 1
            }
            // Deletions may succeed when everything else fails; later writes use the space that they free.
            if Way.allCases.allSatisfy({ refused[$0] != nil || $0 == .deleteMany }) { break }
        }
        print("WriteRefusalTests: \(done) writes done, refused \(refused)")
        for way in Way.allCases where way != .deleteMany { #expect(refused[way] != nil, "\(way) was never refused") }
        // After SIGKILL the disk contains what was acknowledged, and accepts more once there is space.
        server.process.send(SIGKILL)
        _ = try server.process.wait()
        try device.resize(kilobytes: 20_000)
        let again = try start(data, more, in: directory)
        let client = try again.client()
        #expect(try contents(client) == last)
        for (index, way) in Way.allCases.enumerated() {
            #expect(try write(way, 10_000 + index, client).status < 300, "\(way)")
        }
        #expect(try again.stop() == 0)
        #expect(try EmbeddedStore.check(path: data).faults.isEmpty)
    }

    @Test(
        "an import whose file does not fit beside the database, or where the setting says, gets 507",
        .enabled(if: SmallDevice.isWanted), arguments: [false, true])
    func fullScratch(isSet: Bool) throws {
        let directory = try TestDirectory()
        let device = try SmallDevice(directory.file("device"), kilobytes: 600)
        let server = try start(
            isSet ? directory.file("a.realmgate") : device.path + "/a.realmgate",
            isSet ? ["--set", "scratch=\(device.path)"] : [], in: directory)
        let api = try server.client()
        try fill(api)
        let last = try contents(api)
        let rows = String(
            repeating: "{\"id\": 1000, \"text\": \"" + String(repeating: "x", count: 970) + "\"}\n", count: 800)
        // The server may close the connection while the rest is being sent.
        let answer = try server.client().send("POST", "/v1/import/Box?format=ndjson", body: rows)
        #expect(answer.status == 507, "\(answer.text)")
        #expect(try contents(api) == last)
        // The space is free again.
        let small = try api.send("POST", "/v1/import/Box?format=ndjson", body: "{\"id\": 1001}\n")
        #expect(small.status == 200, "\(small.text)")
        #expect(try server.stop() == 0)
    }

    @Test(
        "when a sync fails the write gets 503 and nothing of it is there; what was answered is", arguments: Way.allCases
    )
    func failingSync(way: Way) throws {
        let directory = try TestDirectory()
        let data = directory.file("a.realmgate")
        let first = try start(data, in: directory)
        let api = try first.client()
        try fill(api)
        #expect(try write(.transact, 1, api).status == 200)
        var last = try contents(api)
        #expect(try first.stop() == 0)
        var refusals = 0
        // Each commit syncs once: the sync of the first, second or third write fails; of the second also all later
        // ones. All ways together meet each of these faults.
        let index = Way.allCases.firstIndex(of: way) ?? 0
        for number in TestRun.length > 1 ? [1, 2, 3] : [1 + index % 3] {
            let plan = FaultPlan(.sync, number, .fail(.inputOutput), repeats: number.isMultiple(of: 2))
            let environment = FaultEnvironment(library: try Program.beside("libCFaults.so"), files: [data], plan: plan)
            guard let server = try? start(data, environment: environment.variables, in: directory) else { continue }
            let api = try server.client()
            for step in 0..<3 {
                let answer = try write(way, number * 10 + step, api)
                if answer.status < 300 {
                    last = try contents(api)
                    continue
                }
                refusals += 1
                #expect(answer.status == 503, "\(answer.text)")
                #expect(["store.io", "store.closed"].contains(try code(answer)), "\(answer.text)")
                #expect(try contents(api) == last, "\(plan): \(way) is seen")
            }
            server.process.send(SIGKILL)
            _ = try server.process.wait()
            let again = try start(data, in: directory)
            #expect(try contents(try again.client()) == last, "\(plan): \(way)")
            #expect(try again.stop() == 0)
        }
        #expect(refusals > 0, "no sync of \(way) was struck")
        #expect(try EmbeddedStore.check(path: data).faults.isEmpty)
    }
}
