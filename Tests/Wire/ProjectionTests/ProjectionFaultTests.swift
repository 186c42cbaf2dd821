import Foundation
import ObjectModel
import PostgresTesting
import QueryLanguage
import StoreContract
import Synchronization
import Testing

@testable import EmbeddedStore
@testable import PostgresLog
@testable import Projection

/// Projections when their tables, their log or their schema change under them.
@Suite("Projections that others disturb", .enabled(if: PostgresServer.isThere))
struct ProjectionFaultTests {
    private static func schema(_ version: UInt64, _ properties: [PropertySchema], others: [ClassSchema] = []) -> Schema
    {
        Schema(version: version, classes: [ClassSchema("Thing", properties: properties)] + others)
    }

    private static let plain = schema(
        1, [PropertySchema("number", PropertyType(.int)), PropertySchema("text", PropertyType(.string))],
        others: [ClassSchema("Gone", properties: [PropertySchema("number", PropertyType(.int))])])

    private func add(_ count: Int, to realm: ProjectedRealm) throws {
        let thing = try #require(try realm.store.snapshot().schema["Thing"])
        let number = try #require(thing["number"]).id
        try realm.store.write { transaction in
            for index in 0..<count { _ = try transaction.create(thing.id, [number: .int(Int64(index))]) }
        }
    }

    private func reason(_ outcome: Projector.Outcome) -> Projector.Reason? {
        guard case .rewritten(_, _, let reason) = outcome else { return nil }
        return reason
    }

    private func fault(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return (error as? ProjectionError)?.description ?? "another error: \(error)"
        }
    }

    @Test("a change of the schema changes columns, and views and other tables in the schema stay")
    func schemaChange() throws {
        let realm = try ProjectedRealm(Self.plain)
        try add(3, to: realm)
        #expect(reason(try realm.projector.step()) == .first)
        _ = try realm.rows("create view total as select sum(number) from \"Thing\"; create table mine (a int)")
        try realm.store.replaceSchema(
            with: Self.schema(
                2,
                [
                    PropertySchema("number", PropertyType(.int)), PropertySchema("flag", PropertyType(.bool)),
                    PropertySchema("tags", PropertyType(.string, collection: .set)),
                ]), migration: Migration { _ in })
        #expect(reason(try realm.projector.step()) == .schema)
        #expect(
            try realm.rows(
                "select table_name || '.' || column_name from information_schema.columns where table_schema = '\(realm.schema)' order by 1"
            ) == [
                "Thing._oid", "Thing.flag", "Thing.number", "Thing.tags._index", "Thing.tags._owner",
                "Thing.tags.value",
                "mine.a", "total.sum",
            ])
        #expect(try realm.rows("select * from total") == ["3"])
        try add(1, to: realm)
        guard case .changed = try realm.projector.step() else {
            Issue.record("The tables do not follow after a change of the schema.")
            return
        }
        #expect(try realm.rows("select count(*) from \"Thing\"") == ["4"])
    }

    @Test("a view on a column that is dropped is named, and nothing changes until it is dropped")
    func dependent() throws {
        let realm = try ProjectedRealm(Self.plain)
        _ = try realm.projector.step()
        _ = try realm.rows("create view texts as select text from \"Thing\"")
        try realm.store.replaceSchema(
            with: Self.schema(2, [PropertySchema("number", PropertyType(.int))]), migration: Migration { _ in })
        let said = fault { _ = try realm.projector.step() }
        #expect(said.contains("depend on it") && said.contains("Drop what depends on it"), "\(said)")
        #expect(try realm.rows("select count(text) from \"Thing\"") == ["0"])
        _ = try realm.rows("drop view texts")
        #expect(reason(try realm.projector.step()) == .schema)
    }

    @Test("after a fork, and when the change log does not reach back, all rows are written")
    func rewriting() throws {
        let realm = try ProjectedRealm(Self.plain)
        try add(2, to: realm)
        _ = try realm.projector.step()
        func become(_ assignments: String) throws -> Projector.Reason? {
            try realm.server.sql(
                "update realmgate.projection set \(assignments) where schema_name = '\(realm.schema)'")
            _ = try realm.rows("delete from \"Thing\"")
            try add(1, to: realm)
            return reason(try realm.projector.step())
        }
        #expect(try become("tag = tag + 1") == .fork)
        #expect(try become("version = version + 1000") == .fork)
        #expect(try become("version = 0") == .history)
        #expect(try realm.rows("select count(*) from \"Thing\"") == ["5"])
        // The tables themselves are made again by a projector that starts.
        _ = try realm.rows("drop table \"Thing\"")
        try realm.server.sql("update realmgate.projection set layout = null where schema_name = '\(realm.schema)'")
        try add(1, to: realm)
        #expect(reason(try realm.projector(realm.schema).step()) == .schema)
        #expect(try realm.rows("select count(*) from \"Thing\"") == ["6"])
    }

    @Test("two projectors of one schema and writers at once give the tables of one")
    func competition() throws {
        let realm = try ProjectedRealm(Self.plain)
        let projectors = try (0..<2).map { _ in try realm.projector(realm.schema) }
        let failures = Mutex<[String]>([])
        let group = DispatchGroup()
        let work = projectors.map { Unchecked(value: $0) }
        for projector in work {
            DispatchQueue(label: "projector").async(group: group) {
                for _ in 0..<40 {
                    do {
                        _ = try projector.value.step()
                    } catch let fault as ProjectionError where fault.isTemporary {
                    } catch {
                        failures.withLock { $0.append("\(error)") }
                    }
                }
            }
        }
        for _ in 0..<40 { try add(2, to: realm) }
        group.wait()
        _ = try realm.projector.step()
        #expect(failures.withLock { $0 } == [])
        let fresh = realm.schema + "-fresh"
        _ = try realm.projector(fresh).step()
        #expect(try realm.differences(from: fresh) == [])
        #expect(try realm.rows("select count(*) from \"Thing\"") == ["80"])
    }

    /// One thread uses each projector.
    private struct Unchecked: @unchecked Sendable { let value: Projector }

    @Test("readers may read and not write; a role that is not there is named")
    func readers() throws {
        let role = "reader\(PostgresServer.number())"
        let realm = try ProjectedRealm(Self.plain, readers: [role])
        let said = fault { _ = try realm.projector.step() }
        #expect(said.contains(role) && said.contains("--reader"), "\(said)")
        try realm.server.sql("create role \(role)")
        _ = try realm.projector.step()
        #expect(
            try realm.rows(
                "set role \(role); select count(*) from \"Thing\"; select version from realmgate.projection where schema_name = '\(realm.schema)'"
            ) == ["0", "\(try realm.store.snapshot().version)"])
        #expect(throws: (any Error).self) { try realm.rows("set role \(role); delete from \"Thing\"") }
    }

    @Test("a schema that is not free is refused with what to do")
    func taken() throws {
        let realm = try ProjectedRealm(Self.plain)
        for name in ["", "realmgate", "pg_catalog", "information_schema", String(repeating: "x", count: 64)] {
            #expect(fault { _ = try realm.projector(name) }.contains("Name another one"), "\(name)")
        }
        let foreign = realm.schema + "-foreign"
        try realm.server.sql("create schema \"\(foreign)\"; create table \"\(foreign)\".\"Thing\" (a int)")
        #expect(fault { _ = try realm.projector(foreign).step() }.contains("table 'Thing' that is not of the realm"))
        let other = try ProjectedRealm(Self.plain)
        _ = try other.projector.step()
        #expect(fault { _ = try realm.projector(other.schema).step() }.contains("another realm"))
    }
}
