import Foundation
import Promises

/// Runs a migration's block on a thread of its own. Misuse within the block stops the program. Where it does not, because
/// a test replaces the stop of the program by that of the thread, the block's thread ends alone: the migration fails, the
/// store's writer goes on, and the file can be opened again.
enum MigrationThread {
    private typealias Outcome = Promise<Result<Void, any Error>>

    /// Sendable because the promise is.
    private final class Ending: Sendable {
        let outcome: Outcome
        init(_ outcome: Outcome) { self.outcome = outcome }
    }

    /// Its destructor runs however the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { ending in
            guard let ending else { return }
            Unmanaged<Ending>.fromOpaque(ending).takeRetainedValue().outcome.set(
                .failure(RealmException("The migration block ended its thread.")))
        }
        return key
    }()

    /// The main thread's, as for a block that it runs.
    private static let stackSize = 8 << 20

    /// Blocks until the block has ended. Throws the error of the block, and a `RealmException` for misuse within it if
    /// the program goes on.
    ///
    /// - Parameter isTrapped: whether misuse ends the thread and not the program.
    static func run(isTrapped: Bool, _ block: @escaping () throws -> Void) throws {
        let outcome = Outcome()
        let block = Transferred(block)
        let thread = Thread {
            pthread_setspecific(key, Unmanaged.passRetained(Ending(outcome)).toOpaque())
            if isTrapped {
                ExceptionTrap.handler = { message in
                    outcome.set(.failure(RealmException(message)))
                    pthread_exit(nil)
                }
            }
            outcome.set(Result { try block.value() })
        }
        thread.stackSize = stackSize
        thread.start()
        try outcome.wait().get()
    }
}
