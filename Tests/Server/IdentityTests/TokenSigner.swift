import Basics
import JSONCoding
import ObjectModel
import SignatureTesting

/// Creates tokens with a key of its own.
struct TokenSigner: Sendable {
    var algorithm: String
    /// The member of a key set.
    var publicKey: JSONValue
    var sign: @Sendable ([UInt8]) throws -> [UInt8]

    static func url(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Base64.url.encode(Array(bytes))) }

    static func hmac(_ algorithm: String, _ secret: String, kid: String? = nil) -> TokenSigner {
        let shared: JSONValue = ["kty": .string("oct"), "k": url(secret.utf8), "alg": .string(algorithm)]
        return TokenSigner(algorithm: algorithm, publicKey: shared) {
            authenticationCode(of: $0, secret: Array(secret.utf8), hashBits: hashBits(algorithm))
        }
    }

    private static func hashBits(_ algorithm: String) -> Int { Int(algorithm.suffix(3)) ?? 0 }

    /// Returns a signer with the RSA key that all tests share, because creating one takes long.
    static func rsa(_ algorithm: String) throws -> TokenSigner { try rsa(algorithm, rsaKey.get()) }

    static func rsa(_ algorithm: String, _ key: SigningKey) throws -> TokenSigner {
        let (modulus, exponent) = try key.publicNumbers()
        let set: JSONValue = ["kty": .string("RSA"), "n": url(modulus), "e": url(exponent)]
        return TokenSigner(algorithm: algorithm, publicKey: set) {
            try key.sign($0, hashBits: hashBits(algorithm), isPSS: algorithm.hasPrefix("PS"))
        }
    }

    private static let rsaKey = Result { try SigningKey(.rsa(bits: 2048)) }

    static func ellipticCurve(_ algorithm: String) throws -> TokenSigner {
        let (kind, curve): (SigningKey.Kind, String) =
            switch algorithm {
            case "ES384": (.p384, "P-384")
            case "ES512": (.p521, "P-521")
            default: (.p256, "P-256")
            }
        let key = try SigningKey(kind)
        let (x, y) = try key.publicNumbers()
        let set: JSONValue = ["kty": .string("EC"), "crv": .string(curve), "x": url(x), "y": url(y)]
        return TokenSigner(algorithm: algorithm, publicKey: set) {
            try key.sign($0, hashBits: hashBits(algorithm))
        }
    }

    static func edwards() throws -> TokenSigner {
        let key = try SigningKey(.ed25519)
        let set: JSONValue = [
            "kty": .string("OKP"), "crv": .string("Ed25519"), "x": url(try key.publicNumbers().0),
        ]
        return TokenSigner(algorithm: "EdDSA", publicKey: set) { try key.sign($0, hashBits: 512) }
    }

    static func of(_ algorithm: String) throws -> TokenSigner {
        switch algorithm.prefix(2) {
        case "HS": hmac(algorithm, String(repeating: "secret-", count: 10))
        case "RS", "PS": try rsa(algorithm)
        case "ES": try ellipticCurve(algorithm)
        default: try edwards()
        }
    }

    /// Returns a token with these claims.
    func token(_ claims: JSONValue, header: [(String, JSONValue)] = []) throws -> String {
        let members =
            [("typ", JSONValue.string("JWT")), ("alg", .string(algorithm))]
            .filter { member in !header.contains { $0.0 == member.0 } } + header
        let object = JSONValue.object(JSONObject(members.map { JSONObject.Member(name: $0.0, value: $0.1) }))
        let message = [object, claims].map { value in
            let writer = JSONWriter()
            writer.value(value)
            return Base64.url.encode(writer.bytes)
        }.joined(separator: ".")
        return message + "." + Base64.url.encode(try sign(Array(message.utf8)))
    }
}

extension JSONValue {
    /// Returns the object with an additional member.
    func with(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var object) = self else { return self }
        object.members.append(JSONObject.Member(name: name, value: value))
        return .object(object)
    }
}
