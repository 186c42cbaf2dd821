import Foundation
import Identity
import JSONCoding
import ObjectModel
import Synchronization
import Testing

/// A file name in a temporary directory, which is deleted with this object.
final class KeyFixture: Sendable {
    let directory: String
    var path: String { directory + "/a.realmgate.keys" }

    init() throws {
        directory = NSTemporaryDirectory() + "identity-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Creates a file with these keys of tokens.
    func keySet(_ keys: [JSONValue]) throws -> String {
        let writer = JSONWriter()
        writer.value(["keys": .array(keys)])
        let path = directory + "/jwks.json"
        try Data(writer.bytes).write(to: URL(fileURLWithPath: path))
        return path
    }

    var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
}

@Suite("API keys")
struct KeyRingTests {
    private static let details = APIKey.Details(
        name: "till \"3\"", roles: ["clerk", "b"], claims: ["shop": .int(7), "t": [.null, .string("é")]], subject: "s",
        expires: Timestamp(seconds: 4_000_000_000), scope: KeyScope(isReadOnly: true, classes: ["Dog", "Cat"]))

    @Test("what a key was made with is there again in another process, and its secret is nowhere")
    func file() throws {
        let fixture = try KeyFixture()
        let (key, secret) = try KeyRing(path: fixture.path).create(Self.details)
        #expect(secret.wholeMatch(of: #/rg_[0-9A-Za-z]{8}_[0-9A-Za-z]{43}/#) != nil)
        #expect(!fixture.text.contains(secret.suffix(43)))
        let mode = try FileManager.default.attributesOfItem(atPath: fixture.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let again = try KeyRing(path: fixture.path)
        #expect(again.isInUse)
        let known = try #require(again.key(key.id))
        #expect(known.details == Self.details)
        let principal = try again.principal(of: secret)
        #expect(principal.credential == .key(key.id))
        #expect(principal.claims == Self.details.claims && principal.roles == ["clerk", "b"])
        #expect(principal.scope == Self.details.scope && principal.subject == "s")
    }

    @Test("secrets differ, and only the whole one is good")
    func secrets() throws {
        let ring = KeyRing()
        let made = try (0..<50).map { _ in try ring.create(.init(name: "a", roles: ["r"])).secret }
        #expect(Set(made).count == 50)
        let secret = made[7]
        for index in secret.indices {
            var wrong = secret
            wrong.replaceSubrange(index...index, with: secret[index] == "x" ? "y" : "x")
            #expect(throws: CredentialError.invalid) { try ring.principal(of: wrong) }
        }
        for wrong in ["", "rg_", "rg__", String(secret.dropLast()), secret + "0", secret + "_"] {
            #expect(throws: CredentialError.invalid) { try ring.principal(of: wrong) }
        }
        #expect(throws: Never.self) { try ring.principal(of: secret) }
    }

    @Test("a server sees what the command line makes and takes back")
    func twoProcesses() throws {
        let fixture = try KeyFixture()
        let server = try KeyRing(path: fixture.path)
        #expect(!server.isInUse)
        let tool = try KeyRing(path: fixture.path)
        let (key, secret) = try tool.create(.init(name: "a", roles: ["r"]))
        // An unknown key is looked up in the file at once.
        #expect(try server.principal(of: secret).credential == .key(key.id))
        #expect(server.isInUse)
        _ = try tool.revoke(key.id)
        #expect(server.isValid(key.id), "nobody has looked yet")
        #expect(try server.refresh())
        #expect(!server.isValid(key.id))
        #expect(throws: CredentialError.invalid) { try server.principal(of: secret) }
        #expect(try !server.refresh())
        let other = try server.create(.init(name: "b", roles: ["r"])).key
        #expect(try tool.revoke(other.id)?.id == other.id, "the tool looks before it answers")
        #expect(try tool.revoke("none") == nil)
        #expect(try KeyRing(path: fixture.path).keys.map(\.id) == [key.id, other.id])
    }

    @Test("keys that several write at once are all there")
    func concurrentWriters() async throws {
        let fixture = try KeyFixture()
        let rings = [try KeyRing(path: fixture.path), try KeyRing(path: fixture.path)]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for ring in rings {
                group.addTask { for _ in 0..<10 { _ = try ring.create(.init(name: "a", roles: ["r"])) } }
            }
            try await group.waitForAll()
        }
        #expect(try KeyRing(path: fixture.path).keys.count == 20)
    }

