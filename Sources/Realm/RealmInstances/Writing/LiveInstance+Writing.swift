package import StoreContract

extension LiveInstance: WriteLifecycle {
    package var isInWriteTransaction: Bool {
        get throws { try isFrozen ? false : enter { $0.write != nil } }
    }

    /// The open write, for this thread. Throws `noWrite`.
    package var transaction: any WriteTransaction {
        get throws {
            try checkWritable()
            return try enter { try $0.transaction() }
        }
    }

    /// Waits for the writer and moves to the latest version. Observers are notified of the difference before this
    /// returns; in their blocks the write is already open, and may be used, cancelled or committed. Observers that have
    /// not been called yet are not called from here. Throws `nestedWrite`, `readOnly`, `frozen`.
    ///
    /// - Parameter opened: called before the observers, when the write is open.
    package func beginWrite(opened: () throws -> Void) throws {
        try checkWritable()
        try enter { try $0.beginWrite(opened: opened) }
    }

    package func beginWrite() throws { try beginWrite(opened: {}) }

    // MARK: Asynchronous writes

    /// Calls the block in a turn, when the writer is free, with the write open; or with the error that prevented it. A
    /// write that the block leaves open is cancelled. Requests are served in their order, each after the end of the
    /// one before. A synchronous write that begins meanwhile has precedence.
    ///
    /// Throws `readOnly`, `frozen`, and `noRunLoop` where no run loop would call the block. The instance lives until
    /// then.
    ///
    /// - Parameters:
    ///   - endsWithBlock: false to leave a write open that the block does not end.
    ///   - opened: called before the observers, when the write is open.
    /// - Returns: a number for `cancelAsyncWrite`.
    @discardableResult
    package func beginAsyncWrite(
        endsWithBlock: Bool = true, opened: @escaping () throws -> Void = {},
        _ block: @escaping ((any Error)?) -> Void
    ) throws -> Int {
        try checkWritable()
        return try enter { core in
            guard scheduler.canDeliver else { throw InstanceError.noRunLoopForWrite }
            return core.addAsyncWrite(
                AsyncRequest(endsWithBlock: endsWithBlock, opened: opened) { [self] error in
                    // Keeps the instance until here.
                    _ = self
                    block(error)
                })
        }
    }

    /// Cancels the call of a block. Returns false when it was called, or is unknown.
    package func cancelAsyncWrite(_ number: Int) throws -> Bool { try enter { $0.asyncWrites.remove(number) } }

    /// Commits without waiting for the disk. The completion is called in a turn; a read, a write or a `refresh` before
    /// that waits for the disk, so that it sees the changes. Throws as `commitWrite`; the completion gets the store's
    /// error.
    package func commitAsyncWrite(
        withoutNotifying tokens: [InstanceToken] = [], _ completion: @escaping ((any Error)?) -> Void
    ) throws {
        try checkWritable()
        let muted = try orders(of: tokens)
        try enter { core in
            guard core.write != nil else { throw InstanceError.nothingToCommit }
            guard scheduler.canDeliver else { throw InstanceError.noRunLoopForWrite }
            try core.commitAsyncWrite(withoutNotifying: muted) { [self] error in
                _ = self
                completion(error)
            }
        }
    }

    /// Whether blocks wait for a write, or a commit for the disk.
    package var isPerformingAsyncWrites: Bool {
        get throws { try isFrozen ? false : enter { !$0.asyncWrites.isIdle } }
    }

    /// Commits the write to the disk. Throws `noWrite`, and `foreignToken` with the write still open.
    ///
    /// - Parameter tokens: their observers are not notified of this transaction; their later changes are relative to
    ///   it. They must be this instance's own.
    package func commitWrite(withoutNotifying tokens: [InstanceToken] = []) throws {
        try checkWritable()
        let muted = try orders(of: tokens)
        try enter { try $0.commitWrite(withoutNotifying: muted) }
    }

    /// Cancels the write. Throws `noWrite`.
    package func cancelWrite() throws {
        try checkWritable()
        try enter { try $0.cancelWrite() }
    }

    /// Begins a write, runs the body and commits; cancels if the body throws. The body may cancel or commit itself.
    /// Throws `noWrite` when an observer ended the write before the body could begin.
    @discardableResult
    package func write<R>(
        withoutNotifying tokens: [InstanceToken] = [], _ body: (any WriteTransaction) throws -> R
    ) throws -> R {
        try checkWritable()
        // Refuses a token of another instance before the write begins.
        _ = try orders(of: tokens)
        // All of it is within `enter`, so that a concurrent call by another thread is detected.
        return try enter { _ in
            try performWrite(withoutNotifying: tokens) {
                guard try isInWriteTransaction else { throw InstanceError.endedByObserver }
                return try body(transaction)
            }
        }
    }

    private func checkWritable() throws {
        if isFrozen { throw InstanceError.frozenDoesNotWrite }
        if hub.isReadOnly { throw InstanceError.readOnlyDoesNotWrite }
    }

    private func orders(of tokens: [InstanceToken]) throws -> Set<Int> {
        try Set(tokens.compactMap { try $0.order(in: self) })
    }
}
