extension JSONWriter {
    func escape(_ text: String) {
        var text = text
        text.withUTF8 { escape($0) }
    }

    /// Writes a string literal, quotes included. Text without quotes, backslashes and control characters is copied
    /// whole; eight bytes are tested at a time.
    func escape(_ text: UnsafeBufferPointer<UInt8>) {
        reserve(text.count + 2)
        put(UInt8(ascii: "\""))
        if text.count < 8, !needsEscape(word(text)) {
            put(text)
            return put(UInt8(ascii: "\""))
        }
        var clean = 0
        var index = 0
        while index < text.count {
            if index + 8 <= text.count,
                !needsEscape(
                    UnsafeRawPointer(text.baseAddress.unsafelyUnwrapped + index).loadUnaligned(as: UInt64.self))
            {
                index += 8
                continue
            }
            let byte = text[index]
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                put(UnsafeBufferPointer(rebasing: text[clean..<index]))
                escape(byte)
                clean = index + 1
            }
            index += 1
        }
        put(UnsafeBufferPointer(rebasing: text[clean...]))
        put(UInt8(ascii: "\""))
    }

    /// Returns all of at most seven bytes, some of them twice, filled up with a byte that needs no escape.
    @inline(__always)
    private func word(_ text: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let filling: UInt64 = 0x2020_2020_2020_2020
        guard let start = text.baseAddress.map({ UnsafeRawPointer($0) }) else { return filling }
        let count = text.count
        func pair<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type) -> (UInt64, UInt64) {
            (
                UInt64(truncatingIfNeeded: start.loadUnaligned(as: type)),
                UInt64(
                    truncatingIfNeeded: start.loadUnaligned(fromByteOffset: count - MemoryLayout<T>.size, as: type))
            )
        }
        if count >= 4 {
            let (first, last) = pair(UInt32.self)
            return first | last << 32
        }
        if count >= 2 {
            let (first, last) = pair(UInt16.self)
            return filling << 32 | first | last << 16
        }
        return count == 1 ? filling << 8 | UInt64(start.load(as: UInt8.self)) : filling
    }

    /// Whether one of eight bytes is below 0x20, a quote or a backslash. May return true for a byte above such a one,
    /// which is then tested alone.
    @inline(__always)
    private func needsEscape(_ word: UInt64) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        let quote = word ^ (ones &* UInt64(UInt8(ascii: "\"")))
        let backslash = word ^ (ones &* UInt64(UInt8(ascii: "\\")))
        let found = (word &- ones &* 0x20) & ~word | (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
        return found & tops != 0
    }

    private func escape(_ byte: UInt8) {
        put(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): put(byte)
        case 0x08: put(UInt8(ascii: "b"))
        case 0x09: put(UInt8(ascii: "t"))
        case 0x0A: put(UInt8(ascii: "n"))
        case 0x0C: put(UInt8(ascii: "f"))
        case 0x0D: put(UInt8(ascii: "r"))
        default:
            put(UInt8(ascii: "u"))
            put(UInt8(ascii: "0"))
            put(UInt8(ascii: "0"))
            for digit in [byte >> 4, byte & 15] {
                put(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
