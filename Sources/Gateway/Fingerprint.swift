/// A 64-bit FNV-1a hash: the same in every process, so that it can be given to clients.
enum Fingerprint {
    static func of(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    /// Sixteen hexadecimal digits.
    static func text(of bytes: UnsafeBufferPointer<UInt8>) -> String {
        let digits = String(of(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
