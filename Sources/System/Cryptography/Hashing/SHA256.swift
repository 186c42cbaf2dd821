import CGnuTLS

/// A SHA-256 hash of bytes that arrive in parts.
package struct SHA256: ~Copyable {
    /// The length of a hash, in bytes.
    package static let length = 32

    private let state: gnutls_hash_hd_t

    package init() {
        var state: gnutls_hash_hd_t?
        let status = gnutls_hash_init(&state, GNUTLS_DIG_SHA256)
        // GnuTLS has SHA-256 in every configuration, so only memory can be missing; Swift itself ends the program then.
        guard status == 0, let state else { fatalError("GnuTLS cannot hash: \(gnutlsText(status)).") }
        self.state = state
    }

    deinit { gnutls_hash_deinit(state, nil) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        gnutls_hash(state, base, bytes.count)
    }

    package mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    /// Returns the hash of all parts.
    package consuming func finalize() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: Self.length) { hash, count in
            gnutls_hash_output(state, hash.baseAddress)
            count = Self.length
        }
    }

    /// Returns the hash of these bytes. Cost: about 0.1 µs and 0.6 ns per byte with the processor's SHA instructions.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var hash = SHA256()
        hash.update(bytes)
        return hash.finalize()
    }
}
