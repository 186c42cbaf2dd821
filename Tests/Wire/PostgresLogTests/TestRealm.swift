import ObjectModel
import PostgresTesting
import StoreContract
import TestBasics

@testable import PostgresLog

/// A new realm on a server of the tests.
final class TestRealm: Sendable {
    let server: PostgresServer
    let name: RealmName
    static let start = LogPosition.start

    init(_ server: PostgresServer? = nil) throws {
        self.server = try server ?? PostgresServer.shared.get()
        name = try RealmName("test-\(PostgresServer.number())")
        let directory = try LogDirectory(try PostgresAddress(self.server.url))
        defer { directory.close() }
        try directory.setUp()
        try directory.create(name)
    }

    /// Opens a log of the realm.
    ///
    /// - Parameters:
    ///   - host: another host and port than the server's.
    ///   - patience: how long a call tries. A short one is for what is away.
    func log(
        at host: String? = nil, patience: Duration = .seconds(TestRun.patience),
        change: (inout PostgresLog.Options) -> Void = { _ in }
    ) throws -> PostgresLog {
        var options = PostgresLog.Options()
        options.patience = patience
        change(&options)
        let address = try PostgresAddress(server.url(at: host))
        var opened: PostgresLog?
        // On a busy machine opening may take longer than a short patience.
        _ = try eventually {
            do {
                opened = try PostgresLog(address, realm: name, options: options)
            } catch let error as StoreError where error.code == .logUnavailable {}
            return opened != nil
        }
        return try opened ?? PostgresLog(address, realm: name, options: options)
    }

    /// The number of the realm, for statements of tests.
    var id: String { get throws { try server.sql("select id from realmgate.realm where name = '\(name)'") } }
}

/// The code of the `StoreError` that a call throws; nil when it throws none.
func code<Result>(_ body: () throws -> Result) -> StoreError.Code? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
