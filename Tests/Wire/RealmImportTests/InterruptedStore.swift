import ObjectModel
import StoreContract
import StoreTesting
import Synchronization

/// A store in which something else happens between the preparation of a schema and its turn, as other writers may do.
final class InterruptedStore: ForwardingStore {
    let base: any Store
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
}
