package import Foundation

/// Where a follower finds its gateway, and how it asks.
package struct FollowerSettings: Sendable {
    /// A path is put before those of the gateway's endpoints.
    package var gateway: URL
    /// An API key, or a JSON Web Token.
    package var token: String?
    /// Asked for the token before each request, in place of `token`.
    package var tokenProvider: (@Sendable () async throws -> String?)?
    /// Sent with each request.
    package var headers: [String: String]
    /// Seconds after which a connection that says nothing counts as broken.
    package var idleTimeout: TimeInterval

    package init(
        gateway: URL, token: String?, tokenProvider: (@Sendable () async throws -> String?)?,
        headers: [String: String], idleTimeout: TimeInterval
    ) {
        self.gateway = gateway
        self.token = token
        self.tokenProvider = tokenProvider
        self.headers = headers
        self.idleTimeout = idleTimeout
    }
}

/// What a follower tells its program of, on any thread.
package struct FollowerReports: Sendable {
    let fault: @Sendable (FollowerFault) -> Void
    /// The stream of the subscriptions is open.
    let connected: @Sendable () -> Void

    package init(
        fault: @escaping @Sendable (FollowerFault) -> Void, connected: @escaping @Sendable () -> Void
    ) {
        self.fault = fault
        self.connected = connected
    }
}
