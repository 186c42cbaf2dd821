import Dispatch
import Foundation
import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Synchronization
import TestBasics
import Testing

@testable import PostgresLog

/// A server that stops, refuses, or does not wait for its standby. It is one of these tests' own.
@Suite("Appends to a server with faults", .serialized, .enabled(if: PostgresServer.isThere))
struct ServerFaultTests {
    private static let own = Result { try PostgresServer() }

    private func realm() throws -> TestRealm { try TestRealm(try Self.own.get()) }

    @Test("acknowledged entries survive a server that is killed and started under load, and nothing is doubled")
    func restart() throws {
        let realm = try realm()
        let log = try realm.log()
        defer { log.close() }
        let writer = SteadyWriter(log)
        for isCrash in [false, true, true] {
            writer.waitForMore(10)
            realm.server.stop(isCrash: isCrash)
            usleep(100_000)
            try realm.server.start()
        }
        writer.waitForMore(10)
        let written = try writer.stop()
        #expect(try CommitLogConformance.history(log).map(\.body) == written)
        #expect(written.count >= 40)
    }

    @Test("a server that is away is unavailable; the log goes on when it is back")
    func away() throws {
        let realm = try realm()
        let (log, other) = (try realm.log(patience: .milliseconds(300)), try realm.log())
        defer {
            log.close()
            other.close()
        }
        let hinted = DispatchSemaphore(value: 0)
        log.onHint { hinted.signal() }
        // While the server is there, what must succeed has the patience for a slow disk.
        #expect(try other.append([[1]], after: TestRealm.start, tag: .another()) == .appended)
        let position = try other.newest()
        realm.server.stop()
        #expect(code { try log.newest() } == .logUnavailable)
        #expect(code { try log.append([[2]], after: position, tag: .another()) } == .logUnavailable)
        try realm.server.start()
        #expect(eventually { (try? log.newest()) == position })
        // Its patience is short: on a busy machine it may not learn the outcome at once.
        let tag = HistoryTag.another()
        #expect(eventually { (try? log.append([[2]], after: position, tag: tag)) != nil })
        #expect(eventually { (try? CommitLogConformance.history(log).map(\.body)) == [[1], [2]] })
        // The channel of hints comes back by itself.
        while hinted.wait(timeout: .now()) == .success {}
        let isHinted = try eventually { () throws -> Bool in
            #expect(try other.append([[3]], after: try other.newest(), tag: .another()) == .appended)
            return hinted.wait(timeout: .now() + .milliseconds(50)) == .success
        }
        #expect(isHinted)
    }

    @Test("a read-only server refuses, and the log finds it writable again")
    func readOnly() throws {
        let realm = try realm()
        let log = try realm.log()
        defer { log.close() }
        try realm.server.set("default_transaction_read_only", "on")
        #expect(code { try log.append([[1]], after: TestRealm.start, tag: .another()) } == .logRefused)
        #expect(code { try log.takeTurn() } == .logRefused)
        #expect(try log.newest() == TestRealm.start)
        try realm.server.set("default_transaction_read_only", "off")
        #expect(try log.append([[2]], after: TestRealm.start, tag: .another()) == .appended)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[2]])
    }

