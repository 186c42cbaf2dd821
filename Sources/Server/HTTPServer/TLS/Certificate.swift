import CGnuTLS
import Files
import Glibc

/// A certificate chain and its key, checked and ready for handshakes. A connection retains the one that it began with.
final class Certificate: Sendable {
    // Changed only in `init`; after that GnuTLS allows any number of sessions on any threads to read it.
    nonisolated(unsafe) private let credentials: gnutls_certificate_credentials_t
    /// When it expires, in seconds since 1970.
    let expiry: Int

    /// The offered protocol versions: TLS 1.3 and 1.2 with forward secrecy and authenticated encryption.
    static let priorities =
        "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:-RSA:-CIPHER-ALL:+AES-256-GCM:+AES-128-GCM:+CHACHA20-POLY1305"
        + ":%SERVER_PRECEDENCE"

    /// The contents of both files, as the library expects them at its start.
    struct PEM {
        let chain: [UInt8]
        let key: [UInt8]

        init(_ files: TLSFiles) throws(ServerError) {
            chain = try readSmallFile(files.certificateChain)
            key = try readSmallFile(files.key)
        }
    }

    /// - Throws: ``ServerError`` that names the file and the error in it.
    init(_ pem: PEM, from files: TLSFiles) throws(ServerError) {
        expiry = try Self.checkChain(pem.chain, files.certificateChain)
        try Self.checkKey(pem.key, files.key)
        var made: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&made) == 0, let made else {
            throw .system(call: "gnutls_certificate_allocate_credentials", errno: ENOMEM)
        }
        let status = withDatum(pem.chain) { chain in
            withDatum(pem.key) { key in
                gnutls_certificate_set_x509_key_mem2(made, chain, key, GNUTLS_X509_FMT_PEM, nil, 0)
            }
        }
        guard status >= 0 else {
            gnutls_certificate_free_credentials(made)
            guard status == GNUTLS_E_CERTIFICATE_KEY_MISMATCH else {
                throw .badCertificate(file: files.certificateChain, reason: gnutlsText(status))
            }
            throw .keyMismatch(certificateChain: files.certificateChain, key: files.key)
        }
        credentials = made
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    /// Uses this certificate for a session whose handshake has not begun.
    func use(in session: OpaquePointer) {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    }

    private static func checkChain(_ pem: [UInt8], _ file: String) throws(ServerError) -> Int {
        var list: UnsafeMutablePointer<gnutls_x509_crt_t?>?
        var count: UInt32 = 0
        let status = withDatum(pem) {
            gnutls_x509_crt_list_import2(
                &list, &count, $0, GNUTLS_X509_FMT_PEM, GNUTLS_X509_CRT_LIST_FAIL_IF_UNSORTED.rawValue)
        }
        guard status >= 0, let list, count > 0 else {
            switch status {
            case GNUTLS_E_CERTIFICATE_LIST_UNSORTED:
                throw .badCertificate(
                    file: file,
                    reason: "its certificates are out of order; the server's own comes first, then each one's issuer")
            case GNUTLS_E_NO_CERTIFICATE_FOUND, GNUTLS_E_BASE64_DECODING_ERROR,
                GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR:
                throw .badCertificate(file: file, reason: "it holds no certificate in PEM form")
            default: throw .badCertificate(file: file, reason: gnutlsText(status))
            }
        }
        defer {
            for index in 0..<Int(count) { gnutls_x509_crt_deinit(list[index]) }
            free(list)
        }
        return gnutls_x509_crt_get_expiration_time(list[0])
    }

    private static func checkKey(_ pem: [UInt8], _ file: String) throws(ServerError) {
        var key: gnutls_x509_privkey_t?
        guard gnutls_x509_privkey_init(&key) == 0 else {
            throw .system(call: "gnutls_x509_privkey_init", errno: ENOMEM)
        }
        defer { gnutls_x509_privkey_deinit(key) }
        let status = withDatum(pem) { gnutls_x509_privkey_import2(key, $0, GNUTLS_X509_FMT_PEM, nil, 0) }
        switch status {
        case 0...: return
        case GNUTLS_E_DECRYPTION_FAILED:
            throw .badKey(file: file, reason: "it is locked with a passphrase; give a key without one")
        case GNUTLS_E_BASE64_DECODING_ERROR, GNUTLS_E_BASE64_UNEXPECTED_HEADER_ERROR,
            GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE, GNUTLS_E_ASN1_TAG_ERROR, GNUTLS_E_ASN1_DER_ERROR:
            throw .badKey(file: file, reason: "it holds no private key in PEM form")
        default: throw .badKey(file: file, reason: gnutlsText(status))
        }
    }
}

/// Calls the body with the bytes in GnuTLS's type; GnuTLS does not write to them.
private func withDatum(_ bytes: [UInt8], _ body: (UnsafePointer<gnutls_datum_t>) -> Int32) -> Int32 {
    bytes.withUnsafeBufferPointer { buffer in
        var datum = gnutls_datum_t(
            data: UnsafeMutablePointer(mutating: buffer.baseAddress), size: UInt32(clamping: buffer.count))
        return body(&datum)
    }
}

private func gnutlsText(_ status: Int32) -> String {
    guard let text = gnutls_strerror(status) else { return "error \(status)" }
    // GnuTLS's message is a sentence; here it becomes part of one.
    return String(String(cString: text).reversed().drop { $0 == "." }.reversed())
}

/// Reads a file of at most 1 MiB.
private func readSmallFile(_ path: String) throws(ServerError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(FileFault) {
        bytes = try WholeFile.read(path, limit: 1 << 20)
    } catch {
        throw .unreadableFile(path, reason: errorText(error.code))
    }
    guard let bytes else { throw .unreadableFile(path, reason: errorText(ENOENT)) }
    guard bytes.count <= 1 << 20 else { throw .unreadableFile(path, reason: "It is too long") }
    return bytes
}
