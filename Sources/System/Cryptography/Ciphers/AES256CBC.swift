import CGnuTLS

/// AES with a key of 256 bits in the mode CBC (NIST SP 800-38A), without padding, for many messages with one key. Only
/// what others encrypted is decrypted by it: CBC authenticates nothing. Not sendable: one thread at a time.
package struct AES256CBC: ~Copyable {
    package static let keyLength = 32
    /// The length of a block, and of the vector that the first block needs.
    package static let blockLength = 16

    private let state: gnutls_cipher_hd_t

    /// Returns nil for a key of another length.
    package init?(key: [UInt8]) {
        guard key.count == Self.keyLength else { return nil }
        var state: gnutls_cipher_hd_t?
        let status = withDatum(key) { key in
            withDatum([UInt8](repeating: 0, count: Self.blockLength)) {
                gnutls_cipher_init(&state, GNUTLS_CIPHER_AES_256_CBC, key, $0)
            }
        }
        // GnuTLS has AES in every configuration, so only memory can be missing; Swift itself ends the program then.
        guard status == 0, let state else { fatalError("GnuTLS cannot decrypt: \(gnutlsText(status)).") }
        self.state = state
    }

    deinit { gnutls_cipher_deinit(state) }

    /// Decrypts whole blocks where they are. Returns false, and leaves the bytes, unless they are whole blocks and the
    /// vector has the length of one.
    package mutating func decrypt(_ bytes: UnsafeMutableRawBufferPointer, vector: [UInt8]) -> Bool {
        guard vector.count == Self.blockLength, bytes.count % Self.blockLength == 0 else { return false }
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return true }
        var vector = vector
        gnutls_cipher_set_iv(state, &vector, vector.count)
        return gnutls_cipher_decrypt2(state, base, bytes.count, base, bytes.count) == 0
    }
}
