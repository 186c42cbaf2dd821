import CGnuTLS
import Synchronization

/// A key pair that signs, made by GnuTLS for a test.
package final class SigningKey: Sendable {
    /// The kinds of key pairs.
    package enum Kind: Sendable {
        case rsa(bits: UInt32)
        case p256
        case p384
        case p521
        case ed25519

        /// The length of a coordinate, in bytes; nil without coordinates.
        var coordinateLength: Int? {
            switch self {
            case .rsa: nil
            case .p256, .ed25519: 32
            case .p384: 48
            case .p521: 66
            }
        }
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String

        fileprivate init(_ call: String, _ status: Int32) { description = "\(call) failed with \(status)" }
    }

    package let kind: Kind
    // Used only while the lock is held.
    nonisolated(unsafe) private let key: gnutls_privkey_t
    private let lock = Mutex(())

    package init(_ kind: Kind) throws {
        self.kind = kind
        var made: gnutls_privkey_t?
        let status = gnutls_privkey_init(&made)
        guard status == 0, let made else { throw Failure("gnutls_privkey_init", status) }
        // GnuTLS marks a curve in place of a number of bits by the highest bit.
        func bits(_ curve: gnutls_ecc_curve_t) -> UInt32 { 1 << 31 | curve.rawValue }
        let result =
            switch kind {
            case .rsa(let size): gnutls_privkey_generate(made, GNUTLS_PK_RSA, size, 0)
            case .p256: gnutls_privkey_generate(made, GNUTLS_PK_ECDSA, bits(GNUTLS_ECC_CURVE_SECP256R1), 0)
            case .p384: gnutls_privkey_generate(made, GNUTLS_PK_ECDSA, bits(GNUTLS_ECC_CURVE_SECP384R1), 0)
            case .p521: gnutls_privkey_generate(made, GNUTLS_PK_ECDSA, bits(GNUTLS_ECC_CURVE_SECP521R1), 0)
            case .ed25519:
                gnutls_privkey_generate(made, GNUTLS_PK_EDDSA_ED25519, bits(GNUTLS_ECC_CURVE_ED25519), 0)
            }
        guard result == 0 else {
            gnutls_privkey_deinit(made)
            throw Failure("gnutls_privkey_generate", result)
        }
        key = made
    }

    deinit { gnutls_privkey_deinit(key) }

    /// The numbers of the public key: modulus and exponent, x and y, or x and nothing.
    package func publicNumbers() throws -> ([UInt8], [UInt8]) {
        try lock.withLock { _ in
            var (first, second) = (gnutls_datum_t(), gnutls_datum_t())
            defer {
                rg_gnutls_free(first.data)
                rg_gnutls_free(second.data)
            }
            guard let length = kind.coordinateLength else {
                let status = gnutls_privkey_export_rsa_raw2(
                    key, &first, &second, nil, nil, nil, nil, nil, nil, GNUTLS_EXPORT_FLAG_NO_LZ.rawValue)
                guard status == 0 else { throw Failure("gnutls_privkey_export_rsa_raw2", status) }
                return (first.bytes, second.bytes)
            }
            var curve = GNUTLS_ECC_CURVE_INVALID
            let status = gnutls_privkey_export_ecc_raw2(
                key, &curve, &first, &second, nil, GNUTLS_EXPORT_FLAG_NO_LZ.rawValue)
            guard status == 0 else { throw Failure("gnutls_privkey_export_ecc_raw2", status) }
            if case .ed25519 = kind { return (first.bytes, []) }
            return (first.bytes.padded(to: length), second.bytes.padded(to: length))
        }
    }

    /// Signs with a hash of 256, 384 or 512 bits, which Ed25519 ignores. The signature of an elliptic curve is r and s.
    package func sign(_ message: [UInt8], hashBits: Int, isPSS: Bool = false) throws -> [UInt8] {
        let scheme: gnutls_sign_algorithm_t =
            switch (kind, hashBits) {
            case (.rsa, 256): isPSS ? GNUTLS_SIGN_RSA_PSS_SHA256 : GNUTLS_SIGN_RSA_SHA256
            case (.rsa, 384): isPSS ? GNUTLS_SIGN_RSA_PSS_SHA384 : GNUTLS_SIGN_RSA_SHA384
            case (.rsa, _): isPSS ? GNUTLS_SIGN_RSA_PSS_SHA512 : GNUTLS_SIGN_RSA_SHA512
            case (.ed25519, _): GNUTLS_SIGN_EDDSA_ED25519
            case (_, 256): GNUTLS_SIGN_ECDSA_SHA256
            case (_, 384): GNUTLS_SIGN_ECDSA_SHA384
            default: GNUTLS_SIGN_ECDSA_SHA512
            }
        return try lock.withLock { _ in
            var message = message
            var signature = gnutls_datum_t()
            defer { rg_gnutls_free(signature.data) }
            let status = message.withUnsafeMutableBufferPointer { bytes in
                var datum = gnutls_datum_t(data: bytes.baseAddress, size: UInt32(bytes.count))
                return gnutls_privkey_sign_data2(key, scheme, 0, &datum, &signature)
            }
            guard status == 0 else { throw Failure("gnutls_privkey_sign_data2", status) }
            switch kind {
            case .rsa, .ed25519: return signature.bytes
            case .p256, .p384, .p521: break
            }
            var (r, s) = (gnutls_datum_t(), gnutls_datum_t())
            defer {
                rg_gnutls_free(r.data)
                rg_gnutls_free(s.data)
            }
            let split = gnutls_decode_rs_value(&signature, &r, &s)
            guard split == 0, let length = kind.coordinateLength else {
                throw Failure("gnutls_decode_rs_value", split)
            }
            return r.bytes.padded(to: length) + s.bytes.padded(to: length)
        }
    }
}

/// Returns the HMAC of a message with a hash of 256, 384 or 512 bits.
package func authenticationCode(of message: [UInt8], secret: [UInt8], hashBits: Int) -> [UInt8] {
    let algorithm: gnutls_mac_algorithm_t =
        switch hashBits {
        case 256: GNUTLS_MAC_SHA256
        case 384: GNUTLS_MAC_SHA384
        default: GNUTLS_MAC_SHA512
        }
    var code = [UInt8](repeating: 0, count: hashBits / 8)
    let status = gnutls_hmac_fast(algorithm, secret, secret.count, message, message.count, &code)
    precondition(status == 0, "gnutls_hmac_fast failed with \(status)")
    return code
}

extension gnutls_datum_t {
    fileprivate var bytes: [UInt8] { Array(UnsafeBufferPointer(start: data, count: Int(size))) }
}

extension [UInt8] {
    /// Returns a number with this length: with zeros in front, or without them.
    fileprivate func padded(to length: Int) -> [UInt8] {
        let digits = drop { $0 == 0 }
        return [UInt8](repeating: 0, count: Swift.max(0, length - digits.count)) + digits
    }
}
