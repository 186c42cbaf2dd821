import Basics
import Testing

struct Base64Tests {
    @Test(
        "bytes and their text, as RFC 4648 has them",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func examples(bytes: String, text: String) {
        #expect(Base64.standard.encode(Array(bytes.utf8)) == text)
        #expect(Base64.standard.decode(text) == Array(bytes.utf8))
        let bare = String(text.prefix { $0 != "=" })
        #expect(Base64.url.encode(Array(bytes.utf8)) == bare)
        #expect(Base64.url.decode(bare) == Array(bytes.utf8))
    }

    @Test("all bytes are decoded as they were, with the last two characters of each alphabet")
    func roundTrip() {
        for count in 0..<70 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 255 - $0 * 37) }
            #expect(Base64.standard.decode(Base64.standard.encode(bytes)) == bytes)
            #expect(Base64.url.decode(Base64.url.encode(bytes)) == bytes)
        }
        #expect(Base64.standard.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.url.encode([0xFB, 0xFF]) == "-_8")
    }

    @Test(
        "text that encoding does not make is refused",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "=", "==", "====", "Zm8", "Z===", "Zh==", "Zm9=", "Zg==Zg==", "Zm 9", "Zm9v\n",
            "-_8=", "Zm9ü",
        ])
    func refused(text: String) { #expect(Base64.standard.decode(text) == nil) }

    @Test("text for URLs has no padding and its own alphabet", arguments: ["Zg==", "+/8", "Z", "Zh"])
    func refusedURL(text: String) { #expect(Base64.url.decode(text) == nil) }
}
