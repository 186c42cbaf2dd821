import Foundation
import PostgresLog
import PostgresTesting
import RealmPostgres
import RealmSwift
import RepositoryFiles
import TestBasics
import Testing

class Counter: Object {
    @Persisted(primaryKey: true) var name = ""
    @Persisted var value = 0
}

/// Programs of the Swift API that share a realm in PostgreSQL. Each has a replica, so two replicas in one process are two
/// programs.
@Suite("Shared realms", .serialized, .enabled(if: PostgresServer.isThere))
struct SharedRealmTests {
    private let directory: TestDirectory
    private let server: PostgresServer
    private let realm = "shared-\(PostgresServer.number())"

    init() throws {
        directory = try TestDirectory()
        server = try PostgresServer.shared.get()
        try LogDirectory(try PostgresAddress(server.url)).setUp()
    }

    private func configuration(_ name: String) -> Realm.Configuration {
        var configuration = Realm.Configuration(
            fileURL: URL(fileURLWithPath: directory.file(name)), objectTypes: [Counter.self])
        configuration.replication = .postgres(server.url, realm: realm, patience: .seconds(TestRun.patience))
        return configuration
    }

    private func wait(_ realm: Realm, until condition: () -> Bool) {
        #expect(
            eventually {
                realm.refresh()
                return condition()
            })
    }

    @Test("what one program writes is read and observed in the other, and the file is a replica")
    func writes() throws {
        let first = try Realm(configuration: configuration("a"))
        let second = try Realm(configuration: configuration("b"))
        try first.write { first.add(Counter(value: ["name": "x", "value": 1])) }
        wait(second) { second.object(ofType: Counter.self, forPrimaryKey: "x") != nil }
        let seen = try #require(second.object(ofType: Counter.self, forPrimaryKey: "x"))
        try second.write { seen.value += 1 }
        let written = try #require(first.object(ofType: Counter.self, forPrimaryKey: "x"))
        wait(first) { written.value == 2 }
    }

    @Test("interactive writes of several programs are one after the other: nothing is lost")
    func turns() throws {
        let configurations = ["a", "b", "c"].map { configuration($0) }
        let start = try Realm(configuration: configurations[0])
        try start.write { start.add(Counter(value: ["name": "sum", "value": 0])) }
        DispatchQueue.concurrentPerform(iterations: 3) { number in
            do {
                let realm = try Realm(configuration: configurations[number])
                wait(realm) { realm.object(ofType: Counter.self, forPrimaryKey: "sum") != nil }
                for _ in 0..<20 {
                    try realm.write {
                        // A write transaction begins with the newest version of all programs.
                        realm.object(ofType: Counter.self, forPrimaryKey: "sum")?.value += 1
                    }
                }
            } catch {
                Issue.record("\(error)")
            }
        }
        let sum = try #require(start.object(ofType: Counter.self, forPrimaryKey: "sum"))
        wait(start) { sum.value == 60 }
    }

    @Test("a write that never ends keeps the others waiting for its turn's time, and then fails itself")
    func unfinished() throws {
        var slow = configuration("a")
        slow.replication = .postgres(
            server.url, realm: realm, patience: .seconds(TestRun.patience), turn: .seconds(2))
        let first = try Realm(configuration: slow)
        let second = try Realm(configuration: configuration("b"))
        try second.write { second.add(Counter(value: ["name": "x", "value": 0])) }
        wait(first) { first.object(ofType: Counter.self, forPrimaryKey: "x") != nil }
        first.beginWrite()
        first.object(ofType: Counter.self, forPrimaryKey: "x")?.value = 100
        let seen = try #require(second.object(ofType: Counter.self, forPrimaryKey: "x"))
        // It would throw if the turn lasted longer than its patience.
        try second.write { seen.value += 1 }
        // What the unfinished write did is nowhere.
        #expect(throws: (any Error).self) { try first.commitWrite() }
        let own = try #require(first.object(ofType: Counter.self, forPrimaryKey: "x"))
        wait(first) { own.value == 1 }
        // Both write on.
        try first.write { own.value += 1 }
        wait(second) { seen.value == 2 }
    }

    @Test("a server that cannot be reached, and settings that do not go together, are errors with the reason")
    func faults() throws {
        var nobody = configuration("n")
        let address = try SocketFaults.deadAddress()
        nobody.replication = .postgres(
            "postgres://rg:very-secret@\(address)/app", realm: realm, patience: .milliseconds(300))
        #expect("\(String(describing: nobody.replication))".contains(address))
        #expect(!"\(String(describing: nobody.replication))".contains("very-secret"))
        #expect(throws: Realm.Error.self) { try Realm(configuration: nobody) }
        var unknown = configuration("u")
        unknown.replication = .postgres("a file", realm: realm)
        #expect(throws: Realm.Error.self) { try Realm(configuration: unknown) }
        var readOnly = configuration("r")
        readOnly.readOnly = true
        #expect { try Realm(configuration: readOnly) } throws: { "\($0)".contains("`readOnly`") }
        // The same file cannot be a replica and a realm of its own.
        let open = try Realm(configuration: configuration("a"))
        var own = configuration("a")
        own.replication = nil
        #expect { try Realm(configuration: own) } throws: { "\($0)".contains("replication") }
        open.invalidate()
    }
}
