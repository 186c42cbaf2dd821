package import ObjectModel
package import StoreContract

/// A store that passes every call to another. What conforms states only the calls that it treats otherwise.
package protocol ForwardingStore: Store {
    var base: any Store { get }
}

extension ForwardingStore {
    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.submit(work, isAlone: isAlone, completion: completion) }

    package func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.replaceSchema(with: schema, migration: migration, completion: completion) }

    package func snapshot() throws -> any Snapshot { try base.snapshot() }
    package func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }
    package func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try base.asOf(version, before: snapshot)
    }
    package func walk(from snapshot: any Snapshot) throws -> any VersionWalk { try base.walk(from: snapshot) }
    package func tag(of version: Version) throws -> HistoryTag? { try base.tag(of: version) }
    package func changeLogFloor() throws -> Version { try base.changeLogFloor() }
    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) { base.onCommit(listener) }
    package func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }
    package func close() { base.close() }
}
