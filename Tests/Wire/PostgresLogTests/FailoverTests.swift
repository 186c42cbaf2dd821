import Foundation
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Testing

@testable import PostgresLog

@Suite("A failover of PostgreSQL", .serialized)
struct FailoverTests {
    /// REALMGATE_LONG_TESTS is the number of failovers.
    private static let rounds =
        1...(ProcessInfo.processInfo.environment["REALMGATE_LONG_TESTS"].flatMap { Int($0) } ?? 1)

    @Test("with a synchronous standby loses nothing that was acknowledged, and doubles nothing", arguments: rounds)
    func synchronous(round: Int) throws {
        let primary = try PostgresServer()
        let realm = try TestRealm(primary)
        let standby = try PostgresServer(standbyOf: primary)
        try primary.set("synchronous_standby_names", "*")
        while try primary.sql("select count(*) from pg_stat_replication where sync_state = 'sync'") != "1" {
            usleep(5000)
        }
        let places = "127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)"
        let url = primary.url.replacing("127.0.0.1:\(primary.port)", with: places) + "?target_session_attrs=read-write"
        var options = PostgresLog.Options()
        options.patience = .seconds(60)
        let log = try PostgresLog(try PostgresAddress(url), realm: realm.name, options: options)
        defer { log.close() }
        let writer = SteadyWriter(log)
        while writer.count < 50 { usleep(5000) }
        primary.stop(isCrash: true)
        try standby.promote()
        let before = writer.count
        let end = Date().addingTimeInterval(60)
        while writer.count < before + 50, Date() < end { usleep(5000) }
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
        while writer.count < 50 { usleep(5000) }
        try standby.set("primary_conninfo", "")
        while try primary.sql("select count(*) from pg_stat_replication") != "0" { usleep(5000) }
        let before = writer.count
        while writer.count < before + 50 { usleep(5000) }
        let written = try writer.stop()
        let end = try log.newest()
        primary.stop(isCrash: true)
        try standby.promote()
        let after = try realm.log(port: standby.port)
        defer { after.close() }
        let kept = try CommitLogConformance.history(after)
        #expect(kept.count < written.count && kept.map(\.body) == Array(written.prefix(kept.count)))
        // A store with the lost end sees that it is another history, by version or by tag.
        #expect(try after.newest().version < end.version)
        let place = try after.newest()
        let count = Int(end.version.rawValue - place.version.rawValue)
        #expect(try after.append(.init(repeating: [0], count: count), after: place, tag: .random()) == .appended)
        let caughtUp = try after.newest()
        #expect(caughtUp.version == end.version && caughtUp.tag != end.tag)
    }
}
