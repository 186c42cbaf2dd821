/// A content coding of HTTP. The order is that of preference.
package enum Coding: String, Sendable, CaseIterable {
    case zstd
    case gzip

    /// The registered names and, for gzip, the old one, in lower case. The order is that of preference.
    package static let names: [(name: StaticString, coding: Coding)] = [
        ("zstd", .zstd), ("gzip", .gzip), ("x-gzip", .gzip),
    ]

    /// Finds a coding by one of its names; case does not matter. Nil for an unknown coding.
    package init?(name: some StringProtocol) {
        let name = name.lowercased()
        guard let found = Self.names.first(where: { "\($0.name)" == name }) else { return nil }
        self = found.coding
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
