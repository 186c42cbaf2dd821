package import JSONCoding
package import ObjectModel

/// The authenticated caller. Independent of rules.
package struct Principal: Hashable, Sendable {
    /// The kind of credential.
    package enum Credential: Hashable, Sendable {
        /// No credential.
        case none
        /// An API key, with its id.
        case key(String)
        /// A JSON Web Token; `signer` identifies the verification key and the required claims.
        case token(signer: String)
    }

    package var credential: Credential
    /// The token's `sub`, or the subject of the key; nil if there is none.
    package var subject: String?
    /// The names of the credential's roles, in its order.
    package var roles: [String]
    /// An object with the values that rules refer to as `$claims.…`.
    package var claims: JSONValue
    /// The expiry time of the credential; nil for none.
    package var expires: Timestamp?
    /// The restriction of the credential to some of its role's permissions.
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

    /// A caller without a credential.
    package static let anonymous = Principal()
}

/// The restriction of an API key to some of its role's permissions.
package struct KeyScope: Hashable, Sendable {
    /// Whether the key may only read.
    package var isReadOnly: Bool
    /// The classes that the key can access; nil for all of the role's.
    package var classes: Set<String>?

    package init(isReadOnly: Bool = false, classes: Set<String>? = nil) {
        self.isReadOnly = isReadOnly
        self.classes = classes
    }

    /// No restriction.
    package static let all = KeyScope()
}

/// The reason why a credential was rejected. It reveals no more than its holder may know.
package enum CredentialError: Error, Hashable, Sendable {
    /// The credential is unknown or revoked; the difference is not revealed.
    case invalid
    /// The credential is genuine but has expired.
    case expired
    /// The credential is genuine but not yet valid.
    case notYetValid
}