    @Test("a file that goes away or is damaged leaves a running server closed")
    func lostFile() throws {
        let fixture = try KeyFixture()
        let server = try KeyRing(path: fixture.path)
        let secret = try server.create(.init(name: "a", roles: ["r"])).secret
        try server.refresh()
        try "{\"format\":1,\"keys\":[{}]}".write(toFile: fixture.path, atomically: true, encoding: .utf8)
        #expect(throws: IdentityError.self) { try server.refresh() }
        #expect(throws: IdentityError.self) { try KeyRing(path: fixture.path) }
        #expect(!server.refreshOrLog())
        #expect(throws: Never.self) { try server.principal(of: secret) }
        try FileManager.default.removeItem(atPath: fixture.path)
        #expect(try server.refresh())
        #expect(throws: CredentialError.invalid) { try server.principal(of: secret) }
        #expect(server.isInUse)
    }

    @Test("a key ends at its time, and its last use is written down now and then")
    func times() throws {
        let fixture = try KeyFixture()
        let clock = Clock()
        let ring = try KeyRing(path: fixture.path, clock: { clock.now })
        let (key, secret) = try ring.create(.init(name: "a", roles: ["r"], expires: Timestamp(seconds: 1_002_000)))
        _ = try ring.principal(of: secret)
        ring.saveUses()
        func saved() throws -> Timestamp? { try KeyRing(path: fixture.path).key(key.id)?.lastUsed }
        #expect(try saved() == Timestamp(seconds: 1_000_000))
        clock.set(1_000_300)
        _ = try ring.principal(of: secret)
        #expect(ring.key(key.id)?.lastUsed == Timestamp(seconds: 1_000_300))
        ring.saveUses()
        #expect(try saved() == Timestamp(seconds: 1_000_000), "the file may lag behind")
        clock.set(1_000_900)
        _ = try ring.principal(of: secret)
        ring.saveUses()
        #expect(try saved() == Timestamp(seconds: 1_000_900))
        clock.set(1_002_000)
        #expect(throws: CredentialError.expired) { try ring.principal(of: secret) }
        #expect(!ring.isValid(key.id))
    }

    @Test("a key given at the start is an administrator's and is not written")
    func initialKey() throws {
        let fixture = try KeyFixture()
        let text = "an-administrator-chose-this-text-32"
        let ring = try KeyRing(path: fixture.path, initialKey: text)
        #expect(ring.isInUse)
        #expect(try ring.principal(of: text).roles == ["admin"])
        #expect(throws: CredentialError.invalid) { try ring.principal(of: text + "x") }
        _ = try ring.create(.init(name: "a", roles: ["r"]))
        #expect(!fixture.text.contains(text))
        #expect(throws: IdentityError.self) { try KeyRing(path: fixture.path, initialKey: "short") }
    }

    /// A clock that the test sets.
    private final class Clock: Sendable {
        private let seconds = Mutex<Int64>(1_000_000)

        var now: Timestamp { Timestamp(seconds: seconds.withLock { $0 }) }

        func set(_ second: Int64) { seconds.withLock { $0 = second } }
    }
}

/// A document in memory, at which others are first now and then.
private final class MemoryDocument: KeyDocument {
    private let state = Mutex<(bytes: [UInt8]?, revision: Int64, intrusions: [@Sendable () -> Void])>((nil, 0, []))

    var name: String { "The document of keys" }
    var stamp: [Int64] { state.withLock { $0.revision == 0 ? [] : [$0.revision] } }
    func read() -> [UInt8]? { state.withLock { $0.bytes } }

    /// Has the next update be superseded.
    func intrude(_ body: @escaping @Sendable () -> Void) { state.withLock { $0.intrusions.append(body) } }

    func update(_ change: ([UInt8]?) throws(IdentityError) -> [UInt8]) throws(IdentityError) {
        while true {
            let (known, revision) = state.withLock { ($0.bytes, $0.revision) }
            let body = try change(known)
            state.withLock { $0.intrusions.popLast() }?()
            let isDone = state.withLock { state in
                guard state.revision == revision else { return false }
                (state.bytes, state.revision) = (body, revision + 1)
                return true
            }
            if isDone { return }
        }
    }
}

@Suite("API keys in a shared document")
struct SharedKeyRingTests {
    private static let details = APIKey.Details(name: "till", roles: ["clerk"])

    @Test("keys of one ring are valid in the other, and a change that was superseded is made again, once")
    func shared() throws {
        let document = MemoryDocument()
        let rings = [try KeyRing(document), try KeyRing(document)]
        let (first, secret) = try rings[0].create(Self.details)
        #expect(try rings[1].principal(of: secret).credential == .key(first.id))
        document.intrude { _ = try? rings[1].create(Self.details) }
        let (third, _) = try rings[0].create(Self.details)
        try rings[0].refresh()
        #expect(rings[0].keys.count == 3 && rings[0].keys.filter { $0.id == third.id }.count == 1)
        _ = try rings[1].revoke(first.id)
        try rings[0].refresh()
        #expect(throws: CredentialError.self) { try rings[0].principal(of: secret) }
        #expect(try KeyRing(document).keys.count == 3)
    }
}
