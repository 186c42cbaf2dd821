package import ObjectModel
package import StoreContract
import Synchronization

/// A store whose commits fail once: it runs every piece of work twice that does not need a commit of its own, and only
/// the second run counts.
///
/// A store does so by itself when a group of works fails as a whole, or when a commit finds room only after it was
/// tried.
package final class RepeatingStore: Store {
    private struct CommitFailed: Error {}

    private let base: any Store
    private let repeated = Atomic(0)

    package init(_ base: any Store) { self.base = base }

    /// The number of works that ran to their end twice.
    package var repetitions: Int { repeated.load(ordering: .sequentiallyConsistent) }

    package func submit(
        _ work: @escaping @Sendable (any WriteTransaction) throws -> Void, isAlone: Bool,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) {
        guard !isAlone else { return base.submit(work, isAlone: true, completion: completion) }
        base.submit(
            { transaction in
                try work(transaction)
                throw CommitFailed()
            }, isAlone: false
        ) { [self] outcome in
            guard case .failure(let error) = outcome, error is CommitFailed else { return completion(outcome) }
            repeated.add(1, ordering: .sequentiallyConsistent)
            base.submit(work, isAlone: false, completion: completion)
        }
    }

    package func replaceSchema(
        with schema: Schema, migration: Migration?,
        completion: @escaping @Sendable (Result<Version, any Error>) -> Void
    ) { base.replaceSchema(with: schema, migration: migration, completion: completion) }

    package func snapshot() throws -> any Snapshot { try base.snapshot() }
    package func snapshot(at version: Version) throws -> any Snapshot { try base.snapshot(at: version) }
    package func asOf(_ version: Version, before snapshot: any Snapshot) throws -> AsOfState? {
        try base.asOf(version, before: snapshot)
    }
    package func tag(of version: Version) throws -> HistoryTag? { try base.tag(of: version) }
    package func changeLogFloor() throws -> Version { try base.changeLogFloor() }
    package func onCommit(_ listener: @escaping @Sendable ([ChangeSet]) -> Void) { base.onCommit(listener) }
    package func changes(after version: Version) throws -> [ChangeSet]? { try base.changes(after: version) }
    package func close() { base.close() }
}
