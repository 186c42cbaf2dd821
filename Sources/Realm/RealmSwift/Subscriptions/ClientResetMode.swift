import SyncEngine

/// What a realm does with local changes that were not sent when the gateway has lost the history that the realm is based
/// on: its backup was restored, it lost its last commits, or another database runs at its address.
///
/// The realm then gets the objects that its subscriptions match at the gateway now; until the last of them has arrived,
/// it may show some of both. What was sent and is not in the restored backup is gone. Compaction of the gateway's file,
/// and a change log that does not reach back, are no such loss.
///
/// The blocks are called on a queue of the file, one at a time. `before` is frozen at the state before the reset, `after`
/// is the live realm of that queue, in which the block may write. A process that ends during a reset continues it at its
/// next start: the blocks may be called again, and `before` shows the state at that start. While a block runs, events of
/// the gateway are not applied.
public enum ClientResetMode: Sendable {
    /// Called before the reset, with the frozen state before it.
    public typealias BeforeReset = @Sendable (_ before: Realm) -> Void
    /// Called after the reset, with the frozen state before it and the live realm.
    public typealias AfterReset = @Sendable (_ before: Realm, _ after: Realm) -> Void
    /// Called with the error that a program answers by beginning the reset.
    public typealias ErrorReportingBlock = @Sendable (_ error: any Error, _ session: SyncSession?) -> Void

    /// The program begins the reset: the handler, or `SyncConfiguration.errorHandler` without one, gets a `SyncError` with
    /// `clientResetInfo`. Until then the realm can be read and written, but nothing is sent or received. A program that does
    /// not begin the reset gets the error again when it opens the file next.
    case manual(errorHandler: ErrorReportingBlock? = nil)
    /// Local changes that were not sent are undone.
    case discardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// Local changes that were not sent stay and are sent, with the rules of edits at the same time: those of objects that
    /// the gateway no longer has are undone. If the realm's own change log no longer has them, as `manual`.
    case recoverUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)
    /// As `recoverUnsyncedChanges`. If the realm's own change log no longer has them, as `discardUnsyncedChanges`.
    case recoverOrDiscardUnsyncedChanges(beforeReset: BeforeReset? = nil, afterReset: AfterReset? = nil)

    var followed: FollowerSettings.ResetMode {
        switch self {
        case .manual: .manual
        case .discardUnsyncedChanges: .discard
        case .recoverUnsyncedChanges: .recover
        case .recoverOrDiscardUnsyncedChanges: .recoverOrDiscard
        }
    }

    var blocks: (before: BeforeReset?, after: AfterReset?) {
        switch self {
        case .manual: (nil, nil)
        case .discardUnsyncedChanges(let before, let after), .recoverUnsyncedChanges(let before, let after),
            .recoverOrDiscardUnsyncedChanges(let before, let after):
            (before, after)
        }
    }

    var errorHandler: ErrorReportingBlock? {
        if case .manual(let handler) = self { handler } else { nil }
    }
}

extension SyncError {
    /// Begins one client reset; see `SyncSession.immediatelyHandleError`.
    public struct ActionToken: Sendable {
        let begin: @Sendable () -> Void
    }

    /// The path at which the reset leaves a copy of the file as it is before, and the token that begins it; nil for other
    /// errors.
    public func clientResetInfo() -> (path: String, errorToken: ActionToken)? {
        resetToken.flatMap { token in resetPath.map { ($0, token) } }
    }
}

extension SyncSession {
    /// Begins the client reset of an error: copies the file to the path of `clientResetInfo`, then undoes local changes
    /// that were not sent, and follows the gateway again. Does not wait for it. Realms of the file may stay open. If the
    /// copy cannot be written, the reset does not begin, and the error handler gets an error with the code `file`. Does
    /// nothing when it is called again, or when the file was closed.
    public static func immediatelyHandleError(_ token: SyncError.ActionToken) { token.begin() }
}
