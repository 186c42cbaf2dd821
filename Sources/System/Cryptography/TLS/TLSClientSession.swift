import CGnuTLS
import Glibc

/// A client's TLS session over a connected socket that does not block. Used on one thread at a time.
///
/// The calls return `-EAGAIN` until the socket is ready for what `wantsToSend` says; then the same call is due again.
package final class TLSClientSession {
    package enum Error: Swift.Error, Hashable, Sendable {
        /// The other end sent something else, or closed the connection.
        case noTLS
        /// The certificate is not accepted; the reason is part of a sentence.
        case untrusted(reason: String)
        /// Both ends speak TLS and do not agree; the reason is part of a sentence.
        case handshake(reason: String)
        case outOfMemory
    }

    private let session: gnutls_session_t
    private let trust: TLSTrust
    private let host: String
    /// GnuTLS keeps the pointer until the handshake.
    private let expectedName: UnsafeMutablePointer<CChar>

    /// - Parameters:
    ///   - socket: stays the caller's, and must outlive the session.
    ///   - host: the name or address that the certificate must be for.
    package init(over socket: Int32, to host: String, trust: TLSTrust) throws(Error) {
        guard let name = strdup(host) else { throw .outOfMemory }
        var made: gnutls_session_t?
        guard gnutls_init(&made, UInt32(GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL)) == 0, let made else {
            free(name)
            throw .outOfMemory
        }
        (session, expectedName) = (made, name)
        (self.trust, self.host) = (trust, host)
        trust.use(in: session)
        gnutls_priority_set_direct(session, "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2", nil)
        // The extension has no addresses.
        if !Self.isAddress(host) { gnutls_server_name_set(session, GNUTLS_NAME_DNS, name, strlen(name)) }
        if trust.verifies { gnutls_session_set_verify_cert(session, name, 0) }
        gnutls_transport_set_int2(session, socket, socket)
    }

    deinit {
        gnutls_deinit(session)
        free(expectedName)
    }

    private static func isAddress(_ host: String) -> Bool {
        var address = in6_addr()
        return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
    }

    /// Whether the call that returned `-EAGAIN` waits until it can send, not until it can receive.
    package var wantsToSend: Bool { gnutls_record_get_direction(session) == 1 }

    /// Returns 0 once both ends agree and the certificate is accepted, or `-EAGAIN`.
    package func handshake() throws(Error) -> Int {
        while true {
            let status = gnutls_handshake(session)
            switch status {
            case 0: return 0
            case GNUTLS_E_AGAIN: return -Int(EAGAIN)
            case GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR: throw .untrusted(reason: verificationFault())
            case GNUTLS_E_UNEXPECTED_PACKET_LENGTH, GNUTLS_E_UNSUPPORTED_VERSION_PACKET, GNUTLS_E_UNEXPECTED_PACKET,
                GNUTLS_E_RECORD_OVERFLOW, GNUTLS_E_PREMATURE_TERMINATION, GNUTLS_E_PULL_ERROR, GNUTLS_E_PUSH_ERROR:
                throw .noTLS
            default:
                // Interruptions and warnings.
                guard gnutls_error_is_fatal(status) == 0 else { throw .handshake(reason: gnutlsText(status)) }
            }
        }
    }

    /// Sends up to one record. Returns the number of bytes sent, or the negated error number.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        result { gnutls_record_send(session, bytes.baseAddress, min(bytes.count, TLSSession.recordLimit)) }
    }

    /// Returns the number of bytes received, 0 when the other end has announced that it sends no more, or the negated
    /// error number: `-ECONNABORTED` for an end that was not announced, which anybody on the way can bring about.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        result { gnutls_record_recv(session, buffer.baseAddress, buffer.count) }
    }

    private func result(_ call: () -> Int) -> Int {
        while true {
            let status = call()
            switch status {
            case 0...: return status
            case Int(GNUTLS_E_AGAIN): return -Int(EAGAIN)
            case Int(GNUTLS_E_PREMATURE_TERMINATION): return -Int(ECONNABORTED)
            default:
                if gnutls_error_is_fatal(Int32(clamping: status)) != 0 { return -Int(EPIPE) }
            }
        }
    }

    /// The reason is part of a sentence.
    private func verificationFault() -> String {
        let status = gnutls_session_get_verify_cert_status(session)
        func has(_ flag: gnutls_certificate_status_t) -> Bool { status & flag.rawValue != 0 }
        if has(GNUTLS_CERT_EXPIRED) { return "it has expired" }
        if has(GNUTLS_CERT_NOT_ACTIVATED) { return "it is not valid yet" }
        if has(GNUTLS_CERT_UNEXPECTED_OWNER) { return "it is not for '\(host)'" }
        if has(GNUTLS_CERT_SIGNER_NOT_FOUND) || has(GNUTLS_CERT_SIGNER_NOT_CA) {
            return "no authority that this client trusts has issued it"
        }
        var text = gnutls_datum_t()
        guard gnutls_certificate_verification_status_print(status, GNUTLS_CRT_X509, &text, 0) == 0, let data = text.data
        else { return "it is not valid" }
        defer { rg_gnutls_free(data) }
        let sentences = String(decoding: UnsafeBufferPointer(start: data, count: Int(text.size)), as: UTF8.self)
        return String(sentences.reversed().drop { $0 == "." || $0 == " " || $0 == "\0" }.reversed())
    }
}
