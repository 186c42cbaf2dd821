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

/// A follower's callbacks to its program, on any thread.
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
