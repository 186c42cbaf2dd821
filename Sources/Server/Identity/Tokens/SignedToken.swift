import JSONCoding
import ObjectModel

/// A JSON Web Token in its three parts, nothing of it proven.
struct SignedToken {
    /// Longest token that is looked at, in bytes.
    static let limit = 8 * 1024

    let algorithm: TokenAlgorithm
    let keyID: String?
    /// What is signed: the first two parts as they were sent.
    let message: [UInt8]
    let signature: [UInt8]
    let claims: JSONValue

    /// Nil for what is no token that could be good, whoever signed it.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.decode(parts[2]), !signature.isEmpty,
            // What must be understood is not.
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

    /// A claim that is a number of seconds since 1970; nil when it is not there. Throws for anything else.
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

    /// The names in the first of these places that is there.
    func names(at paths: [String]) -> [String] {
        for path in paths {
            // A name may have points of its own, as those that are addresses do.
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
