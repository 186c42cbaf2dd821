/// A 64-bit FNV-1a hash: the same in every process, so that it can be given to clients.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }

    static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
        var fingerprint = Fingerprint()
        fingerprint.add(bytes)
        return fingerprint.value
    }

    /// Sixteen hexadecimal digits.
    static func text(of bytes: some Sequence<UInt8>) -> String {
        let digits = String(of(bytes), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
