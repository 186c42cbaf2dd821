import LiveQueries

/// Keeps an observation alive: it ends when the token is invalidated or the last reference to it is dropped.
public final class NotificationToken: Sendable {
    let token: InstanceToken

    init(_ token: InstanceToken) { self.token = token }

    /// Ends the observation: no call of its block begins after this returns, on the observing thread.
    public func invalidate() { token.invalidate() }
}
