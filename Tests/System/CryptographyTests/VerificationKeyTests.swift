import Cryptography
import SignatureTesting
import Testing

@Suite("Verification of signatures")
struct VerificationKeyTests {
    /// A kind of key with its schemes.
    enum Family: CaseIterable, Sendable {
        case rsa
        case p256
        case p384
        case p521
        case ed25519

        fileprivate var kind: SigningKey.Kind {
            switch self {
            case .rsa: .rsa(bits: 2048)
            case .p256: .p256
            case .p384: .p384
            case .p521: .p521
            case .ed25519: .ed25519
            }
        }

        fileprivate func key(_ numbers: ([UInt8], [UInt8])) throws -> VerificationKey {
            switch self {
            case .rsa: try VerificationKey(modulus: numbers.0, exponent: numbers.1)
            case .p256: try VerificationKey(curve: .p256, x: numbers.0, y: numbers.1)
            case .p384: try VerificationKey(curve: .p384, x: numbers.0, y: numbers.1)
            case .p521: try VerificationKey(curve: .p521, x: numbers.0, y: numbers.1)
            case .ed25519: try VerificationKey(ed25519: numbers.0)
            }
        }

        /// Each scheme with what makes its signature.
        fileprivate var schemes: [(SignatureScheme, bits: Int, isPSS: Bool)] {
            switch self {
            case .rsa:
                [
                    (.rsaPKCS1(.sha256), 256, false), (.rsaPKCS1(.sha384), 384, false),
                    (.rsaPKCS1(.sha512), 512, false), (.rsaPSS(.sha256), 256, true), (.rsaPSS(.sha384), 384, true),
                    (.rsaPSS(.sha512), 512, true),
                ]
            case .p256: [(.ecdsa(.sha256), 256, false)]
            case .p384: [(.ecdsa(.sha384), 384, false)]
            case .p521: [(.ecdsa(.sha512), 512, false)]
            case .ed25519: [(.ed25519, 512, false)]
            }
        }
    }

    private static let schemes = Family.allCases.flatMap { $0.schemes.map(\.0) } + [.hmac(.sha256)]

    @Test("a signature is valid in its scheme alone, for its message, with its key", arguments: Family.allCases)
    func schemes(family: Family) throws {
        let signer = try SigningKey(family.kind)
        let key = try family.key(signer.publicNumbers())
        let stranger = try family.key(SigningKey(family.kind).publicNumbers())
        let message = Array("a message".utf8)
        for (scheme, bits, isPSS) in family.schemes {
            let signature = try signer.sign(message, hashBits: bits, isPSS: isPSS)
            for other in Self.schemes {
                #expect(key.verifies(signature, of: message, as: other) == (other == scheme), "\(scheme) as \(other)")
            }
            #expect(!key.verifies(signature, of: message + [0], as: scheme))
            #expect(!stranger.verifies(signature, of: message, as: scheme))
            for wrong in [[], [0], signature + [0], [0] + signature, Array(signature.dropLast())] {
                #expect(!key.verifies(wrong, of: message, as: scheme), "\(wrong.count) bytes")
            }
            #expect(!key.verifies([UInt8](repeating: 0, count: signature.count), of: message, as: scheme))
            for index in stride(from: 0, to: signature.count, by: 7) {
                var flipped = signature
                flipped[index] ^= 1 << UInt8(index % 8)
                #expect(!key.verifies(flipped, of: message, as: scheme), "byte \(index)")
            }
        }
    }

    @Test("numbers with zeros in front are read as they are", arguments: [Family.p256, .p521])
    func leadingZeros(family: Family) throws {
        let signer = try SigningKey(family.kind)
        let key = try family.key(signer.publicNumbers())
        let scheme = try #require(family.schemes.first)
        // A half begins with a zero byte in one of 128 signatures, and with P-521 in three of four.
        for index in 0..<(family == .p256 ? 600 : 20) {
            let message = Array("message \(index)".utf8)
            let signature = try signer.sign(message, hashBits: scheme.bits)
            #expect(key.verifies(signature, of: message, as: scheme.0), "\(signature)")
        }
    }

