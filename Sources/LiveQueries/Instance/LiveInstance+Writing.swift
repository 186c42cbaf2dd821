package import StoreContract

extension LiveInstance {
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

    /// Waits for the writer and moves to the latest version. What that makes different is told before this returns; in
    /// these blocks the write is open already, and may be used, cancelled or committed. Observers that have not
    /// been called yet are not called from here. Throws `nestedWrite`, `readOnly`, `frozen`.
    package func beginWrite() throws {
        try checkWritable()
        try enter { try $0.beginWrite() }
    }

    /// Puts the write on disk. Throws `noWrite`, and `foreignToken` with the write still open.
    ///
    /// - Parameter tokens: their observers do not hear of this transaction, and hear of others as if they had known of
    ///   it. They must be this instance's own.
    package func commitWrite(withoutNotifying tokens: [InstanceToken] = []) throws {
        try checkWritable()
        let muted = try orders(of: tokens)
        try enter { try $0.commitWrite(withoutNotifying: muted) }
    }

    /// Takes the write back. Throws `noWrite`.
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
        let muted = try orders(of: tokens)
        return try enter { try $0.write(withoutNotifying: muted, body) }
    }

    private func checkWritable() throws {
        if isFrozen { throw InstanceError.frozenDoesNotWrite }
        if hub.isReadOnly { throw InstanceError.readOnlyDoesNotWrite }
    }

    private func orders(of tokens: [InstanceToken]) throws -> Set<Int> {
        try Set(tokens.compactMap { try $0.order(in: self) })
    }
}
