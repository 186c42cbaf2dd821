import EmbeddedStore
import Foundation
import HTTPTesting
import ObjectModel
import ProgramTesting
import RealmSwift
import RealmgateServer
import RepositoryFiles
import StoreContract
import Testing

@Suite("A hosted realm's file", .timeLimit(.minutes(20)))
struct HostingFileTests {
    /// A schema equal to the program's `HostedDog` and `HostedPerson`, with a class that no program defines.
    private static let schema = """
        {"schemaVersion": 0, "classes": [
          {"name": "HostedDog", "primaryKey": "_id", "properties": [
            {"name": "_id", "type": "int"}, {"name": "dog_name", "type": "string"}, {"name": "age", "type": "int?"},
            {"name": "tags", "type": "string[]"}, {"name": "owner", "type": "HostedPerson?"}]},
          {"name": "HostedPerson", "primaryKey": "name", "properties": [
            {"name": "name", "type": "string"}, {"name": "dogs", "type": "linkingObjects(HostedDog.owner)"}]},
          {"name": "Shelter", "properties": [{"name": "dog", "type": "HostedDog?"}]}]}
        """

    /// Runs the program `realmgate` to its end. Gives what it printed.
    private func run(_ arguments: [String], in directory: TestDirectory) throws -> String {
        let result = try Program.run(arguments, in: directory)
        try #require(result.status == 0, "\(result.errors)")
        return result.output
    }

    @Test("a file of the program opens as a realm with matching classes, is served, and is the program's again")
    func withProgram() async throws {
        let scratch = try TestDirectory()
        let path = scratch.file("dogs.realmgate")
        try Self.schema.write(toFile: scratch.file("schema.json"), atomically: true, encoding: .utf8)
        let rows = #"{"_id": 7, "dog_name": "Rex", "tags": ["a"], "owner": null}"# + "\n"
        try rows.write(toFile: scratch.file("dogs.ndjson"), atomically: true, encoding: .utf8)
        _ = try run(["schema", "--data", path, "--apply", scratch.file("schema.json")], in: scratch)
        _ = try run(["import", "--data", path, "HostedDog", scratch.file("dogs.ndjson")], in: scratch)

        let site = try Site(file: path)
        #expect(try site.run { $0.object(ofType: HostedDog.self, forPrimaryKey: 7)?.name } == "Rex")
        #expect(try site.ask("GET /v1/objects/HostedDog/7").json["dog_name"] as? String == "Rex")
        #expect(try site.ask("POST /v1/objects/Shelter", #"{"dog": 7}"#).status == 201)
        try site.write { $0.object(ofType: HostedDog.self, forPrimaryKey: 7)?.name = "Max" }
        // Another process reads and writes at the same time, and both sides here observe its changes.
        let stream = try site.client()
        _ = try stream.ask("GET /v1/observe/objects/HostedDog?fields=_id")
        _ = try stream.news()
        #expect(try run(["query", "--data", path, "HostedDog"], in: scratch).contains("Max"))
        try #"{"_id": 8, "dog_name": "Ida"}"#.write(
            toFile: scratch.file("more.ndjson"), atomically: true, encoding: .utf8)
        _ = try run(["import", "--data", path, "HostedDog", scratch.file("more.ndjson")], in: scratch)
        #expect(try stream.news().json["insertions"] as? [Int] == [1])
        #expect(
            try site.run { realm in
                realm.refresh()
                return realm.object(ofType: HostedDog.self, forPrimaryKey: 8)?.name
            } == "Ida")
        await site.server.stop()
        #expect(try run(["check", path], in: scratch).isEmpty == false)
    }

    @Test("a file is closed with the server, and has what clients and realms wrote")
    func toProgram() async throws {
        let scratch = try TestDirectory()
        let path = scratch.file("dogs.realm")
        do {
            let site = try Site(file: path)
            try site.write { realm in _ = realm.create(HostedDog.self, value: ["id": 1, "name": "Rex"]) }
            let stream = try site.client()
            _ = try stream.ask("GET /v1/observe/objects/HostedDog")
            #expect(try site.ask("POST /v1/objects/HostedDog", #"{"_id": 2, "dog_name": "Max"}"#).status == 201)
            await site.server.stop()
        }
        // Opening it a second time in a process fails while the first one has it open.
        let store = try EmbeddedStore.open(path: path)
        let schema = try store.snapshot().schema
        let dogs = try #require(schema["HostedDog"])
        #expect(dogs.primaryKey == "_id" && dogs.properties.map(\.name).contains("dog_name"))
        #expect(try store.snapshot().count(of: dogs.id) == 2)
        store.close()
        #expect(try Realm.deleteFiles(for: Realm.Configuration(fileURL: URL(fileURLWithPath: path))))
    }

    @Test("keys are kept beside the file, and count after a restart")
    func keys() async throws {
        let scratch = try TestDirectory()
        let path = scratch.file("keyed.realm")
        var header = ""
        do {
            let site = try Site(file: path)
            #expect(try site.ask("GET /v1/objects/HostedDog").status == 200)
            header = "Authorization: Bearer \(try site.server.makeKey(name: "me", role: "admin"))\r\n"
            #expect(try site.ask("GET /v1/objects/HostedDog").status == 401)
            await site.server.stop()
        }
        #expect(FileManager.default.fileExists(atPath: path + ".keys"))
        let again = try Site(file: path)
        #expect(try again.ask("GET /v1/objects/HostedDog").status == 401)
        #expect(try again.ask("GET /v1/objects/HostedDog", headers: header).status == 200)
        await again.server.stop()
    }
}
