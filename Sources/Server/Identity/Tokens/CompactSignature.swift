import Basics
import JSONCoding

/// A JSON Web Signature in its compact form, split into its three parts and not yet verified.
struct CompactSignature {
    /// The maximum length, in bytes.
    static let limit = 8 * 1024

    let algorithm: TokenAlgorithm
    let keyID: String?
    /// The signed bytes: the first two parts as they were sent.
    let message: [UInt8]
    let payload: [UInt8]
    let signature: [UInt8]

    /// Returns nil for a string that no accepted key can have signed.
    init?(_ text: String) {
        guard text.utf8.count <= Self.limit else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { Array($0) }
        guard parts.count == 3, let encoded = Self.decode(parts[0]), let header = try? JSONValue.parse(encoded),
            case .object = header, let payload = Self.decode(parts[1]), let signature = Self.decode(parts[2]),
            !signature.isEmpty,
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
        self.payload = payload
        self.signature = signature
        message = parts[0] + [UInt8(ascii: ".")] + parts[1]
    }

    private static func decode(_ part: [UInt8]) -> [UInt8]? { Base64.url.decode(String(decoding: part, as: UTF8.self)) }
}
