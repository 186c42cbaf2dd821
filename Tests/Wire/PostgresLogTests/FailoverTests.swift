import Foundation
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import PostgresLog

@Suite("A failover of PostgreSQL", .serialized, .enabled(if: PostgresServer.isThere))
struct FailoverTests {
    private static let rounds = 1...TestRun.length

    @Test("with a synchronous standby loses nothing that was acknowledged, and doubles nothing", arguments: rounds)
    func synchronous(round: Int) throws {
        let primary = try PostgresServer()
        let realm = try TestRealm(primary)
        let standby = try PostgresServer(standbyOf: primary)
        try primary.set("synchronous_standby_names", "*")
        try primary.wait(until: "the standby is synchronous") {
            try primary.sql("select count(*) from pg_stat_replication where sync_state = 'sync'") == "1"
        }
        let url = primary.url(at: "\(primary.address),\(standby.address)") + "?target_session_attrs=read-write"
        var options = PostgresLog.Options()
        options.patience = .seconds(TestRun.patience)
        let log = try PostgresLog(try PostgresAddress(url), realm: realm.name, options: options)
        defer { log.close() }
        let writer = SteadyWriter(log)
        writer.waitForMore(50)
        primary.stop(isCrash: true)
        try standby.promote()
        let before = writer.count
        writer.waitForMore(50)
        let written = try writer.stop()
        #expect(written.count >= before + 50)
        #expect(try CommitLogConformance.history(log).map(\.body) == written)
    }

    @Test("with a standby that received nothing for a while loses the end of the log alone", arguments: rounds)
    func stalled(round: Int) throws {
        let primary = try PostgresServer()
        let realm = try TestRealm(primary)
        let standby = try PostgresServer(standbyOf: primary)
        let log = try realm.log()
        defer { log.close() }
        let writer = SteadyWriter(log)
        writer.waitForMore(50)
        try standby.set("primary_conninfo", "")
        try primary.wait(until: "the standby receives nothing") {
            try primary.sql("select count(*) from pg_stat_replication") == "0"
        }
        writer.waitForMore(50)
        let written = try writer.stop()
        let end = try log.newest()
        primary.stop(isCrash: true)
        try standby.promote()
        let after = try realm.log(at: standby.address)
        defer { after.close() }
        let kept = try CommitLogConformance.history(after)
        #expect(kept.count < written.count && kept.map(\.body) == Array(written.prefix(kept.count)))
        // A store with the lost end sees that it is another history, by version or by tag.
        #expect(try after.newest().version < end.version)
        let position = try after.newest()
        let count = Int(end.version.rawValue - position.version.rawValue)
        #expect(try after.append(.init(repeating: [0], count: count), after: position, tag: .another()) == .appended)
        let caughtUp = try after.newest()
        #expect(caughtUp.version == end.version && caughtUp.tag != end.tag)
    }
}