    @Test("a full disk refuses the write and not the reading, and the log goes on when there is room")
    func full() throws {
        let realm = try realm()
        let log = try realm.log()
        defer { log.close() }
        let first = LogPosition(Version(2), .another())
        #expect(try log.append([[1]], after: .start, tag: first.tag) == .appended)
        // The code that PostgreSQL has for a disk without room.
        try realm.server.sql(
            """
            create or replace function public.fill() returns trigger language plpgsql as
              $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$;
            create trigger fill before insert on realmgate.log for each row
              when (new.realm = \(try realm.id)) execute function public.fill();
            """)
        let tag = HistoryTag.another()
        #expect(code { try log.append([[2]], after: first, tag: tag) } == .logRefused)
        #expect(throws: StoreError.self) {
            let turn = try log.takeTurn()
            _ = try turn.append([[2]], tag: .another())
        }
        #expect(try log.newest() == first)
        #expect(try log.entries(after: Version(1)).count == 1)
        try realm.server.sql("drop trigger fill on realmgate.log")
        #expect(try log.append([[2]], after: first, tag: tag) == .appended)
        #expect(try log.entries(after: Version(1)).map(\.body) == [[1], [2]])
    }

    @Test("a commit whose wait for the standby is cancelled is not acknowledged before a standby has it")
    func cancelledWait() throws {
        let realm = try realm()
        let (brief, log) = (try realm.log(patience: .seconds(1)), try realm.log())
        defer {
            brief.close()
            log.close()
        }
        let waits = "from pg_stat_activity where wait_event = 'SyncRep'"
        try realm.server.set("synchronous_standby_names", "nobody")
        func append(
            _ body: [UInt8], after position: LogPosition, to log: PostgresLog, whenCancelled: () throws -> Void
        ) throws -> Result<AppendOutcome, any Error>? {
            let result = Mutex<Result<AppendOutcome, any Error>?>(nil)
            let ended = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                let outcome = Result { try log.append([body], after: position, tag: .another()) }
                result.withLock { $0 = outcome }
                ended.signal()
            }
            try realm.server.wait(until: "the commit waits") {
                try realm.server.sql("select count(*) \(waits)") != "0"
            }
            try realm.server.sql("select pg_cancel_backend(pid) \(waits)")
            try whenCancelled()
            ended.wait()
            return result.withLock { $0 }
        }
        let lost = try append([1], after: TestRealm.start, to: brief) {}
        #expect(code { try lost?.get() } == .logOutcomeUnknown)
        let position = try log.newest()
        #expect(position.version == Version(2))
        let found = try append([2], after: position, to: log) { try realm.server.set("synchronous_standby_names", "") }
        #expect(try found?.get() == .appended)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[1], [2]])
    }

    @Test("a hint waits for no standby, because nothing depends on it")
    func unconfirmedHint() throws {
        let realm = try realm()
        let (speaker, listener) = (try realm.log(), try realm.log())
        defer {
            speaker.close()
            listener.close()
        }
        let heard = DispatchSemaphore(value: 0)
        func hear() -> Bool { eventually { heard.wait(timeout: .now() + .milliseconds(50)) == .success } }
        listener.onHint { heard.signal() }
        // The listener is called once when the channel listens, and once for a first hint.
        #expect(hear())
        speaker.announce(Version(1))
        #expect(hear())
        try realm.server.set("synchronous_standby_names", "nobody")
        speaker.announce(Version(2))
        #expect(hear())
        try realm.server.set("synchronous_standby_names", "")
    }

    @Test("missing rights are refused with the statement that gives them")
    func rights() throws {
        let realm = try realm()
        try realm.server.sql("drop role if exists guest")
        try realm.server.sql("create role guest login password 'guest-Secret'")
        let url = "postgres://guest:guest-Secret@\(realm.server.address)/postgres"
        let fault = #expect(throws: LogConfigurationError.self) {
            _ = try PostgresLog(try PostgresAddress(url), realm: realm.name)
        }
        #expect(fault?.reason == .noRights)
        try realm.server.sql("grant usage on schema realmgate to guest")
        try realm.server.sql("grant select on all tables in schema realmgate to guest")
        let log = try PostgresLog(try PostgresAddress(url), realm: realm.name)
        defer { log.close() }
        let error = #expect(throws: StoreError.self) {
            _ = try log.append([[1]], after: TestRealm.start, tag: .another())
        }
        #expect(error?.code == .logRefused)
        #expect(error?.message.contains("grant select, insert, update, delete") == true)
        try realm.server.sql("grant select, insert, update, delete on all tables in schema realmgate to guest")
        #expect(try log.append([[1]], after: TestRealm.start, tag: .another()) == .appended)
    }
}
