import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import TestBasics
import Testing

/// Deleting, over HTTP, when the disk has no space left.
@Suite("Deleting on a full disk", .serialized, .enabled(if: SmallDevice.isWanted))
struct FullDiskDeletionTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [{"name": "Thing", "primaryKey": "id", "properties": [
          {"name": "id", "type": "int"}, {"name": "text", "type": "string", "indexed": true},
          {"name": "tags", "type": "string[]"}, {"name": "marks", "type": "int{}"}, {"name": "next", "type": "Thing?"},
          {"name": "others", "type": "Thing[]"}]}]}
        """

    /// The data that used up the last space.
    enum Cause: CaseIterable {
        case database
        case somebodyElse
    }

    @Test(
        "objects, elements and whole classes can be deleted on a full disk, and then there is room for others",
        arguments: Cause.allCases)
    func deleting(cause: Cause) throws {
        let directory = try TestDirectory()
        let device = try SmallDevice(directory.file("device"), kilobytes: 5_000)
        let schema = try directory.write(Self.schema, to: "schema.json")
        let server = try RunningServer(
            ["--data", device.path + "/a.realmgate", "--schema", schema, "--log-level", "critical"], in: directory)
        let client = try server.client()
        let tags = (0..<2000).map { "\"tag \($0)\"" }.joined(separator: ",")
        let marks = (0..<2000).map { "\"\($0)\":\($0)" }.joined(separator: ",")
        let first = try client.send(
            "POST", "/v1/objects/Thing", body: "{\"id\":0,\"tags\":[\(tags)],\"marks\":{\(marks)}}")
        #expect(first.status == 201)
        var count = 0
        // Texts that come in no order, as most do, so that the index grows everywhere.
        var random = SeededRandom.ofTest(cause)
        func fill() throws -> Int {
            let things = (count + 1...count + 200).map {
                "{\"id\":\($0),\"text\":\"\(random.next())-\(random.next())\",\"next\":0,\"others\":[0]}"
            }
            return try client.send("POST", "/v1/objects/Thing", body: "[\(things.joined(separator: ","))]").status
        }
        while cause == .database || count < 2_000 {
            let status = try fill()
            guard status == 201 else {
                #expect(status == 507)
                break
            }
            count += 200
        }
        let ballast = open(device.path + "/ballast", O_WRONLY | O_CREAT, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while write(ballast, page, page.count) > 0 {}
        close(ballast)
        #expect(count >= 2_000)
        // The space reserved for deletions before the disk was full is more than they need.
        while case let status = try fill(), status != 507 {
            try #require(status == 201 && count < 100_000)
            count += 200
        }

        func expect(_ method: String, _ target: String, _ status: Int, body: String? = nil) throws {
            let answer = try client.send(method, target, body: body)
            #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        }
        try expect("DELETE", "/v1/objects/Thing/1", 204)
        try expect("DELETE", "/v1/objects/Thing/0/tags/7", 200)
        try expect("DELETE", "/v1/objects/Thing/0/marks/7", 200)
        try expect("DELETE", "/v1/objects/Thing/0/tags", 200)
        try expect(
            "POST", "/v1/transactions", 200,
            body: """
                {"operations": [{"op": "delete", "object": {"class": "Thing", "key": 2}},
                  {"op": "clear", "object": {"class": "Thing", "key": 0}, "property": "marks"}]}
                """)
        try expect("DELETE", "/v1/objects/Thing?filter=id%20%3C%201000", 200)
        try expect("DELETE", "/v1/objects/Thing?all=true", 200)
        let left = try client.send("GET", "/v1/objects/Thing?count=true").json()
        #expect(left["count"] as? Int == 0)
        // The others link to it.
        try expect("POST", "/v1/objects/Thing", 201, body: "{\"id\":0}")
        count = 100_000
        for _ in 0..<5 {
            #expect(try fill() == 201)
            count += 200
        }
        #expect(try server.stop() == 0)
        let check = try Program.run(["check", device.path + "/a.realmgate"], in: directory)
        #expect(check.status == 0, "\(check.output)\(check.errors)")
    }
}
