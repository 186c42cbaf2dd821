/// Writes in separate steps on one thread: begin, then commit or cancel.
package protocol WriteLifecycle {
    associatedtype Token

    var isInWriteTransaction: Bool { get throws }

    /// Waits for the writer, and begins a write at the newest version. Throws or traps if a write is open.
    func beginWrite() throws

    /// Commits the open write to the disk. The tokens' observers are not notified.
    func commitWrite(withoutNotifying tokens: [Token]) throws

    /// Cancels the open write.
    func cancelWrite() throws
}

extension WriteLifecycle {
    /// Begins a write, runs the body and commits. Cancels if the body throws. The body may commit or cancel itself.
    package func performWrite<R>(withoutNotifying tokens: [Token], _ body: () throws -> R) throws -> R {
        try beginWrite()
        let result = try cancellingOnFailure(body)
        if try isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Runs the body. If it throws, cancels the open write, unless the body has ended it.
    package func cancellingOnFailure<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            if try isInWriteTransaction { try cancelWrite() }
            throw error
        }
    }
}
