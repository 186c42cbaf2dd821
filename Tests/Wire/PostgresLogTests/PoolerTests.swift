import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import Testing

@testable import PostgresLog

/// The trial `several-gateways` runs them: it unpacks PgBouncer, which Debian would start as a service.
@Suite("A pooler between a log and PostgreSQL", .enabled(if: Pooler.program != nil))
struct PoolerTests {
    @Test("is refused in transaction mode, also when others use it")
    func transactionMode() throws {
        let realm = try TestRealm()
        let pooler = try Pooler(realm.server, mode: "transaction")
        for _ in 0..<3 {
            let fault = #expect(throws: LogConfigurationError.self) { _ = try realm.log(at: pooler.address) }
            #expect(fault?.reason == .pooler)
        }
    }

    @Test("does no harm in session mode")
    func sessionMode() throws {
        let realm = try TestRealm()
        let pooler = try Pooler(realm.server, mode: "session")
        let log = try realm.log(at: pooler.address)
        defer { log.close() }
        #expect(try log.append([[1]], after: TestRealm.start, tag: .another()) == .appended)
        #expect(try log.takeTurn().append([[2]], tag: .another()) == .appended)
        #expect(try CommitLogConformance.history(log).map(\.body) == [[1], [2]])
    }
}
