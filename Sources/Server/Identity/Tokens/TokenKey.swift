import Basics
import Cryptography
import Files
import JSONCoding

/// A verification key with one algorithm.
struct TokenKey: Sendable {
    /// The `kid` of the key; nil if it has none.
    let id: String?
    let algorithm: TokenAlgorithm
    /// Identifies the key, its algorithm and the required claims, without revealing the key.
    let fingerprint: String
    private let key: VerificationKey

    /// - Parameter material: the bytes that make the key differ from others, for the fingerprint.
    init(
        id: String?, _ algorithm: TokenAlgorithm, _ key: VerificationKey, material: [UInt8], _ settings: TokenSettings
    ) {
        self.id = id
        self.algorithm = algorithm
        self.key = key
        let rules = [
            algorithm.rawValue, settings.issuers.sorted().joined(separator: " "),
            settings.audiences.sorted().joined(separator: " "), settings.rolePaths.joined(separator: " "),
            "\(settings.requiresExpiry)", "\(settings.leeway)",
        ].joined(separator: "\n")
        fingerprint = Base64.url.encode(SHA256.hash(Array(rules.utf8) + [0] + material))
    }

    /// Whether the header of a token admits this key: same algorithm, and no other `kid`.
    func suits(_ token: CompactSignature) -> Bool {
        algorithm == token.algorithm && (id == nil || token.keyID == nil || id == token.keyID)
    }

    /// Whether this key signed the token with its algorithm. Safe from any number of threads at once.
    func verifies(_ token: CompactSignature) -> Bool {
        algorithm == token.algorithm && key.verifies(token.signature, of: token.message, as: algorithm.scheme)
    }

    /// Loads all keys with the algorithms that the settings allow. Reads the file of keys. Throws if it is not a key
    /// set, if it contains an invalid key, and if no key remains.
    static func load(_ settings: TokenSettings) throws(IdentityError) -> [TokenKey] {
        var keys: [TokenKey] = []
        if let secret = settings.secret {
            keys += try shared(
                Array(secret.utf8), id: nil, required: settings.algorithms, allowed: settings.allowedAlgorithms,
                settings, source: "The secret")
        }
        if let path = settings.keyFile {
            guard let bytes = try IdentityError.naming({ () throws(FileError) in try WholeFile.read(path) }) else {
                throw IdentityError("The file '\(path)' with the token keys does not exist.")
            }
            guard let json = try? JSONValue.parse(bytes), case .array(let entries)? = json["keys"] else {
                throw IdentityError("'\(path)' is not a JSON Web Key Set, which is an object with an array 'keys'.")
            }
            for (index, entry) in entries.enumerated() {
                let source = "Key number \(index + 1) of '\(path)'"
                keys += try JSONWebKey(entry, source: source)?.keys(settings) ?? []
            }
        }
        guard !keys.isEmpty else {
            throw IdentityError("No key supports any of the accepted token algorithms.")
        }
        return keys
    }

    /// Returns a key for each of the allowed algorithms for which the secret is long enough. Throws if it is too short
    /// for one of the required algorithms, or without such for HS256.
    static func shared(
        _ secret: [UInt8], id: String?, required: Set<TokenAlgorithm>, allowed: Set<TokenAlgorithm>,
        _ settings: TokenSettings, source: String
    ) throws(IdentityError) -> [TokenKey] {
        let symmetric = TokenAlgorithm.allCases.filter { allowed.contains($0) && $0.shortestSecret != nil }
        for algorithm in symmetric where required.isEmpty || required.contains(algorithm) {
            // Without a required algorithm the secret need only be long enough for the shortest hash.
            let needed = required.isEmpty ? TokenAlgorithm.hs256 : algorithm
            guard let length = needed.shortestSecret, secret.count < length else { continue }
            throw IdentityError("\(source) has \(secret.count) bytes; \(needed.rawValue) needs \(length) at least.")
        }
        let key = VerificationKey(secret: secret)
        return symmetric.filter { secret.count >= $0.shortestSecret ?? .max }.map {
            TokenKey(id: id, $0, key, material: secret, settings)
        }
    }
}

extension TokenSettings {
    /// The accepted algorithms, all if none is named.
    var allowedAlgorithms: Set<TokenAlgorithm> { algorithms.isEmpty ? Set(TokenAlgorithm.allCases) : algorithms }
}
