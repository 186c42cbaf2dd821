import CGnuTLS

/// HMAC with SHA-224 (RFC 2104, FIPS 180-4), with one key for many messages. Not sendable: one thread at a time.
package struct HMACSHA224: ~Copyable {
    /// The length of a code, in bytes.
    package static let length = 28

    private let state: gnutls_hmac_hd_t

    package init(key: [UInt8]) {
        var state: gnutls_hmac_hd_t?
        let status = gnutls_hmac_init(&state, GNUTLS_MAC_SHA224, key, key.count)
        // GnuTLS has SHA-224 in every configuration, so only memory can be missing; Swift itself ends the program then.
        guard status == 0, let state else { fatalError("GnuTLS cannot authenticate: \(gnutlsText(status)).") }
        self.state = state
    }

    deinit { gnutls_hmac_deinit(state, nil) }

    /// Returns the code of a message. Cost: about 2 ns per byte with the processor's SHA instructions.
    package mutating func code(of message: UnsafeRawBufferPointer) -> [UInt8] {
        if let base = message.baseAddress, !message.isEmpty { gnutls_hmac(state, base, message.count) }
        return [UInt8](unsafeUninitializedCapacity: Self.length) { code, count in
            // This also makes the state ready for the next message.
            gnutls_hmac_output(state, code.baseAddress)
            count = Self.length
        }
    }
}
