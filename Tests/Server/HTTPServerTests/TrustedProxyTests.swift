import HTTPMessages
import HTTPServer
import HTTPTesting
import Testing

@Suite("Proxies whose word about the client is taken")
struct TrustedProxyTests {
    /// Returns the client of a request, without the port.
    private func client(
        _ forwarded: String?, from peer: RemoteAddress = .v4(0x0a00_0001, port: 9), trusting texts: [String]
    ) throws -> String {
        var proxies = TrustedProxies()
        for text in texts {
            let isNetwork = proxies.insert(text)
            #expect(isNetwork, "\(text)")
        }
        var router = Router()
        router.use(trustProxies { [proxies] in proxies })
        router.get("/") { request, _ in .now(.text(request.remoteAddress.host)) }
        let headers: HeaderFields = forwarded.map { ["X-Forwarded-For": $0] } ?? [:]
        let answer = try router.answer(try Request(.get, "/", headers: headers, remoteAddress: peer))
        return String(decoding: answer.bodyBytes, as: UTF8.self)
    }

    @Test(
        "the field counts from its end for as long as our proxies speak",
        arguments: [
            (nil, "10.0.0.1"), ("", "10.0.0.1"), ("203.0.113.5", "203.0.113.5"),
            // Addresses that a client sent itself precede the one that the proxy added.
            ("1.2.3.4, 203.0.113.5", "203.0.113.5"), ("1.2.3.4,203.0.113.5, 10.9.9.9", "203.0.113.5"),
            ("10.0.0.2, 10.0.0.3", "10.0.0.2"), ("unknown", "10.0.0.1"), ("1.2.3.4, unknown, 10.0.0.3", "10.0.0.3"),
            (" 203.0.113.5:4711 ", "203.0.113.5"), ("2001:db8::7", "2001:db8:0:0:0:0:0:7"),
            ("[2001:db8::7]:4711", "2001:db8:0:0:0:0:0:7"), ("[2001:db8::7", "10.0.0.1"), ("]", "10.0.0.1"),
            ("[]", "10.0.0.1"), ("203.0.113.5,", "10.0.0.1"),
        ] as [(String?, String)])
    func chains(_ forwarded: String?, _ expected: String) throws {
        #expect(try client(forwarded, trusting: ["10.0.0.0/8"]) == expected)
    }

    @Test("of everybody else the field is not looked at")
    func strangers() throws {
        #expect(try client("203.0.113.5", trusting: []) == "10.0.0.1")
        #expect(try client("203.0.113.5", trusting: ["10.0.0.2", "192.168.0.0/16", "::1"]) == "10.0.0.1")
        #expect(try client("203.0.113.5", from: .none, trusting: ["0.0.0.0/0", "::/0"]) == "-")
    }

    @Test(
        "networks hold what begins with the same bits, IPv4 also as IPv6 maps it",
        arguments: [
            ("10.0.0.1", true), ("10.0.0.0/31", true), ("10.0.0.2/31", false), ("0.0.0.0/0", true), ("::/0", true),
            ("::ffff:10.0.0.1", true), ("::ffff:10.0.0.0/127", true), ("::ffff:0.0.0.0/96", true), ("::/64", true),
            ("8000::/1", false), ("10.0.0.1/32", true),
        ])
    func networks(_ network: String, _ isTrusted: Bool) throws {
        let expected = isTrusted ? "203.0.113.5" : "10.0.0.1"
        #expect(try client("203.0.113.5", trusting: [network]) == expected)
        let mapped = RemoteAddress.v6(high: 0, low: 0xffff_0a00_0001, port: 9)
        #expect(try client("203.0.113.5", from: mapped, trusting: [network]) == (isTrusted ? expected : mapped.host))
    }

    @Test("IPv6 networks of any length", arguments: [0, 1, 32, 63, 64, 65, 127, 128])
    func lengths(_ length: Int) throws {
        let peer = RemoteAddress.v6(high: 0x2001_0db8_0000_0001, low: 0x8000_0000_0000_0001, port: 9)
        #expect(try client("203.0.113.5", from: peer, trusting: ["2001:db8:0:1:8000::1/\(length)"]) == "203.0.113.5")
        guard length > 0 else { return }
        // Differs in the last bit of the network only.
        let bit = UInt64(1) << UInt64((128 - length) % 64)
        let other =
            length <= 64
            ? RemoteAddress.v6(high: 0x2001_0db8_0000_0001 ^ bit, low: 0, port: 9)
            : RemoteAddress.v6(high: 0x2001_0db8_0000_0001, low: 0x8000_0000_0000_0001 ^ bit, port: 9)
        #expect(
            try client("203.0.113.5", from: other, trusting: ["2001:db8:0:1:8000::1/\(length)"]) == other.host)
    }

    @Test(
        "what is not a network is refused",
        arguments: ["", "x", "10.0.0", "10.0.0.1/", "10.0.0.1/33", "::1/129", "10.0.0.1/+8", "10.0.0.1/8/8", "/8", "*"])
    func refused(_ text: String) {
        var proxies = TrustedProxies()
        let isNetwork = proxies.insert(text)
        #expect(!isNetwork && proxies.isEmpty)
    }
}
