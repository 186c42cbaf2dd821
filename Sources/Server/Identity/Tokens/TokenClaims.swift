import JSONCoding
import ObjectModel

/// The claims of a JSON Web Token whose signature is verified.
struct TokenClaims {
    /// All claims, an object.
    let values: JSONValue

    /// Returns nil for bytes that are not a JSON object.
    init?(_ payload: [UInt8]) {
        guard let values = try? JSONValue.parse(payload), case .object = values else { return nil }
        self.values = values
    }

    subscript(name: String) -> JSONValue? { values[name] }

    /// Returns a claim in seconds since 1970; nil if it is absent. Throws if it is not a number.
    func date(_ name: String) throws(CredentialError) -> Int64? {
        switch values[name] {
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
            let found = values[path] ?? parts.reduce(values as JSONValue?) { $0?[$1] }
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
