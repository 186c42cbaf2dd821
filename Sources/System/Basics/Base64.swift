/// Base64 as in RFC 4648: three bytes as four characters.
package struct Base64: Sendable {
    private let alphabet: [UInt8]
    /// The value of each character; 255 for a character outside the alphabet.
    private let values: [UInt8]
    private let isPadded: Bool

    /// With `+`, `/` and padding.
    package static let standard = Base64("+/", isPadded: true)
    /// With `-` and `_`, without padding, for URLs.
    package static let url = Base64("-_", isPadded: false)

    private static let padding = UInt8(ascii: "=")

    private init(_ lastTwo: String, isPadded: Bool) {
        alphabet = Array(("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + lastTwo).utf8)
        var values = [UInt8](repeating: 255, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        self.values = values
        self.isPadded = isPadded
    }

    /// The length of the text for `count` bytes.
    package func length(of count: Int) -> Int { isPadded ? (count + 2) / 3 * 4 : (count * 4 + 2) / 3 }

    package func encode(_ bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: length(of: bytes.count)) { text in
            bytes.withUnsafeBufferPointer { encode($0, into: text) }
            return length(of: bytes.count)
        }
    }

    /// Writes `length(of:)` characters to the start of `text`, which must have room for them.
    package func encode(_ bytes: UnsafeBufferPointer<UInt8>, into text: UnsafeMutableBufferPointer<UInt8>) {
        var offset = 0
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            let second = count > 1 ? UInt32(bytes[start + 1]) : 0
            let third = count > 2 ? UInt32(bytes[start + 2]) : 0
            let bits = UInt32(bytes[start]) << 16 | second << 8 | third
            for index in 0...count {
                text.initializeElement(at: offset, to: alphabet[Int(bits >> UInt32(18 - 6 * index) & 63)])
                offset += 1
            }
            if isPadded {
                for _ in count..<3 {
                    text.initializeElement(at: offset, to: Self.padding)
                    offset += 1
                }
            }
        }
    }

    /// Returns nil for any text that `encode` does not produce.
    package func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8 { text in
            var end = text.count
            if isPadded {
                guard end % 4 == 0 else { return nil }
                for _ in 0..<2 where end > 0 && text[end - 1] == Self.padding { end -= 1 }
            }
            var bytes: [UInt8] = []
            bytes.reserveCapacity(end * 3 / 4)
            var bits: UInt32 = 0
            var count: UInt32 = 0
            for character in text[..<end] {
                let value = values[Int(character)]
                guard value != 255 else { return nil }
                bits = bits << 6 | UInt32(value)
                count += 6
                if count >= 8 {
                    count -= 8
                    bytes.append(UInt8(truncatingIfNeeded: bits >> count))
                }
            }
            // The remaining bits must be fewer than a character has, and zero.
            guard count < 6, bits & (1 << count - 1) == 0 else { return nil }
            return bytes
        }
    }
}
