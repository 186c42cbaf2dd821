import ObjectModel
import PostgresTesting
import StoreContract
import StoreTesting
import TestBasics
import Testing

@testable import PostgresLog

@Suite("Images in a log", .enabled(if: PostgresServer.isThere))
struct ImageTests {
    private static func noise(_ count: Int, seed: UInt64 = 3) -> [UInt8] {
        var random = SeededRandom(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) } }
        return Array(bytes.prefix(count))
    }

    /// Ten parts of an image.
    private static let tenParts = noise(10 << 20)

    @discardableResult
    private static func upload(_ bytes: [UInt8], to log: PostgresLog, at version: UInt64, piece: Int = 70_000) throws
        -> LogImage
    {
        var rest = bytes[...]
        return try log.uploadImage(at: LogPosition(Version(version), .another()), fileFormat: 7) { most in
            let piece = Array(rest.prefix(min(most, piece)))
            rest = rest.dropFirst(piece.count)
            return piece
        }
    }

    private static func download(_ image: LogImage, from log: PostgresLog) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try log.downloadImage(image) { bytes += $0 }
        return bytes
    }

    @Test("come back as they were", arguments: [0, 1, 1 << 20, (1 << 20) + 1, 8 << 20, (9 << 20) + 5])
    func sizes(size: Int) throws {
        let realm = try TestRealm()
        let (log, other) = (try realm.log(), try realm.log())
        defer {
            log.close()
            other.close()
        }
        let repetitive = (0..<size).map { UInt8(truncatingIfNeeded: $0 >> 9) }
        var expected: [LogImage] = []
        for (version, bytes) in [5: Self.noise(size), 6: repetitive].sorted(by: { $0.key < $1.key }) {
            let image = try Self.upload(bytes, to: log, at: UInt64(version))
            expected.insert(image, at: 0)
            #expect(image.parts == (size + (1 << 20) - 1) >> 20 && image.bytes == size)
            #expect(try other.images() == expected)
            #expect(try Self.download(image, from: other) == bytes)
        }
        let stored = try realm.server.sql(
            "select coalesce(sum(length(body)), 0) from realmgate.image_part where realm = \(try realm.id) and version = 6"
        )
        #expect(try #require(Int(stored)) <= size / 20 + 2, "parts are compressed")
    }

    @Test("are replaced by a second upload of the same version, also after one that failed")
    func again() throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        struct Stop: Error {}
        var calls = 0
        #expect(throws: Stop.self) {
            _ = try log.uploadImage(at: LogPosition(Version(5), .another()), fileFormat: 1) { most in
                calls += 1
                if calls > 10 { throw Stop() }
                return Self.noise(most)
            }
        }
        #expect(try log.images().map(\.isComplete) == [false])
        let bytes = Self.noise(3 << 20, seed: 9)
        let image = try Self.upload(bytes, to: log, at: 5)
        #expect(try log.images() == [image])
        #expect(try Self.download(image, from: log) == bytes)
    }

    @Test(
        "whose parts were changed are damaged",
        arguments: [
            "delete from realmgate.image_part where realm = ID and part = 0",
            "delete from realmgate.image_part where realm = ID and part = 2",
            "delete from realmgate.image_part where realm = ID and part = 9",
            "update realmgate.image_part set body = 'x' where realm = ID and part = 9",
            "update realmgate.image_part set body = '\\x00' || body where realm = ID and part = 9",
            "update realmgate.image_part set body = '' where realm = ID and part = 1",
            "update realmgate.image set sha256 = 'x' where realm = ID",
        ])
    func damage(statement: String) throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        try Self.upload(Self.tenParts, to: log, at: 5)
        try realm.server.sql(statement.replacing("ID", with: try realm.id))
        let image = try #require(try log.images().first)
        #expect(code { try Self.download(image, from: log) } == .logDamaged)
    }

    @Test("are made by one store at a time, and all but two are deleted")
    func claims() throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        let (a, b) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        #expect(try log.claimImage(by: a))
        #expect(try log.claimImage(by: a))
        #expect(try !log.claimImage(by: b))
        try log.releaseImage(by: b)
        #expect(try !log.claimImage(by: b))
        try realm.server.sql(
            "update realmgate.realm set image_until = now() - interval '1 second' where id = \(try realm.id)")
        #expect(try log.claimImage(by: b))
        try log.releaseImage(by: b)
        #expect(try log.claimImage(by: a))
        for version in [2, 4, 6, 8] as [UInt64] { try Self.upload([1], to: log, at: version) }
        try realm.server.sql(
            "update realmgate.image set complete = false where realm = \(try realm.id) and version = 8")
        try log.deleteImages()
        #expect(try log.images().map(\.position.version.rawValue) == [6, 4])
    }

    @Test("of a realm that cannot be made leave nothing, and one that exists is refused")
    func publishing() throws {
        let realm = try TestRealm()
        let directory = try LogDirectory(try PostgresAddress(realm.server.url))
        defer { directory.close() }
        struct Stop: Error {}
        let name = try RealmName("published-\(PostgresServer.number())")
        let position = LogPosition(Version(7), .another())
        let orphans = "select count(*) from realmgate.image where realm not in (select id from realmgate.realm)"
        #expect(throws: Stop.self) {
            _ = try PostgresLog.publish(name, in: directory) { log in
                var calls = 0
                return try log.uploadImage(at: position, fileFormat: 1) { most in
                    calls += 1
                    if calls > 10 { throw Stop() }
                    return Self.noise(most)
                }
            }
        }
        #expect(try realm.server.sql(orphans) == "0")
        #expect(try !directory.has(name))
        #expect(throws: LogConfigurationError.self) {
            _ = try PostgresLog.publish(realm.name, in: directory) { _ in throw Stop() }
        }
        let image = try PostgresLog.publish(name, in: directory) { log in
            var isOver = false
            return try log.uploadImage(at: position, fileFormat: 1) { _ in
                defer { isOver = true }
                return isOver ? [] : [1, 2, 3]
            }
        }
        let log = try PostgresLog(try PostgresAddress(realm.server.url), realm: name)
        defer { log.close() }
        #expect(try log.newest() == position && log.floor() == position.version && log.images() == [image])
        #expect(code { try log.entries(after: Version(6)) } == .versionGone)
    }

    @Test("make a log begin again, unless it has reached their version meanwhile")
    func restarting() throws {
        let realm = try TestRealm()
        let log = try realm.log()
        defer { log.close() }
        let tag = HistoryTag.another()
        #expect(try log.append([[1], [2], [3]], after: TestRealm.start, tag: tag) == .appended)
        let before = try Self.upload([9], to: log, at: 3)
        func restart(_ version: UInt64) throws -> LogImage {
            var isOver = false
            return try log.restart(at: LogPosition(Version(version), .another()), fileFormat: 1) { _ in
                defer { isOver = true }
                return isOver ? [] : [1, 2, 3]
            }
        }
        #expect(code { try restart(4) } == .busy)
        #expect(try log.newest() == LogPosition(Version(4), tag) && log.images() == [before])
        #expect(try log.entries(after: Version(1)).count == 3)
        let image = try restart(20)
        #expect(try log.newest() == image.position && log.images() == [image])
        #expect(code { try log.entries(after: Version(4)) } == .versionGone)
        #expect(try log.entries(after: Version(20)) == [])
        #expect(try realm.server.sql("select count(*) from realmgate.log where realm = \(try realm.id)") == "0")
        #expect(try log.append([[5]], after: LogPosition(Version(4), tag), tag: .another()) == .superseded)
        #expect(try log.append([[5]], after: image.position, tag: .another()) == .appended)
    }

    @Test("an upload and a download go on over connections that are cut")
    func cuts() throws {
        let realm = try TestRealm()
        let faults = try SocketFaults(to: realm.server)
        defer { faults.close() }
        let log = try realm.log(at: faults.address) { $0.usesHints = false }
        defer { log.close() }
        let bytes = Self.noise(17 << 20)
        faults.plan(.cutAfterSent(9 << 20))
        let image = try Self.upload(bytes, to: log, at: 5)
        faults.plan(.cutAfterReceived(9 << 20))
        #expect(try Self.download(image, from: log) == bytes)
        #expect(faults.cuts == 2)
    }
}
