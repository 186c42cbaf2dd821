import Foundation
import Glibc
import HTTPTesting
import PostgresTesting
import ProgramTesting
import RepositoryFiles
import Testing

/// The command `project`, beside a gateway whose objects it shows.
@Suite("The command project", .enabled(if: PostgresServer.isThere))
struct ProjectCommandTests {
    private typealias Realm = RealmCommandTests.Realm

    private func rows(_ realm: Realm, _ text: String) throws -> String { try realm.postgres.sql(text) }

    /// Starts the command, and waits until it has the tables.
    private func start(_ realm: Realm, _ arguments: String...) throws -> ChildProcess {
        let process = try ChildProcess(
            Program.executable(), ["project", "--realm", realm.name] + arguments,
            environment: ["REALMGATE_STORE": realm.postgres.url], directory: realm.directory.path)
        try process.wait(until: "the tables") { process.output.contains("the tables of schema") }
        return process
    }

    private func write(_ server: RunningServer, _ method: String, _ path: String, _ body: String? = nil) throws {
        let answer = try server.client().send(method, path, body: body)
        try #require(answer.status / 100 == 2, "\(answer.text)")
    }

    @Test("tables follow what clients write through a gateway, and a second projector goes on when the first is killed")
    func follows() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        try write(gateway, "POST", "/v1/objects/Dog", #"{"id": 1, "name": "Rex"}"#)
        let first = try start(realm, "--data", realm.directory.file("tables.replica"))
        #expect(
            first.output.contains("\(realm.name): the tables of schema \(realm.name) have version"), "\(first.output)")
        #expect(try rows(realm, "select name from \"\(realm.name)\".\"Dog\"") == "Rex")
        let second = try start(realm)
        try write(gateway, "PATCH", "/v1/objects/Dog/1", #"{"name": "Tom"}"#)
        try first.wait(until: "the change") {
            try rows(realm, "select name from \"\(realm.name)\".\"Dog\"") == "Tom"
        }
        first.send(SIGKILL)
        _ = try first.wait()
        try write(gateway, "POST", "/v1/objects/Dog", #"{"id": 2, "name": "Ada"}"#)
        try write(gateway, "DELETE", "/v1/objects/Dog/1")
        try second.wait(until: "the second change") {
            try rows(realm, "select name from \"\(realm.name)\".\"Dog\"") == "Ada"
        }
        second.send(SIGTERM)
        #expect(try second.wait() == 0, "\(second.errors)")
        #expect(try gateway.stop() == 0)
    }

    @Test("--once ends with the newest version, in a schema of another name, and says what it did")
    func once() throws {
        let realm = try Realm()
        let gateway = try realm.gateway()
        try write(gateway, "POST", "/v1/objects/Dog", #"{"id": 1, "name": "Rex"}"#)
        let name = "tables of \(realm.name)"
        func run() throws -> Program.Result { try realm.run("project", "--once", "--schema", name) }
        let made = try run()
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("rows written: the tables are new"), "\(made.output)")
        let again = try run()
        #expect(again.status == 0 && !again.output.contains("written"), "\(again.output)\(again.errors)")
        try write(gateway, "PATCH", "/v1/objects/Dog/1", #"{"name": "Tom"}"#)
        #expect(try run().output.contains("1 rows written"))
        #expect(try rows(realm, "select name from \"\(name)\".\"Dog\"") == "Tom")
        #expect(try gateway.stop() == 0)
    }

    @Test("what is wrong is said in a sentence, with the code for it")
    func faults() throws {
        let realm = try Realm()
        func expect(_ status: Int32, _ sentence: String, _ arguments: [String]) throws {
            let result = try Program.run(
                ["project", "--once"] + arguments, environment: ["REALMGATE_STORE": realm.postgres.url],
                in: realm.directory)
            #expect(result.status == status && result.errors.contains(sentence), "\(result.errors)")
            #expect(!result.errors.contains(PostgresServer.password))
        }
        try expect(78, "has no realm 'nowhere'", ["--realm", "nowhere"])
        #expect(try realm.gateway().stop() == 0)
        try expect(78, "Name another one", ["--realm", realm.name, "--schema", "pg_tables"])
        try expect(78, "--reader", ["--realm", realm.name, "--reader", "nobody-\(realm.name)"])
        try realm.postgres.sql("create schema \"x\(realm.name)\"; create table \"x\(realm.name)\".\"Dog\" (a int)")
        try expect(78, "not of the realm", ["--realm", realm.name, "--schema", "x\(realm.name)"])
    }
}
