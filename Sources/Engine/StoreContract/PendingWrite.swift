import Glibc
package import ObjectModel
import Synchronization

extension Store {
    /// Opens a write that the calling thread carries out at its own pace, with read-your-writes, until it commits
    /// or cancels. Waits for work that was submitted before and for the open writes of other threads; while it is
    /// open, all other work waits for it, so keep it short. Throws `nestedWrite` when this thread has one open
    /// already or is the store's writer, and what the store says when it cannot write.
    ///
    /// It has a commit of its own, and starts from the newest version that `snapshot()` shows for as long as it is open.
    package func beginWrite() throws -> PendingWrite {
        try WriterThread.takeTurn(self)
        let handover = Handover()
        submit({ try handover.lend($0) }, isAlone: true, completion: { handover.end($0) })
        do {
            try handover.waitForTransaction()
        } catch {
            WriterThread.passTurn(ObjectIdentifier(self))
            throw error
        }
        return PendingWrite(handover, of: ObjectIdentifier(self))
    }

    /// The same without waiting: also where a write is open already, which goes first.
    ///
    /// - Parameter ready: is given the open write, or told why there is none, on any thread; it must be quick. The write is
    ///   for the thread that adopts it.
    package func beginWrite(ready: @escaping @Sendable (Result<PendingWrite, any Error>) -> Void) {
        let id = ObjectIdentifier(self)
        WriterThread.takeTurn(self) {
            let handover = Handover { handover, failure in
                guard let failure else { return ready(.success(PendingWrite(handover, of: id))) }
                WriterThread.passTurn(id)
                ready(.failure(failure))
            }
            self.submit({ try handover.lend($0) }, isAlone: true, completion: { handover.end($0) })
        }
    }
}

/// A write that is open: see `Store.beginWrite`. Dropping the last reference cancels it. Finish it before closing
/// the store, which waits for it.
package final class PendingWrite: Sendable {
    private let handover: Handover
    private let store: ObjectIdentifier

    fileprivate init(_ handover: Handover, of store: ObjectIdentifier) {
        self.handover = handover
        self.store = store
    }

    deinit {
        if handover.decide(.cancel) { WriterThread.passTurn(store) }
    }

    /// For use on one thread at a time. Throws `closed` once the write is finished, and so does then every call of
    /// a transaction that was kept.
    package var transaction: any WriteTransaction {
        get throws { LentTransaction(handover, try handover.transaction) }
    }

    /// Waits until the changes are on disk. Throws `closed` when the write is finished already; `busy` when the
    /// store had to give up the commit because of other work in it, and this write is to be done again; else what
    /// the store says. Nothing is kept when it throws.
    @discardableResult
    package func commit() throws -> Version {
        guard handover.decide(.commit) else { throw Handover.finished }
        defer { WriterThread.passTurn(store) }
        return try handover.waitForEnd()
    }

    /// Makes a write that was begun without waiting the calling thread's.
    package func adopt() { WriterThread.assignTurn(store, to: UInt(pthread_self())) }

    /// `commit` without waiting.
    ///
    /// - Parameter ended: is given what `commit` returns or throws, on any thread; it must be quick.
    package func commit(ended: @escaping @Sendable (Result<Version, any Error>) -> Void) {
        // From here on the thread may wait for other writes.
        WriterThread.assignTurn(store, to: 0)
        let isFirst = handover.decide(.commit) { [store] outcome in
            WriterThread.passTurn(store)
            ended(outcome)
        }
        if !isFirst { ended(.failure(Handover.finished)) }
    }

    /// Takes everything back. Does nothing when the write is finished already.
    package func cancel() {
        guard handover.decide(.cancel) else { return }
        defer { WriterThread.passTurn(store) }
        // The end of a cancelled write is a failure by design.
        _ = try? handover.waitForEnd()
    }
}

/// Lends the transaction of a piece of work, on the writer's thread, to the thread that began the write.
final class Handover: Sendable {
    enum Decision: Sendable { case commit, cancel }

    private struct Cancelled: Error {}

    /// A transaction is not Sendable. It may change threads here because the writer's thread waits in `lend` for as
    /// long as it is to be had from `State`, and signals order what the two threads do with it.
    private struct Loan: @unchecked Sendable {
        let transaction: any WriteTransaction
    }

    private struct State: Sendable {
        var loan: Loan?
        var wasLent = false
        var decision: Decision?
        var outcome: Result<Version, any Error>?
        /// Is told the outcome.
        var ended: (@Sendable (Result<Version, any Error>) -> Void)?
    }

    private let state = Mutex(State())
    private let begun = Signal()
    private let decided = Signal()
    private let ended = Signal()
    /// Is called when the transaction is lent, or with why it never will be.
    private let ready: (@Sendable (Handover, (any Error)?) -> Void)?

    init(ready: (@Sendable (Handover, (any Error)?) -> Void)? = nil) { self.ready = ready }

    static var finished: StoreError {
        StoreError(.closed, "The write has been committed or cancelled already. Begin another one.")
    }

    /// Throws `closed` once the write is finished. Not to be kept: a store may need its own thread to let go of it.
    var transaction: any WriteTransaction {
        get throws {
            guard let loan = state.withLock({ $0.loan }) else { throw Self.finished }
            return loan.transaction
        }
    }

    /// The work itself. A store whose commit failed may run its work a second time, but what the thread read the
    /// first time need not hold then.
    func lend(_ transaction: any WriteTransaction) throws {
        let loan = Loan(transaction: transaction)
        let isFirst = state.withLock { state in
            guard !state.wasLent else { return false }
            state.wasLent = true
            state.loan = loan
            return true
        }
        guard isFirst else {
            throw StoreError(.busy, "The commit failed because of other work in it. Do the write again.")
        }
        begun.raise()
        ready?(self, nil)
        decided.wait()
        if state.withLock({ $0.decision == .cancel }) { throw Cancelled() }
    }

    func end(_ outcome: Result<Version, any Error>) {
        let (wasLent, tell) = state.withLock { state in
            state.outcome = outcome
            return (state.wasLent, state.ended)
        }
        // A store that refuses the work never lends it.
        begun.raise()
        ended.raise()
        if !wasLent, case .failure(let error) = outcome { ready?(self, error) }
        tell?(outcome)
    }

    func waitForTransaction() throws {
        begun.wait()
        let (loan, outcome) = state.withLock { ($0.loan, $0.outcome) }
        if loan == nil { _ = try outcome?.get() }
    }

    /// False when it was decided before.
    func decide(
        _ decision: Decision, ended: (@Sendable (Result<Version, any Error>) -> Void)? = nil
    ) -> Bool {
        let isFirst = state.withLock { state in
            guard state.decision == nil else { return false }
            state.decision = decision
            state.ended = ended
            state.loan = nil
            return true
        }
        if isFirst { decided.raise() }
        return isFirst
    }

    func waitForEnd() throws -> Version {
        ended.wait()
        guard let outcome = state.withLock({ $0.outcome }) else {
            throw StoreError(.closed, "The store was closed.")
        }
        return try outcome.get()
    }
}
