import Compression

/// The form of a body in the tables: a byte that says how the rest is coded, and the rest.
enum LogBody {
    private static let plain: UInt8 = 0
    private static let zstd: UInt8 = 1
    /// Below this, compression saves less than it costs.
    private static let compressedFrom = 512
    /// The most bytes that a body may expand to: the limit of a value in PostgreSQL.
    private static let longest = 1 << 30

    private static let encoders = EncoderPool(limit: 2)

    static func encode(_ body: [UInt8]) -> [UInt8] {
        if body.count >= compressedFrom, let smaller = try? body.withUnsafeBytes({ try encoders.encode($0, .zstd) }),
            smaller.count < body.count
        {
            return [zstd] + smaller
        }
        return [plain] + body
    }

    /// Nil for what `encode` did not make, and for what expands to more than `limit`.
    static func decode(_ bytes: some Collection<UInt8>, limit: Int = longest) -> [UInt8]? {
        switch bytes.first {
        case plain: return bytes.count - 1 <= limit ? Array(bytes.dropFirst()) : nil
        case zstd:
            return try? Array(bytes.dropFirst()).withUnsafeBytes { try Decoder.expand($0, .zstd, limit: limit) }
        default: return nil
        }
    }

    /// Splits an encoded body; there is always a first part.
    static func parts(_ bytes: [UInt8], ofAtMost size: Int) -> [[UInt8]] {
        stride(from: 0, to: max(1, bytes.count), by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }
}
