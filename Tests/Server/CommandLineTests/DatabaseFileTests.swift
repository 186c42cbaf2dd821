import EmbeddedStore
import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

@Suite("realmgate backup, compact and check")
struct DatabaseFileTests {
    /// Creates a database with 4000 dogs.
    private func database(_ directory: TestDirectory) throws -> String {
        let schema = try directory.write(DogSchema.text, to: "schema.json")
        let lines = (0..<4000).map { "{\"id\": \($0), \"name\": \"dog number \($0)\"}" }.joined(separator: "\n")
        let data = directory.file("a.realmgate")
        let imported = try Program.run(
            ["import", "Dog", "-", "--schema", schema, "--data", data], input: lines, in: directory)
        try #require(imported.status == 0, "\(imported.errors)")
        return data
    }

    @Test("a backup is taken while a server writes, and is a database")
    func backup() throws {
        let directory = try TestDirectory()
        let data = try database(directory)
        let server = try RunningServer(["--data", data], in: directory)
        let client = try server.client()
        let copy = directory.file("copy.realmgate")
        let backup = try ChildProcess(
            try Program.executable(), ["backup", data, copy], directory: directory.path)
        for id in 10_000..<10_050 {
            #expect(
                try client.send("POST", "/v1/objects/Dog", body: #"{"id": \#(id), "name": "posted"}"#).status == 201)
        }
        #expect(try backup.wait() == 0, "\(backup.errors)")
        #expect(backup.errors.contains("copied to \(copy)"))
        #expect(try server.stop() == 0)
        let checked = try Program.run(["check", copy], in: directory)
        #expect(checked.status == 0, "\(checked.output)\(checked.errors)")
        let exported = try Program.run(["export", "Dog", "--data", copy], in: directory)
        let count = exported.output.split(separator: "\n").count
        #expect((4000...4050).contains(count))
    }

    @Test("a backup replaces nothing")
    func backupTarget() throws {
        let directory = try TestDirectory()
        let data = try database(directory)
        let taken = try directory.write("a letter", to: "taken")
        let result = try Program.run(["backup", data, taken], in: directory)
        #expect(result.status == 66)
        #expect(result.errors.contains("already exists"))
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "a letter")
        let missing = try Program.run(["backup", directory.file("none"), directory.file("b")], in: directory)
        #expect(missing.status == 66)
        #expect(missing.errors.contains("There is no database file"))
        #expect(!FileManager.default.fileExists(atPath: directory.file("none")))
    }

    @Test("compaction says what it brought, and is refused while a server has the file")
    func compact() throws {
        let directory = try TestDirectory()
        let data = try database(directory)
        do {
            let server = try RunningServer(["--data", data], in: directory)
            let refused = try Program.run(["compact", data], in: directory)
            #expect(refused.status == 75)
            #expect(refused.errors.contains("open in another program"))
            #expect(try server.stop() == 0)
        }
        let result = try Program.run(["compact", data], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("bytes before"))
        let size = try #require(try FileManager.default.attributesOfItem(atPath: data)[.size] as? Int)
        #expect(result.errors.contains("\(size / 1000),\(String(size).suffix(3)) now"))
        let exported = try Program.run(["export", "Dog", "--data", data], in: directory)
        #expect(exported.output.split(separator: "\n").count == 4000)
    }

    @Test("a check names the damage and says so in its exit code")
    func check() throws {
        let directory = try TestDirectory()
        let data = try database(directory)
        let sound = try Program.run(["check", data], in: directory)
        #expect(sound.status == 0, "\(sound.output)")
        #expect(sound.output.contains("no faults in 4,000 objects"))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: data))
        for page in 4..<40 { bytes[page * 4096 + 12] ^= 0x0E }
        try bytes.write(to: URL(fileURLWithPath: data))
        let damaged = try Program.run(["check", data], in: directory)
        #expect(damaged.status == 1)
        #expect(damaged.output.contains("damaged"))
        #expect(damaged.errors.contains("Restore it from a backup"))
        let letter = try directory.write("Dear Sir", to: "letter")
        let foreign = try Program.run(["check", letter], in: directory)
        #expect(foreign.status == 65)
        #expect(foreign.errors.contains("not a Realmgate file"))
        #expect(try Program.run(["check", directory.file("none")], in: directory).errors.contains("There is no"))
    }

    @Test("a compaction that is killed leaves the old file or the new one")
    func killedCompaction() throws {
        let directory = try TestDirectory()
        let data = try database(directory)
        let partial = data + ".compacting"
        for round in 0..<8 {
            let process = try ChildProcess(try Program.executable(), ["compact", data], directory: directory.path)
            // At once, when there is a new file, and when it has grown.
            let enough = (round - 1) * 40_000
            #expect(round == 0 || eventually { Self.size(partial) ?? -1 >= enough || process.status() != nil })
            process.send(SIGKILL)
            _ = try process.wait()
            let report = try EmbeddedStore.check(path: data)
            #expect(report.faults == [], "round \(round)")
            #expect(report.objects == 4000)
            let store = try EmbeddedStore.open(path: data)
            store.close()
        }
        #expect(!FileManager.default.fileExists(atPath: partial))
    }

    /// Nil if there is no file.
    private static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}
