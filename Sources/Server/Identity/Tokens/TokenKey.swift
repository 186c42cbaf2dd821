import Crypto
import Files
import FoundationEssentials
import JSONCoding
import JWTKit
import ObjectModel
import Promises

/// A verification key with one algorithm.
struct TokenKey: Sendable {
    /// The `kid` of the key; nil if it has none.
    var id: String?
    var algorithm: TokenAlgorithm
    var check: any JWTAlgorithm
    /// Identifies the key without revealing it.
    var fingerprint: String

    /// Loads all keys with the algorithms that the settings allow. Reads the file of keys. Throws if it is not a key
    /// set, if it contains an invalid key, and if no key remains.
    static func load(_ settings: TokenSettings) throws(IdentityError) -> [TokenKey] {
        var keys: [TokenKey] = []
        if let secret = settings.secret {
            keys += try shared(Array(secret.utf8), id: nil, settings, asked: settings.algorithms, source: "The secret")
        }
        if let path = settings.keyFile {
            guard let bytes = try IdentityError.naming({ () throws(FileFault) in try WholeFile.read(path) }) else {
                throw IdentityError("The file '\(path)' with the token keys does not exist.")
            }
            guard let json = try? JSONValue.parse(bytes), case .array(let entries)? = json["keys"] else {
                throw IdentityError("'\(path)' is not a JSON Web Key Set, which is an object with an array 'keys'.")
            }
            for (index, entry) in entries.enumerated() {
                keys += try Self.keys(entry, settings, source: "Key number \(index + 1) of '\(path)'")
            }
        }
        guard !keys.isEmpty else {
            throw IdentityError("No key supports any of the accepted token algorithms.")
        }
        return keys
    }

