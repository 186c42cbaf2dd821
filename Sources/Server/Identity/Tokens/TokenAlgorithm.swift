import Cryptography

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

    var scheme: SignatureScheme {
        switch self {
        case .hs256: .hmac(.sha256)
        case .hs384: .hmac(.sha384)
        case .hs512: .hmac(.sha512)
        case .rs256: .rsaPKCS1(.sha256)
        case .rs384: .rsaPKCS1(.sha384)
        case .rs512: .rsaPKCS1(.sha512)
        case .ps256: .rsaPSS(.sha256)
        case .ps384: .rsaPSS(.sha384)
        case .ps512: .rsaPSS(.sha512)
        case .es256: .ecdsa(.sha256)
        case .es384: .ecdsa(.sha384)
        case .es512: .ecdsa(.sha512)
        case .edDSA: .ed25519
        }
    }
}
