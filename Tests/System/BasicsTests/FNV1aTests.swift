import Basics
import Testing

@Suite("FNV-1a")
struct FNV1aTests {
    @Test(
        "has the values that its authors publish",
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func published(text: String, hash: UInt64) { #expect(FNV1a.hash(text.utf8) == hash) }

    @Test("parts give the hash of the whole, and a seed another one")
    func parts() {
        var hash = FNV1a()
        hash.combine("foo".utf8)
        hash.combine("bar".utf8)
        #expect(hash.value == FNV1a.hash("foobar".utf8))
        #expect(FNV1a.hash("foobar".utf8, seed: 1) != hash.value)
    }
}
