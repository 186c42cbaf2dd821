/// Two lower-case hexadecimal digits for each byte.
package func encodeHex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

/// The bytes of two hexadecimal digits each; nil for any other text.
package func decodeHex(_ text: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var pending: UInt8?
    for character in text {
        let digit: UInt8
        switch character {
        case 0x30...0x39: digit = character - 0x30
        case 0x41...0x46: digit = character - 0x41 + 10
        case 0x61...0x66: digit = character - 0x61 + 10
        default: return nil
        }
        if let high = pending {
            bytes.append(high << 4 | digit)
            pending = nil
        } else {
            pending = digit
        }
    }
    return pending == nil ? bytes : nil
}
