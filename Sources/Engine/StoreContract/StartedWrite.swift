import ObjectModel
import Promises
import Synchronization

/// A write that was submitted, and whose commit its owner waits for later.
package final class StartedWrite<R: Sendable>: Sendable {
    /// Not a promise: a store repeats work whose commit failed, and then the later result counts.
    private let result = Mutex<R?>(nil)
    private let outcome = Promise<Result<Version, any Error>>()

    fileprivate init() {}

    fileprivate func record(_ value: R) { result.withLock { $0 = value } }

    fileprivate func end(_ ending: Result<Version, any Error>) { outcome.set(ending) }

    /// Waits until the commit is on disk, and returns the result of the work. Throws the errors of the work and of the
    /// commit.
    package func wait() throws -> R {
        _ = try outcome.wait().get()
        guard let value = result.withLock({ $0 }) else { throw StoreError(.closed, "The store was closed.") }
        return value
    }
}

extension Store {
    /// Submits work without waiting for its commit: for a program that prepares the next work meanwhile. Throws
    /// `nestedWrite` on a thread that already writes to the store.
    package func start<R: Sendable>(
        isAlone: Bool = false, _ work: @escaping @Sendable (any WriteTransaction) throws -> R
    ) throws -> StartedWrite<R> {
        try WriterLock.checkNesting(self)
        let started = StartedWrite<R>()
        submit({ started.record(try work($0)) }, isAlone: isAlone, completion: { started.end($0) })
        return started
    }
}
