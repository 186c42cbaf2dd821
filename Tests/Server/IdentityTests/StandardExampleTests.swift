import Basics
import Foundation
import JSONCoding
import ObjectModel
import Testing

@testable import Identity

@Suite("Examples of RFC 7515, 7517, 7518, 7520 and 8037")
struct StandardExampleTests {
    private func keys(
        _ entries: [JSONValue], _ change: (inout TokenSettings) -> Void = { _ in }
    ) throws -> [TokenKey] {
        let fixture = try KeyFixture()
        var settings = TokenSettings()
        settings.keyFile = try fixture.keySet(entries)
        change(&settings)
        return try TokenKey.load(settings)
    }

    /// Returns the algorithms of the keys that verify the text.
    private func verifying(_ text: String, _ keys: [TokenKey]) -> [String] {
        guard let signature = CompactSignature(text) else { return [] }
        return keys.filter { $0.suits(signature) && $0.verifies(signature) }.map(\.algorithm.rawValue)
    }

    @Test("a signature is verified with its key and its algorithm alone", arguments: StandardExamples.signed)
    func verified(example: StandardExamples.Signed) throws {
        #expect(verifying(example.text, try keys([example.key])) == [example.algorithm])
        let others = StandardExamples.signed.map(\.key).filter { $0 != example.key }
        #expect(verifying(example.text, try keys(others)) == [])
    }

    @Test("one bit makes a signature invalid, wherever it is", arguments: StandardExamples.signed)
    func flipped(example: StandardExamples.Signed) throws {
        let keys = try keys([example.key])
        let parts = example.text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        var tried = 0
        for part in parts.indices {
            let bytes = try #require(Base64.url.decode(parts[part]))
            for index in stride(from: 0, to: bytes.count, by: 5) {
                var changed = bytes
                changed[index] ^= 1 << UInt8(index % 7)
                var text = parts
                text[part] = Base64.url.encode(changed)
                #expect(verifying(text.joined(separator: "."), keys) == [], "part \(part), byte \(index)")
                tried += 1
            }
        }
        #expect(tried > 10)
    }

    @Test("the bits that base64url leaves over must be zero, so that one signature has one text")
    func canonical() throws {
        let keys = try keys([StandardExamples.es256.key])
        #expect(verifying(StandardExamples.es256.text, keys) == ["ES256"])
        #expect(StandardExamples.es256.text.hasSuffix("Q"))
        // Q is 010000: its last four bits belong to no byte.
        for letter in "RSTUVWXYZabcdef" {
            #expect(verifying(StandardExamples.es256.text.dropLast() + "\(letter)", keys) == [])
        }
        #expect(verifying(StandardExamples.es256.text + "==", keys) == [])
    }

    @Test("a token of RFC 7515 identifies its caller while it is valid")
    func token() throws {
        let fixture = try KeyFixture()
        var settings = TokenSettings()
        settings.keyFile = try fixture.keySet([StandardExamples.es256.key])
        settings.issuers = ["joe"]
        for (moment, fault): (Int64, CredentialError?) in [(1_300_819_379, nil), (1_300_819_410, .expired)] {
            let verifier = try TokenVerifier(settings, clock: { Timestamp(seconds: moment) })
            var thrown: CredentialError?
            do throws(CredentialError) {
                let principal = try verifier.principal(of: StandardExamples.es256.text)
                #expect(principal.claims["http://example.com/is_root"] == .bool(true))
            } catch { thrown = error }
            #expect(thrown == fault)
        }
    }

    @Test("what is not signed, encrypted, detached or no compact form is refused")
    func refused() throws {
        let keys = try keys(StandardExamples.signed.map(\.key))
        for text in [
            StandardExamples.unsecured, StandardExamples.general, StandardExamples.detached.text,
            StandardExamples.encrypted,
        ] { #expect(verifying(text, keys) == [], "\(text)") }
    }

    @Test("key sets of RFC 7517 have the keys that are for signatures")
    func keySets() throws {
        let rsa = try keys(StandardExamples.publicKeys)
        #expect(rsa.map(\.algorithm) == [.rs256] && rsa.map(\.id) == ["2011-04-29"])
        let secrets = try keys(StandardExamples.secrets)
        #expect(secrets.map(\.algorithm) == [.hs256, .hs384, .hs512])
        #expect(verifying(try #require(StandardExamples.signed.first).text, secrets) == ["HS256"])
    }

    @Test("keys for encryption and for agreement are not keys for tokens, and a set of them is refused")
    func otherKeys() throws {
        for entries in [StandardExamples.agreement, [StandardExamples.publicKeys[0]], [StandardExamples.secrets[0]]] {
            #expect(throws: IdentityError.self) { try keys(entries) }
            do { _ = try keys(entries) } catch {
                #expect("\(error)" == "No key supports any of the accepted token algorithms.")
            }
            #expect(try keys(entries + [StandardExamples.es256.key]).map(\.algorithm) == [.es256])
        }
    }
}
