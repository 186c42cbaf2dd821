/// Writes that a thread carries out at its own pace: each is begun, and then committed or cancelled.
package protocol WriteLifecycle {
    associatedtype Token

    var isInWriteTransaction: Bool { get throws }

    /// Waits for the writer, and opens a write at the newest version. Throws, or traps, when one is open.
    func beginWrite() throws

    /// Puts the open write on disk. The tokens' observers do not hear of it.
    func commitWrite(withoutNotifying tokens: [Token]) throws

    /// Takes the open write back.
    func cancelWrite() throws
}

extension WriteLifecycle {
    /// Begins a write, runs the body and commits; cancels when the body throws. The body may commit or cancel itself.
    package func performWrite<R>(withoutNotifying tokens: [Token], _ body: () throws -> R) throws -> R {
        try beginWrite()
        let result = try cancellingOnFailure(body)
        if try isInWriteTransaction { try commitWrite(withoutNotifying: tokens) }
        return result
    }

    /// Runs the body, and cancels the open write, if there still is one, when the body throws.
    package func cancellingOnFailure<R>(_ body: () throws -> R) throws -> R {
        do {
            return try body()
        } catch {
            if try isInWriteTransaction { try cancelWrite() }
            throw error
        }
    }
}
