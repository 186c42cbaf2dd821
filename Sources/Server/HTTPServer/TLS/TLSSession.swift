import CGnuTLS
import Glibc

/// The encrypted side of one connection, for what goes past the library: it belongs to the library, which does
/// nothing with it while the connection sleeps or its callbacks run. Used on its loop's thread alone.
struct TLSSession {
    private let session: OpaquePointer

    init(_ session: OpaquePointer) { self.session = session }

    /// Most bytes that one record takes.
    static let recordLimit = 16_384

    /// Encrypts and sends up to one record.
    ///
    /// - Returns: how many bytes went out, or the error number, negated. After `EAGAIN` the record waits in the session:
    ///   `flush` sends it, and nothing else may be sent before.
    func send(_ bytes: UnsafeRawBufferPointer) -> Int {
        result(gnutls_record_send(session, bytes.baseAddress, min(bytes.count, Self.recordLimit)))
    }

    /// Sends the record that waits; returns what `send` would have.
    func flush() -> Int { result(gnutls_record_send(session, nil, 0)) }

    /// Tells the other side that nothing more follows.
    func sayEnd() { gnutls_bye(session, GNUTLS_SHUT_WR) }

    /// Reads what has arrived and throws it away. False for a client that has left, breaks the protocol, or
    /// sends faster than that.
    func discardInput() -> Bool {
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
