import LiveQueries
import LiveSchedulers
import StoreContract
import Synchronization

/// What names a write or a commit that nobody waits for.
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Whether blocks wait for a write, or a commit for the disk.
    public var isPerformingAsynchronousWriteOperations: Bool {
        raising { try rlm.isFrozen ? false : rlm.live.isPerformingAsyncWrites }
    }

    /// Runs the block in a write transaction as soon as nobody else writes, in a later turn of the run loop, queue or
    /// actor, and commits it in the background. The completion is called there with nil when it is on disk, or with why it
    /// is not. Until then the realm shows what was before. Traps for read-only and frozen realms, and on threads without a
    /// run loop.
    @discardableResult
    public func writeAsync(
        _ block: @escaping () -> Void, onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        beginAsyncWrite(
            {
                block()
                if isInWriteTransaction { commitAsyncWrite(onComplete) }
            }, failed: { onComplete?($0) })
    }

    /// Runs the block in a write transaction as soon as nobody else writes, in a later turn. It ends the transaction by
    /// `commitAsyncWrite` or `commitWrite`; one that does not takes it back. Traps as `writeAsync`.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        beginAsyncWrite(asyncWriteBlock, failed: { stop($0) })
    }

    private func beginAsyncWrite(
        _ block: @escaping () -> Void, failed: @escaping (any Swift.Error) -> Void
    ) -> AsyncTransactionId {
        raising {
            let number = try rlm.live.beginAsyncWrite(opened: rlm.noteWrite) { [rlm] error in
                if let error { return failed(rlm.fileError(error)) }
                block()
                // Within the block, so that what the write made is known to be gone.
                if rlm.transaction != nil { raising { try rlm.cancelWrite() } }
            }
            return AsyncTransactionId(truncatingIfNeeded: number)
        }
    }

    /// Commits the open write transaction in the background. The completion is called in a later turn with nil when it is
    /// on disk, or with why it is not; then the realm shows what was written.
    ///
    /// - Parameters:
    ///   - allowGrouping: commits may share their way to the disk with others; they do when that is of use.
    ///   - onComplete: what is called then.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        raising {
            try rlm.commitAsyncWrite { [rlm] error in onComplete?(error.map { rlm.fileError($0) }) }
            return 0
        }
    }

    /// Keeps the block of a write that has not begun from being run. One that has, and a commit, are not affected.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) {
        raising { _ = try rlm.live.cancelAsyncWrite(Int(asyncTransactionId)) }
    }

    /// Suspends until nobody else writes, runs the block in a write transaction, and suspends until that is on disk. For
    /// realms of actors, on them. Throws what the block throws, which takes the write back; `CancellationError`, with the
    /// block not run, when the task is cancelled while it waits; and `Realm.Error`.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        let gate = AsyncGate()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(isolation: _isolation) { continuation in
                gate.open(continuation)
                _ = raising {
                    try rlm.live.beginAsyncWrite(endsWithBlock: false, opened: rlm.noteWrite) { [rlm] error in
                        let wasWanted = gate.resume(error.map { rlm.fileError($0) })
                        if !wasWanted, rlm.transaction != nil { raising { try rlm.cancelWrite() } }
                    }
                }
            }
        } onCancel: {
            _ = gate.resume(CancellationError())
        }
        let result: Result
        do {
            result = try block()
        } catch {
            if isInWriteTransaction { cancelWrite() }
            throw error
        }
        guard isInWriteTransaction else { return result }
        try await withCheckedThrowingContinuation(isolation: _isolation) {
            (continuation: CheckedContinuation<Void, any Swift.Error>) in
            commitAsyncWrite { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
        return result
    }

    /// Moves to the latest version. Says whether that changed something. For realms of actors, on them.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        await Task.yield()
        return refresh()
    }
}

/// Goes on once, whoever comes first.
private final class AsyncGate: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>)
        case passed((any Error)?)
    }

    private let state = Mutex(State.new)

    /// Goes on at once if that was said already.
    func open(_ continuation: CheckedContinuation<Void, any Error>) {
        let passed = state.withLock { state -> (any Error)?? in
            if case .passed(let error) = state { return .some(error) }
            state = .waiting(continuation)
            return nil
        }
        guard let passed else { return }
        if let passed { continuation.resume(throwing: passed) } else { continuation.resume() }
    }

    /// False when it went on before.
    func resume(_ error: (any Error)?) -> Bool {
        let (isFirst, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Void, any Error>?) in
            switch state {
            case .passed: return (false, nil)
            case .new:
                state = .passed(error)
                return (true, nil)
            case .waiting(let continuation):
                state = .passed(error)
                return (true, continuation)
            }
        }
        if let error { continuation?.resume(throwing: error) } else { continuation?.resume() }
        return isFirst
    }
}

extension RLMRealm {
    /// What `Realm.Error` tells of as that, other errors as they are.
    func fileError(_ error: any Error) -> any Error {
        guard let error = error as? StoreError, error.code.isOfFiles else { return error }
        return Realm.Error(error, path: file?.path ?? "")
    }
}
