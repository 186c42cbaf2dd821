import Foundation
package import StoreContract

/// A realm whose objects several programs share over a log. Each has a file of its own, a replica, and a write is
/// committed when the log has taken it.
///
/// The module `RealmPostgres` makes one for a log in PostgreSQL, which `realmgate serve --store` uses too:
///
/// ```swift
/// configuration.replication = .postgres("postgres://rg@db1/app", realm: "notes")
/// ```
///
/// Reads and notifications are local. A write waits for the other programs' writes, and for a round trip to the log.
/// When the log cannot be reached, writes throw `Realm.Error`, and reads go on. The file may be deleted while no program
/// has it open; the next start makes it from the log. `readOnly`, `deleteRealmIfMigrationNeeded`, `seedFilePath`,
/// `shouldCompactOnLaunch`, in-memory realms and `syncConfiguration` do not go with it.
public struct Replication: Sendable, Equatable, CustomStringConvertible {
    /// Identifies the shared objects, without a password. Equal for the same objects.
    public let description: String
    let connect: @Sendable () throws -> any CommitLog

    /// - Parameter connect: throws `StoreError`, or an error with a sentence as its description.
    package init(_ description: String, connect: @escaping @Sendable () throws -> any CommitLog) {
        self.description = description
        self.connect = connect
    }

    public static func == (a: Replication, b: Replication) -> Bool { a.description == b.description }
}

extension Realm.Configuration {
    /// Throws for a setting that does not go with replication.
    func checkReplication() throws {
        guard replication != nil else { return }
        let others: [(String, Bool)] = [
            ("readOnly", readOnly), ("inMemoryIdentifier", inMemoryIdentifier != nil),
            ("syncConfiguration", syncConfiguration != nil), ("seedFilePath", seedFilePath != nil),
            ("deleteRealmIfMigrationNeeded", deleteRealmIfMigrationNeeded),
            ("shouldCompactOnLaunch", shouldCompactOnLaunch != nil),
        ]
        guard let other = others.first(where: \.1) else { return }
        throw Realm.Error(.invalidInput, "Cannot set `\(other.0)` when `replication` is set.", path: fileURL?.path)
    }
}
