import CGnuTLS
import Glibc

/// A client's look at whether a server answers over TLS.
package enum TLSProbe {
    /// Sends a request over a connected socket and gives the beginning of the answer: so many bytes at least, fewer where
    /// the server ends before, or the time limit that the socket has.
    ///
    /// Whose certificate the server shows is not looked at: the request must have nothing to hide, and the answer must
    /// not be relied on. Nil when the server does not speak TLS.
    package static func ask(_ socket: Int32, _ request: [UInt8], atLeast length: Int) -> [UInt8]? {
        var session: gnutls_session_t?
        guard gnutls_init(&session, UInt32(GNUTLS_CLIENT)) == 0, let session else { return nil }
        defer { gnutls_deinit(session) }
        var credentials: gnutls_certificate_credentials_t?
        guard gnutls_certificate_allocate_credentials(&credentials) == 0, let credentials else { return nil }
        defer { gnutls_certificate_free_credentials(credentials) }
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, UnsafeMutableRawPointer(credentials))
        gnutls_set_default_priority(session)
        gnutls_transport_set_int2(session, socket, socket)
        guard again({ Int(gnutls_handshake(session)) }) == 0 else { return nil }
        guard again({ gnutls_record_send(session, request, request.count) }) == request.count else { return [] }
        var answer: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 256)
        while answer.count < length {
            let count = again { gnutls_record_recv(session, &block, block.count) }
            guard count > 0 else { break }
            answer += block[..<count]
        }
        return answer
    }

    /// Calls again what was interrupted, or met a message that is none of the answer. A socket whose time is over says the
    /// same, so not for ever.
    private static func again(_ call: () -> Int) -> Int {
        var status = 0
        for _ in 0..<4 {
            status = call()
            guard status == Int(GNUTLS_E_AGAIN) || status == Int(GNUTLS_E_INTERRUPTED) else { break }
        }
        return status
    }
}
