import ObjectModel

/// A hash for clients: the same in every process.
enum Fingerprint {
    /// - Parameter seed: changes the fingerprint of the same bytes.
    static func of(_ bytes: UnsafeBufferPointer<UInt8>, seed: UInt32 = 0) -> UInt64 { FNV1a.hash(bytes, seed: seed) }

    /// Returns sixteen hexadecimal digits.
    static func text(of bytes: UnsafeBufferPointer<UInt8>, seed: UInt32 = 0) -> String {
        let value = of(bytes, seed: seed)
        return String(unsafeUninitializedCapacity: 16) { text in
            for index in 0..<16 {
                let digit = UInt8(truncatingIfNeeded: value >> UInt64(60 - 4 * index)) & 15
                text[index] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
            }
            return 16
        }
    }
}