    /// Returns the keys of one member of a key set; none for a key with another purpose.
    private static func keys(
        _ entry: JSONValue, _ settings: TokenSettings, source: String
    ) throws(IdentityError) -> [TokenKey] {
        func text(_ name: String) -> String? {
            if case .string(let text)? = entry[name] { text } else { nil }
        }
        if let use = text("use"), use != "sig" { return [] }
        let id = text("kid")
        var algorithms = settings.algorithms.isEmpty ? Set(TokenAlgorithm.allCases) : settings.algorithms
        if let name = text("alg") { algorithms.formIntersection(TokenAlgorithm(rawValue: name).map { [$0] } ?? []) }
        switch (text("kty"), text("crv")) {
        case ("oct", _):
            guard let encoded = text("k"), let secret = Base64.url.decode(encoded) else {
                throw IdentityError("\(source) has no valid 'k' in base64url.")
            }
            return try shared(secret, id: id, settings, asked: text("alg") == nil ? [] : algorithms, source: source)
        case ("RSA", _): algorithms.formIntersection([.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
        case ("EC", "P-256"): algorithms.formIntersection([.es256])
        case ("EC", "P-384"): algorithms.formIntersection([.es384])
        case ("EC", "P-521"): algorithms.formIntersection([.es512])
        case ("OKP", "Ed25519"): algorithms.formIntersection([.edDSA])
        default: return []
        }
        return try pairs(
            PublicKey(
                type: text("kty") ?? "", n: text("n"), e: text("e"), x: text("x"), y: text("y"), curve: text("crv")),
            id: id, algorithms, settings, source)
    }

    private static func shared(
        _ secret: [UInt8], id: String?, _ settings: TokenSettings, asked: Set<TokenAlgorithm>, source: String
    ) throws(IdentityError) -> [TokenKey] {
        let allowed = settings.algorithms.isEmpty ? Set(TokenAlgorithm.allCases) : settings.algorithms
        let symmetric = allowed.compactMap { algorithm in algorithm.shortestSecret.map { (algorithm, $0) } }
        for (algorithm, length) in symmetric where asked.contains(algorithm) && secret.count < length {
            throw IdentityError(
                "\(source) has \(secret.count) bytes; \(algorithm.rawValue) needs \(length) at least.")
        }
        if asked.isEmpty, !symmetric.isEmpty, secret.count < 32 {
            throw IdentityError("\(source) has \(secret.count) bytes; HS256 needs 32 at least.")
        }
        let usable = symmetric.filter { secret.count >= $0.1 }.map(\.0)
        return try blocking { () throws(IdentityError) in
            var keys: [TokenKey] = []
            for algorithm in usable {
                let digest: DigestAlgorithm =
                    switch algorithm {
                    case .hs384: .sha384
                    case .hs512: .sha512
                    default: .sha256
                    }
                let collection = JWTKeyCollection()
                await collection.add(hmac: HMACKey(from: secret), digestAlgorithm: digest)
                keys.append(try await key(collection, id, algorithm, settings, secret, source))
            }
            return keys
        }
    }

    /// The public part of a key pair, with the member names of key sets.
    private struct PublicKey: Hashable, Sendable {
        var type: String
        var n: String?
        var e: String?
        var x: String?
        var y: String?
        var curve: String?

        func key(_ algorithm: JWK.Algorithm) -> JWK {
            let id = JWKIdentifier(string: "key")
            return switch type {
            case "RSA": .rsa(algorithm, identifier: id, modulus: n, exponent: e)
            case "EC": .ecdsa(algorithm, identifier: id, x: x, y: y, curve: curve.flatMap { ECDSACurve(rawValue: $0) })
            default:
                .octetKeyPair(
                    algorithm, identifier: id, x: x, y: nil, curve: curve.flatMap { EdDSACurve(rawValue: $0) })
            }
        }
    }

    private static func pairs(
        _ key: PublicKey, id: String?, _ algorithms: Set<TokenAlgorithm>, _ settings: TokenSettings, _ source: String
    ) throws(IdentityError) -> [TokenKey] {
        try blocking { () throws(IdentityError) in
            var keys: [TokenKey] = []
            for algorithm in algorithms {
                guard let name = JWK.Algorithm(rawValue: algorithm.rawValue) else { continue }
                let collection = JWTKeyCollection()
                do {
                    try await collection.add(jwk: key.key(name))
                } catch {
                    throw IdentityError("\(source) is broken: \(error).")
                }
                let text = [key.n, key.e, key.x, key.y, key.curve].map { $0 ?? "" }.joined(separator: ".")
                keys.append(try await self.key(collection, id, algorithm, settings, Array(text.utf8), source))
            }
            return keys
        }
    }

    private static func key(
        _ collection: JWTKeyCollection, _ id: String?, _ algorithm: TokenAlgorithm, _ settings: TokenSettings,
        _ material: [UInt8], _ source: String
    ) async throws(IdentityError) -> TokenKey {
        var rest = settings
        // The keys themselves are hashed separately.
        rest.secret = nil
        let rules = [
            algorithm.rawValue, rest.issuers.sorted().joined(separator: " "),
            rest.audiences.sorted().joined(separator: " "), rest.rolePaths.joined(separator: " "),
            "\(rest.requiresExpiry)", "\(rest.leeway)",
        ].joined(separator: "\n")
        let fingerprint = Base64.url.encode(Array(SHA256.hash(data: Array(rules.utf8) + [0] + material)))
        do {
            return TokenKey(
                id: id, algorithm: algorithm, check: try await collection.getKey(alg: algorithm.rawValue),
                fingerprint: fingerprint)
        } catch {
            throw IdentityError("\(source) is broken: \(error).")
        }
    }

    /// Waits for work whose library interface is asynchronous. It runs on a thread of its own, so that a caller on one
    /// of the few threads for tasks cannot wait for itself.
    private static func blocking<T: Sendable>(
        _ work: @escaping @Sendable () async throws(IdentityError) -> T
    ) throws(IdentityError) -> T {
        let executor = ThreadExecutor()
        let result = Promise<Result<T, IdentityError>>()
        Task(executorPreference: executor) {
            do throws(IdentityError) {
                result.set(.success(try await work()))
            } catch {
                result.set(.failure(error))
            }
        }
        return try result.wait().get()
    }
}
