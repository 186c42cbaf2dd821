import CGnuTLS
import Glibc

/// Checks as a client whether a server responds over TLS.
package enum TLSProbe {
    /// Sends a request over a connected socket and returns the beginning of the response: at least `length` bytes,
    /// fewer if the server ends the response or the socket's timeout elapses.
    ///
    /// The server's certificate is not verified: the request must contain no secret, and the response must not be
    /// trusted. Returns nil if the server does not use TLS.
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

    /// Repeats an interrupted call, and one that received a message without data. An elapsed timeout gives the same
    /// result, so the repetitions are limited.
    private static func again(_ call: () -> Int) -> Int {
        var status = 0
        for _ in 0..<4 {
            status = call()
            guard status == Int(GNUTLS_E_AGAIN) || status == Int(GNUTLS_E_INTERRUPTED) else { break }
        }
        return status
    }
}
