import RealmInstances

extension InstanceToken {
    /// The token of an observation of what no longer exists.
    static var ended: InstanceToken {
        let token = InstanceToken()
        token.invalidate()
        return token
    }
}

/// Keeps an observation alive. The observation ends when the token is invalidated or released.
///
/// ```swift
/// let token = realm.objects(Book.self).observe { change in
///     if case .update(_, let deletions, let insertions, let modifications) = change {
///         print(deletions, insertions, modifications)
///     }
/// }
/// // Later, when no more calls are wanted:
/// token.invalidate()
/// ```
public final class NotificationToken: Sendable {
    let token: InstanceToken

    init(_ token: InstanceToken) { self.token = token }

    /// Ends the observation. On the observing thread, no call of its block begins after this returns. Returns false if
    /// the token was already invalidated.
    @discardableResult
    public func invalidate() -> Bool { token.invalidate() }
}
