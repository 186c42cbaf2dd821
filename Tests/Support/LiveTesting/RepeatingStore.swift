package import ObjectModel
package import StoreContract
package import StoreTesting
import Synchronization

/// A store whose commits fail once: it runs every piece of work twice that does not need a commit of its own, and only
/// the second run counts.
///
/// A store does so by itself when a group of works fails as a whole, or when a commit finds room only after it was
/// tried.
package final class RepeatingStore: ForwardingStore {
    private struct CommitFailed: Error {}

    package let base: any Store
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
}
