/// The header of a file and, if the file was written in one go, its footer.
struct FileHeader {
    static let length = 24
    static let footerLength = 16
    private static let mark: UInt32 = 0x4244_2D54
    private static let footerMark: UInt64 = 0x3034_1252_37E5_26C8

    let format: Int
    /// The offset of the root node; 0 before the first table is created.
    let top: Int64
    /// Where nodes must end.
    let end: Int

    /// Whether these bytes begin a Realm file that is not encrypted.
    static func isPlain(_ image: FileImage) -> Bool { image.halfWord(at: 16) == mark }

    /// The number of the format; throws `unsupportedFormat` for one that cannot be read.
    static func format(_ image: FileImage) throws(RealmFileError) -> Int {
        try current(image).format
    }

    /// Returns what the header says about the current one of its two snapshots.
    private static func current(
        _ image: FileImage
    ) throws(RealmFileError) -> (isSecond: Bool, offset: UInt64, format: Int) {
        guard isPlain(image), let first = image.word(at: 0), let second = image.word(at: 8),
            let marks = image.word(at: 16)
        else { throw .notRealm(mayBeEncrypted: PageDecryption.mayBeEncrypted(length: image.count)) }
        let isSecond = marks >> 56 & 1 == 1
        let offset = isSecond ? second : first
        var format = Int(truncatingIfNeeded: marks >> (isSecond ? 40 : 32)) & 0xFF
        // A file that was made, and never written.
        if offset == 0, format == 0 { format = 24 }
        guard format == 11 || (20...24).contains(format) else { throw .unsupportedFormat(format) }
        return (isSecond, offset, format)
    }

    init(_ image: FileImage) throws(RealmFileError) {
        let current = try Self.current(image)
        var offset = current.offset
        format = current.format
        guard image.count % 8 == 0 else {
            throw .damaged(location: "the end", reason: "\(image.count) bytes are not a multiple of 8")
        }
        if !current.isSecond, offset == .max {
            let footer = image.count - Self.footerLength
            guard footer >= Self.length, let top = image.word(at: footer), image.word(at: footer + 8) == Self.footerMark
            else { throw .damaged(location: "the end", reason: "the last bytes are not those of a whole file") }
            offset = top
            end = footer
        } else {
            end = image.count
        }
        // The root is checked like all nodes. Here only offsets beyond 63 bits are refused.
        guard let top = Int64(exactly: offset) else {
            throw .damaged(location: "the header", reason: "the first node cannot be at \(offset)")
        }
        self.top = top
    }
}
