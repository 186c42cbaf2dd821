import Crypto
import CryptoExtras
import Foundation
import JSONCoding
import ObjectModel

/// Creates tokens with a key of its own.
struct TokenSigner: Sendable {
    var algorithm: String
    /// The member of a key set.
    var publicKey: JSONValue
    var sign: @Sendable ([UInt8]) throws -> [UInt8]

    static func url(_ bytes: some Sequence<UInt8>) -> JSONValue { .string(Base64.url.encode(Array(bytes))) }

    static func hmac(_ algorithm: String, _ secret: String, kid: String? = nil) -> TokenSigner {
        let key = SymmetricKey(data: Array(secret.utf8))
        let shared: JSONValue = ["kty": .string("oct"), "k": url(secret.utf8), "alg": .string(algorithm)]
        return TokenSigner(algorithm: algorithm, publicKey: shared) { message in
            switch algorithm {
            case "HS384": Array(HMAC<SHA384>.authenticationCode(for: message, using: key))
            case "HS512": Array(HMAC<SHA512>.authenticationCode(for: message, using: key))
            default: Array(HMAC<SHA256>.authenticationCode(for: message, using: key))
            }
        }
    }

    /// Returns a signer with the RSA key that all tests share, because creating one takes long.
    static func rsa(_ algorithm: String) throws -> TokenSigner {
        let key = try rsaKey.get()
        let primitives = try key.publicKey.getKeyPrimitives()
        let set: JSONValue = [
            "kty": .string("RSA"), "n": url(primitives.modulus), "e": url(primitives.publicExponent),
        ]
        let padding: _RSA.Signing.Padding = algorithm.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
        return TokenSigner(algorithm: algorithm, publicKey: set) { message in
            switch algorithm.suffix(3) {
            case "384": Array(try key.signature(for: SHA384.hash(data: message), padding: padding).rawRepresentation)
            case "512": Array(try key.signature(for: SHA512.hash(data: message), padding: padding).rawRepresentation)
            default: Array(try key.signature(for: SHA256.hash(data: message), padding: padding).rawRepresentation)
            }
        }
    }

    private static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    static func ellipticCurve(_ algorithm: String) -> TokenSigner {
        func set(_ curve: String, _ point: Data) -> JSONValue {
            let half = (point.count - 1) / 2
            return [
                "kty": .string("EC"), "crv": .string(curve), "x": url(point.dropFirst().prefix(half)),
                "y": url(point.suffix(half)),
            ]
        }
        switch algorithm {
        case "ES384":
            let key = P384.Signing.PrivateKey()
            return TokenSigner(algorithm: algorithm, publicKey: set("P-384", key.publicKey.x963Representation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        case "ES512":
            let key = P521.Signing.PrivateKey()
            return TokenSigner(algorithm: algorithm, publicKey: set("P-521", key.publicKey.x963Representation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        default:
            let key = P256.Signing.PrivateKey()
            return TokenSigner(algorithm: algorithm, publicKey: set("P-256", key.publicKey.x963Representation)) {
                Array(try key.signature(for: $0).rawRepresentation)
            }
        }
    }

    static func edwards() -> TokenSigner {
        let key = Curve25519.Signing.PrivateKey()
        let set: JSONValue = [
            "kty": .string("OKP"), "crv": .string("Ed25519"), "x": url(key.publicKey.rawRepresentation),
        ]
        return TokenSigner(algorithm: "EdDSA", publicKey: set) { Array(try key.signature(for: $0)) }
    }

    static func of(_ algorithm: String) throws -> TokenSigner {
        switch algorithm.prefix(2) {
        case "HS": hmac(algorithm, String(repeating: "secret-", count: 10))
        case "RS", "PS": try rsa(algorithm)
        case "ES": ellipticCurve(algorithm)
        default: edwards()
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
