/// A content coding of HTTP. The order is that of preference.
package enum Coding: String, Sendable, CaseIterable {
    case zstd
    case gzip

    /// The registered names and, for gzip, the old one, in lower case. The order is that of preference.
    package static let names: [(name: StaticString, coding: Coding)] = [
        ("zstd", .zstd), ("gzip", .gzip), ("x-gzip", .gzip),
    ]

    /// The names of all codings, as an error lists them: `gzip, zstd`.
    package static let list = allCases.map(\.rawValue).sorted().joined(separator: ", ")

    /// The bytes that data of this coding begins with.
    package var magic: [UInt8] {
        switch self {
        case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
        case .gzip: [0x1F, 0x8B]
        }
    }

    /// The extension of the names of compressed files, with its dot.
    package var fileExtension: String {
        switch self {
        case .zstd: ".zst"
        case .gzip: ".gz"
        }
    }

    /// Recognises a coding by the first bytes of some data. Nil for data that is not compressed.
    package init?(beginning bytes: some Collection<UInt8>) {
        guard let found = Self.allCases.first(where: { bytes.starts(with: $0.magic) }) else { return nil }
        self = found
    }

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
