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
        /// A JSON Web Token; `signer` stands for the key that it is signed with and what was asked of it.
        case token(signer: String)
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
    /// What of its role's rights the credential gives.
    package var scope: KeyScope

    package init(
        credential: Credential = .none, subject: String? = nil, roles: [String] = [], claims: JSONValue = [:],
        expires: Timestamp? = nil, scope: KeyScope = .all
    ) {
        self.credential = credential
        self.subject = subject
        self.roles = roles
        self.claims = claims
        self.expires = expires
        self.scope = scope
    }

    /// Somebody without a credential.
    package static let anonymous = Principal()
}

/// What of its role's rights an API key gives: never more than the role has.
package struct KeyScope: Hashable, Sendable {
    /// Whether nothing may be created, changed or deleted.
    package var isReadOnly: Bool
    /// The classes that exist for the key; nil for all of the role's.
    package var classes: Set<String>?

    package init(isReadOnly: Bool = false, classes: Set<String>? = nil) {
        self.isReadOnly = isReadOnly
        self.classes = classes
    }

    /// All that the role may.
    package static let all = KeyScope()
}

/// Why a credential is worth nothing. Says no more than its holder may know.
package enum CredentialFault: Error, Hashable, Sendable {
    /// It is no credential of ours, or no longer one: which of the two is not told.
    case invalid
    /// It is genuine, but its time is over.
    case expired
    /// It is genuine, but its time has not come.
    case notYetValid
}
