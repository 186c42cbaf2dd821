import Glibc
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import PostgresLog

/// A hint is a convenience: whatever comes on the channel, nothing is lost and nothing breaks.
@Suite("Hints of a log", .serialized, .enabled(if: PostgresServer.isThere))
struct HintTests {
    private func wait(_ what: String, until isSo: () throws -> Bool) throws {
        let hasCome = try eventually(isSo)
        #expect(hasCome, "\(what) did not come")
    }

    /// A log that listens, and the numbers of hints that it heard.
    private final class Ear: Sendable {
        let log: PostgresLog
        let entries = Atomic(0)
        let records = Atomic(0)

        init(_ log: PostgresLog) {
            self.log = log
            log.onHint { [self] in entries.add(1, ordering: .relaxed) }
            log.onRecordHint { [self] in records.add(1, ordering: .relaxed) }
        }

        var counts: [Int] { [entries.load(ordering: .relaxed), records.load(ordering: .relaxed)] }
    }

    @Test("those of another realm, without a meaning, late or doubled do no harm; entries and records have their own")
    func strange() throws {
        let realm = try TestRealm()
        let other = try TestRealm()
        let writer = try realm.log()
        let ear = Ear(try realm.log())
        defer {
            writer.close()
            ear.log.close()
        }
        // It calls listeners once when it has begun to listen.
        try wait("the beginning") { ear.counts == [1, 1] }
        let id = try realm.id
        for payload in ["\(try other.id) 5", "", "x", "1 2 3", " ", String(repeating: "9", count: 300)] {
            try realm.server.sql("select pg_notify('realmgate', '\(payload)')")
        }
        // Of versions long past or not made yet, twice. Hints that come together are one call.
        for payload in ["\(id) 1", "\(id) 1", "\(id) 99999", "\(id)"] {
            try realm.server.sql("select pg_notify('realmgate', '\(payload)')")
        }
        try wait("hints of entries") { ear.counts[0] > 1 }
        #expect(ear.counts[1] == 1)
        let before = ear.counts
        for _ in 0..<2 { try realm.server.sql("select pg_notify('realmgate', '\(id) records')") }
        try wait("hints of records") { ear.counts[1] > before[1] }
        func heard(_ position: Int, _ what: String, _ act: () throws -> Void) throws {
            // What was sent before has come.
            usleep(100_000)
            let before = ear.counts[position]
            try act()
            try wait(what) { ear.counts[position] > before }
        }
        try heard(0, "the hint of an entry") {
            _ = try writer.append([[1]], after: .start, tag: .another())
        }
        try heard(1, "the hint of a record") { _ = try writer.store([1], as: "r", over: nil) }
        try heard(1, "the hint of a deletion") { _ = try writer.deleteRecord("r", at: 1) }
    }

    @Test("a connection that is cut listens again, and at once calls for what may have been missed")
    func cut() throws {
        let realm = try TestRealm()
        let ear = Ear(try realm.log())
        defer { ear.log.close() }
        try wait("the beginning") { ear.counts == [1, 1] }
        // All connections that listen; those of other tests recover likewise.
        try realm.server.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen realmgate%'")
        try wait("the next connection") { ear.counts.allSatisfy { $0 >= 2 } }
        try realm.server.sql("select pg_notify('realmgate', '\(try realm.id) 1')")
        try wait("a hint on it") { ear.counts[0] >= 3 }
    }

    @Test("the connection of hints does not have its commits synced")
    func unsynced() throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        let connection = try #require(log.hints).connect()
        let setting = Statement(
            name: "setting", text: "select current_setting('synchronous_commit')", scope: .hint)
        let rows = try connection.run([StatementCall(setting)], by: Deadline(after: .seconds(TestRun.patience))).rows
        #expect(try rows[0].text(0, 0) == "off")
    }
}
