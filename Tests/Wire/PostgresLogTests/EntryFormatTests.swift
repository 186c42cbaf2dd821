import ObjectModel
import PostgresTesting
import StoreContract
import Testing

@testable import PostgresLog

/// Programs of two versions on one realm: this one, which reads entries of format 1, and one that reads format 2 too.
@Suite("The format of entries", .enabled(if: PostgresServer.isThere))
struct EntryFormatTests {
    private static func gateway(_ number: UInt8, _ address: String, format: Int32) -> LogGateway {
        LogGateway(
            id: .init(repeating: number, count: 16), address: address, program: "realmgate \(format)",
            newestFormat: format, roles: [], applied: Version(1))
    }

    @Test("is raised when all programs of the realm know it, never lowered, and then keeps older programs out")
    func raised() throws {
        let realm = try TestRealm()
        let directory = try LogDirectory(try PostgresAddress(realm.server.url))
        defer { directory.close() }
        let log = try realm.log()
        defer { log.close() }
        func fault(to format: Int32, known: Int32 = 2) throws -> LogConfigurationError? {
            #expect(throws: LogConfigurationError.self) {
                try directory.raiseEntryFormat(to: format, of: realm.name, known: known)
            }
        }
        func stored() throws -> String {
            try realm.server.sql("select entry_format from realmgate.realm where name = '\(realm.name)'")
        }
        let old = Self.gateway(1, "old:1", format: 1)
        try log.report(old)
        try log.report(Self.gateway(2, "new:2", format: 2))
        let refusal = try #require(try fault(to: 2))
        #expect(refusal.reason == .olderGateways)
        #expect(refusal.description.contains("old:1 (realmgate 1)") && !refusal.description.contains("new:2"))
        #expect(try stored() == "1")
        // One that was not seen for an hour is not waited for.
        try realm.server.sql(
            "update realmgate.gateway set seen = now() - interval '61 minutes' where realm = \(try realm.id) and address = 'old:1'"
        )
        #expect(try directory.raiseEntryFormat(to: 2, of: realm.name, known: 2) == [realm.name.text])
        #expect(try stored() == "2")
        #expect(try directory.raiseEntryFormat(to: 2, of: realm.name, known: 2) == [realm.name.text])
        #expect(try fault(to: 1)?.description.contains("Give 2 or more") == true)
        #expect(try stored() == "2")
        let late = #expect(throws: LogConfigurationError.self) { _ = try realm.log() }
        #expect(late?.reason == .newerFormat && late?.description.contains("Use a newer program") == true)
    }

    @Test("that the program does not know, or of a realm that does not exist, is refused")
    func refused() throws {
        let realm = try TestRealm()
        let directory = try LogDirectory(try PostgresAddress(realm.server.url))
        defer { directory.close() }
        for format in [0, -1, LogDirectory.newestEntryFormat + 1] {
            let fault = #expect(throws: LogConfigurationError.self) {
                try directory.raiseEntryFormat(to: format, of: realm.name)
            }
            #expect(fault?.reason == .newerFormat)
        }
        let unknown = #expect(throws: LogConfigurationError.self) {
            try directory.raiseEntryFormat(to: 1, of: try RealmName("nowhere"))
        }
        #expect(unknown?.reason == .unknownRealm)
    }

    @Test("of one realm is its own")
    func realms() throws {
        let realm = try TestRealm()
        let other = try TestRealm(realm.server)
        let directory = try LogDirectory(try PostgresAddress(realm.server.url))
        defer { directory.close() }
        #expect(try directory.raiseEntryFormat(to: 2, of: realm.name, known: 2) == [realm.name.text])
        let log = try other.log()
        log.close()
    }
}
