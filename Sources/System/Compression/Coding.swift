/// A content coding of HTTP. The order is that of preference.
package enum Coding: String, Sendable, CaseIterable {
    case zstd
    case gzip

    /// Finds a coding by its registered name or, for gzip, the old one; case does not matter. Nil for an unknown
    /// coding.
    package init?(name: some StringProtocol) {
        switch name.lowercased() {
        case "zstd": self = .zstd
        case "gzip", "x-gzip": self = .gzip
        default: return nil
        }
    }
}

/// The errors of compressed data.
package enum CompressionError: Error, Hashable {
    /// It is not of this coding, or was altered in transit.
    case damaged
    /// It ends too early.
    case truncated
    /// It expands to more bytes than allowed.
    case tooLarge(limit: Int)
    case outOfMemory
}
