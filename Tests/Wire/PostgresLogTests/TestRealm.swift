import ObjectModel
import PostgresTesting
import StoreContract

@testable import PostgresLog

/// A new realm on a server of the tests.
final class TestRealm: Sendable {
    let server: PostgresServer
    let name: RealmName
    static let start = LogPlace.start

    init(_ server: PostgresServer? = nil) throws {
        self.server = try server ?? PostgresServer.shared.get()
        name = try RealmName("test-\(UInt64.random(in: .min ... .max))")
        let directory = try LogDirectory(try PostgresAddress(self.server.url))
        defer { directory.close() }
        try directory.setUp()
        try directory.create(name)
    }

    /// Opens a log of the realm.
    ///
    /// - Parameter port: another port than the server's.
    func log(
        port: UInt16? = nil, patience: Duration = .seconds(20), change: (inout PostgresLog.Options) -> Void = { _ in }
    ) throws -> PostgresLog {
        var options = PostgresLog.Options()
        options.patience = patience
        change(&options)
        return try PostgresLog(
            try PostgresAddress(server.url(port: port ?? server.port)), realm: name, options: options)
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
