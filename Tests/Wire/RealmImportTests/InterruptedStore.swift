import ObjectModel
import StoreContract
import Synchronization

/// A store in which something else happens between the preparation of a schema and its turn, as other writers may do.
final class InterruptedStore: Store {
    private let base: any Store
    private let turns = Mutex(0)
    private let before: @Sendable (_ turn: Int) throws -> Void

    /// - Parameter before: called before each replacement of the schema, with its number from 1.
    init(_ base: any Store, before: @escaping @Sendable (_ turn: Int) throws -> Void) {
        self.base = base
        self.before = before
    }

    /// How often a schema was to be replaced.
    var replacements: Int { turns.withLock { $0 } }

    func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        do {
            try before(
                turns.withLock { turns in
                    turns += 1
                    return turns
                })
        } catch {
            return completion(.failure(error))
        }
        base.replaceSchema(with: schema, migration: migration, completion: completion)
    }

    func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.submit(work, isAlone: isAlone, completion: completion) }

    func snapshot() throws -> any Snapshot { try base.snapshot() }
    func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }
    func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try base.asOf(version, before: snapshot)
    }
    func tag(of version: Version) throws -> HistoryTag? { try base.tag(of: version) }
    func changeLogFloor() throws -> Version { try base.changeLogFloor() }
    func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) { base.onCommit(listener) }
    func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }
    func close() { base.close() }
}
