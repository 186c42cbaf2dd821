import PostgresLog
public import RealmSwift

extension Replication {
    /// A log in PostgreSQL.
    ///
    /// The database needs the tables that `realmgate setup` makes. A realm that is not there is created when it is
    /// opened. Opening throws `Realm.Error` with the reason when the server cannot be reached, or something has to be
    /// changed there first. Cost of opening: follows what the file lacks.
    ///
    /// - Parameters:
    ///   - url: the URL of PostgreSQL's client library, with several hosts and options if need be.
    ///   - realm: the name of the objects: `a` to `z`, digits, `_` and `-`, at most 63.
    ///   - patience: for how long a write waits for PostgreSQL.
    ///   - turn: how long a write may keep the other programs waiting; it fails then.
    public static func postgres(
        _ url: String, realm: String = "main", patience: Duration = .seconds(10), turn: Duration = .seconds(30)
    ) -> Replication {
        let address = try? PostgresAddress(url)
        return Replication("\(address.map { "\($0)" } ?? "PostgreSQL"), realm '\(realm)'") {
            var options = PostgresLog.Options()
            options.patience = patience
            options.turnLength = turn
            let directory = try LogDirectory(try PostgresAddress(url), options: options)
            return try directory.log(try RealmName(realm), mustExist: false)
        }
    }
}
