package import JSONCoding
package import ObjectModel

/// Who calls, as far as the credential proves it. Knows no rules.
package struct Principal: Hashable, Sendable {
    /// By what a caller shows who it is.
    package enum Credential: Hashable, Sendable {
        /// It showed nothing.
        case none
        /// An API key, by its id.
        case key(String)
        /// A JSON Web Token.
        case token
    }

    package var credential: Credential
    /// The token's `sub`, or the one that the key was made for; nil for nobody in particular.
    package var subject: String?
    /// The names of the roles that the credential carries, in its order.
    package var roles: [String]
    /// What rules may refer to as `$claims.…`: an object.
    package var claims: JSONValue
    /// When the credential ends; nil for never.
    package var expires: Timestamp?

    package init(
        credential: Credential = .none, subject: String? = nil, roles: [String] = [], claims: JSONValue = [:],
        expires: Timestamp? = nil
    ) {
        self.credential = credential
        self.subject = subject
        self.roles = roles
        self.claims = claims
        self.expires = expires
    }

    /// Somebody without a credential.
    package static let anonymous = Principal()
}
