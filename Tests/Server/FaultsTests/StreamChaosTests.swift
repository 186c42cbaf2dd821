import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import RepositoryFiles
import StoreTesting
import Testing
import TestBasics

/// Clients of event streams that are slow, disconnect, and resume with their last id, while the server is killed and
/// restarted. In the end each has the present result.
@Suite("Streams through anything", .serialized)
struct StreamChaosTests {
    private static let schema = """
        {"schemaVersion": 1, "classes": [
          {"name": "Dog", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "name", "type": "string"},
            {"name": "weight", "type": "int"}, {"name": "breed", "type": "string"},
            {"name": "owner", "type": "Person?"}]},
          {"name": "Person", "primaryKey": "id", "properties": [
            {"name": "id", "type": "int"}, {"name": "city", "type": "string"},
            {"name": "dogs", "type": "linkingObjects(Dog.owner)"}]}]}
        """

    private struct Subject {
        let query: String
        var kind = StreamReplay.Kind.collection
        var observed: String { kind == .sections ? "sections/Dog" : "objects/Dog" }
    }

    private static let subjects = [
        Subject(query: "sort=-weight,name"),
        Subject(query: "filter=weight%20%3E%2050&sort=name"),
        Subject(query: "sort=weight&limit=7"),
        Subject(query: "distinct=breed&sort=name"),
        Subject(query: "filter=owner.city%20%3D%3D%20%22c1%22&expand=owner"),
        Subject(query: ""),
    ]

    @Test("clients that pause, leave and come back, and a server that is killed, lose no change")
    func chaos() throws {
        let directory = try TestDirectory()
        let data = directory.file("chaos.realmgate")
        let schema = try directory.write(Self.schema, to: "schema.json")
        let seed = TestSeed.of()
        print("StreamChaosTests seed \(seed)")
        var random = SeededRandom(seed: seed)
        let address = ChangingAddress()
        let clients = Self.subjects.enumerated().map { number, subject in
            (0..<2).map {
                ChaosClient(subject.query, subject.observed, subject.kind, TestSeed.of("client \(number * 2 + $0)"))
            }
        }.flatMap { $0 }
        for client in clients {
            client.start(while: { !address.over }, port: { address.port })
        }
        var rounds = 0
        // Until one of the clients went on from where it was.
        while rounds < 3 * TestRun.length || clients.allSatisfy({ $0.resumptions == 0 }), rounds < 1_000 {
            rounds += 1
            let server = try RunningServer(["--data", data, "--schema", schema], in: directory)
            address.port = server.port
            try write(Int.random(in: 60...150, using: &random), to: server, &random)
            address.port = nil
            server.process.send(SIGKILL)
            _ = try server.process.wait()
        }
        let server = try RunningServer(["--data", data, "--schema", schema], in: directory)
        address.port = server.port
        try write(100, to: server, &random)
        let api = try server.client()
        // Two more objects, at least one of which is in every result once a client is up to date.
        let last = try api.send(
            "POST", "/v1/objects/Dog?update=all",
            body: """
                [{"id": -1, "name": "", "weight": -1, "breed": "last", "owner": {"id": 1, "city": "c1"}},
                 {"id": -2, "name": "", "weight": 1000, "breed": "last", "owner": {"id": 1, "city": "c1"}}]
                """)
        #expect(last.status == 201 || last.status == 200)
        for client in clients {
            #expect(eventually { !client.knowsNot("\"last\"") || client.fault != nil }, "\(client.query)")
        }
        address.over = true
        for client in clients { client.wait() }
        for client in clients {
            #expect(client.fault == nil, "seed \(seed), \(client.query)")
            let limit = client.query.contains("limit=") ? "" : "&limit=1000"
            let answer = try api.send("GET", "/v1/objects/Dog?\(client.query)\(limit)").json()
            #expect(try client.items == StreamReplay.texts(answer["items"]), "seed \(seed), \(client.query)")
        }
        let connections = clients.reduce(0) { $0 + $1.connections }
        let initials = clients.reduce(0) { $0 + $1.initials }
        let resumptions = clients.reduce(0) { $0 + $1.resumptions }
        print(
            "StreamChaosTests: \(connections) connections, \(initials) of them from the start, \(resumptions) resumed")
        #expect(resumptions > 0, "reconnections go on from where the client was")
        #expect(try server.stop() == 0)
    }

    private func write(_ count: Int, to server: RunningServer, _ random: inout SeededRandom) throws {
        let api = try server.client()
        for _ in 0..<count {
            let id = Int.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: _ = try api.send("DELETE", "/v1/objects/Dog/\(id)")
            case 1:
                let city = "c\(Int.random(in: 0..<3, using: &random))"
                _ = try api.send(
                    "POST", "/v1/objects/Person?update=all", body: #"{"id": \#(id % 5), "city": "\#(city)"}"#)
            default:
                let weight = Int.random(in: 0..<100, using: &random)
                let body =
                    #"{"id": \#(id), "name": "n\#(weight % 7)", "weight": \#(weight), "breed": "b\#(weight % 4)", "owner": \#(id % 5 == 0 ? "null" : "{\"id\": \(id % 5)}")}"#
                let answer = try api.send("POST", "/v1/objects/Dog?update=modified", body: body)
                guard answer.status < 300 || answer.status == 422 else { throw TestFailure(answer.text) }
            }
            if Int.random(in: 0..<20, using: &random) == 0 { usleep(3_000) }
        }
    }
}
