import Dispatch
import Foundation
import PostgresTesting
import StoreContract
import Synchronization
import Testing

@testable import PostgresLog

@Suite("The address of a PostgreSQL server")
struct AddressTests {
    @Test("is shown without password and options, however it is printed")
    func redacted() throws {
        let address = try PostgresAddress(
            "postgres://rg:s%40cret@db1:6000,db2/app?sslmode=require&target_session_attrs=any")
        #expect(address.description == "postgres://rg@db1:6000,db2/app")
        var dumped = ""
        dump(address, to: &dumped)
        for text in ["\(address)", String(reflecting: address), dumped, "\([address])", "\(Optional(address) as Any)"] {
            #expect(!text.contains("s@cret") && !text.contains("s%40cret"), "\(text)")
        }
        #expect(address.redacted("user rg has the password s@cret, s@cret!") == "user rg has the password …, …!")
    }

    @Test(
        "is refused when it is none, without quoting it",
        arguments: [
            "", "shop.realmgate", "http://rg:secret@db/app", "postgres://rg:secret@db:port:1/app",
            "postgres://rg:sec@ret@[db/app", "postgres://rg:secret@db/app?no_such_option=1",
            "postgres://rg:secret%zz@db/a",
        ])
    func wrong(url: String) {
        let fault = #expect(throws: LogConfigurationError.self) { _ = try PostgresAddress(url) }
        #expect(fault?.reason == .wrongAddress)
        #expect(fault?.description.contains("secret") == false)
    }

    @Test("lists of hosts begin with each in turn")
    func hosts() throws {
        let address = try PostgresAddress("postgres://db1:1,db2:2,db3:3/app")
        let hosts = (0..<4).map { first in
            let options = Dictionary(
                uniqueKeysWithValues: address.connectionOptions(from: first).map { ($0.keyword, $0.value) })
            return "\(options["host"] ?? "") \(options["port"] ?? "")"
        }
        #expect(hosts == ["db1,db2,db3 1,2,3", "db2,db3,db1 2,3,1", "db3,db1,db2 3,1,2", "db1,db2,db3 1,2,3"])
    }

    @Test("codes of errors are found in libpq's messages")
    func states() {
        #expect(
            PostgresConnection.state(
                in: #"connection to server at "db", port 5432 failed: FATAL:  28P01: password authentication failed"#)
                == SQLState("28P01"))
        #expect(PostgresConnection.state(in: "connection refused: 1") == nil)
        #expect(PostgresConnection.state(in: "") == nil)
    }

    @Test(
        "what is wrong with the server's configuration is said in a sentence, without the password",
        .enabled(if: PostgresServer.isThere))
    func faults() throws {
        let server = try PostgresServer.shared.get()
        _ = try TestRealm()
        let realm = try RealmName("nowhere")
        let password = PostgresServer.password
        try server.sql("drop database if exists bare")
        try server.sql("create database bare")
        let cases: [(String, LogConfigurationError.Reason, String)] = [
            (server.url(password: "wrong-Password"), .rejected, "password"),
            (server.url(password: nil), .rejected, "password"),
            (server.url(database: "nodatabase"), .rejected, "nodatabase"),
            (server.url(database: "bare"), .noTables, "realmgate setup"),
            (server.url, .unknownRealm, "nowhere"),
        ]
        for (url, reason, word) in cases {
            let fault = #expect(throws: LogConfigurationError.self) {
                _ = try PostgresLog(try PostgresAddress(url), realm: realm)
            }
            #expect(fault?.reason == reason)
            let text = "\(fault?.description ?? "") \(String(reflecting: fault))"
            #expect(text.contains(word))
            for secret in [password, "wrong-Password"] { #expect(!text.contains(secret)) }
        }
        let bare = try LogDirectory(try PostgresAddress(server.url(database: "bare")))
        defer { bare.close() }
        try bare.setUp()
        try bare.setUp()
        try server.sqlOf("bare", "update realmgate.format set format = 2")
        let newer = #expect(throws: LogConfigurationError.self) { try bare.checkFormat() }
        #expect(newer?.reason == .newerFormat)
        try server.sqlOf("bare", "delete from realmgate.format")
        #expect(throws: LogConfigurationError.self) { try bare.checkFormat() }
        try bare.setUp()
        // The printed statements make the same tables.
        try server.sqlOf("bare", "drop schema realmgate cascade; \(LogSchema.script)")
        try bare.checkFormat()
        try bare.create(realm, at: TestRealm.start)
        let twice = #expect(throws: LogConfigurationError.self) { try bare.create(realm, at: TestRealm.start) }
        #expect(twice?.reason == .realmExists)
    }

    @Test(
        "tables are made once by programs that begin at the same moment", .enabled(if: PostgresServer.isThere),
        arguments: 1...3)
    func concurrentSetUp(round: Int) throws {
        let server = try PostgresServer.shared.get()
        let database = "setup\(round)"
        try server.sql("drop database if exists \(database)")
        try server.sql("create database \(database)")
        let address = try PostgresAddress(server.url(database: database))
        let failures = Mutex<[String]>([])
        let programs = 8
        let (isReady, begin) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let threads = DispatchGroup()
        for _ in 0..<programs {
            // Threads of their own: a thread pool of two would let two programs meet at most.
            threads.enter()
            Thread.detachNewThread {
                defer { threads.leave() }
                do {
                    let directory = try LogDirectory(address)
                    defer { directory.close() }
                    // There are no tables yet; this connects.
                    try? directory.checkFormat()
                    isReady.signal()
                    begin.wait()
                    try directory.setUp()
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        for _ in 0..<programs { isReady.wait() }
        for _ in 0..<programs { begin.signal() }
        threads.wait()
        #expect(failures.withLock { $0 } == [])
        #expect(try server.sqlOf(database, "select format from realmgate.format") == "\(LogSchema.format)")
    }

    @Test(
        "names of realms have few characters",
        arguments: ["", "Shop", "a b", "ä", "a/b", String(repeating: "a", count: 64)])
    func names(name: String) { #expect(throws: LogConfigurationError.self) { _ = try RealmName(name) } }
}
