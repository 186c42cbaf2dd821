import Promises
import RealmInstances
import StoreContract
import Synchronization

/// The identifier of an asynchronous write or commit.
public typealias AsyncTransactionId = UInt32

extension Realm {
    /// Whether asynchronous writes or commits are pending, or the block of one is running.
    public var isPerformingAsynchronousWriteOperations: Bool {
        trapOnError { try rlm.isFrozen ? false : rlm.live.isPerformingAsyncWrites || rlm.isInAsyncBlock }
    }

    /// Runs the block in a write transaction as soon as no other transaction is open, in a later turn of the run loop,
    /// queue or actor, and commits in the background. Calls the completion there with nil once the commit is on disk,
    /// or with the error. A block that cancels or commits the write itself leaves nothing to commit, and the completion
    /// is not called. A read of the realm after the block and before the completion waits for the disk. Traps for
    /// read-only and frozen realms, and on threads without a run loop.
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

    /// Begins a write transaction as soon as no other is open, and runs the block in it in a later turn. The block must
    /// call `commitAsyncWrite` or `commitWrite`; otherwise the transaction is rolled back. Traps as `writeAsync` does.
    @discardableResult
    public func beginAsyncWrite(_ asyncWriteBlock: @escaping () -> Void) -> AsyncTransactionId {
        beginAsyncWrite(asyncWriteBlock, failed: { stop($0) })
    }

    private func beginAsyncWrite(
        _ block: @escaping () -> Void, failed: @escaping (any Swift.Error) -> Void
    ) -> AsyncTransactionId {
        trapOnError {
            let number = try rlm.live.beginAsyncWrite(opened: rlm.noteWrite) { [rlm] error in
                if let error { return failed(rlm.fileError(error)) }
                block()
                // Rolled back within this block, so that the realm invalidates the objects that the write created.
                if rlm.transaction != nil { trapOnError { try rlm.cancelWrite() } }
            }
            return AsyncTransactionId(truncatingIfNeeded: number)
        }
    }

    /// Commits the open write transaction in the background. Calls the completion in a later turn with nil once the
    /// commit is on disk, or with the error. The realm shows the changes from now on: what reads it before the completion
    /// waits for the disk.
    ///
    /// - Parameters:
    ///   - allowGrouping: whether the commit may share its disk sync with others, which it does whenever that saves
    ///     time.
    ///   - onComplete: the completion.
    @discardableResult
    public func commitAsyncWrite(
        allowGrouping: Bool = false, _ onComplete: (((any Swift.Error)?) -> Void)? = nil
    ) -> AsyncTransactionId {
        trapOnError {
            try rlm.commitAsyncWrite { [rlm] error in onComplete?(error.map { rlm.fileError($0) }) }
            return 0
        }
    }

    /// Cancels a write whose block has not run yet. Has no effect on a write that has begun, nor on a commit.
    public func cancelAsyncWrite(_ asyncTransactionId: AsyncTransactionId) {
        trapOnError { _ = try rlm.live.cancelAsyncWrite(Int(asyncTransactionId)) }
    }

    /// Waits until no other write transaction is open, runs the block in one, and waits until the commit is on disk.
    /// Must be called on the actor of the realm; traps for a realm of a thread or queue. If the block throws, rolls back and rethrows. Throws
    /// `CancellationError` without running the block if the task is cancelled while it waits; throws `Realm.Error` if
    /// the commit fails.
    @discardableResult
    public func asyncWrite<Result>(
        _isolation: isolated (any Actor)? = #isolation, _ block: () throws -> Result
    ) async throws -> Result {
        try Task.checkCancellation()
        trapOnError { try rlm.checkAwaitable("asyncWrite()") }
        // Set by the writer or by the cancellation, whichever is first.
        let turn = Promise<(any Swift.Error)?>()
        try await withTaskCancellationHandler {
            _ = trapOnError {
                try rlm.live.beginAsyncWrite(endsWithBlock: false, opened: rlm.noteWrite) { [rlm] error in
                    let wasWanted = turn.set(error.map { rlm.fileError($0) })
                    if !wasWanted, rlm.transaction != nil { trapOnError { try rlm.cancelWrite() } }
                }
            }
            if let error = await turn.get(isolation: _isolation) { throw error }
        } onCancel: {
            turn.set(CancellationError())
        }
        rlm.isInAsyncBlock = true
        let result = try {
            defer { rlm.isInAsyncBlock = false }
            return try cancellingOnFailure(block)
        }()
        guard isInWriteTransaction else { return result }
        try await withCheckedThrowingContinuation(isolation: _isolation) {
            (continuation: CheckedContinuation<Void, any Swift.Error>) in
            commitAsyncWrite { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
        return result
    }

    /// Refreshes the realm to the latest version. Returns whether anything changed. Must be called on the actor of the
    /// realm; traps for a realm of a thread or queue.
    @discardableResult
    public func asyncRefresh(_isolation: isolated (any Actor)? = #isolation) async -> Bool {
        trapOnError { try rlm.checkAwaitable("asyncRefresh()") }
        await Task.yield()
        return refresh()
    }
}

extension RLMRealm {
    /// Throws for a realm whose thread or queue cannot wait for something: only actors can, and the main thread.
    func checkAwaitable(_ function: String) throws {
        guard try isFrozen || live.scheduler is MainScheduler || live.scheduler is ActorScheduler else {
            throw RealmException("\(function) can only be called on main thread or actor-isolated Realms")
        }
    }

    /// Converts a file error of the store to `Realm.Error`; returns other errors unchanged.
    func fileError(_ error: any Error) -> any Error {
        guard let error = error as? StoreError, error.code.isOfFiles else { return error }
        return Realm.Error(error, path: file?.path ?? "")
    }
}
