import Basics
import Cryptography
import JSONCoding

/// A key of a JSON Web Key Set that may verify signatures (RFC 7517 and 7518, section 6, and RFC 8037).
struct JSONWebKey {
    private let json: JSONValue
    private let type: String
    /// The only algorithm that the key is for; nil if it does not name one.
    private let algorithm: TokenAlgorithm?
    private let id: String?
    /// Names the key in errors.
    private let source: String

    /// Returns nil for a key with another purpose: for encryption, for another operation than verifying, or with an
    /// algorithm that tokens here cannot have. Throws if a member that says so has another type than the standard's.
    init?(_ json: JSONValue, source: String) throws(IdentityError) {
        self.json = json
        self.source = source
        func text(_ name: String) throws(IdentityError) -> String? {
            switch json[name] {
            case nil: return nil
            case .string(let text)?: return text
            default: throw IdentityError("\(source) has a '\(name)' that is not a string.")
            }
        }
        guard case .object = json, let type = try text("kty") else {
            throw IdentityError("\(source) is not a JSON Web Key, which is an object with a 'kty'.")
        }
        self.type = type
        id = try text("kid")
        let purpose = try text("use")
        let name = try text("alg")
        algorithm = name.flatMap { TokenAlgorithm(rawValue: $0) }
        if let operations = json["key_ops"] {
            guard case .array(let elements) = operations else {
                throw IdentityError("\(source) has 'key_ops' that are not an array.")
            }
            guard elements.contains(.string("verify")) else { return nil }
        }
        guard purpose == nil || purpose == "sig", name == nil || algorithm != nil else { return nil }
    }

    /// Returns a key for each algorithm that this key, its type and the settings allow; none for another type. Throws
    /// if the key is incomplete, invalid or too weak.
    func keys(_ settings: TokenSettings) throws(IdentityError) -> [TokenKey] {
        var allowed = settings.allowedAlgorithms
        if let algorithm { allowed.formIntersection([algorithm]) }
        guard type != "oct" else {
            return try TokenKey.shared(
                try bytes("k"), id: id, required: algorithm.map { allowed.intersection([$0]) } ?? [], allowed: allowed,
                settings, source: source)
        }
        let curve = try type == "EC" || type == "OKP" ? string("crv") : ""
        switch (type, curve) {
        case ("RSA", _): allowed.formIntersection([.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        case ("EC", "P-256"): allowed.formIntersection([.es256])
        case ("EC", "P-384"): allowed.formIntersection([.es384])
        case ("EC", "P-521"): allowed.formIntersection([.es512])
        case ("OKP", "Ed25519"): allowed.formIntersection([.edDSA])
        default: return []
        }
        guard !allowed.isEmpty else { return [] }
        let key = try publicKey(curve)
        let material = ["n", "e", "x", "y", "crv"].map { name in
            if case .string(let text)? = json[name] { text } else { "" }
        }.joined(separator: ".")
        return TokenAlgorithm.allCases.filter { allowed.contains($0) }.map {
            TokenKey(id: id, $0, key, material: Array(material.utf8), settings)
        }
    }

    private func publicKey(_ curve: String) throws(IdentityError) -> VerificationKey {
        do {
            switch curve {
            case "P-256": return try VerificationKey(curve: .p256, x: bytes("x"), y: bytes("y"))
            case "P-384": return try VerificationKey(curve: .p384, x: bytes("x"), y: bytes("y"))
            case "P-521": return try VerificationKey(curve: .p521, x: bytes("x"), y: bytes("y"))
            case "Ed25519": return try VerificationKey(ed25519: bytes("x"))
            default: return try VerificationKey(modulus: bytes("n"), exponent: bytes("e"))
            }
        } catch let fault as VerificationKeyError {
            throw IdentityError("\(source) cannot be used: it \(fault).")
        } catch let error as IdentityError {
            throw error
        } catch {
            throw IdentityError("\(source) cannot be used: \(error).")
        }
    }

    private func string(_ name: String) throws(IdentityError) -> String {
        guard case .string(let text)? = json[name] else { throw IdentityError("\(source) has no '\(name)'.") }
        return text
    }

    private func bytes(_ name: String) throws(IdentityError) -> [UInt8] {
        guard case .string(let text)? = json[name], let bytes = Base64.url.decode(text) else {
            throw IdentityError("\(source) has no valid '\(name)' in base64url.")
        }
        return bytes
    }
}
