import Foundation
import Identity
import JSONCoding
import ObjectModel
import Testing

@Suite("JSON Web Tokens")
struct TokenTests {
    static let now: Int64 = 1_800_000_000
    static let claims: JSONValue = [
        "sub": .string("ann"), "role": .string("clerk"), "shop": .int(7), "exp": .int(now + 600),
    ]

    /// Creates a file with these keys.
    private func keySet(_ keys: [JSONValue], in place: KeyPlace) throws -> String {
        let writer = JSONWriter()
        writer.value(["keys": .array(keys)])
        let path = place.directory + "/jwks.json"
        try Data(writer.bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func verifier(
        _ keys: [JSONValue], in place: KeyPlace, _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> TokenVerifier {
        var settings = TokenSettings()
        settings.keyFile = try keySet(keys, in: place)
        change(&settings)
        return try TokenVerifier(settings, clock: { Timestamp(seconds: Self.now) })
    }

    private func shared(_ change: (inout TokenSettings) -> Void = { _ in }) throws -> TokenVerifier {
        var settings = TokenSettings()
        settings.secret = String(repeating: "secret-", count: 10)
        change(&settings)
        return try TokenVerifier(settings, clock: { Timestamp(seconds: Self.now) })
    }

    @Test("tokens of each algorithm are taken, and refused when a bit is off", arguments: TokenAlgorithm.allCases)
    func algorithms(algorithm: TokenAlgorithm) throws {
        let place = try KeyPlace()
        let signer = try TokenSigner.of(algorithm.rawValue)
        let verifier = try verifier([signer.publicKey], in: place)
        let token = try signer.token(Self.claims)
        for _ in 0..<2 {
            let principal = try verifier.principal(of: token)
            #expect(principal.subject == "ann" && principal.roles == ["clerk"])
            #expect(principal.claims["shop"] == .int(7))
            #expect(principal.expires == Timestamp(seconds: Self.now + 630))
        }
        let parts = token.split(separator: ".").map(String.init)
        var signature = try #require(Base64.url.decode(parts[2]))
        signature[signature.count / 2] ^= 1
        let other = try TokenSigner.hmac("HS256", String(repeating: "x", count: 64)).token(Self.claims)
        let wrong = [
            "\(parts[0]).\(parts[1]).\(Base64.url.encode(signature))", "\(parts[0]).\(parts[1]).",
            "\(parts[0]).\(other.split(separator: ".")[1])x.\(parts[2])", other, "\(parts[0]).\(parts[1])",
            token + ".x",
        ]
        for text in wrong { #expect(throws: CredentialFault.invalid) { try verifier.principal(of: text) } }
    }

    @Test("the algorithm must be one that the key and the settings allow")
    func confusion() throws {
        let place = try KeyPlace()
        let rsa = try TokenSigner.rsa("RS256")
        let verifier = try verifier([rsa.publicKey], in: place) { $0.algorithms = [.rs256, .hs256] }
        func refused(_ token: String) { #expect(throws: CredentialFault.invalid) { try verifier.principal(of: token) } }
        // Signed with public data, as if it were a secret.
        let modulus = try #require(rsa.publicKey["n"].flatMap { if case .string(let text) = $0 { text } else { nil } })
        refused(try TokenSigner.hmac("HS256", modulus).token(Self.claims))
        refused(try TokenSigner.rsa("RS512").token(Self.claims))
        refused(try TokenSigner.rsa("PS256").token(Self.claims))
        refused(try rsa.token(Self.claims, header: [("alg", .string("none"))]))
        refused(try rsa.token(Self.claims, header: [("alg", .string("rs256"))]))
        refused(try rsa.token(Self.claims, header: [("crit", .array([.string("exp")]))]))
        let unsigned = try rsa.token(Self.claims, header: [("alg", .string("none"))]).split(separator: ".")
        refused("\(unsigned[0]).\(unsigned[1]).")
        #expect(throws: Never.self) { try verifier.principal(of: try rsa.token(Self.claims)) }
    }

    private static let moments: [(String, Int64, CredentialFault?)] = [
        ("exp", -29, nil), ("exp", -30, .expired), ("nbf", 30, nil), ("nbf", 31, .notYetValid), ("iat", 30, nil),
        ("iat", 31, .notYetValid), ("exp", 1_000_000_000_000, .invalid),
    ]

    @Test("times are checked with the leeway", arguments: moments)
    func times(claim: String, offset: Int64, fault: CredentialFault?) throws {
        let signer = try TokenSigner.of("HS256")
        var claims: JSONValue = [claim: .int(Self.now + offset)]
        if claim != "exp" { claims = claims.with("exp", .int(Self.now + 600)) }
        let verifier = try shared()
        let token = try signer.token(claims)
        var thrown: CredentialFault?
        do throws(CredentialFault) { _ = try verifier.principal(of: token) } catch { thrown = error }
        #expect(thrown == fault)
    }

    @Test("a token that was taken ends at its time, and one without an end needs leave")
    func ends() throws {
        let signer = try TokenSigner.of("HS256")
        #expect(throws: CredentialFault.invalid) { try shared().principal(of: signer.token(["sub": .string("a")])) }
        let lenient = try shared { $0.requiresExpiry = false }
        #expect(try lenient.principal(of: signer.token(["sub": .string("a")])).expires == nil)
        #expect(throws: CredentialFault.invalid) { try lenient.principal(of: signer.token(["exp": .string("1")])) }
        #expect(
            try shared().principal(of: signer.token(["exp": .double(1.8e9 + 0.5)])).expires?.seconds == Self.now + 30)
    }

    @Test("issuer and audience are checked when they are configured")
    func issuers() throws {
        let signer = try TokenSigner.of("HS256")
        let strict = try shared {
            $0.issuers = ["https://a.example"]
            $0.audiences = ["shop", "store"]
        }
        func claims(_ issuer: JSONValue, _ audience: JSONValue) -> JSONValue {
            Self.claims.with("iss", issuer).with("aud", audience)
        }
        let issuer = JSONValue.string("https://a.example")
        for audience: JSONValue in [.string("shop"), .array([.string("x"), .string("store")])] {
            #expect(throws: Never.self) { try strict.principal(of: signer.token(claims(issuer, audience))) }
        }
        for wrong in [
            claims(.string("https://b.example"), .string("shop")), claims(issuer, .string("x")),
            claims(issuer, .int(1)),
            claims(.null, .string("shop")), Self.claims,
        ] { #expect(throws: CredentialFault.invalid) { try strict.principal(of: signer.token(wrong)) } }
    }

    private static let places: [([String], JSONValue, [String])] = [
        (["role", "roles"], ["role": .string("a"), "roles": .array([.string("b")])], ["a"]),
        (["role", "roles"], ["roles": .array([.string("b"), .int(1), .string("c")])], ["b", "c"]),
        (["realm_access.roles"], ["realm_access": ["roles": .array([.string("d")])]], ["d"]),
        (["https://e.x/roles"], ["https://e.x/roles": .string("e")], ["e"]),
        (["role"], ["sub": .string("x")], []),
    ]

    @Test("roles are at the first place that is there", arguments: places)
    func roles(paths: [String], claims: JSONValue, expected: [String]) throws {
        let signer = try TokenSigner.of("HS256")
        let verifier = try shared { $0.rolePaths = paths }
        #expect(try verifier.principal(of: signer.token(claims.with("exp", .int(Self.now + 1)))).roles == expected)
    }

    @Test("of several keys the one that the token names is tried, and a changed file counts at once")
    func rotation() throws {
        let place = try KeyPlace()
        let (old, new) = (TokenSigner.ellipticCurve("ES256"), TokenSigner.edwards())
        let verifier = try verifier([old.publicKey.with("kid", .string("old"))], in: place)
        let token = try old.token(Self.claims, header: [("kid", .string("old"))])
        let principal = try verifier.principal(of: token)
        guard case .token(let signer) = principal.credential else {
            Issue.record("no token")
            return
        }
        #expect(verifier.accepts(signer: signer))
        #expect(throws: CredentialFault.invalid) {
            try verifier.principal(of: old.token(Self.claims, header: [("kid", .string("new"))]))
        }
        #expect(!verifier.refreshOrLog())
        // An invalid file changes nothing.
        try "{}".write(toFile: place.directory + "/jwks.json", atomically: true, encoding: .utf8)
        #expect(!verifier.refreshOrLog())
        #expect(verifier.accepts(signer: signer))
        _ = try keySet(
            [new.publicKey.with("kid", .string("new")), ["kty": .string("EC"), "use": .string("enc")]], in: place)
        #expect(verifier.refreshOrLog())
        #expect(!verifier.accepts(signer: signer))
        #expect(throws: CredentialFault.invalid) { try verifier.principal(of: token) }
        let replaced = try new.token(Self.claims, header: [("kid", .string("new"))])
        #expect(throws: Never.self) { try verifier.principal(of: replaced) }
    }

    @Test("keys that cannot be used are refused at the start, with the reason")
    func badKeys() throws {
        let place = try KeyPlace()
        func message(_ keys: [JSONValue], _ change: (inout TokenSettings) -> Void = { _ in }) -> String? {
            do {
                _ = try verifier(keys, in: place, change)
                return nil
            } catch { return "\(error)" }
        }
        #expect(message([])?.contains("No key supports") ?? false)
        #expect(
            message([try TokenSigner.rsa("RS256").publicKey]) { $0.algorithms = [.es256] }?.contains("No key supports")
                ?? false)
        let half: JSONValue = ["kty": .string("RSA"), "n": .string("AQAB")]
        #expect(message([half])?.contains("Key number 1") ?? false)
        let short: JSONValue = ["kty": .string("oct"), "k": TokenSigner.url([1, 2, 3])]
        #expect(message([short])?.contains("3 bytes") ?? false)
        #expect(message([]) { $0.secret = "short" }?.contains("HS256 needs 32") ?? false)
        #expect(message([]) { $0.keyFile = place.directory + "/none" }?.contains("does not exist") ?? false)
        #expect(throws: IdentityError.self) {
            try shared {
                $0.secret = String(repeating: "x", count: 40)
                $0.algorithms = [.hs512]
            }
        }
    }

    @Test("what is no token at all is refused")
    func garbage() throws {
        let verifier = try shared()
        let long = String(repeating: "e", count: 100_000)
        for text in [
            "", "..", "a.b.c", "e30.e30.e30", "e30..e30", "\(long).\(long).\(long)", "e30.bnVsbA.e30", "é.é.é",
        ] {
            #expect(throws: CredentialFault.invalid) { try verifier.principal(of: text) }
        }
    }
}
