import Basics
import Foundation
import Identity
import JSONCoding
import ObjectModel
import SignatureTesting
import Testing

@Suite("JSON Web Tokens")
struct TokenTests {
    static let now: Int64 = 1_800_000_000
    static let claims: JSONValue = [
        "sub": .string("ann"), "role": .string("clerk"), "shop": .int(7), "exp": .int(now + 600),
    ]

    private func verifier(
        _ keys: [JSONValue], in fixture: KeyFixture, _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> TokenVerifier {
        var settings = TokenSettings()
        settings.keyFile = try fixture.keySet(keys)
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
        let fixture = try KeyFixture()
        let signer = try TokenSigner.of(algorithm.rawValue)
        let verifier = try verifier([signer.publicKey], in: fixture)
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
        for text in wrong { #expect(throws: CredentialError.invalid) { try verifier.principal(of: text) } }
    }

    @Test("the algorithm must be one that the key and the settings allow")
    func confusion() throws {
        let fixture = try KeyFixture()
        let rsa = try TokenSigner.rsa("RS256")
        let verifier = try verifier([rsa.publicKey], in: fixture) { $0.algorithms = [.rs256, .hs256] }
        func refused(_ token: String) { #expect(throws: CredentialError.invalid) { try verifier.principal(of: token) } }
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

    private static let moments: [(String, Int64, CredentialError?)] = [
        ("exp", -29, nil), ("exp", -30, .expired), ("nbf", 30, nil), ("nbf", 31, .notYetValid), ("iat", 30, nil),
        ("iat", 31, .notYetValid), ("exp", 1_000_000_000_000, .invalid),
    ]

    @Test("times are checked with the leeway", arguments: moments)
    func times(claim: String, offset: Int64, fault: CredentialError?) throws {
        let signer = try TokenSigner.of("HS256")
        var claims: JSONValue = [claim: .int(Self.now + offset)]
        if claim != "exp" { claims = claims.with("exp", .int(Self.now + 600)) }
        let verifier = try shared()
        let token = try signer.token(claims)
        var thrown: CredentialError?
        do throws(CredentialError) { _ = try verifier.principal(of: token) } catch { thrown = error }
        #expect(thrown == fault)
    }

    @Test("a token that was taken ends at its time, and one without an end needs leave")
    func ends() throws {
        let signer = try TokenSigner.of("HS256")
        #expect(throws: CredentialError.invalid) { try shared().principal(of: signer.token(["sub": .string("a")])) }
        let lenient = try shared { $0.requiresExpiry = false }
        #expect(try lenient.principal(of: signer.token(["sub": .string("a")])).expires == nil)
        #expect(throws: CredentialError.invalid) { try lenient.principal(of: signer.token(["exp": .string("1")])) }
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
        ] { #expect(throws: CredentialError.invalid) { try strict.principal(of: signer.token(wrong)) } }
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
        let fixture = try KeyFixture()
        let (old, new) = try (TokenSigner.ellipticCurve("ES256"), TokenSigner.edwards())
        let verifier = try verifier([old.publicKey.with("kid", .string("old"))], in: fixture)
        let token = try old.token(Self.claims, header: [("kid", .string("old"))])
        let principal = try verifier.principal(of: token)
        guard case .token(let signer) = principal.credential else {
            Issue.record("no token")
            return
        }
        #expect(verifier.accepts(signer: signer))
        #expect(throws: CredentialError.invalid) {
            try verifier.principal(of: old.token(Self.claims, header: [("kid", .string("new"))]))
        }
        #expect(!verifier.refreshOrLog())
        // An invalid file changes nothing.
        try "{}".write(toFile: fixture.directory + "/jwks.json", atomically: true, encoding: .utf8)
        #expect(!verifier.refreshOrLog())
        #expect(verifier.accepts(signer: signer))
        _ = try fixture.keySet(
            [new.publicKey.with("kid", .string("new")), ["kty": .string("EC"), "use": .string("enc")]])
        #expect(verifier.refreshOrLog())
        #expect(!verifier.accepts(signer: signer))
        #expect(throws: CredentialError.invalid) { try verifier.principal(of: token) }
        let replaced = try new.token(Self.claims, header: [("kid", .string("new"))])
        #expect(throws: Never.self) { try verifier.principal(of: replaced) }
    }

    @Test("a key that names its algorithm verifies no other", arguments: TokenAlgorithm.allCases)
    func namedAlgorithm(algorithm: TokenAlgorithm) throws {
        let fixture = try KeyFixture()
        let family = TokenAlgorithm.allCases.filter { $0.rawValue.prefix(2) == algorithm.rawValue.prefix(2) }
        // RSA keys suit two families of algorithms.
        let rsa = TokenAlgorithm.allCases.filter { ["RS", "PS"].contains($0.rawValue.prefix(2)) }
        let related = rsa.contains(algorithm) ? rsa : family
        let signer = try TokenSigner.of(algorithm.rawValue)
        for named in related {
            guard case .object(var object) = signer.publicKey else { return }
            object.members.removeAll { $0.name == "alg" }
            object.members.append(JSONObject.Member(name: "alg", value: .string(named.rawValue)))
            // A curve has one algorithm: the key with another is for nothing.
            let isUsable = named == algorithm || rsa.contains(algorithm) || algorithm.rawValue.hasPrefix("HS")
            guard isUsable else {
                #expect(throws: IdentityError.self) { try self.verifier([.object(object)], in: fixture) }
                continue
            }
            let verifier = try verifier([.object(object)], in: fixture)
            let token = try signer.token(Self.claims)
            var fault: CredentialError?
            do throws(CredentialError) { _ = try verifier.principal(of: token) } catch { fault = error }
            #expect(fault == (named == algorithm ? nil : .invalid), "a key for \(named.rawValue)")
        }
    }

    private static let members: [(String, JSONValue, Bool)] = [
        ("use", .string("sig"), true), ("use", .string("enc"), false), ("use", .string("SIG"), false),
        ("key_ops", .array([.string("verify")]), true),
        ("key_ops", .array([.string("sign"), .string("verify")]), true),
        ("key_ops", .array([.string("encrypt")]), false), ("key_ops", .array([.string("sign")]), false),
        ("key_ops", .array([]), false), ("alg", .string("RSA-OAEP"), false), ("alg", .string("none"), false),
    ]

    @Test("a key for another purpose verifies nothing", arguments: members)
    func purposes(member: String, value: JSONValue, isUsable: Bool) throws {
        let fixture = try KeyFixture()
        for algorithm in ["HS256", "RS256", "ES256", "EdDSA"] {
            let signer = try TokenSigner.of(algorithm)
            guard case .object(var object) = signer.publicKey else { return }
            object.members.removeAll { $0.name == member }
            let key = JSONValue.object(object).with(member, value)
            let other = try TokenSigner.ellipticCurve("ES384")
            let verifier = try verifier([key, other.publicKey], in: fixture)
            let token = try signer.token(Self.claims)
            if isUsable {
                #expect(throws: Never.self) { try verifier.principal(of: token) }
            } else {
                #expect(throws: CredentialError.invalid) { try verifier.principal(of: token) }
            }
        }
        // Each of them must allow it.
        let signer = try TokenSigner.of("ES256")
        let both = signer.publicKey.with("use", .string("enc")).with("key_ops", .array([.string("verify")]))
        #expect(throws: IdentityError.self) { try verifier([both], in: fixture) }
    }

    @Test("a token chooses no key by its header but by 'kid'")
    func headerKeys() throws {
        let fixture = try KeyFixture()
        let known = try TokenSigner.ellipticCurve("ES256")
        let stranger = try TokenSigner.ellipticCurve("ES256")
        let verifier = try verifier([known.publicKey.with("kid", .string("a"))], in: fixture)
        let url = JSONValue.string("https://example.com/keys")
        for header: [(String, JSONValue)] in [
            [("jwk", stranger.publicKey)], [("jku", url)], [("x5u", url)], [("x5c", .array([.string("AAAA")]))],
            [("kid", .string("a"))], [("kid", .string("a"))] + [("jwk", stranger.publicKey)],
        ] {
            let token = try stranger.token(Self.claims, header: header)
            #expect(throws: CredentialError.invalid) { try verifier.principal(of: token) }
        }
        for kid: JSONValue in [
            .string("b"), .string(""), .string("../../dev/null"), .string("a' OR 1=1"), .int(0), .null,
            .array([.string("a")]),
        ] {
            let token = try known.token(Self.claims, header: [("kid", kid)])
            #expect(throws: CredentialError.invalid) { try verifier.principal(of: token) }
        }
        #expect(throws: Never.self) {
            try verifier.principal(of: known.token(Self.claims, header: [("kid", .string("a"))]))
        }
    }

    @Test("many threads may ask for the same new tokens at once")
    func threads() async throws {
        let fixture = try KeyFixture()
        let signers = try ["HS512", "RS256", "PS384", "ES512", "EdDSA"].map { try TokenSigner.of($0) }
        let verifier = try verifier(signers.map(\.publicKey), in: fixture)
        let tokens = try signers.flatMap { signer in
            try (0..<20).map { try signer.token(Self.claims.with("number", .int($0))) }
        }
        await withTaskGroup(of: Int.self) { group in
            for task in 0..<8 {
                group.addTask {
                    var wrong = 0
                    for token in task % 2 == 0 ? tokens : tokens.reversed() {
                        if (try? verifier.principal(of: token))?.subject != "ann" { wrong += 1 }
                        if (try? verifier.principal(of: token.dropLast(8) + "AAAAAAAA")) != nil { wrong += 1 }
                    }
                    return wrong
                }
            }
            for await wrong in group { #expect(wrong == 0) }
        }
    }

    @Test("keys that cannot be used are refused at the start, with the reason")
    func badKeys() throws {
        let fixture = try KeyFixture()
        func message(_ keys: [JSONValue], _ change: (inout TokenSettings) -> Void = { _ in }) -> String? {
            do {
                _ = try verifier(keys, in: fixture, change)
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
        let weak = try TokenSigner.rsa("RS256", SigningKey(.rsa(bits: 1024))).publicKey
        #expect(
            message([weak])?.hasSuffix("cannot be used: it has a modulus of 1024 bits; use 2048 to 16384.") ?? false)
        let modulus = try #require(try TokenSigner.rsa("RS256").publicKey["n"])
        let open: JSONValue = ["kty": .string("RSA"), "n": modulus, "e": .string("AQ")]
        #expect(message([open])?.contains("has an exponent that is not an odd number from 3") ?? false)
        let point = try TokenSigner.ellipticCurve("ES256").publicKey
        let x = try #require(point["x"])
        let outside: JSONValue = ["kty": .string("EC"), "crv": .string("P-256"), "x": x, "y": x]
        #expect(message([outside])?.hasSuffix("cannot be used: it is not a point of its curve.") ?? false)
        let wide: JSONValue = ["kty": .string("EC"), "crv": .string("P-384"), "x": x, "y": x]
        #expect(message([wide])?.contains("has 32 bytes in its coordinate x, which needs 48") ?? false)
        #expect(message([["kty": .string("EC")]])?.hasSuffix("has no 'crv'.") ?? false)
        #expect(message([.string("key")])?.contains("is not a JSON Web Key") ?? false)
        for name in ["use", "alg", "kid"] {
            #expect(message([point.with(name, .int(1))])?.hasSuffix("has a '\(name)' that is not a string.") ?? false)
        }
        #expect(message([point.with("key_ops", .string("verify"))])?.hasSuffix("not an array.") ?? false)
        let short512: JSONValue = [
            "kty": .string("oct"), "k": TokenSigner.url([UInt8](repeating: 7, count: 40)), "alg": .string("HS512"),
        ]
        #expect(message([short512])?.contains("has 40 bytes; HS512 needs 64 at least") ?? false)
        #expect(message([]) { $0.secret = "short" }?.contains("HS256 needs 32") ?? false)
        #expect(message([]) { $0.keyFile = fixture.directory + "/none" }?.contains("does not exist") ?? false)
        #expect(throws: IdentityError.self) {
            try shared {
                $0.secret = String(repeating: "x", count: 40)
                $0.algorithms = [.hs512]
            }
        }
    }

    @Test("what is not a token at all is refused")
    func garbage() throws {
        let verifier = try shared()
        let long = String(repeating: "e", count: 100_000)
        for text in [
            "", "..", "a.b.c", "e30.e30.e30", "e30..e30", "\(long).\(long).\(long)", "e30.bnVsbA.e30", "é.é.é",
        ] {
            #expect(throws: CredentialError.invalid) { try verifier.principal(of: text) }
        }
    }
}
