import Cryptography
import Testing

@Suite("Hashes and comparisons")
struct HashingTests {
    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// The examples of FIPS 180-4, and the empty message.
    private static let examples = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]

    @Test("SHA-256 is that of the standard, in one part and in several", arguments: examples)
    func sha256(text: String, expected: String) {
        let bytes = Array(text.utf8)
        #expect(Self.hex(SHA256.hash(bytes)) == expected)
        for cut in bytes.indices {
            var hash = SHA256()
            hash.update(Array(bytes[..<cut]))
            hash.update([])
            hash.update(Array(bytes[cut...]))
            #expect(Self.hex(hash.finalize()) == expected)
        }
    }

    @Test("a million letters have the hash of the standard")
    func long() {
        var hash = SHA256()
        for _ in 0..<1000 { hash.update([UInt8](repeating: UInt8(ascii: "a"), count: 1000)) }
        #expect(Self.hex(hash.finalize()) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    @Test("a hash that is begun and dropped leaves others alone")
    func dropped() {
        for _ in 0..<1000 {
            var dropped = SHA256()
            dropped.update([1, 2, 3])
        }
        #expect(SHA256.hash([1]) == SHA256.hash([1]) && SHA256.hash([1]) != SHA256.hash([2]))
    }

    @Test("only equal bytes are equal")
    func equality() {
        #expect(ConstantTime.areEqual([], []))
        #expect(ConstantTime.areEqual([1, 2], [1, 2]))
        for other: [UInt8] in [[], [1], [1, 3], [0, 2], [1, 2, 0]] { #expect(!ConstantTime.areEqual([1, 2], other)) }
    }
}
