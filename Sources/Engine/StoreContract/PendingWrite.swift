import Glibc
package import ObjectModel
import Promises
import Synchronization

extension Store {
    /// Opens a write that the calling thread carries out at its own pace, with read-your-writes, until it commits or
    /// cancels. Waits for work that was submitted before and for the open writes of other threads; while it is open,
    /// all other work waits for it, so keep it short. Throws `nestedWrite` when this thread already has one open or is
    /// the store's writer, and the store's error when it cannot write.
    ///
    /// The write has a commit of its own, and starts from the newest version that `snapshot()` returns for as long as
    /// it is open.
    package func beginWrite() throws -> PendingWrite {
        try WriterLock.acquire(self)
        let handoff = TransactionHandoff()
        submit({ try handoff.offer($0) }, isAlone: true, completion: { handoff.end($0) })
        do {
            try handoff.waitForTransaction()
        } catch {
            WriterLock.release(ObjectIdentifier(self))
            throw error
        }
        return PendingWrite(handoff, of: ObjectIdentifier(self))
    }

    /// Opens a write as `beginWrite()` does, without waiting. It may also be called while a write is open, which then
    /// goes first.
    ///
    /// - Parameter ready: called with the open write or the error, on any thread; it must be quick. The write belongs
    ///   to the thread that adopts it.
    package func beginWrite(ready: @escaping @Sendable (Result<PendingWrite, any Error>) -> Void) {
        let id = ObjectIdentifier(self)
        WriterLock.acquire(self) {
            let handoff = TransactionHandoff { handoff, failure in
                guard let failure else { return ready(.success(PendingWrite(handoff, of: id))) }
                WriterLock.release(id)
                ready(.failure(failure))
            }
            self.submit({ try handoff.offer($0) }, isAlone: true, completion: { handoff.end($0) })
        }
    }
}

/// An open write: see `Store.beginWrite`. Dropping the last reference cancels it. Finish it before closing the store,
/// which waits for it.
package final class PendingWrite: Sendable {
    private let handoff: TransactionHandoff
    private let store: ObjectIdentifier

    fileprivate init(_ handoff: TransactionHandoff, of store: ObjectIdentifier) {
        self.handoff = handoff
        self.store = store
    }

    deinit {
        if handoff.decide(.cancel) { WriterLock.release(store) }
    }

    /// The transaction, for use on one thread at a time. Throws `closed` once the write is finished; so does every call
    /// of a transaction that was kept.
    package var transaction: any WriteTransaction {
        get throws { InteractiveTransaction(handoff, try handoff.transaction) }
    }

    /// Commits, and waits until the changes are on disk. Throws `closed` when the write is already finished; `busy`
    /// when the store had to give up the commit because of other work in it, so that the caller has to repeat this
    /// write; otherwise the store's error. Nothing is kept when it throws.
    @discardableResult
    package func commit() throws -> Version {
        guard handoff.decide(.commit) else { throw TransactionHandoff.finished }
        defer { WriterLock.release(store) }
        return try handoff.waitForEnd()
    }

    /// Makes the calling thread the owner of a write that was begun without waiting.
    package func adopt() { WriterLock.transfer(store, to: UInt(pthread_self())) }

    /// Commits without waiting.
    ///
    /// - Parameter ended: called with the result or error of the commit, on any thread; it must be quick.
    package func commit(ended: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        // From here on the thread may wait for other writes.
        WriterLock.transfer(store, to: 0)
        let isFirst = handoff.decide(.commit) { [store] outcome in
            WriterLock.release(store)
            ended(outcome)
        }
        if !isFirst { ended(.failure(TransactionHandoff.finished)) }
    }

    /// Discards all changes. Does nothing when the write is already finished.
    package func cancel() {
        guard handoff.decide(.cancel) else { return }
        defer { WriterLock.release(store) }
        // The end of a cancelled write is a failure by design.
        _ = try? handoff.waitForEnd()
    }
}

/// Lends the transaction of a piece of work, on the writer's thread, to the thread that began the write.
final class TransactionHandoff: Sendable {
    enum Decision: Sendable { case commit, cancel }

    private struct Cancelled: Error {}

    /// A transaction is not Sendable. It may change threads here because the writer's thread waits in `offer` for as
    /// long as `State` holds it, and signals order the accesses of the two threads.
    private struct TransactionBox: @unchecked Sendable {
        let transaction: any WriteTransaction
    }

    private struct State: Sendable {
        var box: TransactionBox?
        var wasOffered = false
    }

    private let state = Mutex(State())
    /// Set when the transaction is lent, or when it is certain that it never will be.
    private let begun = Promise<Void>()
    private let decision = Promise<Decision>()
    private let outcome = Promise<Result<Version, any Error>>()
    /// Called when the transaction is lent, or with the error when it never will be.
    private let ready: (@Sendable (TransactionHandoff, (any Error)?) -> Void)?

    init(ready: (@Sendable (TransactionHandoff, (any Error)?) -> Void)? = nil) { self.ready = ready }

    static var finished: StoreError {
        StoreError(.closed, "The write has already been committed or cancelled. Begin another one.")
    }

    /// The lent transaction. Throws `closed` once the write is finished. Callers must not keep it: a store may need its
    /// own thread to release it.
    var transaction: any WriteTransaction {
        get throws {
            guard let box = state.withLock({ $0.box }) else { throw Self.finished }
            return box.transaction
        }
    }

    /// The work itself. A store whose commit failed may run its work a second time, but then the thread's earlier reads
    /// need not be valid.
    func offer(_ transaction: any WriteTransaction) throws {
        let box = TransactionBox(transaction: transaction)
        let isFirst = state.withLock { state in
            guard !state.wasOffered else { return false }
            state.wasOffered = true
            state.box = box
            return true
        }
        guard isFirst else {
            throw StoreError(.busy, "The commit failed because of other work in it. Repeat the write.")
        }
        begun.set(())
        ready?(self, nil)
        if decision.wait() == .cancel { throw Cancelled() }
    }

    func end(_ outcome: Result<Version, any Error>) {
        let wasOffered = state.withLock { $0.wasOffered }
        self.outcome.set(outcome)
        // A store that refuses the work never lends it.
        begun.set(())
        if !wasOffered, case .failure(let error) = outcome { ready?(self, error) }
    }

    func waitForTransaction() throws {
        begun.wait()
        if state.withLock({ $0.box == nil }) { _ = try outcome.value?.get() }
    }

    /// Returns false when it was decided before.
    func decide(
        _ decision: Decision, ended: (@Sendable (Result<Version, any Error>) -> Void)? = nil
    ) -> Bool {
        // Taken back before the writer's thread continues with the transaction. An earlier decision has taken it back
        // already.
        state.withLock { $0.box = nil }
        guard self.decision.set(decision) else { return false }
        if let ended { outcome.whenSet(ended) }
        return true
    }

    func waitForEnd() throws -> Version { try outcome.wait().get() }
}
