/// The ways of signing that tokens may have. `none` is not among them.
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

    /// Bytes that a shared secret must have at least; nil for signatures with a key pair.
    var shortestSecret: Int? {
        switch self {
        case .hs256: 32
        case .hs384: 48
        case .hs512: 64
        default: nil
        }
    }
}

/// Which JSON Web Tokens are taken.
package struct TokenSettings: Hashable, Sendable {
    /// Empty for all that the keys are good for.
    package var algorithms: Set<TokenAlgorithm> = []
    /// For HS256, HS384 and HS512; as long as the hash at least.
    package var secret: String?
    /// A file with a JSON Web Key Set; read again when it changes.
    package var keyFile: String?
    /// One of which `iss` must be; anybody when empty.
    package var issuers: Set<String> = []
    /// One of which `aud` must have; `aud` is not looked at when empty.
    package var audiences: Set<String> = []
    /// Seconds that clocks may be apart.
    package var leeway: Int64 = 30
    /// Whether tokens without `exp` are refused.
    package var requiresExpiry = true
    /// Where the names of roles are, a text or a list of them: the first that is there counts. A point leads into an
    /// object, as in `realm_access.roles`.
    package var rolePaths = ["role", "roles"]

    package init() {}
}
