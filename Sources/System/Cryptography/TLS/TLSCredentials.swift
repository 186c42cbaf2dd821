import CGnuTLS
import Glibc

/// A certificate chain and its key, checked and ready for handshakes. A session must not outlive it.
package final class TLSCredentials: Sendable {
    /// The reason why a chain and a key cannot be used.
    package enum Error: Swift.Error, Hashable, Sendable {
        /// The chain is unusable; the reason is part of a sentence.
        case chain(reason: String)
        /// The key is unusable; the reason is part of a sentence.
        case key(reason: String)
        /// The key is not that of the first certificate.
        case mismatch
        /// There is no memory for this call.
        case outOfMemory(call: String)
    }

    // Changed only in `init`; after that GnuTLS allows any number of sessions on any threads to read it.
    nonisolated(unsafe) private let credentials: gnutls_certificate_credentials_t
    /// When the first certificate expires, in seconds since 1970.
    package let expiry: Int

    /// The offered protocol versions: TLS 1.3 and 1.2 with forward secrecy and authenticated encryption.
    package static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305"
        + ":%SERVER_PRECEDENCE"

    /// Both texts are in PEM format.
    package init(chain: [UInt8], key: [UInt8]) throws(Error) {
        expiry = try Self.checkChain(chain)
        try Self.checkKey(key)
        var made: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&made) == 0, let made else {
            throw .outOfMemory(call: "gnutls_certificate_allocate_credentials")
        }
        let status = withDatum(chain) { chain in
            withDatum(key) { gnutls_certificate_set_x509_key_mem2(made, chain, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        }
        guard status >= 0 else {
            gnutls_certificate_free_credentials(made)
            guard status == GNUTLS_E_CERTIFICATE_KEY_MISMATCH else { throw .chain(reason: gnutlsText(status)) }
            throw .mismatch
        }
        credentials = made
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    /// Uses these credentials for a session of GnuTLS whose handshake has not begun.
    package func use(in session: OpaquePointer) {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    }

    private static func checkChain(_ pem: [UInt8]) throws(Error) -> Int {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let status = withDatum(pem) {
            gnutls_x509_crt_list_import2(
                &list, &count, $0, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED.rawValue)
        }
        guard status >= 0, let list, count > 0 else {
            switch status {
            case GNUTLS_E_CERTIFICATE_LIST_UNSORTED:
                throw .chain(
                    reason: "its certificates are out of order; the server's own comes first, then each one's issuer")
            case GNUTLS_E_NO_CERTIFICATE_FOUND, GNUTLS_E_BASE64_DECODING_ERROR,
                GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR:
                throw .chain(reason: "it holds no certificate in PEM form")
            default: throw .chain(reason: gnutlsText(status))
            }
        }
        defer {
            for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
            rg_gnutls_free(list)
        }
        return gnutls_x509_crt_get_expiration_time(list[0])
    }

    private static func checkKey(_ pem: [UInt8]) throws(Error) {
        var key: gnutls_x509_privkey_t?
        guard gnutls_x509_privkey_init(&key) == 0 else { throw .outOfMemory(call: "gnutls_x509_privkey_init") }
        defer { gnutls_x509_privkey_deinit(key) }
        let status = withDatum(pem) { gnutls_x509_privkey_import2(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        switch status {
        case 0...: return
        case GNUTLS_E_DECRYPTION_FAILED:
            throw .key(reason: "it is locked with a passphrase; give a key without one")
        case GNUTLS_E_BASE64_DECODING_ERROR, GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR,
            GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, GNUTLS_E_ASN1_TAG_ERROR, GNUTLS_E_ASN1_DER_ERROR:
            throw .key(reason: "it holds no private key in PEM form")
        default: throw .key(reason: gnutlsText(status))
        }
    }
}
