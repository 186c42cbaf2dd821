package import Foundation

/// The address of a follower's gateway, and the parameters of its requests.
package struct FollowerSettings: Sendable {
    /// A path in it precedes the paths of the gateway's endpoints.
    package var gateway: URL
    /// An API key, or a JSON Web Token.
    package var token: String?
    /// Returns the token for each request, in place of `token`.
    package var tokenProvider: (@Sendable () async throws -> String?)?
    /// Sent with each request.
    package var headers: [String: String]
    /// The number of seconds without data after which a connection counts as broken.
    package var idleTimeout: TimeInterval
    /// What becomes of local changes when the gateway has lost its history.
    package var resetMode: ResetMode

    package enum ResetMode: Sendable {
        /// Keeps and sends them. Waits for the program, as `manual`, if some cannot be sent any more.
        case recover
        case discard
        /// Discards them only if some cannot be sent any more.
        case recoverOrDiscard
        /// Does nothing before the program begins the reset.
        case manual
    }

    package init(
        gateway: URL, token: String?, tokenProvider: (@Sendable () async throws -> String?)?,
        headers: [String: String], idleTimeout: TimeInterval, resetMode: ResetMode = .recover
    ) {
        self.gateway = gateway
        self.token = token
        self.tokenProvider = tokenProvider
        self.headers = headers
        self.idleTimeout = idleTimeout
        self.resetMode = resetMode
    }
}

/// A follower's callbacks to its program, on any thread.
package struct FollowerReports: Sendable {
    let fault: @Sendable (FollowerFault) -> Void
    /// The stream of the subscriptions is open.
    let connected: @Sendable () -> Void
    /// A client reset begins: the next commit changes the data.
    let willReset: @Sendable () async -> Void
    /// A client reset is done. Called again after a start if the process ended meanwhile.
    let didReset: @Sendable () async -> Void

    package init(
        fault: @escaping @Sendable (FollowerFault) -> Void, connected: @escaping @Sendable () -> Void,
        willReset: @escaping @Sendable () async -> Void = {}, didReset: @escaping @Sendable () async -> Void = {}
    ) {
        self.fault = fault
        self.connected = connected
        self.willReset = willReset
        self.didReset = didReset
    }
}
