import Transfer

/// A text in place of a file.
private final class TextBytes: ExpandedBytes {
    private var bytes: [UInt8]?
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func next() throws -> [UInt8]? {
        defer { bytes = nil }
        offset += bytes?.count ?? 0
        return bytes?.isEmpty == false ? bytes : nil
    }
}

func source(_ text: String) -> ByteSource { source(bytes: Array(text.utf8)) }

func source(bytes: [UInt8]) -> ByteSource { ByteSource(-1, "the text", owner: nil, expanded: TextBytes(bytes)) }
