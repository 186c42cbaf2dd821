/// Unicode's simple case folding: maps each scalar to one that all its case variants share.
enum CaseFolding {
    /// Cost: two array accesses.
    @inline(__always)
    static func folded(_ scalar: UInt32) -> UInt32 {
        let page = Int(scalar >> 8)
        guard page < pageCount else { return scalar }
        let start = Int(pages[page])
        return start < 0 ? scalar : table[start + Int(scalar & 0xFF)]
    }

    /// The content of the table, computed from the standard library's mappings.
    ///
    /// Upper-case letters map to their lower case; mapping up and down again joins several lower cases of one letter,
    /// such as σ and ς. Mappings to several scalars belong to full case folding.
    static func computed(_ scalar: Unicode.Scalar) -> UInt32 {
        switch scalar.value {
        // Turkish dotless i is upper-cased to I, which is not its own.
        case 0x131: return 0x131
        // Doubles of other letters, all without an upper case of one scalar.
        case 0x1FD3: return 0x390
        case 0x1FE3: return 0x3B0
        case 0xFB05: return 0xFB06
        default:
            let upper = single(scalar.properties.uppercaseMapping) ?? scalar
            return (single(upper.properties.lowercaseMapping) ?? upper).value
        }
    }

    private static func single(_ text: String) -> Unicode.Scalar? {
        let scalars = text.unicodeScalars
        guard let first = scalars.first, scalars.dropFirst().isEmpty else { return nil }
        return first
    }

    /// The pages of 256 scalars that have letters with case.
    private static let casedPages: [Int] =
        Array(0x00...0x05)
        + [0x10, 0x13, 0x1C, 0x1D, 0x1E, 0x1F, 0x21, 0x24, 0x2C, 0x2D, 0xA6, 0xA7, 0xAB, 0xFB, 0xFF, 0x104, 0x105]
        + [0x10C, 0x10D, 0x118, 0x16E, 0x1E9]

    private static let pageCount = 0x1EA

    /// The start of each page in `table`; -1 for one without case.
    private static let pages: [Int32] = {
        var pages = [Int32](repeating: -1, count: pageCount)
        for (index, page) in casedPages.enumerated() { pages[page] = Int32(index * 256) }
        return pages
    }()

    /// Made at first use, in about a millisecond.
    private static let table: [UInt32] = casedPages.flatMap { page in
        (0..<256).map { offset in
            let value = UInt32(page * 256 + offset)
            return Unicode.Scalar(value).map(computed) ?? value
        }
    }
}
