import JSONCoding
import ObjectModel

/// A JSON Web Token split into its three parts, not yet verified.
struct SignedToken {
    /// The maximum length of a token, in bytes.
    static let limit = 8 * 1024

    let algorithm: TokenAlgorithm
    let keyID: String?
    /// The signed bytes: the first two parts as they were sent.
    let message: [UInt8]
    let signature: [UInt8]
    let claims: JSONValue

    /// Returns nil for a string that cannot be a valid token, whoever signed it.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.decode(parts[2]), !signature.isEmpty,
            // Rejects critical extensions, because none is supported.
            header["crit"] == nil, case .string(let name)? = header["alg"],
            let algorithm = TokenAlgorithm(rawValue: name)
        else { return nil }
        switch header["kid"] {
        case nil: keyID = nil
        case .string(let id)?: keyID = id
        default: return nil
        }
        self.algorithm = algorithm
        self.signature = signature
        self.claims = claims
        message = parts[0] + [UInt8(ascii: ".")] + parts[1]
    }

    private static func decode(_ part: [UInt8]) -> [UInt8]? { Base64.url.decode(String(decoding: part, as: UTF8.self)) }

    private static func object(_ part: [UInt8]) -> JSONValue? {
        guard let bytes = decode(part), let json = try? JSONValue.parse(bytes), case .object = json else { return nil }
        return json
    }

    /// Returns a claim in seconds since 1970; nil if it is absent. Throws if it is not a number.
    func date(_ name: String) throws(CredentialFault) -> Int64? {
        switch claims[name] {
        case nil: return nil
        case .int(let seconds)? where (0...Self.lastSecond).contains(seconds): return seconds
        case .double(let seconds)?, .precise(_, let seconds)?:
            guard seconds >= 0, seconds <= Double(Self.lastSecond) else { throw .invalid }
            return Int64(seconds)
        default: throw .invalid
        }
    }

    /// The end of the year 9999.
    private static let lastSecond: Int64 = 253_402_300_799

    /// Returns the names at the first of these paths that exists.
    func names(at paths: [String]) -> [String] {
        for path in paths {
            // A member's name may contain dots, as those that are addresses do.
            let parts = path.split(separator: ".").map(String.init)
            let found = claims[path] ?? parts.reduce(claims as JSONValue?) { $0?[$1] }
            switch found {
            case .string(let name)?: return [name]
            case .array(let elements)?:
                return elements.compactMap { if case .string(let name) = $0 { name } else { nil } }
            default: continue
            }
        }
        return []
    }
}
