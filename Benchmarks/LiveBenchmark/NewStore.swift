import EmbeddedStore
import Glibc
import ObjectModel
import PostgresLog

/// Opens a new store: one of its own, or, with a URL of PostgreSQL in REALMGATE_STORE, a replica whose log is a new realm
/// there.
func newStore(_ path: String, _ schema: Schema) throws -> EmbeddedStore {
    guard let url = getenv("REALMGATE_STORE") else { return try EmbeddedStore.open(path: path, schema: schema) }
    let directory = try LogDirectory(try PostgresAddress(String(cString: url)))
    try directory.setUp()
    let realm = try RealmName("benchmark-\(UInt64.random(in: .min ... .max))")
    return try EmbeddedStore.open(path: path, schema: schema, log: try directory.log(realm, mustExist: false))
}
