import CGnuTLS
import Glibc

/// The TLS session of one connection that another library serves, for data that does not go through that library. It
/// owns the session, and must not use it meanwhile. Used only on one thread.
package struct TLSSession {
    private let session: OpaquePointer

    package init(_ session: OpaquePointer) { self.session = session }

    /// The maximum size of a record.
    package static let recordLimit = 16_384

    /// Encrypts and sends up to one record.
    ///
    /// - Returns: the number of bytes sent, or the negated error number. After `EAGAIN` the record waits in the
    ///   session: `flush` sends it, and nothing else may be sent before.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        result(gnutls_record_send(session, bytes.baseAddress, min(bytes.count, Self.recordLimit)))
    }

    /// Sends the waiting record; returns what `send` would have.
    package func flush() -> Int { result(gnutls_record_send(session, nil, 0)) }

    /// Sends the TLS close notification.
    package func sayEnd() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    /// Reads and discards the received data. Returns false for a client that has disconnected, violates the protocol,
    /// or sends faster than that.
    package func discardInput() -> Bool {
        withUnsafeTemporaryAllocation(byteCount: Self.recordLimit, alignment: 1) { scratch in
            for _ in 0..<256 {
                switch gnutls_record_recv(session, scratch.baseAddress, scratch.count) {
                case 1..., Int(GNUTLS_E_INTERRUPTED): continue
                case Int(GNUTLS_E_AGAIN): return true
                default: return false
                }
            }
            return false
        }
    }

    private func result(_ status: Int) -> Int {
        switch status {
        case 0...: status
        case Int(GNUTLS_E_AGAIN): -Int(EAGAIN)
        case Int(GNUTLS_E_INTERRUPTED): -Int(EINTR)
        default: -Int(EPIPE)
        }
    }
}
