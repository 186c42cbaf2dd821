import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import PostgresLog

@Suite("A log whose rows were changed by hand", .enabled(if: PostgresServer.isThere))
struct DamageTests {
    @Test(
        "is damaged, and the version is named",
        arguments: [
            ("delete from realmgate.log where realm = ID and version = 3", "version 3 is missing"),
            ("delete from realmgate.log where realm = ID and version = 2", "version 2 is missing"),
            ("delete from realmgate.log where realm = ID and version = 5", "version 5 is missing"),
            (
                "delete from realmgate.log where realm = ID and version = 4 and part = 1",
                "version 4 has not all its parts"
            ),
            (
                "delete from realmgate.log where realm = ID and version = 4 and part = 0",
                "version 4 has not all its parts"
            ),
            (
                "delete from realmgate.log where realm = ID and version = 4 and part = 2",
                "version 4 has not all its parts"
            ),
            ("update realmgate.log set parts = 9 where realm = ID and version = 4", "version 4 has not all its parts"),
            ("update realmgate.log set tag = 5 where realm = ID and version = 4 and part = 1", "different tags"),
            (
                "update realmgate.log set body = '\\x07' where realm = ID and version = 3",
                "version 3 cannot be decompressed"
            ),
            ("update realmgate.log set body = '\\x01ff' where realm = ID and version = 3", "cannot be decompressed"),
            ("update realmgate.log set body = '' where realm = ID and version = 3", "cannot be decompressed"),
            ("update realmgate.log set tag = 5 where realm = ID and version = 5", "version 5"),
            ("update realmgate.realm set version = 9 where id = ID", "version 6 is missing"),
            ("update realmgate.realm set version = 4 where id = ID", "version 5"),
        ])
    func damage(statement: String, sentence: String) throws {
        let realm = try TestRealm()
        let log = try realm.log { $0.usesHints = false }
        defer { log.close() }
        var random = SeededRandom(seed: 1)
        let large = (0..<600_000).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        var position = TestRealm.start
        for body in [[1], [2], large, [4]] {
            let tag = HistoryTag.another()
            #expect(try log.append([body], after: position, tag: tag) == .appended)
            position = LogPosition(position.version.next, tag)
        }
        #expect(try CommitLogConformance.history(log).count == 4)
        try realm.server.sql(statement.replacing("ID", with: try realm.id))
        let error = #expect(throws: StoreError.self) { _ = try CommitLogConformance.history(log) }
        #expect(error?.code == .logDamaged)
        #expect(error?.message.contains(sentence) == true, "\(error?.message ?? "")")
    }

    @Test("an entry that the realm's row does not know of makes appends fail")
    func doubled() throws {
        let realm = try TestRealm()
        let log = try realm.log { $0.usesHints = false }
        defer { log.close() }
        #expect(try log.append([[1]], after: TestRealm.start, tag: .another()) == .appended)
        let tag = TestRealm.start.tag
        try realm.server.sql("update realmgate.realm set version = 1, tag = \(tag.rawValue) where id = \(try realm.id)")
        #expect(code { try log.append([[2]], after: TestRealm.start, tag: .another()) } == .logDamaged)
    }

    @Test("entries before the floor are gone")
    func floor() throws {
        let realm = try TestRealm()
        let log = try realm.log { $0.usesHints = false }
        defer { log.close() }
        #expect(try log.append([[1], [2], [3]], after: TestRealm.start, tag: .another()) == .appended)
        try realm.server.sql("update realmgate.realm set floor = 3 where id = \(try realm.id)")
        #expect(code { try log.entries(after: Version(2)) } == .versionGone)
        #expect(try log.entries(after: Version(3)).map(\.body) == [[3]])
        #expect(try log.entries(after: Version(4)) == [])
    }
}
