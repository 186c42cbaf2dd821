import StoreContract

/// The byte order of this machine. Leaves are read in place as little-endian integers, so a big-endian machine would
/// read wrong values and write files that no other machine can read.
enum ByteOrder {
    #if _endian(big)
        static let isLittle = false
    #else
        static let isLittle = true
    #endif

    /// Throws `unsupportedFormat` on a big-endian machine, before the file is opened or created.
    static func check(_ path: String, isLittle: Bool = Self.isLittle) throws(StoreError) {
        guard !isLittle else { return }
        throw StoreError(
            .unsupportedFormat,
            "'\(path)' cannot be opened on this machine: it is big-endian, and the numbers in the file are little-endian. Use a little-endian machine, such as x86-64 or arm64."
        )
    }
}
