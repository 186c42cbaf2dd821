/// The signature algorithms of tokens. `none` is not supported.
package enum TokenAlgorithm: String, Hashable, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// The minimum length of a shared secret in bytes; nil for signatures with a key pair.
    var shortestSecret: Int? {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        default: nil
        }
    }
}

/// Determines which JSON Web Tokens are accepted.
package struct TokenSettings: Hashable, Sendable {
    /// The accepted algorithms; empty for all that the keys support.
    package var algorithms: Set<TokenAlgorithm> = []
    /// The secret for HS256, HS384 and HS512, at least as long as the hash.
    package var secret: String?
    /// A file with a JSON Web Key Set. It is read again when it changes.
    package var keyFile: String?
    /// The accepted values of `iss`; empty for any.
    package var issuers: Set<String> = []
    /// The accepted audiences, of which `aud` must contain one; empty to ignore `aud`.
    package var audiences: Set<String> = []
    /// The accepted difference between clocks, in seconds.
    package var leeway: Int64 = 30
    /// Whether tokens without `exp` are rejected.
    package var requiresExpiry = true
    /// The paths to the claim that names the roles, as a string or an array of strings. The first path that exists is
    /// used. A dot leads into an object, as in `realm_access.roles`.
    package var rolePaths = ["role", "roles"]

    package init() {}
}
