/// Decodes a chunked request body strictly by the grammar of RFC 9112, section 7.1.
///
/// libmicrohttpd accepts a line feed as the end of a line, and any text as an extension. A proxy in front of the server
/// may interpret the same bytes differently, so that one of the two sees a request that the other does not (request
/// smuggling). Therefore the server decodes chunks itself. It ignores extensions and trailers, as RFC 9112 requires of
/// servers that do not know them.
struct ChunkDecoder {
    private enum State {
        case size, blank, extensionStart, extensionRest, quoted, quotedPair, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case finished
    }

    private var state = State.size
    /// The size of the present chunk while it is read, then its bytes still to come.
    private var left = 0
    private var hasDigits = false
    /// The length of the size line, or of all trailers.
    private var lineBytes = 0
    private var extensionBytes = 0
    private var trailers = 0
    private let limit: Int
    private let trailerLimits: RequestHead.Limits

    private static let maximumLineLength = 1024
    private static let maximumExtensionBytes = 16 * 1024

    /// - Parameter limit: the maximum size of a chunk.
    init(limit: Int, trailers: RequestHead.Limits) {
        self.limit = limit
        trailerLimits = trailers
    }

    /// Whether the end of the body has been read.
    var isFinished: Bool { state == .finished }

    /// Reads from `position` up to the next part of the body and returns its range; nil if the bytes or the body end
    /// first. Throws for an invalid chunk.
    mutating func next(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) throws(HTTPError) -> Range<Int>? {
        while position < bytes.count, state != .finished {
            if state == .data {
                let part = position..<position + min(left, bytes.count - position)
                position = part.upperBound
                left -= part.count
                if left == 0 { state = .dataReturn }
                return part
            }
            let byte = bytes[position]
            position += 1
            try take(byte)
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) throws(HTTPError) {
        switch state {
        case .size, .blank, .extensionStart, .extensionRest, .quoted, .quotedPair: try takeInSizeLine(byte)
        case .sizeLineFeed:
            try lineFeed(byte)
            lineBytes = 0
            state = left == 0 ? .trailerStart : .data
        case .data, .finished: break
        case .dataReturn:
            guard byte == 0x0d else { throw Self.longer }
            state = .dataLineFeed
        case .dataLineFeed:
            try lineFeed(byte)
            (state, hasDigits, lineBytes) = (.size, false, 0)
        case .trailerStart, .trailerName, .trailerValue, .trailerLineFeed, .lastLineFeed: try takeInTrailers(byte)
        }
    }

    private mutating func takeInSizeLine(_ byte: UInt8) throws(HTTPError) {
        lineBytes += 1
        guard lineBytes <= Self.maximumLineLength else {
            throw .malformed("The size of a chunk and its extensions are too long.")
        }
        if state != .size {
            extensionBytes += 1
            guard extensionBytes <= Self.maximumExtensionBytes else {
                throw .malformed("The chunks have too many extensions.")
            }
        }
        switch (state, byte) {
        case (.size, _) where hexadecimal(byte) != nil: try digit(hexadecimal(byte) ?? 0)
        case (.size, 0x0d) where hasDigits, (.extensionRest, 0x0d): state = .sizeLineFeed
        case (.size, UInt8(ascii: ";")) where hasDigits, (.blank, UInt8(ascii: ";")),
            (.extensionRest, UInt8(ascii: ";")):
            state = .extensionStart
        case (.size, _) where hasDigits && isBlank(byte): state = .blank
        case (.blank, _) where isBlank(byte), (.extensionStart, _) where isBlank(byte): break
        case (.extensionStart, _) where isToken(byte): state = .extensionRest
        case (.extensionRest, UInt8(ascii: "\"")): state = .quoted
        case (.extensionRest, _) where isFieldByte(byte): break
        case (.quoted, UInt8(ascii: "\"")): state = .extensionRest
        case (.quoted, UInt8(ascii: "\\")): state = .quotedPair
        case (.quoted, _) where isFieldByte(byte): break
        case (.quotedPair, _) where isFieldByte(byte): state = .quoted
        default:
            throw .malformed(
                "A chunk must begin with its size in hexadecimal digits, optionally ';' and an extension, then a carriage return and a line feed."
            )
        }
    }

    private mutating func digit(_ digit: UInt8) throws(HTTPError) {
        if !hasDigits { left = 0 }
        hasDigits = true
        guard left <= (limit - Int(digit)) >> 4 else { throw .bodyTooLarge(limit) }
        left = left << 4 | Int(digit)
    }

    private mutating func takeInTrailers(_ byte: UInt8) throws(HTTPError) {
        lineBytes += 1
        guard lineBytes <= trailerLimits.headerBytes else { throw .headerTooLarge }
        switch (state, byte) {
        case (.trailerStart, 0x0d): state = .lastLineFeed
        case (.trailerStart, _) where isToken(byte):
            trailers += 1
            guard trailers <= trailerLimits.headerCount else { throw .headerTooLarge }
            state = .trailerName
        case (.trailerName, _) where isToken(byte), (.trailerValue, _) where isFieldByte(byte): break
        case (.trailerName, UInt8(ascii: ":")): state = .trailerValue
        case (.trailerValue, 0x0d): state = .trailerLineFeed
        case (.trailerLineFeed, 0x0a): state = .trailerStart
        case (.lastLineFeed, 0x0a): state = .finished
        default:
            throw .malformed(
                "The last chunk must be followed by header lines, each ended by a carriage return and a line feed, and an empty line."
            )
        }
    }

    private func lineFeed(_ byte: UInt8) throws(HTTPError) {
        guard byte == 0x0a else { throw .malformed("A carriage return must be followed by a line feed.") }
    }

    private static let longer = HTTPError.malformed(
        "A chunk must have the length of its size line, and end in a carriage return and a line feed.")

    private func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
