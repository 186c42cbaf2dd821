import CGnuTLS

/// A way to sign, with its hash: the schemes of RFC 7518, section 3, and RFC 8037.
package enum SignatureScheme: Hashable, Sendable {
    /// The hash functions of signatures.
    package enum Hash: Hashable, Sendable {
        case sha256
        case sha384
        case sha512
    }

    /// A code with a shared secret.
    case hmac(Hash)
    /// RSASSA-PKCS1-v1_5.
    case rsaPKCS1(Hash)
    /// RSASSA-PSS with MGF1, both with the same hash, and a salt as long as the hash.
    case rsaPSS(Hash)
    /// A signature consists of the numbers r and s, each as long as a coordinate of the curve.
    case ecdsa(Hash)
    /// Ed25519, which has a hash of its own.
    case ed25519

    /// The code of this scheme; nil for a signature with a key pair.
    var code: gnutls_mac_algorithm_t? {
        guard case .hmac(let hash) = self else { return nil }
        return switch hash {
        case .sha256: GNUTLS_MAC_SHA256
        case .sha384: GNUTLS_MAC_SHA384
        case .sha512: GNUTLS_MAC_SHA512
        }
    }

    /// The signature of this scheme; nil for a code.
    var signature: gnutls_sign_algorithm_t? {
        switch self {
        case .hmac: nil
        case .rsaPKCS1(.sha256): GNUTLS_SIGN_RSA_SHA256
        case .rsaPKCS1(.sha384): GNUTLS_SIGN_RSA_SHA384
        case .rsaPKCS1(.sha512): GNUTLS_SIGN_RSA_SHA512
        case .rsaPSS(.sha256): GNUTLS_SIGN_RSA_PSS_SHA256
        case .rsaPSS(.sha384): GNUTLS_SIGN_RSA_PSS_SHA384
        case .rsaPSS(.sha512): GNUTLS_SIGN_RSA_PSS_SHA512
        case .ecdsa(.sha256): GNUTLS_SIGN_ECDSA_SHA256
        case .ecdsa(.sha384): GNUTLS_SIGN_ECDSA_SHA384
        case .ecdsa(.sha512): GNUTLS_SIGN_ECDSA_SHA512
        case .ed25519: GNUTLS_SIGN_EDDSA_ED25519
        }
    }
}