    /// Test cases 1, 2 and 6 of RFC 4231.
    private static let codes: [(key: [UInt8], message: String, sha256: String, sha512: String)] = [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
            "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
            "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598"
        ),
    ]

    private static func bytes(_ hex: String) -> [UInt8] {
        stride(from: 0, to: hex.utf8.count, by: 2).compactMap { index in
            UInt8(hex.dropFirst(index).prefix(2), radix: 16)
        }
    }

    @Test("authentication codes are those of RFC 4231", arguments: codes.indices)
    func hmac(index: Int) {
        let example = Self.codes[index]
        let key = VerificationKey(secret: example.key)
        let message = Array(example.message.utf8)
        for (code, scheme) in [
            (Self.bytes(example.sha256), SignatureScheme.hmac(.sha256)), (Self.bytes(example.sha512), .hmac(.sha512)),
        ] {
            #expect(key.verifies(code, of: message, as: scheme))
            #expect(!key.verifies(Array(code.dropLast()), of: message, as: scheme))
            #expect(!key.verifies(code, of: message, as: .hmac(.sha384)))
            for other in Self.schemes where other != .hmac(.sha256) {
                #expect(!key.verifies(code, of: message, as: other))
            }
        }
        #expect(!key.verifies([], of: message, as: .hmac(.sha256)))
    }

    private func fault(_ make: () throws -> VerificationKey) -> String? {
        do {
            _ = try make()
            return nil
        } catch { return "\(error)" }
    }

    @Test("RSA keys that anybody can sign with, that can be factored or that take too long are refused")
    func weakRSA() throws {
        let (modulus, exponent) = try SigningKey(.rsa(bits: 2048)).publicNumbers()
        let (short, _) = try SigningKey(.rsa(bits: 1024)).publicNumbers()
        #expect(fault { try VerificationKey(modulus: [0] + modulus, exponent: [0] + exponent) } == nil)
        #expect(
            fault { try VerificationKey(modulus: short, exponent: exponent) }
                == "has a modulus of 1024 bits; use 2048 to 16384")
        let long = [1] + [UInt8](repeating: 1, count: 2048)
        for wrong in [[], [0], Array(modulus.dropFirst()), long] {
            #expect(fault { try VerificationKey(modulus: wrong, exponent: exponent) }?.contains("use 2048") == true)
        }
        #expect(
            fault { try VerificationKey(modulus: modulus.dropLast() + [0], exponent: exponent) }
                == "has an even modulus")
        for wrong: [UInt8] in [[], [0], [1], [0, 1], [2], [1, 0, 0], [1, 0, 0, 0, 0, 0, 0, 0, 1]] {
            let reported = fault { try VerificationKey(modulus: modulus, exponent: wrong) }
            #expect(reported?.hasPrefix("has an exponent that is not an odd number from 3") == true, "\(wrong)")
        }
    }

    @Test(
        "points that are not on their curve are refused, and coordinates of another length", arguments: Family.allCases)
    func points(family: Family) throws {
        let curve: VerificationKey.Curve
        switch family {
        case .rsa, .ed25519:
            #expect(
                fault { try VerificationKey(ed25519: [1, 2, 3]) }
                    == "has 3 bytes in its coordinate x, which needs 32")
            return
        case .p256: curve = .p256
        case .p384: curve = .p384
        case .p521: curve = .p521
        }
        let (x, y) = try SigningKey(family.kind).publicNumbers()
        let length = curve.coordinateLength
        #expect(fault { try VerificationKey(curve: curve, x: x, y: y) } == nil)
        var moved = y
        moved[length - 1] ^= 1
        #expect(fault { try VerificationKey(curve: curve, x: x, y: moved) } == "is not a point of its curve")
        #expect(fault { try VerificationKey(curve: curve, x: y, y: x) } == "is not a point of its curve")
        let zeros = [UInt8](repeating: 0, count: length)
        #expect(fault { try VerificationKey(curve: curve, x: zeros, y: zeros) } == "is not a point of its curve")
        #expect(
            fault { try VerificationKey(curve: curve, x: [0] + x, y: y) }
                == "has \(length + 1) bytes in its coordinate x, which needs \(length)")
        #expect(
            fault { try VerificationKey(curve: curve, x: x, y: Array(y.dropFirst())) }
                == "has \(length - 1) bytes in its coordinate y, which needs \(length)")
    }

    @Test("many threads verify with one key at once")
    func threads() async throws {
        let message = Array("a message".utf8)
        let prepared = try Family.allCases.flatMap { family in
            let signer = try SigningKey(family.kind)
            let key = try family.key(signer.publicNumbers())
            return try family.schemes.map { scheme, bits, isPSS in
                (key: key, scheme: scheme, signature: try signer.sign(message, hashBits: bits, isPSS: isPSS))
            }
        }
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<16 {
                group.addTask {
                    var wrong = 0
                    for round in 0..<20 {
                        for entry in prepared {
                            let isGenuine = (task + round) % 2 == 0
                            let text = isGenuine ? message : message + [UInt8(round)]
                            if entry.key.verifies(entry.signature, of: text, as: entry.scheme) != isGenuine {
                                wrong += 1
                            }
                        }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
    }
}
