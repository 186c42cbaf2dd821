import Cryptography
import Testing

@Suite("Decryption, and codes of messages")
struct DecryptionTests {
    private static func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.utf8.map { UInt8(String(UnicodeScalar($0)), radix: 16) ?? 0 }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// The example CBC-AES256 of NIST SP 800-38A, F.2.6.
    private static let key = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    private static let vector = bytes("000102030405060708090a0b0c0d0e0f")
    private static let cipher = bytes(
        "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
            + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b")
    private static let plain = bytes(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

    /// The messages one after the other; nil where the key or the message is refused.
    private static func decrypt(_ messages: [[UInt8]], key: [UInt8], vectors: [[UInt8]]) -> [[UInt8]?]? {
        guard var aes = AES256CBC(key: key) else { return nil }
        var plain: [[UInt8]?] = []
        for (message, vector) in zip(messages, vectors) {
            var bytes = message
            let isDone = bytes.withUnsafeMutableBytes { aes.decrypt($0, vector: vector) }
            plain.append(isDone ? bytes : bytes == message ? nil : [])
        }
        return plain
    }

    @Test("AES-256-CBC is that of the standard, for one message after another")
    func cbc() {
        // The block before is the vector of a block.
        let parts = [Self.cipher, Array(Self.cipher[16..<32]), Self.cipher, []]
        let vectors = [Self.vector, Array(Self.cipher[..<16]), Self.vector, Self.vector]
        let plain = Self.decrypt(parts, key: Self.key, vectors: vectors)
        #expect(plain == [Self.plain, Array(Self.plain[16..<32]), Self.plain, []])
    }

    @Test("bytes that are not whole blocks, and keys and vectors of other lengths, are refused")
    func lengths() {
        for length in [0, 16, 24, 31, 33] {
            #expect(Self.decrypt([], key: [UInt8](repeating: 1, count: length), vectors: []) == nil)
        }
        let parts = [Array(Self.cipher[..<17]), Array(Self.cipher[..<16])]
        #expect(Self.decrypt(parts, key: Self.key, vectors: [Self.vector, [1]]) == [nil, nil])
    }

    @Test("HMAC-SHA-224 is that of RFC 4231, for one message after another")
    func hmac() {
        let examples: [(key: [UInt8], message: [UInt8], code: String)] = [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea"
            ),
        ]
        for (key, message, code) in examples {
            var codes = HMACSHA224(key: key)
            for _ in 0..<3 { #expect(message.withUnsafeBytes { codes.code(of: $0) } == Self.bytes(code)) }
            #expect([UInt8]().withUnsafeBytes { codes.code(of: $0) }.count == HMACSHA224.length)
        }
    }
}
