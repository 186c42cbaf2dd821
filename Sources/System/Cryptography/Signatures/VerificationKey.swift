import CGnuTLS

/// A public key or a shared secret, checked, for verifying signatures.
///
/// Only bytes are kept: each verification makes a key of GnuTLS from them, which costs about 2 µs, so that threads share
/// nothing of the library.
package struct VerificationKey: Sendable {
    private enum Material: Sendable {
        case secret([UInt8])
        case rsa(modulus: [UInt8], exponent: [UInt8])
        case point(Curve, x: [UInt8], y: [UInt8])
        case ed25519([UInt8])
    }

    /// The curves of ECDSA.
    package enum Curve: Sendable {
        case p256
        case p384
        case p521

        /// The length of a coordinate, and of each half of a signature, in bytes.
        package var coordinateLength: Int {
            switch self {
            case .p256: 32
            case .p384: 48
            case .p521: 66
            }
        }

        fileprivate var name: gnutls_ecc_curve_t {
            switch self {
            case .p256: GNUTLS_ECC_CURVE_SECP256R1
            case .p384: GNUTLS_ECC_CURVE_SECP384R1
            case .p521: GNUTLS_ECC_CURVE_SECP521R1
            }
        }
    }

    /// The accepted lengths of an RSA modulus, in bits. Shorter ones can be factored; longer ones cost too much time.
    package static let modulusBits = 2048...16_384
    /// The maximum length of an RSA exponent, in bytes.
    private static let maximumExponentLength = 8

    private let material: Material

    /// A secret of any length: which length is enough depends on the scheme, and is for the caller to check.
    package init(secret: [UInt8]) { material = .secret(secret) }

    /// An RSA key; both numbers with the most significant byte first.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(VerificationKeyError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard Self.modulusBits.contains(bits) else {
            throw VerificationKeyError(
                "has a modulus of \(bits) bits; use \(Self.modulusBits.lowerBound) to \(Self.modulusBits.upperBound)")
        }
        guard let last = modulus.last, last & 1 == 1 else { throw VerificationKeyError("has an even modulus") }
        // With the exponent 1 everyone can sign, because a signature is then the padded hash itself.
        guard exponent.count <= Self.maximumExponentLength, let low = exponent.last, low & 1 == 1, exponent != [1]
        else {
            throw VerificationKeyError(
                "has an exponent that is not an odd number from 3 to \(UInt64.max); 65537 is usual")
        }
        material = .rsa(modulus: modulus, exponent: exponent)
        try checkParameters()
    }

    /// A point of a curve of ECDSA; each coordinate with its full length.
    package init(curve: Curve, x: [UInt8], y: [UInt8]) throws(VerificationKeyError) {
        let length = curve.coordinateLength
        for (name, coordinate) in [("x", x), ("y", y)] where coordinate.count != length {
            throw VerificationKeyError("has \(coordinate.count) bytes in its coordinate \(name), which needs \(length)")
        }
        material = .point(curve, x: x, y: y)
        try checkParameters()
    }

    /// A public key of Ed25519.
    package init(ed25519 key: [UInt8]) throws(VerificationKeyError) {
        guard key.count == 32 else {
            throw VerificationKeyError("has \(key.count) bytes in its coordinate x, which needs 32")
        }
        material = .ed25519(key)
    }

    /// Returns whether the holder of the key signed the message in this way; false for a scheme of another kind of key,
    /// and for a signature of another length. Safe from any number of threads at once.
    package func verifies(_ signature: [UInt8], of message: [UInt8], as scheme: SignatureScheme) -> Bool {
        switch (material, scheme) {
        case (.secret(let secret), .hmac):
            guard let algorithm = scheme.code else { return false }
            let length = Int(gnutls_hmac_get_len(algorithm))
            let code = [UInt8](unsafeUninitializedCapacity: length) { code, count in
                let status = gnutls_hmac_fast(
                    algorithm, secret, secret.count, message, message.count, code.baseAddress)
                count = status == 0 ? length : 0
            }
            return code.count == length && ConstantTime.areEqual(code, signature)
        case (.rsa, .rsaPKCS1), (.rsa, .rsaPSS), (.ed25519, .ed25519):
            return confirms(signature, of: message, as: scheme)
        case (.point(let curve, _, _), .ecdsa):
            let half = curve.coordinateLength
            guard signature.count == 2 * half else { return false }
            return Self.encoded(r: Array(signature[..<half]), s: Array(signature[half...])) {
                confirms($0, of: message, as: scheme)
            }
        default: return false
        }
    }

    private func confirms(_ signature: [UInt8], of message: [UInt8], as scheme: SignatureScheme) -> Bool {
        guard let algorithm = scheme.signature else { return false }
        return withLibraryKey { key in
            withDatum(message) { message in
                withDatum(signature) { gnutls_pubkey_verify_data2(key, algorithm, 0, message, $0) }
            }
        } >= 0
    }

    /// Calls the body with both numbers in the form that GnuTLS reads, which is ASN.1's. Returns false without calling
    /// it if there is no memory.
    private static func encoded(r: [UInt8], s: [UInt8], _ body: ([UInt8]) -> Bool) -> Bool {
        var form = gnutls_datum_t()
        let status = withDatum(r) { r in withDatum(s) { gnutls_encode_rs_value(&form, r, $0) } }
        guard status == 0, let data = form.data else { return false }
        defer { rg_gnutls_free(data) }
        return body(Array(UnsafeBufferPointer(start: data, count: Int(form.size))))
    }

    /// Checks that the point is on its curve, or that the modulus is one.
    private func checkParameters() throws(VerificationKeyError) {
        let status = withLibraryKey { gnutls_pubkey_verify_params($0) }
        guard status >= 0 else {
            guard case .point = material else {
                throw VerificationKeyError("is not a key of its type: \(gnutlsText(status))")
            }
            throw VerificationKeyError("is not a point of its curve")
        }
    }

    /// Calls the body with this key, which it must not keep. Returns the body's status, or that of making the key.
    private func withLibraryKey(_ body: (gnutls_pubkey_t) -> Int32) -> Int32 {
        var made: gnutls_pubkey_t?
        let status = gnutls_pubkey_init(&made)
        guard status == 0, let key = made else { return status < 0 ? status : GNUTLS_E_MEMORY_ERROR }
        defer { gnutls_pubkey_deinit(key) }
        let imported =
            switch material {
            case .secret: GNUTLS_E_INVALID_REQUEST
            case .rsa(let modulus, let exponent):
                withDatum(modulus) { modulus in
                    withDatum(exponent) { gnutls_pubkey_import_rsa_raw(key, modulus, $0) }
                }
            case .point(let curve, let x, let y):
                withDatum(x) { x in withDatum(y) { gnutls_pubkey_import_ecc_raw(key, curve.name, x, $0) } }
            case .ed25519(let x):
                withDatum(x) { gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_ED25519, $0, nil) }
            }
        return imported == 0 ? body(key) : imported
    }
}

/// The reason why a key cannot verify signatures: the predicate of a sentence about the key.
package struct VerificationKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    init(_ predicate: String) { description = predicate }
}
