import LiveQueries
package import ObjectModel
package import StoreContract

/// A realm's store for other parts of the program that serve it, such as a gateway: the one that the realm's instances
/// use, so that all see the same commits. It stays open, also a realm in memory, for as long as this exists.
package final class HostedRealm: Sendable {
    private let file: RealmFile
    package let isReadOnly: Bool
    package let isInMemory: Bool

    /// Opens the realm as `Realm.init(configuration:)` does, migrations included, without an instance for any thread.
    /// Throws `Realm.Error`.
    package init(_ configuration: Realm.Configuration) throws {
        file = try fileErrors { try RealmFile.open(configuration) }
        isReadOnly = configuration.readOnly
        isInMemory = configuration.inMemoryIdentifier != nil
    }

    /// The file; that of a realm in memory is gone with the process.
    package var path: String { file.path }
    package var store: any Store { file.store }

    /// The names of the classes that configurations of the program have opened the realm with.
    package var classNames: Set<String> { file.classNames }

    /// Replaces the schema, while no other configuration brings classes into the file. Blocks.
    ///
    /// - Parameter check: given the classes that are there and the names of the program's; what it throws leaves all as it
    ///   was.
    package func replaceSchema(
        with schema: ObjectModel.Schema, migration: StoreContract.Migration,
        check: (ObjectModel.Schema, Set<String>) throws -> Void
    ) throws -> Version {
        try file.replaceSchema(with: schema, migration: migration, check: check)
    }
}
