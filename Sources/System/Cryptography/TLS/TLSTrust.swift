import CGnuTLS
import Glibc

/// The servers that a client accepts, ready for handshakes. A session must not outlive it.
///
/// Making one parses all certificates of the authorities, which takes some milliseconds; sessions share it.
package final class TLSTrust: Sendable {
    /// Who vouches for a server.
    package enum Authorities: Sendable, Hashable {
        /// The authorities that the system trusts.
        case system
        /// The authorities in a file in PEM format, and no others.
        case file(String)
        /// Nobody: every certificate is accepted. The request must contain no secret, and the response proves nothing.
        case unverified
    }

    package enum Error: Swift.Error, Hashable, Sendable {
        /// The system has no file with authorities in a directory where systems have it.
        case noSystemAuthorities
        /// The file cannot be read or has no certificate; the reason is part of a sentence.
        case unusableFile(String, reason: String)
        case outOfMemory
    }

    // Changed only in `init`; after that GnuTLS allows any number of sessions on any threads to read it.
    nonisolated(unsafe) private let credentials: gnutls_certificate_credentials_t
    let verifies: Bool

    package init(_ authorities: Authorities) throws(Error) {
        verifies = authorities != .unverified
        var made: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&made) == 0, let made else { throw .outOfMemory }
        do throws(Error) {
            switch authorities {
            case .system: try Self.addSystemAuthorities(to: made)
            case .file(let path):
                let count = gnutls_certificate_set_x509_trust_file(made, path, GNUTLS_X509_FMT_PEM)
                guard count > 0 else {
                    throw .unusableFile(path, reason: count == 0 ? "it holds no certificate" : Self.reason(count))
                }
            case .unverified: break
            }
        } catch {
            gnutls_certificate_free_credentials(made)
            throw error
        }
        credentials = made
    }

    deinit { gnutls_certificate_free_credentials(credentials) }

    func use(in session: gnutls_session_t) {
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
    }

    /// GnuTLS knows the file of the system for which it was built. A program that brings its libraries may run on
    /// another one.
    private static func addSystemAuthorities(to credentials: gnutls_certificate_credentials_t) throws(Error) {
        if gnutls_certificate_set_x509_system_trust(credentials) > 0 { return }
        let files = [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
            "/etc/ssl/cert.pem",
        ]
        for file in files where gnutls_certificate_set_x509_trust_file(credentials, file, GNUTLS_X509_FMT_PEM) > 0 {
            return
        }
        throw .noSystemAuthorities
    }

    private static func reason(_ status: Int32) -> String {
        status == GNUTLS_E_FILE_ERROR ? "it cannot be read" : "it holds no certificate in PEM form"
    }
}
